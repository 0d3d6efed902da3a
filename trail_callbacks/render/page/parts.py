"""The parts of a page: the answer with its claims marked, the list of claims, and the texts with what claims cite.

In the answer, colour, underline and symbol show the class of a claim. The other texts stand stage by stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Node, ProvenanceGraph, named
from trail_callbacks.render import labels
from trail_callbacks.render.excerpt import (
    MarkedSpan,
    Stretch,
    around,
    block,
    legible,
    line,
    name,
    plain,
    segments,
    visible_ranges,
)
from trail_callbacks.render.labels import WRITTEN, mark, outcome_word
from trail_callbacks.render.page.view import PageView, Stop
from trail_callbacks.report import Layer, Verdict
from trail_callbacks.text import shorten

_ANSWER = 100_000  # characters; browsers take a minute to break megabytes of one paragraph into lines
_LONGEST = 20_000  # characters of one text; longer ones are cut to what claims cite, with notes on what is left out
_TOTAL = 1_000_000  # characters of all texts together; the length of one is halved until they fit
_LEAST = 200  # characters of a text, however many texts there are
_WRITTEN = 800  # texts that are elements of the page; tens of thousands make browsers slow
_INPUTS, _NAMED = 8, 12  # inputs named above a text; nodes named in one line
_QUOTE = 2_000  # characters of one quote or rationale
_EVIDENCE = 40  # pieces of a claim
_MODEL = "model"  # the role of a part that a model wrote
_ROLES = {
    "evidence": "evidence",
    "nearest": "nearest",
    "introduced": "introduced here",
    "carried": "repeats it",
    "answer": "answer",
}


def answer(view: PageView) -> Iterator[str]:
    """Renders the answer; each segment that belongs to claims is a `mark` that names them."""
    node = view.answer
    if node is None:
        yield '<p class="missing">The app gave no answer.</p>'
        return
    if not node.text.strip():
        yield '<p class="missing">The answer is empty.</p>'
    spans = [span for span in view.claim_spans if span is not None]
    yield f'<div class="prose" dir="auto" data-node-text="{line(node.id)}" data-number="{view.numbers[node.id]}">'
    for part in _parts(node.text, spans, _ANSWER):
        if isinstance(part, str):
            yield part
        else:
            text = block(node.text[part.start : part.end])
            yield _claimed(view, part, text) if part.spans else text
    yield "</div>"
    lost = sum(span is None for span in view.claim_spans)
    if lost:
        which = "1 claim is" if lost == 1 else f"{lost:,} claims are"
        yield f'<p class="missing">{which} not found verbatim in the answer.</p>'


def _parts(text: str, spans: Sequence[MarkedSpan], limit: int) -> Iterator[Stretch | str]:
    """The stretches of a text that are shown, and notes on the characters that are left out before and after them."""
    at = 0
    for start, end in [*visible_ranges(len(text), spans, limit), (len(text), len(text))]:
        if start > at:
            yield f' <span class="gap">{start - at:,} characters left out</span> '
        yield from segments(start, end, spans)
        at = end


def _claimed(view: PageView, segment: Stretch, text: str) -> str:
    found = [(view.keys[span.owner], *view.pairs[span.owner]) for span in segment.spans]
    worst = min((verdict.outcome for _, _, verdict in found), key=labels.WORST_FIRST.index)
    symbols = dict.fromkeys(mark(view.pairs[span.owner][1].outcome).symbol for span in segment.opens)
    sign = f' data-sign="{"".join(symbols)}"' if symbols else ""
    title = ", ".join(f"{key} {outcome_word(claim, verdict)}" for key, claim, verdict in found[:4])
    left = " data-uncovered" if any(claim.uncovered for _, claim, _ in found) else ""
    keys = line(" ".join(key for key, _, _ in found))
    return f'<mark data-claim="{keys}" data-class="{worst}"{left}{sign} title="{title}">{text}</mark>'


def claims(view: PageView) -> Iterator[str]:
    """Renders the claims in the order of the answer, expanded."""
    if not view.pairs:
        return
    yield '<ol id="claims" aria-label="Claims">'
    for number, (claim, verdict) in enumerate(view.pairs):
        error = verdict.error_type.value if verdict.error_type else ""
        left = " data-uncovered" if claim.uncovered else ""
        yield f'<li data-claim="{line(view.keys[number])}" data-class="{verdict.outcome}" data-type="{error}"{left}>'
        words = labels.error_words(verdict)
        kind = f'<span class="kind">{outcome_word(claim, verdict)}{f": {line(words)}" if words else ""}</span>'
        sign = f'<span class="sign" aria-hidden="true">{mark(verdict.outcome).symbol}</span>'
        said = f'<span class="said" dir="auto">{line(shorten(claim.quote or claim.text, _QUOTE))}</span>'
        yield f'<details open><summary class="row">{sign}<span class="id">{name(claim.id)}</span>{said}{kind}</summary>'
        yield '<div class="body">'
        yield from _body(view, number, claim, verdict)
        yield "</div></details></li>"
    yield "</ol>"


def _body(view: PageView, number: int, claim: Claim, verdict: Verdict) -> Iterator[str]:
    graph = view.report.graph
    if view.answer is not None and view.claim_spans[number] is None:
        yield '<p class="missing">These words do not occur in the answer.</p>'
    yield from _said("field", "Field", [name(claim.path)] if claim.path else [])
    yield from _said("meaning", "Meaning", [_cut(claim.text)] if plain(claim.text) != plain(claim.quote) else [])
    for label, reason in {
        "Not judged": verdict.error,
        "Undecided": verdict.undecided,
        "Why": verdict.rationale,
    }.items():
        yield from _said("reason", label, [_cut(reason)] if reason else [])
    for item in verdict.evidence[:_EVIDENCE]:
        yield from _evidence(item, graph)
    more = len(verdict.evidence) - _EVIDENCE
    if more > 0:
        yield f'<p class="missing">{more:,} more pieces of evidence are marked in the texts.</p>'
    yield from _said("cited", "Cites", map(name, labels.cited(claim, graph)))
    if verdict.error_type and not any(item.decides for item in verdict.evidence):
        yield '<p class="missing">No source supports or contradicts it.</p>'
    yield from _said("entered", "Entry step", map(name, labels.entered(verdict, graph)))
    yield from _trail(view.stops[number], graph)
    rows = {
        "second error type": verdict.second_type.value.replace("_", " ") if verdict.second_type else "",
        "detail": name(verdict.detail) if verdict.detail else "",
        "confidence": f"{verdict.confidence:.2f}" if verdict.confidence is not None else "not calibrated",
        "judge": name(verdict.judge) if verdict.judge else "unknown",
    }
    yield from facts(rows)
    yield from _history(verdict.history, graph)


def facts(rows: Mapping[str, str]) -> Iterator[str]:
    """Renders markup with a label each; what is empty is left out."""
    yield '<dl class="facts">'
    yield from (f"<div><dt>{label}</dt><dd>{value}</dd></div>" for label, value in rows.items() if value)
    yield "</dl>"


def _said(kind: str, label: str, found: Iterable[str]) -> Iterator[str]:
    for each in found:
        yield f'<p class="{kind}"><span class="label">{label}</span> {each}</p>'


def _evidence(item: Evidence, graph: ProvenanceGraph) -> Iterator[str]:
    before, after = around(item, graph, 120)
    relation = labels.relation_word(item) if item.decides else "nearest in the sources"
    yield f'<blockquote data-node="{line(item.node_id)}" data-relation="{item.relation}">'
    yield f'<p dir="auto"><span class="faint">{line(before)}</span> <q>{_shortened(item.quote)}</q> '
    yield f'<span class="faint">{line(after)}</span></p>'
    marked = labels.from_request(item, graph)
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


def _history(history: Sequence[Layer], graph: ProvenanceGraph) -> Iterator[str]:
    """The walk back; in a step what was selected, by node, and what the judge says that it says."""
    if not history:
        return
    steps = f"{len(history)} step{'' if len(history) == 1 else 's'}"
    yield f'<details class="history"><summary>The walk back, {steps}</summary><ol>'
    for layer in history:
        examined, stating = (
            labels.listed(ids, _NAMED, lambda id_: name(named(id_, graph))) or "none"
            for ids in (layer.nodes, layer.stated_by)
        )
        yield f"<li><p>examined {examined}; stated by {stating}</p>"
        if layer.statement:
            yield f'<p><span class="label">Searched for</span> {_cut(layer.statement)}</p>'
        if layer.note:
            yield f'<p class="faint" dir="auto">{_shortened(layer.note)}</p>'
        if layer.selected:
            yield '<p class="label">Selected</p><ul class="selected">'
            for item in layer.selected[:_EVIDENCE]:
                yield f'<li data-node="{line(item.node_id)}"><q dir="auto">{_shortened(item.quote)}</q> '
                yield f'<span class="faint">{name(named(item.node_id, graph))}</span></li>'
            more = len(layer.selected) - _EVIDENCE
            if more > 0:
                yield f'<li class="missing">and {more:,} more sentences</li>'
            yield "</ul>"
        for summary in layer.summaries[:_NAMED]:
            yield '<p class="summary"><span class="label">Summary by the judge of</span> '
            yield f"{name(named(summary.node_id, graph))}: {_cut(summary.text)}</p>"
        yield "</li>"
    yield "</ol></details>"


def _cut(text: str) -> str:
    return f"<bdi>{_shortened(text)}</bdi>"


def _shortened(text: str) -> str:
    left = len(text) - _QUOTE
    more = f' <span class="gap">{left:,} characters left out</span>' if left > 0 else ""
    return block(text[:_QUOTE]) + more


@dataclass(frozen=True)
class Texts:
    """Every text of a report except the answer, which has its own section."""

    view: PageView

    @cached_property
    def _nodes(self) -> list[Node]:
        nodes = (node for node in self.view.report.graph.nodes if node is not self.view.answer)
        return sorted(nodes, key=lambda node: node.stage or 0)

    @cached_property
    def _room(self) -> int:
        room = _LONGEST
        lengths = [len(node.text) for node in self._nodes]
        while room > _LEAST and sum(min(length, room) for length in lengths) > _TOTAL:
            room //= 2
        return max(room, _LEAST)

    @cached_property
    def _written(self) -> set[str]:
        """Ids of the texts that are written into the page: all that claims cite, and as many others as fit."""
        ids = {node.id for node in self._nodes if node.id in self.view.highlights}
        for node in sorted(self._nodes, key=lambda node: not node.model_spans):  # the script marks no parts
            if len(ids) >= _WRITTEN:
                break
            ids.add(node.id)
        return ids

    def articles(self) -> Iterator[str]:
        """Renders the texts as elements, stage by stage."""
        if not self._nodes:
            yield '<p class="missing">Nothing but the answer was recorded.</p>'
            return
        weak = {(edge.source, edge.target) for edge in self.view.report.graph.edges if edge.basis == "scope"}
        stage: int | None = None
        for node in self._nodes:
            if node.id not in self._written:
                continue
            if node.stage != stage:
                stage = node.stage
                yield f'<p class="stage">Stage {stage}</p>'
            yield from self._article(node, weak)
        more = len(self._nodes) - len(self._written)
        if more:
            yield f'<p class="missing" id="more">{more:,} more texts, which no claim cites, are shown when they are '
            yield "clicked in the graph or found by the search.</p>"

    def stored(self) -> dict[int, list[str | int]]:
        """The other texts, for the script: by number their name, kind, id, beginning, and characters left out."""
        return {
            self.view.numbers[node.id]: [
                plain(named(node.id, self.view.report.graph)),
                _kind(node),
                node.id,
                legible(node.text[: self._room]),
                max(0, len(node.text) - self._room),
            ]
            for node in self._nodes
            if node.id not in self._written
        }

    def _article(self, node: Node, weak: set[tuple[str, str]]) -> Iterator[str]:
        graph = self.view.report.graph
        yield f'<article class="text" data-number="{self.view.numbers[node.id]}">'
        yield f'<h3>{name(named(node.id, graph))} <span class="kind">{_kind(node)}</span></h3>'
        if inputs := graph.inputs(node.id):

            def shown(each: Node) -> str:
                return name(named(each.id, graph)) + (" (in reach)" if (each.id, node.id) in weak else "")

            yield f'<p class="faint">from {labels.listed(inputs, _INPUTS, shown)}</p>'
        yield f'<div class="verbatim" dir="auto" tabindex="0" data-node-text="{line(node.id)}">'
        if not node.text.strip():
            yield '<span class="gap">an empty text</span>'
        written = [MarkedSpan(start, end, -1, _MODEL) for start, end in node.model_spans]
        spans = [*self.view.highlights.get(node.id, ()), *written]
        for part in _parts(node.text, spans, self._room) if node.text.strip() else ():
            yield part if isinstance(part, str) else self._marked(part, block(node.text[part.start : part.end]))
        yield "</div></article>"

    def _marked(self, segment: Stretch, shown: str) -> str:
        cited = [span for span in segment.spans if span.role != _MODEL]
        if cited:
            keys = " ".join(dict.fromkeys(self.view.keys[span.owner] for span in cited))
            roles = " ".join(dict.fromkeys(span.role for span in cited))
            shown = f'<mark data-claim="{line(keys)}" data-relation="{roles}">{shown}</mark>'
        if len(cited) < len(segment.spans):
            label = f' data-label="{WRITTEN}"' if any(span.role == _MODEL for span in segment.opens) else ""
            shown = f'<span class="model" title="{WRITTEN}"{label}>{shown}</span>'
        return shown


def _kind(node: Node) -> str:
    origin = labels.origin_words(node)
    return ", ".join(part for part in (node.kind.replace("_", " "), line(origin), f"stage {node.stage}") if part)
