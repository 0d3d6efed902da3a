"""Precision against recall of judges, and what an answer costs: drawn by hand as SVG, which loads and runs nothing.

Judges are told apart by number and shape, so that it can be printed in black and white; the numbers are those of the
table. Title and description say the same in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import dist

from trail_callbacks.bench.figures import JudgeFigures, SideBySide
from trail_callbacks.bench.table import cost, counts
from trail_callbacks.render.excerpt import line, plain
from trail_callbacks.statistics.rates import Rate
from trail_callbacks.text import shorten

_WIDTH, _LEFT, _TOP, _SIDE = 900, 70, 56, 380  # of the drawing, and of the square in it
_LIST, _ROW, _BAR = 500, 58, 190  # where the list of judges begins, height of a row in it, its longest bar
_AWAY, _ROOM = (11.0, 20.0, 30.0, 40.0), 13.0  # of a number from its mark, to the right and down; what it needs
_NAME = 48  # characters of a judge's name
_SHAPES = (
    '<circle r="5.5"/>',
    '<rect x="-5" y="-5" width="10" height="10"/>',
    '<path d="M0-6.5 6 5H-6Z"/>',
    '<path d="M0-7 7 0 0 7-7 0Z"/>',
    '<path d="M0 6.5-6-5H6Z"/>',
    '<path d="M-5-5 5 5M5-5-5 5"/>',
)
_COLOURS = ("#0b5394", "#a64d00", "#1b6e3c", "#8e2463", "#444444", "#6b5b00")
_Point = tuple[float, float]


def to_svg(founds: Sequence[SideBySide]) -> str:
    """Draws benches, one below the other."""
    parts, words, at = list[str](), list[str](), 0
    for found in founds:
        parts.append(f'<g transform="translate(0 {at})">{"".join(_drawn(found))}</g>')
        at += max(_TOP + _SIDE + 60, _TOP + 40 + _ROW * len(found.judges))
        for n, each in enumerate(found.judges, 1):
            shares = f"{each.shares['wrong_found']}; flags that are right {each.shares['precision']}"
            words.append(f"{found.bench.data}, {n} {each.judge}: wrong sentences found {shares}.")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {at}" width="{_WIDTH}" height="{at}" '
        'role="img" aria-labelledby="title words" font-family="sans-serif" font-size="12" fill="#222222">'
        f'<title id="title">Judges by precision and recall</title><desc id="words">{line(" ".join(words))}</desc>'
        f'<rect width="{_WIDTH}" height="{at}" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def _drawn(found: SideBySide) -> Iterator[str]:
    yield f'<text x="{_LEFT}" y="30" font-size="15" font-weight="bold">{line(shorten(counts(found.bench), 100))}</text>'
    wrong = [label.wrong for answer in found.bench.answers for label in answer.labels]
    yield from _axes(sum(wrong) / max(len(wrong), 1))
    yield from _marks(found.judges)
    yield from _list(found.judges)


def _x(share: float) -> float:
    return round(_LEFT + _SIDE * share, 1)


def _y(share: float) -> float:
    return round(_TOP + _SIDE * (1 - share), 1)


def _axes(wrong: float) -> Iterator[str]:
    for n in range(0, 101, 20):
        x, y = _x(n / 100), _y(n / 100)
        yield f'<path d="M{x} {_TOP}V{_TOP + _SIDE}M{_LEFT} {y}H{_LEFT + _SIDE}" stroke="#dddddd"/>'
        yield f'<text x="{x}" y="{_TOP + _SIDE + 18}" text-anchor="middle">{n} %</text>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{n} %</text>'
    middle = _TOP + _SIDE / 2
    yield f'<text x="{_LEFT + _SIDE / 2}" y="{_TOP + _SIDE + 40}" text-anchor="middle">wrong sentences found</text>'
    yield f'<text transform="translate(18 {middle}) rotate(-90)" text-anchor="middle">flags that are right</text>'
    yield f'<path d="M{_LEFT} {_y(wrong)}H{_LEFT + _SIDE}" stroke="#666666" stroke-dasharray="2 4"/>'
    yield f'<text x="{_LEFT + 4}" y="{_y(wrong) - 5}" fill="#666666" font-size="11">if all were flagged</text>'


def _marks(judges: Sequence[JudgeFigures]) -> Iterator[str]:
    shares = [(n, each.shares["wrong_found"], each.shares["precision"]) for n, each in enumerate(judges, 1)]
    shown = [
        (n, found, right, (_x(found.value), _y(right.value)))
        for n, found, right in shares
        if found.value is not None and right.value is not None
    ]
    taken = [at for *_, at in shown]
    for n, found, right, (x, y) in shown:
        yield (
            f'<path d="M{_x(found.low or 0.0)} {y}H{_x(found.high or 0.0)}M{x} {_y(right.low or 0.0)}'
            f'V{_y(right.high or 0.0)}" stroke="{_colour(n)}" opacity="0.55"/>'
        )
        yield f'<g transform="translate({x} {y})">{_shape(n)}</g>'
    for n, _, _, at in shown:
        x, y = _free(at, taken)
        taken.append((x, y))
        yield (
            f'<text x="{x:.1f}" y="{y + 5:.1f}" text-anchor="middle" font-size="14" font-weight="bold" '
            f'fill="{_colour(n)}" stroke="#ffffff" stroke-width="3" paint-order="stroke">{n}</text>'
        )


def _free(mark: _Point, taken: Sequence[_Point]) -> _Point:
    """The place beside a mark that is farthest from all marks and numbers, and not on its cross."""
    x, y = mark
    best = mark
    for away in _AWAY:
        around = [(x + right * away, y + down * away) for right in (1, -1) for down in (-1, 1)]
        inside = [at for at in around if _LEFT < at[0] < _LEFT + _SIDE and _TOP < at[1] < _TOP + _SIDE]
        best = max(inside, key=lambda at: min(dist(at, other) for other in taken))
        if min(dist(best, other) for other in taken) >= _ROOM:
            break
    return best


def _shape(n: int) -> str:
    shape = _SHAPES[(n - 1) % len(_SHAPES)].replace("/>", ' fill="#ffffff" fill-opacity="0.6" stroke-width="2"/>')
    return shape.replace("/>", f' stroke="{_colour(n)}"/>')


def _colour(n: int) -> str:
    return _COLOURS[(n - 1) % len(_COLOURS)]


def _list(judges: Sequence[JudgeFigures]) -> Iterator[str]:
    """The judges by number, with a bar for the seconds of an answer."""
    yield f'<text x="{_LIST}" y="{_TOP}" fill="#666666">An answer takes (bars are seconds)</text>'
    slowest = max((each.seconds[0] for each in judges if each.seconds), default=0.0) or 1.0
    for n, each in enumerate(judges, 1):
        y, failed = _TOP - 28 + _ROW * n, each.shares["failed"]
        words = f"finds {_said(each.shares['wrong_found'])}, right {_said(each.shares['precision'])}"
        words += f", failed {failed.k:,} of {failed.n:,}" if failed.k else ""
        width = _BAR * (each.seconds[0] if each.seconds else 0.0) / slowest
        yield f'<g transform="translate({_LIST + 6} {y - 4})">{_shape(n)}</g>'
        yield f'<g transform="translate({_LIST + 20} {y})">'
        yield f'<text font-weight="bold">{n} {line(shorten(plain(each.judge), _NAME))}</text>'
        yield f'<text y="15" font-size="11">{words}</text>'
        yield f'<rect y="21" width="{width:.1f}" height="7" fill="{_colour(n)}"/>'
        yield f'<text x="{width + 6:.1f}" y="29" font-size="11">{", ".join(reversed(cost(each)))}</text></g>'


def _said(share: Rate) -> str:
    return f"{share.k:,} of {share.n:,} ({100 * share.value:.0f} %)" if share.value is not None else "not known"
