"""The search for one statement, back from the answer over the intermediate outputs that may have carried it.

From an output that states it the search goes on to the inputs of that output. A call costs more than a few more
sentences in it, so up to `READ` outputs are read at once, those of the layers before as well.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from trail_callbacks.claims import Claim
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Judgement
from trail_callbacks.language.terms import keys
from trail_callbacks.report import Layer
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.text import forms

READ = 12
"""Outputs read at once for one statement."""
_SELF_CONTAINED = 60  # characters; equal words of this length mean the same in any context
_ALIKE = 0.6  # minimum share of a statement's words in a sentence of a carrier
_NUMBER = re.compile(r"\d(?:[\d.,'\u00a0\u202f](?=\d)|\d)*")
_BARE = 3  # words of a value without a sentence around it
_BEGINNING = 500  # characters
_CALL = re.compile(r"[\w.:-]+\(.*\)")  # as a completion that only calls tools is shown
_QUESTION = ("?", "\uff1f", "\u061f")
_SAYING = re.compile(rf"(?:[^\"\n.!{''.join(_QUESTION)}]|[.!](?!\s|$))+[{''.join(_QUESTION)}]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduction:
    """Where a claim came from.

    Attributes:
        introduced_at: The first node that states it; None if it could not be determined.
        carried_through: Later nodes that repeat it, ending with the answer.
        history: One entry for each layer walked.
    """

    introduced_at: str | None
    carried_through: tuple[str, ...]
    history: tuple[Layer, ...]


@dataclass(slots=True)
class Backtrace:
    """The search for one statement.

    Attributes:
        graph: The graph.
        claim: The claim that the statement is, or is part of.
        statement: What is searched for.
        stated: For each node that was read, whether it states it.
        wording: Its wordings where it was found; earlier outputs may resemble these more than the claim.
        notes: The judge's rationale, by node.
        failure: Why the search was abandoned; empty if it was not.
    """

    graph: ProvenanceGraph
    claim: Claim
    statement: str
    stated: dict[str, bool] = field(default_factory=dict)
    wording: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    failure: str = ""
    _invented: set[str] | None = None  # numbers of the statement that no source holds

    def wanted(self) -> list[Node]:
        """Returns the outputs to read next, the nearest to the answer first; none when the search is over."""
        unread = [node for layer in self._layers() for node in layer if node.id not in self.stated]
        if self.failure or not unread:
            return []
        chosen = {node.id: node for node in unread}
        while unread and len(chosen) < READ:
            unread = [n for n in self._before(unread) if n.id not in chosen and n.id not in self.stated]
            chosen |= {node.id: node for node in unread[: READ - len(chosen)]}
        return list(chosen.values())

    def may_hold(self, node: Node) -> bool:
        """Whether an output that says nothing in a sentence still has the words, or the invented numbers, of it."""
        return _covers(set(keys(node.text)), set(keys(self.statement))) or self._holds_numbers(node)

    def dismiss(self, nodes: Sequence[Node], note: str) -> None:
        """Assumes that nodes do not state it."""
        self.stated |= dict.fromkeys((node.id for node in nodes), False)
        self.notes |= dict.fromkeys((node.id for node in nodes), note)

    def learn(self, nodes: Sequence[Node], judgement: Judgement) -> None:
        """Records the judge's decision about nodes that were read; without one nobody knows where to search on."""
        if judgement.error is not None or judgement.undecided is not None:
            self.failure = judgement.error or judgement.undecided or "the judge abstained"
            return
        stating = _stating(nodes, judgement)
        for node in nodes:
            self.stated[node.id] = node.id in stating or self._holds_numbers(node)
            self.notes[node.id] = judgement.rationale
        self.wording += [quote for quotes in stating.values() for quote in quotes]

    def _holds_numbers(self, node: Node) -> bool:
        """Whether a bare value, such as "1973", holds the numbers of the statement that no source does.

        A map step may return no more than that. It states nothing on its own, but nobody else can have made it up.
        """
        # The beginning tells it of most texts: one of megabytes is not read again for each statement.
        if len(keys(node.text[:_BEGINNING])) > _BARE or len(keys(node.text)) > _BARE:
            return False
        if self._invented is None:
            known = [_digits(leaf.text) for leaf in self.graph.leaves()]
            self._invented = _digits(self.statement).difference(*known)
        return bool(self._invented) and self._invented <= _digits(node.text)

    def introduction(self) -> Introduction:
        """Where the statement was introduced, as far as outputs were read."""
        layers = list(self._layers())
        history = [self._layer(layer) for layer in layers]
        if self.failure:
            unread = tuple(node.id for node in layers[-1]) if layers else ()
            if not self.stated.keys() & unread:  # the layer at which the search ended is told once
                history = history[:-1]
            history.append(Layer(nodes=unread, note=f"undetermined: {self.failure}", statement=self._part()))
            return Introduction(introduced_at=None, carried_through=(), history=tuple(history))
        # A layer may contain a node and its own input, so the order is that of the graph, not of the walk.
        answer = self.graph.answer
        stating = [node for layer in layers for node in layer if self._states(node)]
        stating += [answer] if answer else []
        first = min(stating, key=lambda node: node.stage or 0)
        later = carriers(self.graph, first.id, [node.id for node in stating])
        return Introduction(introduced_at=first.id, carried_through=later, history=tuple(history))

    def _layer(self, nodes: Sequence[Node]) -> Layer:
        notes = dict.fromkeys(self.notes[node.id] for node in nodes if node.id in self.notes)
        return Layer(
            nodes=tuple(node.id for node in nodes),
            stated_by=tuple(node.id for node in nodes if self._states(node)),
            note=" ".join(notes),
            statement=self._part(),
        )

    def _part(self) -> str:
        return "" if self.statement == self.claim.text else self.statement

    def _layers(self) -> list[list[Node]]:
        """The walk so far: the inputs of the answer, then the inputs of those that state it, and so on."""
        answer = self.graph.answer
        layers: list[list[Node]] = []
        seen: set[str] = set()
        below = [answer] if answer is not None else []
        while layer := [node for node in self._before(below) if node.id not in seen]:
            seen.update(node.id for node in layer)
            layers.append(layer)
            below = [node for node in layer if self._states(node)]
        return layers

    def _before(self, nodes: Sequence[Node]) -> list[Node]:
        """The model outputs among the inputs of some nodes."""
        inputs = {node.id: node for below in nodes for node in self.graph.inputs(below.id)}
        return [node for node in inputs.values() if node.kind == "completion"]

    def _states(self, node: Node) -> bool:
        return self.stated.get(node.id, False)


