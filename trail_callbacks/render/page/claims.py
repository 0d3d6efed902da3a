"""The list of claims with all their details."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import ProvenanceGraph, named
from trail_callbacks.render.excerpt import around, block, line, name, plain
from trail_callbacks.render.labels import (
    cited,
    entered,
    error_words,
    from_request,
    listed,
    mark,
    outcome_word,
    relation_word,
)
from trail_callbacks.render.page.view import PageView, Stop
from trail_callbacks.report import Layer, Verdict
from trail_callbacks.text import shorten

_LONGEST = 2_000  # characters of one quote or rationale
_NAMED = 12  # nodes named in one line
_EVIDENCE = 40  # pieces of a claim
_ROLES = {
    "evidence": "evidence",
    "nearest": "nearest",
    "introduced": "introduced here",
    "carried": "repeats it",
    "answer": "answer",
}


def claims(view: PageView) -> Iterator[str]:
    """Renders the claims in the order of the answer, expanded."""
    if not view.pairs:
        return
    yield '<ol id="claims" aria-label="Claims">'
    for number, (claim, verdict) in enumerate(view.pairs):
        error = verdict.error_type.value if verdict.error_type else ""
        key, shown = view.keys[number], mark(verdict.outcome)
        left = " data-uncovered" if claim.uncovered else ""
        yield f'<li data-claim="{line(key)}" data-class="{verdict.outcome}" data-type="{error}"{left}>'
        words = error_words(verdict)
        kind = f'<span class="kind">{outcome_word(claim, verdict)}{f": {line(words)}" if words else ""}</span>'
        yield '<details open><summary class="row">'
        yield f'<span class="sign" aria-hidden="true">{shown.symbol}</span><span class="id">{name(claim.id)}</span>'
        said = line(shorten(claim.quote or claim.text, _LONGEST))
        yield f'<span class="said" dir="auto">{said}</span>{kind}</summary>'
        yield '<div class="body">'
        yield from _body(view, number, claim, verdict)
        yield "</div></details></li>"
    yield "</ol>"


def _body(view: PageView, number: int, claim: Claim, verdict: Verdict) -> Iterator[str]:
    graph = view.report.graph
    if view.answer is not None and view.claim_spans[number] is None:
        yield '<p class="missing">These words do not occur in the answer.</p>'
    yield from _meaning(claim)
    yield from _reasons(verdict)
    for item in verdict.evidence[:_EVIDENCE]:
        yield from _evidence(item, graph)
    more = len(verdict.evidence) - _EVIDENCE
    if more > 0:
        yield f'<p class="missing">{more:,} more pieces of evidence are marked in the texts.</p>'
    for citing in cited(claim, graph):
        yield f'<p class="cited"><span class="label">Cites</span> {name(citing)}</p>'
    if verdict.error_type and not any(item.decides for item in verdict.evidence):
        yield '<p class="missing">No source supports or contradicts it.</p>'
    for at in entered(verdict, graph):
        yield f'<p class="entered"><span class="label">Entry step</span> {name(at)}</p>'
    yield from _trail(view.stops[number], graph)
    yield from _facts(verdict)
    yield from _history(verdict.history, graph)


def _meaning(claim: Claim) -> Iterator[str]:
    if claim.path:
        yield f'<p class="field"><span class="label">Field</span> {name(claim.path)}</p>'
    if plain(claim.text) != plain(claim.quote):
        yield f'<p class="meaning"><span class="label">Meaning</span> <bdi>{_cut(claim.text)}</bdi></p>'


def _reasons(verdict: Verdict) -> Iterator[str]:
    reasons = {
        "Not judged": verdict.error or "",
        "Undecided": verdict.undecided or "",
        "Why": verdict.rationale,
    }
    for label, reason in reasons.items():
        if reason:
            yield f'<p class="reason"><span class="label">{label}</span> <bdi>{_cut(reason)}</bdi></p>'


def _evidence(item: Evidence, graph: ProvenanceGraph) -> Iterator[str]:
    before, after = around(item, graph, 120)
    relation = relation_word(item) if item.decides else "nearest in the sources"
    yield f'<blockquote data-node="{line(item.node_id)}" data-relation="{item.relation}">'
    yield f'<p dir="auto"><span class="faint">{line(before)}</span> <q>{_cut(item.quote)}</q> '
    yield f'<span class="faint">{line(after)}</span></p>'
    marked = from_request(item, graph)
    yield f'<footer><span class="label">{relation}</span> {name(named(item.node_id, graph))}'
    yield f' <span class="asked">{line(marked)}</span></footer></blockquote>' if marked else "</footer></blockquote>"


def _trail(stops: Sequence[Stop], graph: ProvenanceGraph) -> Iterator[str]:
    if not stops:
        return
    yield '<ol class="trail" aria-label="Trail, sources first">'
    for stop in stops:
        what = ", ".join(_ROLES[role] for role in stop.roles) or "between"
        yield f'<li data-node="{line(stop.node_id)}" data-role="{" ".join(stop.roles) or "between"}">'
        yield f'{name(named(stop.node_id, graph))} <span class="role">{what}</span></li>'
    yield "</ol>"


def _facts(verdict: Verdict) -> Iterator[str]:
    rows = {
        "second error type": (verdict.second_type.value.replace("_", " ") if verdict.second_type else ""),
        "detail": name(verdict.detail) if verdict.detail else "",
        "confidence": f"{verdict.confidence:.2f}" if verdict.confidence is not None else "not calibrated",
        "judge": name(verdict.judge) if verdict.judge else "unknown",
    }
    yield '<dl class="facts">'
    for label, value in rows.items():
        if value:
            yield f"<div><dt>{label}</dt><dd>{value}</dd></div>"
    yield "</dl>"


def _history(history: Sequence[Layer], graph: ProvenanceGraph) -> Iterator[str]:
    if not history:
        return
    steps = f"{len(history)} step{'' if len(history) == 1 else 's'}"
    yield f'<details class="history"><summary>The walk back, {steps}</summary><ol>'
    for layer in history:
        yield f"<li><p>examined {_names(layer.nodes, graph)}; "
        yield f"stated by {_names(layer.stated_by, graph)}</p>"
        if layer.statement:
            yield f'<p><span class="label">Searched for</span> <bdi>{_cut(layer.statement)}</bdi></p>'
        if layer.note:
            yield f'<p class="faint" dir="auto">{_cut(layer.note)}</p>'
        yield from _selection(layer, graph)
        yield "</li>"
    yield "</ol></details>"


def _selection(layer: Layer, graph: ProvenanceGraph) -> Iterator[str]:
    """What was selected in this step, by node, and what the judge says that it says."""
    if layer.selected:
        yield '<p class="label">Selected</p><ul class="selected">'
        for item in layer.selected[:_EVIDENCE]:
            yield f'<li data-node="{line(item.node_id)}"><q dir="auto">{_cut(item.quote)}</q> '
            yield f'<span class="faint">{name(named(item.node_id, graph))}</span></li>'
        more = len(layer.selected) - _EVIDENCE
        if more > 0:
            yield f'<li class="missing">and {more:,} more sentences</li>'
        yield "</ul>"
    for summary in layer.summaries[:_NAMED]:
        yield '<p class="summary"><span class="label">Summary by the judge of</span> '
        yield f"{name(named(summary.node_id, graph))}: <bdi>{_cut(summary.text)}</bdi></p>"


def _names(node_ids: Sequence[str], graph: ProvenanceGraph) -> str:
    return listed(node_ids, _NAMED, lambda id_: name(named(id_, graph))) or "none"


def _cut(text: str) -> str:
    left = len(text) - _LONGEST
    return (
        block(text) if left <= 0 else f'{block(text[:_LONGEST])} <span class="gap">{left:,} characters left out</span>'
    )
