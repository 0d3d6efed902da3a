"""One statement on its way back from the answer, over the intermediate outputs that may have carried it.

Up to `READ` outputs are read at once, the nearest first. In a longer chain as many are, evenly spread, and the search
goes on between the last that states it and the first that does not: it divides by 11 instead of 2. What stands unread
between two outputs that state it is taken for a carrier if it has a sentence like theirs; otherwise it is read, for
it may be where an error was corrected before it came back.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trail_callbacks.claims import Claim
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Judgement
from trail_callbacks.language.terms import keys
from trail_callbacks.report import Layer
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.text import sentences
from trail_callbacks.verify.findings import Origin, carriers

__all__ = ["READ", "Trace"]

READ = 12
"""Outputs read at once for one statement."""

_TELLING = 60  # characters from which the same words mean the same
_ALIKE = 0.6  # share of a statement's words that a sentence of a carrier holds at least


class _Gap(NamedTuple):
    """Unread nodes of a chain.

    Attributes:
        nodes: From the nearest to the answer on; of an enclosed gap those that must be read.
        enclosed: Whether a node that states it lies on either side.
    """

    nodes: list[Node]
    enclosed: bool = False


@dataclass(slots=True)
class Trace:
    """The search for one statement.

    Attributes:
        graph: The graph.
        claim: The claim that it is a part of, or the whole of.
        statement: What is looked for.
        stated: What was read, by node: whether it states it.
        wording: How it is worded where it was found: what comes before may resemble that more than the claim.
        notes: What the judge said, by node.
        failure: Why the search had to be given up; empty if it was not.
    """

    graph: ProvenanceGraph
    claim: Claim
    statement: str
    stated: dict[str, bool] = field(default_factory=dict)
    wording: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    failure: str = ""
    _alike: dict[str, bool] = field(default_factory=dict)
    _carrying: set[str] = field(default_factory=set)  # what stands in a gap that needs no reading

    def wanted(self) -> list[Node]:
        """The outputs to read next; none when the search is over."""
        if self.failure:
            return []
        unread = next((gap for layer in self._layers() for node in layer if (gap := self._gap(node)).nodes), None)
        if unread is None:
            return []
        if unread.enclosed:
            return unread.nodes
        if len(unread.nodes) > READ and self._is_chain(unread.nodes):
            step = (len(unread.nodes) - 1) / (READ - 1)
            return [unread.nodes[round(i * step)] for i in range(READ)]
        return self._ahead(unread.nodes)

    def dismiss(self, nodes: Sequence[Node], note: str) -> None:
        """Takes it that nodes do not state it."""
        self.stated |= dict.fromkeys((node.id for node in nodes), False)
        self.notes |= dict.fromkeys((node.id for node in nodes), note)

    def learn(self, nodes: Sequence[Node], judgement: Judgement) -> None:
        """Takes over what the judge says about nodes it read."""
        if judgement.error is not None:
            self.failure = judgement.error
            return
        stating = _stating(nodes, judgement)
        for node in nodes:
            self.stated[node.id] = node.id in stating
            self.notes[node.id] = judgement.rationale
        self.wording += [quote for quotes in stating.values() for quote in quotes]

    def origin(self) -> Origin:
        """Where the statement was introduced, as far as it was read."""
        layers = list(self._layers())
        history = [self._layer(layer) for layer in layers]
        if self.failure:
            unread = tuple(node.id for node in layers[-1]) if layers else ()
            history.append(Layer(nodes=unread, note=f"undetermined: {self.failure}", statement=self._part()))
            return Origin(introduced_at=None, carried_through=(), history=tuple(history))
        # A layer may hold a node and its own input, so the order is that of the graph, not of the walk.
        answer = self.graph.answer
        stating = [node for layer in layers for node in layer if self._states(node)]
        stating += [answer] if answer else []
        first = min(stating, key=lambda node: node.stage or 0)
        later = carriers(self.graph, first.id, [node.id for node in stating])
        return Origin(introduced_at=first.id, carried_through=later, history=tuple(history))

    def _layer(self, nodes: Sequence[Node]) -> Layer:
        notes = dict.fromkeys(self.notes[node.id] for node in nodes if node.id in self.notes)
        return Layer(
            nodes=tuple(node.id for node in nodes),
            stated_by=tuple(node.id for node in nodes if self._states(node)),
            note=" ".join(notes) or "Not read: it stands between outputs that state it.",
            statement=self._part(),
        )

    def _part(self) -> str:
        return "" if self.statement == self.claim.text else self.statement

    def _layers(self) -> list[list[Node]]:
        """The walk as far as it is known: the inputs of the answer, then those of the ones that state it, and so on."""
        answer = self.graph.answer
        layers: list[list[Node]] = []
        seen: set[str] = set()
        below = [answer] if answer is not None else []
        while below:
            layer = [node for node in self._before(below) if node.id not in seen]
            seen.update(node.id for node in layer)
            if layer:
                layers.append(layer)
            below = [node for node in layer if self._states(node)]
        return layers

    def _before(self, nodes: Sequence[Node]) -> list[Node]:
        """What models wrote among the inputs of some nodes."""
        inputs = {node.id: node for below in nodes for node in self.graph.inputs(below.id)}
        return [node for node in inputs.values() if node.kind == "completion"]

    def _states(self, node: Node) -> bool:
        """Whether a node states it: as read, or because it is the only way from one that does and resembles it."""
        return self.stated[node.id] if node.id in self.stated else not self._gap(node).nodes

    def _gap(self, node: Node) -> _Gap:
        """The unread nodes from this one up its chain to the next that was read."""
        nodes: list[Node] = []
        if node.id in self._carrying:
            return _Gap(nodes, enclosed=True)
        while node.id not in self.stated:
            nodes.append(node)
            before = self._before([node])
            if len(before) != 1:
                return _Gap(nodes)
            node = before[0]
        if not self.stated[node.id]:
            return _Gap(nodes)
        unlike = [between for between in nodes if not self._resembles(between)]
        if not unlike:
            self._carrying.update(between.id for between in nodes)
        return _Gap(unlike, enclosed=True)

    def _resembles(self, node: Node) -> bool:
        """Whether a sentence has most words and all numbers of the statement, as worded here or there."""
        if node.id not in self._alike:
            asked = [set(keys(text)) for text in (self.statement, *self.wording)]
            stated = [set(keys(sentence.text)) for sentence in sentences(node.text)]
            self._alike[node.id] = any(_covers(have, want) for want in asked for have in stated)
        return self._alike[node.id]

    def _is_chain(self, gap: Sequence[Node]) -> bool:
        """Whether nothing but this chain is left to read above its first node."""
        return all(len(self._before([node])) == 1 for node in gap[:-1])

    def _ahead(self, gap: Sequence[Node]) -> list[Node]:
        """All unread nodes of the layer that the walk has come to, and some of the layers above it, nearest first."""
        reached = [node for layer in self._layers() for node in layer]
        layer = [node for node in reached if node.id not in self.stated and self._gap(node).nodes]
        chosen = {node.id: node for node in (*gap[:1], *layer)}
        while layer and len(chosen) < READ:
            layer = [n for n in self._before(layer) if n.id not in chosen and n.id not in self.stated]
            room = READ - len(chosen)
            chosen |= {node.id: node for node in layer[:room]}
        return list(chosen.values())


def _covers(have: set[str], want: set[str]) -> bool:
    numbers = {key for key in want if key[0].isdigit()}
    return numbers <= have and len(want & have) >= _ALIKE * len(want)


def _stating(nodes: Sequence[Node], judgement: Judgement) -> dict[str, list[str]]:
    """The nodes that the judge named, and those that repeat another's words, with the words.

    A short sentence ("It opened in 1932.") may be about something else there: of such the judge alone decides.
    """
    if judgement.support is not SupportClass.SUPPORTED:
        return {}
    quotes: dict[str, list[str]] = defaultdict(list)
    for item in judgement.evidence:
        if item.relation == "supports":
            quotes[item.node_id].append(item.quote)
    copies = {
        node.id: words
        for node in nodes
        for words in quotes.values()
        if node.id not in quotes
        and sum(map(len, words)) >= _TELLING
        and all(_holds(node.text, quote) for quote in words)
    }
    return {**quotes, **copies}


def _holds(text: str, quote: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(quote)}(?!\w)", text) is not None
