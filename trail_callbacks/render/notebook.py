"""A report in a notebook: the answer coloured by claim, then the claims. No script, all text escaped.

A fragment cannot know whether the notebook is light or dark, so text keeps the notebook's colour. Classes differ by
symbol, background tint and underline; only badges, which have their own background, are white on colour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.render.excerpt import MarkedSpan, Stretch, around, both_ends, most_relevant, segments
from trail_callbacks.render.labels import (
    OUTCOMES,
    WORST_FIRST,
    Sign,
    carriers,
    citations,
    cited,
    counted,
    covered,
    entered,
    error_words,
    from_request,
    headline,
    mark,
    named,
    outcome_word,
    relation_word,
)
from trail_callbacks.render.safe_text import flowing, plain, shorten
from trail_callbacks.report import Report, Verdict
from trail_callbacks.taxonomy import SupportClass

__all__ = ["to_fragment"]

_QUOTES = 3
_LONGEST = 400  # characters of a quote
_WARNING = 1_000  # characters of one warning, which may list claims
_SHORT = 110  # characters of a claim in the title of a closed card
_SPAN = 1_000  # characters of one segment of the answer
_WHOLE = 30_000  # characters of the answer
_CARDS = 60  # claims with details, in each of the two lists
_BOX = "font-family:system-ui,sans-serif;font-size:14px;line-height:1.5;max-width:60em;text-align:left"
_FAINT = "opacity:.7"
_FRAME = "1px solid rgba(128,128,128,.4)"

_LINES: dict[str, str] = {
    SupportClass.SUPPORTED: "1px solid",
    SupportClass.CONTRADICTED: "2px solid",
    SupportClass.ABSENT: "2px dotted",
    SupportClass.PARTIALLY_SUPPORTED: "2px dashed",
    SupportClass.UNEVALUATABLE: "1px dotted",
    "undecided": "1px dashed",
    "not_judged": "3px double",
}


def to_fragment(report: Report) -> str:
    """Renders a report as one HTML element.

    It has the score, the answer with each claim in the colour of its class, and the details of every claim: first those
    with a problem, then those that are undecided, then the others, collapsed. Untrusted text is escaped and stripped of
    control characters; there are no scripts, links, images or style sheets, so the result is safe to show and to save.
    Long answers, quotes and lists are cut, with a note.
    """
    return "".join(_report(report))


def _report(report: Report) -> Iterator[str]:
    yield f'<div style="{_BOX}">'
    yield f'<div style="font-size:1.15em"><b>{_text(headline(report))}</b></div>'
    yield from _bar(report)
    yield f"<div>{_text(counted(report))}</div>"
    if citing := citations(report):
        yield f"<div>{_text(citing)}</div>"
    errors = [f"{n} {error.value.replace('_', ' ')}" for error, n in report.error_counts.items() if n]
    if errors:
        yield f"<div>error types: {_text(', '.join(errors))}</div>"
    usage = report.usage
    calls = f"{usage.calls:,} model call{'' if usage.calls == 1 else 's'}"
    cost = f"judge {shorten(report.judge, _LONGEST) or 'unknown'}; {calls}; {usage.seconds:.2f} s"
    yield f'<div style="{_FAINT}">{_text(cost)}</div>'
    if left := covered(report):
        yield f'<div style="font-weight:600">{_text(left)}</div>'
    for warning in report.warnings:
        words = _text(shorten(warning, _WARNING))
        yield f'<div style="margin:.4em 0;padding-left:.6em;border-left:3px solid #c98a00">! {words}</div>'
    yield from _path(report)
    yield from _answer(report)
    yield from _claims(report)
    if step := report.next_step:
        yield f"<div><b>Next:</b> {_text(step)}</div>"
    yield "</div>"


def _path(report: Report) -> Iterator[str]:
    """The stages of the evidence path beside each other, the first break framed."""
    if report.diagnosis is None:
        return
    from trail_callbacks.render.evidence_path import cells, verdict_line  # noqa: PLC0415 - few have one

    yield f'<div style="margin:.6em 0"><b>Evidence path: {_text(verdict_line(report.diagnosis))}</b></div>'
    yield '<div style="display:flex;flex-wrap:wrap;gap:.5em">'
    for cell in cells(report.diagnosis):
        frame = "3px double" if cell.broken else _FRAME
        yield f'<div style="border:{frame};padding:.3em .6em;flex:1 1 9em"><b>{_text(cell.name)}</b>'
        yield f"<br>{_text(cell.there)}"
        yield f"<br>question covered {_text(cell.figure)}" if cell.figure else ""
        yield "<br><b>first break</b>" if cell.broken else ""
        yield from (f"<br>{cell.label}: {_text(text)}" for text in cell.lost)
        yield "</div>"
    yield "</div>"


def _bar(report: Report) -> Iterator[str]:
    """The number of claims of each class, as widths."""
    if not report.claims:
        return
    yield '<div style="display:flex;gap:2px;max-width:24em;margin:.3em 0">'
    outcomes = Counter(verdict.outcome for verdict in report.verdicts)
    for how, count in ((mark(outcome), outcomes[outcome]) for outcome in OUTCOMES):
        if count:
            style = f"flex:{count} 0 1.6em;background:{how.colour};color:#fff;border-radius:3px;padding:0 .3em"
            yield f'<span title="{count} {how.word}" style="{style};font-size:.85em">{how.symbol}&nbsp;{count}</span>'
    yield "</div>"


def _answer(report: Report) -> Iterator[str]:
    answer = report.graph.answer
    if answer is None:
        return
    style = f"margin:.6em 0;padding:.5em .8em;border:{_FRAME};border-radius:6px;white-space:pre-wrap"
    yield f'<div dir="auto" style="{style};overflow-wrap:anywhere">'
    if not answer.text.strip():
        yield f'<span style="{_FAINT}">(the answer is empty)</span>'
    length, shown = len(answer.text), 0
    claimed = [(max(claim.start, 0), min(claim.end, length)) for claim in report.claims]
    spans = [MarkedSpan(start, end, number) for number, (start, end) in enumerate(claimed) if start < end]
    for segment in segments(0, length, spans):
        if shown >= _WHOLE:
            yield _left_out(length - segment.start)
            break
        kept = min(segment.end, segment.start + _SPAN)
        shown += kept - segment.start
        words = escape(flowing(answer.text[segment.start : kept])) + _left_out(segment.end - kept)
        yield _marked(report, segment, words) if segment.spans else words
    yield "</div>"


def _left_out(count: int) -> str:
    return f'<span style="{_FAINT}"> [{count:,} more characters] </span>' if count else ""


def _marked(report: Report, segment: Stretch, words: str) -> str:
    pairs = [(claim, report.verdict(claim.id)) for claim in (report.claims[span.owner] for span in segment.spans)]
    pairs.sort(key=lambda pair: WORST_FIRST.index(pair[1].outcome))
    worst = pairs[0][1].outcome
    how = mark(worst)
    begin = [report.verdict(report.claims[span.owner].id) for span in segment.opens]
    badges = "".join(_badge(mark(verdict.outcome), verdict.claim_id) for verdict in begin)
    title = "; ".join(f"{claim.id} {_title(claim, verdict)}" for claim, verdict in pairs)
    style = f"background:{how.colour}38;border-bottom:{_LINES[worst]} {how.colour}"
    if any(claim.uncovered for claim, _ in pairs):
        style = f"outline:1px dashed {how.colour};outline-offset:-1px"
    return f'<span title="{_text(title)}" style="{style}">{badges}<bdi>{words}</bdi></span>'


def _badge(how: Sign, words: str) -> str:
    style = f"background:{how.colour};color:#fff;border-radius:3px;padding:0 .35em;margin-right:.3em"
    return f'<span style="{style};font-size:.8em;white-space:nowrap">{how.symbol} {_text(words)}</span>'


def _title(claim: Claim, verdict: Verdict) -> str:
    words = error_words(verdict)
    return outcome_word(claim, verdict) + (f" ({words})" if words else "")


def _claims(report: Report) -> Iterator[str]:
    amiss: list[tuple[Claim, Verdict]] = []
    undecided: list[tuple[Claim, Verdict]] = []
    fine: list[tuple[Claim, Verdict]] = []
    for claim in report.claims:
        verdict = report.verdict(claim.id)
        calm = verdict.support in (SupportClass.SUPPORTED, SupportClass.UNEVALUATABLE) and not verdict.conflicting
        (fine if calm else undecided if verdict.outcome == "undecided" else amiss).append((claim, verdict))
    yield from _cards(report, amiss, unfolded=True)
    yield from _cards(report, undecided, unfolded=False)
    if not fine:
        return
    if amiss or undecided:
        others = "claim" if len(fine) == 1 else "claims"
        yield f'<details><summary style="cursor:pointer">{len(fine)} other {others}</summary>'
    yield from _cards(report, fine, unfolded=False)
    if amiss or undecided:
        yield "</details>"


def _cards(report: Report, found: Sequence[tuple[Claim, Verdict]], *, unfolded: bool) -> Iterator[str]:
    for claim, verdict in found[:_CARDS]:
        yield from _card(report, claim, verdict, unfolded=unfolded)
    if len(found) > _CARDS:
        yield f'<div style="{_FAINT}">and {len(found) - _CARDS:,} more: see report.claims</div>'


def _card(report: Report, claim: Claim, verdict: Verdict, *, unfolded: bool) -> Iterator[str]:
    how = mark(verdict.outcome)
    is_open = " open" if unfolded else ""
    style = f"margin:.5em 0;padding:.1em .6em;border-left:3px solid {how.colour}"
    yield f'<details{is_open} style="{style}"><summary style="cursor:pointer">'
    yield f"{_badge(how, claim.id)}<b>{_text(_title(claim, verdict))}</b>"
    limit = _LONGEST if unfolded else _SHORT
    yield f' <bdi style="overflow-wrap:anywhere">\u201c{_text(both_ends(claim.quote, limit))}\u201d</bdi></summary>'
    yield from _rows(report, claim, verdict)
    yield "</details>"


def _rows(report: Report, claim: Claim, verdict: Verdict) -> Iterator[str]:
    yield from _meaning(claim)
    if verdict.error:
        yield _row("failed", _text(shorten(verdict.error, _LONGEST)))
    if verdict.outcome == "undecided":
        yield _row("undecided", _text(shorten(verdict.undecided or "", _LONGEST)))
    for item in verdict.evidence[:_QUOTES]:
        yield _row(relation_word(item), _evidence(item, claim, report))
    if len(verdict.evidence) > _QUOTES:
        yield _row("", f"and {len(verdict.evidence) - _QUOTES} more")
    for line in cited(claim, report.graph):
        yield _row("cites", _text(line))
    if verdict.rationale and verdict.error_type:
        yield _row("why", _text(shorten(verdict.rationale, _LONGEST)))
    for line in entered(verdict, report.graph):
        yield _row("entry step", f"<b>{_text(line)}</b>")
    if verdict.carried_through:
        yield _row("carried by", _text(carriers(verdict, report.graph)))


def _meaning(claim: Claim) -> Iterator[str]:
    if claim.path:
        yield _row("field", _text(both_ends(claim.path, _SHORT)))
    if plain(claim.text) != plain(claim.quote):
        yield _row("meaning", _text(both_ends(claim.text, _LONGEST)))


def _evidence(item: Evidence, claim: Claim, report: Report) -> str:
    before, after = around(item, report.graph)
    marked = from_request(item, report.graph)
    source = _text(named(item.node_id, report.graph)) + (f", <i>{marked}</i>" if marked else "")
    quote = f"<b>{_text(most_relevant(item.quote, claim.text, _LONGEST))}</b>"
    faint = f'<span style="{_FAINT}">'
    return f"{source}: <bdi>{faint}{_text(before)}</span> {quote} {faint}{_text(after)}</span></bdi>"


def _row(label: str, html: str) -> str:
    """A label, and beside it a value that wraps within its own column."""
    shown = f'<span style="{_FAINT};flex:0 0 5.5em">{label}</span>'
    value = f'<span style="overflow-wrap:anywhere;min-width:0">{html}</span>'
    return f'<div style="display:flex;gap:.6em">{shown}{value}</div>'


def _text(text: str) -> str:
    return escape(plain(text))
