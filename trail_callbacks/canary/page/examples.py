"""Examples of each outcome: question, values, passage with the edit marked, answer, and the graph of that run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trail_callbacks.canary.page.passages import Passage, passages
from trail_callbacks.canary.report.examples import Example
from trail_callbacks.canary.report.words import ARM_WORDS, OUTCOME_WORDS
from trail_callbacks.canary.trial import OUTCOMES, How, Outcome
from trail_callbacks.render.diagram import graph_to_svg
from trail_callbacks.render.labels import entered, error_words, headline, mark, named, outcome_word
from trail_callbacks.render.safe_text import block, line, name, plain, shorten
from trail_callbacks.report import Report

__all__ = ["gallery"]

_HOW: Mapping[How, str] = {
    "value": "by typed values",
    "words": "by its words",
    "refusal": "as a refusal",
    "judge": "by the judge",
    "retrieval": "by the passages served",
    "error": "the app failed",
    "undecided": "undecided",
}
_LONGEST, _SHORT, _NAME = 1_500, 300, 90  # characters
_CLAIMS = 12


def gallery(found: Mapping[Outcome, Sequence[Example]]) -> Iterator[str]:
    """Renders the examples, outcome by outcome."""
    if not found:
        yield '<p class="missing">There is no trial to show.</p>'
    for outcome in OUTCOMES:
        if outcome in found:
            yield f'<div class="outcome" data-outcome="{outcome}"><h3>{OUTCOME_WORDS[outcome]}</h3>'
            for each in found[outcome]:
                yield from _example(each)
            yield "</div>"


def _example(example: Example) -> Iterator[str]:
    probe, trial = example.probe, example.trial
    yield '<article class="example">'
    yield f'<p class="question" dir="auto">{_cut(probe.question, _LONGEST)}</p>'
    yield '<dl class="facts">'
    facts = {
        "probe": _named(probe.id),
        "arm": ARM_WORDS[trial.arm],
        "strategy": _named(trial.strategy),
        "real value": _value(probe.real),
        "fictive value": _value(probe.fictive) if probe.fictive is not None else "none, the fact was removed",
        "second fictive value": _value(probe.also) if probe.also is not None else "",
        "edit": " ".join(each for each in (probe.size, probe.kind) if each),
    }
    for label, value in facts.items():
        if value:
            yield f"<div><dt>{label}</dt><dd>{value}</dd></div>"
    yield "</dl>"
    shown = list(passages(example))
    for passage in shown:
        yield from _passage(passage, example.report)
    if not shown and trial.arm in ("real", "fictive"):
        yield '<p class="missing">No passage is known that states the fact.</p>'
    if trial.answer is None:
        why = _cut(trial.error or "no reason was kept", _SHORT)
        yield f'<p><span class="label">No answer</span> <bdi>{why}</bdi></p>'
    else:
        yield f'<div><span class="label">Answer</span><p class="answer">{_cut(trial.answer, _LONGEST)}</p></div>'
    reason = f": <bdi>{_cut(trial.finding.reason, _SHORT)}</bdi>" if trial.finding.reason else ""
    yield f'<p><span class="label">Decided</span> {_HOW[trial.finding.how]}{reason}</p>'
    yield from _run(example)
    yield "</article>"


def _passage(passage: Passage, report: Report | None) -> Iterator[str]:
    where = f" {name(named(passage.node, report.graph))}" if passage.node is not None and report is not None else ""
    words = "".join(f"<mark>{block(text)}</mark>" if marked else block(text) for text, marked in passage.parts)
    yield f'<div><span class="label">{line(passage.said)}</span>{where}<p class="passage">{words}</p></div>'


def _run(example: Example) -> Iterator[str]:
    if example.missing:
        yield f'<p class="missing">The run is not shown: {line(shorten(example.missing, _SHORT))}</p>'
    if example.report is None:
        return
    report = example.report
    drawing, notes = graph_to_svg(report.graph)
    yield f"<details open><summary>The run: {line(headline(report))}</summary>"
    yield from (f'<p class="faint">{line(note)}</p>' for note in notes)
    if drawing:
        yield '<div class="drawing" tabindex="0" role="group" aria-label="Provenance graph of this run">'
        yield f"{drawing}</div>"
    yield from _verdicts(report)
    yield "</details>"


def _verdicts(report: Report) -> Iterator[str]:
    known = {verdict.claim_id: verdict for verdict in report.verdicts}
    pairs = [(claim, known[claim.id]) for claim in report.claims if claim.id in known]
    if not pairs:
        return
    yield '<ul class="list verdicts" aria-label="Claims of the answer">'
    for claim, verdict in pairs[:_CLAIMS]:
        words = error_words(verdict)
        kind = f"{outcome_word(claim, verdict)}{f': {words}' if words else ''}"
        steps = "".join(f", entered at {name(at)}" for at in entered(verdict, report.graph))
        symbol, said = mark(verdict.outcome).symbol, _cut(claim.quote or claim.text, _SHORT)
        yield f'<li data-class="{verdict.outcome}"><span class="sign" aria-hidden="true">{symbol}</span>'
        yield f'<span><bdi>{said}</bdi> <span class="faint">{line(kind)}{steps}</span></span></li>'
    yield "</ul>"
    if len(pairs) > _CLAIMS:
        yield f'<p class="missing">and {len(pairs) - _CLAIMS:,} more claims</p>'


def _value(text: str) -> str:
    return f"<b><bdi>{_cut(text, _SHORT)}</bdi></b>"


def _named(text: str) -> str:
    return name(shorten(plain(text), _NAME))


def _cut(text: str, limit: int) -> str:
    left = len(text) - limit
    return block(text) if left <= 0 else f'{block(text[:limit])} <span class="gap">{left:,} characters left out</span>'
