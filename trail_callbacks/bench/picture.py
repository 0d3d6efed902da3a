"""Precision against recall of judges, and what an answer costs: drawn by hand as SVG, which loads and runs nothing.

Judges are told apart by number and shape, so that it can be printed in black and white; the numbers are those of the
table. Title and description say the same in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import dist

from trail_callbacks.bench.figures import JudgeFigures, SideBySide
from trail_callbacks.render.excerpt import line, plain
from trail_callbacks.render.page.document import security_policy
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
    parts, at = [], 0
    for found in founds:
        parts.append(f'<g transform="translate(0 {at})">{"".join(_drawn(found))}</g>')
        at += _height(found)
    words = " ".join(each for found in founds for each in _described(found))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {at}" width="{_WIDTH}" height="{at}" '
        'role="img" aria-labelledby="title words" font-family="sans-serif" font-size="12" fill="#222222">'
        f'<title id="title">Judges by precision, recall and cost</title><desc id="words">{line(words)}</desc>'
        f'<rect width="{_WIDTH}" height="{at}" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def to_html(founds: Sequence[SideBySide]) -> str:
    """Draws them on a page of one file."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
        f'content="{line(security_policy((), ()))}"><title>Judges by precision, recall and cost</title></head>'
        f"<body>{to_svg(founds)}</body></html>\n"
    )


def _height(found: SideBySide) -> int:
    return max(_TOP + _SIDE + 60, _TOP + 40 + _ROW * len(found.judges))


def _described(found: SideBySide) -> Iterator[str]:
    for n, each in enumerate(found.judges, 1):
        found_, right = each.shares["wrong_found"], each.shares["precision"]
        yield f"{found.bench.data}, {n} {each.judge}: wrong sentences found {found_}; flags that are right {right}."


def _drawn(found: SideBySide) -> Iterator[str]:
    labels = [label.wrong for answer in found.bench.answers for label in answer.labels]
    counts = f"{len(found.bench.answers):,} answers, {sum(labels):,} of {len(labels):,} sentences wrong"
    title = f"{shorten(plain(found.bench.data), _NAME)}: {counts}"
    yield f'<text x="{_LEFT}" y="30" font-size="15" font-weight="bold">{line(title)}</text>'
    yield from _axes(sum(labels) / len(labels) if labels else None)
    yield from _marks(found.judges)
    yield from _list(found.judges)


def _x(share: float) -> float:
    return round(_LEFT + _SIDE * share, 1)


def _y(share: float) -> float:
    return round(_TOP + _SIDE * (1 - share), 1)


def _axes(wrong: float | None) -> Iterator[str]:
    for n in range(0, 101, 20):
        x, y = _x(n / 100), _y(n / 100)
        yield f'<path d="M{x} {_TOP}V{_TOP + _SIDE}M{_LEFT} {y}H{_LEFT + _SIDE}" stroke="#dddddd"/>'
        yield f'<text x="{x}" y="{_TOP + _SIDE + 18}" text-anchor="middle">{n} %</text>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{n} %</text>'
    middle = _TOP + _SIDE / 2
    yield f'<text x="{_LEFT + _SIDE / 2}" y="{_TOP + _SIDE + 40}" text-anchor="middle">wrong sentences found</text>'
    yield f'<text transform="translate(18 {middle}) rotate(-90)" text-anchor="middle">flags that are right</text>'
    if wrong is not None:
        y = _y(wrong)
        yield f'<path d="M{_LEFT} {y}H{_LEFT + _SIDE}" stroke="#666666" stroke-dasharray="2 4"/>'
        yield f'<text x="{_LEFT + 4}" y="{y - 5}" fill="#666666" font-size="11">if all were flagged</text>'


def _marks(judges: Sequence[JudgeFigures]) -> Iterator[str]:
    shown = [
        (n, found, right, (_x(found.value), _y(right.value)))
        for n, each in enumerate(judges, 1)
        if (found := each.shares["wrong_found"]).value is not None
        and (right := each.shares["precision"]).value is not None
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
    """The judges by number, with a bar for what an answer costs."""
    unit, costs = _costs(judges)
    yield f'<text x="{_LIST}" y="{_TOP}" fill="#666666">Bars: {unit} an answer</text>'
    most = max(filter(None, costs), default=1.0)
    for n, (each, cost) in enumerate(zip(judges, costs, strict=True), 1):
        y, failed = _TOP - 28 + _ROW * n, each.shares["failed"]
        name = shorten(plain(each.judge), _NAME)
        words = f"finds {_said(each.shares['wrong_found'])}, right {_said(each.shares['precision'])}"
        words += f", failed {failed.k:,} of {failed.n:,}" if failed.k else ""
        yield f'<g transform="translate({_LIST + 6} {y - 4})">{_shape(n)}</g>'
        yield f'<text x="{_LIST + 20}" y="{y}" font-weight="bold">{n} {line(name)}</text>'
        yield f'<text x="{_LIST + 20}" y="{y + 15}" font-size="11">{words}</text>'
        width = _BAR * (cost or 0.0) / most
        yield f'<rect x="{_LIST + 20}" y="{y + 21}" width="{width:.1f}" height="7" fill="{_colour(n)}"/>'
        yield f'<text x="{_LIST + 26 + width:.1f}" y="{y + 29}" font-size="11">{_amount(each, unit, cost)}</text>'


def _said(share: Rate) -> str:
    return f"{share.k:,} of {share.n:,} ({100 * share.value:.0f} %)" if share.value is not None else "nothing: no flag"


def _amount(judge: JudgeFigures, unit: str, cost: float | None) -> str:
    seconds = f"{judge.seconds[0]:.2g} seconds" if judge.seconds else "no seconds"
    if unit == "seconds" or cost is None:
        return seconds
    return f"{cost:,.0f} tokens, {seconds}" if unit == "tokens" else f"{cost:.2g} money, {seconds}"


def _costs(judges: Sequence[JudgeFigures]) -> tuple[str, list[float | None]]:
    """What tells judges apart best that is known of all: money, tokens or seconds; what made no call costs neither."""
    asking = [each for each in judges if each.usage.calls]
    if asking and all(each.money is not None for each in asking):
        return "money", [each.each(each.money or 0.0) for each in judges]
    if asking:
        tokens = [each.usage.prompt_tokens + each.usage.completion_tokens for each in judges]
        return "tokens", [each.each(whole) for each, whole in zip(judges, tokens, strict=True)]
    return "seconds", [each.seconds[0] if each.seconds else None for each in judges]
