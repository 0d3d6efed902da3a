"""Examples of each outcome: question, values, passage with the edit marked, answer, and the graph of that run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trail_callbacks.canary.page.passages import passages
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.report.examples import Example
from trail_callbacks.canary.report.words import ARM_WORDS, OUTCOME_MEANS, OUTCOME_WORDS
from trail_callbacks.canary.trial import OUTCOMES, How, Outcome
from trail_callbacks.render.diagram import graph_to_svg
from trail_callbacks.render.labels import entered, error_words, headline, mark, named, outcome_word
from trail_callbacks.render.safe_text import block, line, name, plain, shorten
from trail_callbacks.report import Report

__all__ = ["gallery"]

_HOW: Mapping[How, str] = {
    "value": "by typed values",
    "words": "by its words",
    "polarity": "by yes or no",
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
    elif not any(each.report or each.missing for several in found.values() for each in several):
        yield '<p class="missing">The app gave no reports. An app made by canary_app(..., verify=True) does: '
        yield "its examples have the provenance graph of their run.</p>"
    for outcome in OUTCOMES:
        if outcome in found:
            yield f'<div class="outcome" data-outcome="{outcome}"><h3>{OUTCOME_WORDS[outcome]}</h3>'
            yield f'<p class="faint">{OUTCOME_MEANS[outcome].capitalize()}.</p>'
            for each in found[outcome]:
                yield from _example(each)
            yield "</div>"


def _example(example: Example) -> Iterator[str]:
    """Question, what is true, what the app read, what it said, and what that comes to: in this order."""
    probe, trial = example.probe, example.trial
    yield f'<article class="example"><p class="question" dir="auto">{_cut(probe.question, _LONGEST)}</p>'
    yield '<dl class="story">'
    yield _row("The corpus says", _value(probe.real))
    yield _row("The twin says", _fictive(probe))
    yield from _read(example)
    if trial.answer is None:
        yield _row("No answer", f"<bdi>{_cut(trial.error or 'no reason was kept', _SHORT)}</bdi>")
    else:
        yield _row("The app said", f'<p class="answer">{_cut(trial.answer, _LONGEST)}</p>')
    reason = f"; <bdi>{_cut(trial.finding.reason, _SHORT)}</bdi>" if trial.finding.reason else ""
    yield _row("Decided", f"{_HOW[trial.finding.how]}{reason}")
    yield "</dl>"
    edit = " ".join(each for each in (probe.size, probe.kind) if each)
    about = {"probe": probe.id, "edit": edit, "arm": ARM_WORDS[trial.arm], "strategy": trial.strategy}
    facts = (f"<div><dt>{label}</dt><dd>{_named(words)}</dd></div>" for label, words in about.items() if words)
    yield f'<dl class="facts">{"".join(facts)}</dl>'
    yield from _run(example)
    yield "</article>"


def _fictive(probe: Probe) -> str:
    if probe.fictive is None:
        return "nothing: the fact was removed"
    return _value(probe.fictive) + (f" and elsewhere {_value(probe.also)}" if probe.also is not None else "")


def _read(example: Example) -> Iterator[str]:
    """What the app could read."""
    arm = example.trial.arm
    if arm not in ("real", "fictive"):
        nothing = "nothing: the retriever found nothing" if arm == "empty" else "nothing: the model was asked alone"
        yield _row("It read", nothing)
        return
    shown = list(passages(example))
    for passage in shown:
        node = passage.node
        graph = example.report.graph if example.report is not None and node is not None else None
        where = f'<span class="faint">{name(named(node or "", graph))}</span>' if graph is not None else ""
        words = "".join(f"<mark>{block(text)}</mark>" if marked else block(text) for text, marked in passage.parts)
        yield _row(passage.said, f'<p class="passage">{words}</p>{where}')
    if not shown:
        yield _row("It read", "no passage that is known to state the fact")


def _row(label: str, content: str) -> str:
    return f"<div><dt>{line(label)}</dt><dd>{content}</dd></div>"


def _run(example: Example) -> Iterator[str]:
    if example.missing:
        yield f'<p class="missing">The run is not shown: {line(shorten(example.missing, _SHORT))}</p>'
    if example.report is None:
        return
    report = example.report
    drawing, notes = graph_to_svg(report.graph)
    yield "<details open><summary>How the answer came about: provenance graph of this run</summary>"
    yield from (f'<p class="faint">{line(note)}</p>' for note in notes)
    if drawing:
        yield '<div class="drawing" tabindex="0" role="group" aria-label="Provenance graph of this run">'
        yield f"{drawing}</div>"
    yield f'<p class="faint">Its claims, checked against what it read: {line(headline(report))}</p>'
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
