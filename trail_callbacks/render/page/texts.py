"""The texts of a report, in full or in excerpts: the answer with its claims marked, the others with what claims cite.

In the answer, colour, underline and symbol show the class of a claim. The other texts stand stage by stage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.graph import Node, named
from trail_callbacks.render.excerpt import (
    MarkedSpan,
    Stretch,
    block,
    legible,
    line,
    name,
    plain,
    segments,
    visible_ranges,
)
from trail_callbacks.render.labels import WORST_FIRST, WRITTEN, listed, mark, origin_words, outcome_word
from trail_callbacks.render.page.view import PageView

_ANSWER = 100_000  # characters; browsers take a minute to break megabytes of one paragraph into lines
_INPUTS = 8  # inputs named above a text
_LONGEST = 20_000  # characters of one text; longer ones are cut to what claims cite, with notes on what is left out
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