def speaks(text: str) -> bool:
    """Tells whether an output says something: a label, a question and a call of a tool do not."""
    if all(_CALL.fullmatch(line) for line in text.split("\n") if line):
        return False
    return len(text) > _BEGINNING or any(
        not said.endswith(_QUESTION) and sum(not word.isdigit() for word in forms(said)) > _BARE
        for said in _SAYING.findall(text)
    )


def _digits(text: str) -> set[str]:
    """The numbers of a text with two digits or more, as digits alone."""
    return {digits for match in _NUMBER.findall(text) if len(digits := re.sub(r"\D", "", match)) > 1}


def _covers(have: set[str], want: set[str]) -> bool:
    numbers = {key for key in want if key[0].isdigit()}
    return numbers <= have and len(want & have) >= _ALIKE * len(want)


def _stating(nodes: Sequence[Node], judgement: Judgement) -> dict[str, list[str]]:
    """The nodes that the judge named, and those that repeat the same quotes, with the quotes.

    A short sentence ("It opened in 1932.") may mean something else in another text, so only the judge decides on it.
    """
    if judgement.support is not SupportClass.SUPPORTED:
        return {}
    quotes: dict[str, list[str]] = defaultdict(list)
    for item in judgement.evidence:
        if item.relation == "supports":
            quotes[item.node_id].append(item.quote)
    long = [same for same in quotes.values() if sum(map(len, same)) >= _SELF_CONTAINED]
    others = [node for node in nodes if node.id not in quotes]
    copies = {node.id: same for node in others for same in long if all(_contains(node.text, quote) for quote in same)}
    return {**quotes, **copies}


def _contains(text: str, quote: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(quote)}(?!\w)", text) is not None


def carriers(graph: ProvenanceGraph, first: str, stating: Iterable[str]) -> tuple[str, ...]:
    """Returns which of the stating nodes are reachable from the first, in order."""
    reached = {first}
    ordered = sorted(graph.nodes, key=lambda node: node.stage or 0)
    reached.update(node.id for node in ordered if any(source.id in reached for source in graph.inputs(node.id)))
    wanted = reached.intersection(stating) - {first}
    return tuple(node.id for node in ordered if node.id in wanted)
