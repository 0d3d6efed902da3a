"""Localisation: where unsupported claims were introduced, by a walk back from the answer over model outputs.

A claim that no leaf supports is searched for in the model outputs upstream of the answer. From an output that states
it, the walk continues with the inputs of that output; if none of them states it, the output introduced it. This is the
backward search of VeriTrail (Metropolitansky and Larson, 2025) in reverse order: sources are audited first, so only
unsupported claims cost a walk, and all of them share the reading of a text.

A walk reads ahead, see `Backtrace`. In a very wide layer only outputs that share most words with the claim are read.

An error often begins smaller than it ends: "two nurses in Oslo" becomes "nurses in Norway", then "nurses". So the judge
is shown beside a claim what the sources say instead, and an output that departs from them in the same way states it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence, Passage, candidates
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Judge, Judgement, Question, matched
from trail_callbacks.language.terms import keys
from trail_callbacks.models.call import Pipeline
from trail_callbacks.report import Layer
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.text import forms, sentences

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
        """The model outputs among the inputs of some nodes, and what may be one."""
        inputs = {node.id: node for below in nodes for node in self.graph.inputs(below.id)}
        return [node for node in inputs.values() if node.kind == "completion" or node.origin == "unknown"]

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


_WIDE = 48  # outputs of one layer that are read for one claim
_PER_NODE = 2  # sentences of each output that are read at least
_QUOTES = 2  # of the sources, shown beside a claim
_LONG_QUOTE = 160  # characters; of a longer one its nearest sentence is shown, whole
_LONGEST_QUOTE = 600  # characters; as a passage, what has no sentences is cut


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """An unsupported claim with its unsupported parts.

    Attributes:
        claim: The claim.
        faults: The parts that depart from the evidence, each as a statement; empty means the whole claim.
        evidence: What the sources say about it.
    """

    claim: Claim
    faults: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


def localize(
    graph: ProvenanceGraph, suspects: Sequence[Suspect], judge: Judge
) -> Pipeline[tuple[dict[str, Introduction], tuple[str, ...]]]:
    """Finds where claims that the sources do not support were introduced, by claim id; and the judge's warnings.

    The faults of a claim are traced separately; the claim was introduced where the earliest of them was, and its
    history covers them all.
    """
    if graph.answer is None:
        return {}, ()
    walks = [Backtrace(graph, suspect.claim, statement) for suspect in suspects for statement in _statements(suspect)]
    silent = [node for node in graph.upstream(graph.answer.id) if node.kind == "completion" and not speaks(node.text)]
    for walk in walks:
        walk.dismiss([node for node in silent if not walk.may_hold(node)], "Not read: it only labels, asks or calls.")
    evidence = {suspect.claim.id: suspect.evidence for suspect in suspects}
    warnings: list[str] = []
    while asked := [(walk, group) for walk in walks for group in _groups(walk, walk.wanted())]:
        questions = _questions(asked, evidence)
        assessment = yield from judge.assess(questions, "localize")
        warnings += assessment.warnings
        for (walk, group), judgement in zip(asked, matched(questions, assessment.judgements), strict=True):
            walk.learn(group, judgement)
    introductions: dict[str, list[Introduction]] = defaultdict(list)
    for walk in walks:
        introductions[walk.claim.id].append(walk.introduction())
    return {id_: _first(graph, several) for id_, several in introductions.items()}, tuple(dict.fromkeys(warnings))


def _statements(suspect: Suspect) -> Sequence[str]:
    return list(dict.fromkeys(fault for fault in suspect.faults if fault.strip())) or [suspect.claim.text]


def _groups(walk: Backtrace, nodes: Sequence[Node]) -> list[Sequence[Node]]:
    """Nodes in groups that fit one question; of a very wide layer only those that share most with the claim."""
    if len(nodes) > _WIDE:
        near = {passage.node_id for passage in candidates([_searched(walk)], nodes, _WIDE)[walk.claim.id]}
        far = [node for node in nodes if node.id not in near]
        walk.dismiss(far, "Not read: other outputs share more words with the claim.")
        nodes = [node for node in nodes if node.id in near]
    return [nodes[i : i + READ] for i in range(0, len(nodes), READ)]


def _questions(
    asked: Sequence[tuple[Backtrace, Sequence[Node]]], evidence: Mapping[str, Sequence[Evidence]]
) -> list[Question]:
    """One question for each group of nodes; a passage has the same id in all of them."""
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, (_, nodes) in enumerate(asked):
        groups[tuple(node.id for node in nodes)].append(i)
    found: dict[str, tuple[Passage, ...]] = {}
    for indices in groups.values():  # texts are split once for all the questions about them
        claims = [replace(_searched(asked[i][0]), id=str(i)) for i in indices]
        found |= candidates(claims, asked[indices[0]][1], per_node=_PER_NODE)
    ids: dict[tuple[str, int, int], str] = {}
    questions = []
    for i, (walk, _) in enumerate(asked):
        passages = tuple(
            replace(each, id=ids.setdefault((each.node_id, each.start, each.end), f"s{len(ids) + 1}"))
            for each in found[str(i)]
        )
        claim = replace(walk.claim, text=walk.statement)
        quotes = _quotes(evidence[claim.id], walk.statement)
        questions.append(Question(claim=claim, passages=passages, departs_from=quotes))
    return questions


def _quotes(evidence: Sequence[Evidence], statement: str) -> tuple[str, ...]:
    """What the sources say, first where they contradict it; of a long passage the sentence nearest to the statement."""
    from trail_callbacks.evidence.spans import clip  # noqa: PLC0415 - capturing a run does not need it

    asked = set(keys(statement))
    nearest = sorted(evidence, key=lambda item: item.relation != "contradicts")[:_QUOTES]
    return tuple(clip(_part(item.quote, asked), size=_LONGEST_QUOTE) for item in nearest)


def _part(quote: str, asked: set[str]) -> str:
    if len(quote) <= _LONG_QUOTE:
        return quote
    # A field of JSON is one quotation, in which no sentence ends.
    parts = [quote[sentence.start : sentence.end] for sentence in sentences(quote.replace('"', " "))] or [quote]
    return max(parts, key=lambda part: len(asked.intersection(keys(part))))


def _searched(walk: Backtrace) -> Claim:
    """The statement, with the wording in which it was last found, as a query for passages."""
    return replace(walk.claim, text=" ".join([walk.statement, *walk.wording[-2:]]))


def _first(graph: ProvenanceGraph, introductions: Sequence[Introduction]) -> Introduction:
    """The earliest known introduction, with the history of all."""
    history = tuple(layer for each in introductions for layer in each.history)
    known = [(graph.node(each.introduced_at).stage or 0, each) for each in introductions if each.introduced_at]
    if not known:
        return Introduction(introduced_at=None, carried_through=(), history=history)
    return replace(min(known, key=lambda pair: pair[0])[1], history=history)
