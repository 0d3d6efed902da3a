"""The parts of a page: the answer with its claims marked, the list of claims, and the texts with what claims cite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Node, ProvenanceGraph, named
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
from trail_callbacks.render.labels import (
    WORST_FIRST,
    WRITTEN,
    cited,
    entered,
    error_words,
    from_request,
    listed,
    mark,
    origin_words,
    outcome_word,
    relation_word,
)
from trail_callbacks.render.page.view import PageView, Stop
from trail_callbacks.report import Layer, Verdict
from trail_callbacks.text import shorten

_ANSWER = 100_000  # characters; browsers take a minute to break megabytes of one paragraph into lines
_INPUTS = 8  # inputs named above a text
_LONGEST_TEXT = (
    20_000  # characters of one text; longer ones are cut to what claims cite, with notes on what is left out
)
_TOTAL = 1_000_000  # characters of all texts together; the length of one is halved until they fit
_LEAST = 200  # characters of a text, however many texts there are
_MODEL = "model"  # the role of a part that a model wrote
_WRITTEN = 800  # texts that are elements of the page; tens of thousands make browsers slow


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
    at = 0
    for start, end in visible_ranges(len(node.text), spans, _ANSWER):
        yield from _gap(start - at)
        for segment in segments(start, end, spans):
            text = block(node.text[segment.start : segment.end])
            yield _claimed(view, segment, text) if segment.spans else text
        at = end
    yield from _gap(len(node.text) - at)
    yield "</div>"
    lost = sum(span is None for span in view.claim_spans)
    if lost:
        which = "1 claim is" if lost == 1 else f"{lost:,} claims are"
        yield f'<p class="missing">{which} not found verbatim in the answer.</p>'


def _claimed(view: PageView, segment: Stretch, text: str) -> str:
    worst = min((view.pairs[span.owner][1].outcome for span in segment.spans), key=WORST_FIRST.index)
    keys = " ".join(view.keys[span.owner] for span in segment.spans)
    symbols = dict.fromkeys(mark(view.pairs[span.owner][1].outcome).symbol for span in segment.opens)
    sign = f' data-sign="{"".join(symbols)}"' if symbols else ""
    title = ", ".join(f"{view.keys[span.owner]} {outcome_word(*view.pairs[span.owner])}" for span in segment.spans[:4])
    left = " data-uncovered" if any(view.pairs[span.owner][0].uncovered for span in segment.spans) else ""
    return f'<mark data-claim="{line(keys)}" data-class="{worst}"{left}{sign} title="{title}">{text}</mark>'


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
        room = _LONGEST_TEXT
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
        inputs = graph.inputs(node.id)
        if inputs:

            def shown(each: Node) -> str:
                return name(named(each.id, graph)) + (" (in reach)" if (each.id, node.id) in weak else "")

            yield f'<p class="faint">from {listed(inputs, _INPUTS, shown)}</p>'
        yield f'<div class="verbatim" dir="auto" tabindex="0" data-node-text="{line(node.id)}">'
        written = [MarkedSpan(start, end, -1, _MODEL) for start, end in node.model_spans]
        yield from self._shown(node.text, [*self.view.highlights.get(node.id, ()), *written])
        yield "</div></article>"

    def _shown(self, text: str, spans: Sequence[MarkedSpan]) -> Iterator[str]:
        if not text.strip():
            yield '<span class="gap">an empty text</span>'
            return
        at = 0
        for start, end in visible_ranges(len(text), spans, self._room):
            yield from _gap(start - at)
            for segment in segments(start, end, spans):
                yield self._marked(segment, block(text[segment.start : segment.end]))
            at = end
        yield from _gap(len(text) - at)

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
    origin = origin_words(node)
    return ", ".join(part for part in (node.kind.replace("_", " "), line(origin), f"stage {node.stage}") if part)


def _gap(length: int) -> Iterator[str]:
    """A note that characters of a text are left out, if any are."""
    if length > 0:
        yield f' <span class="gap">{length:,} characters left out</span> '


_LONGEST_QUOTE = 2_000  # characters of one quote or rationale
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
        said = line(shorten(claim.quote or claim.text, _LONGEST_QUOTE))
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
    left = len(text) - _LONGEST_QUOTE
    return (
        block(text)
        if left <= 0
        else f'{block(text[:_LONGEST_QUOTE])} <span class="gap">{left:,} characters left out</span>'
    )
