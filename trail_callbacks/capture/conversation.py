"""Who wrote each text of a graph, and what it rests on from earlier turns of a conversation.

A model answers a second question from its answer to the first. That answer is not evidence; the documents and tool
results behind it are. So they become nodes of the later graph, as inputs of the earlier message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.capture.echoes import Echoes, Span, arguments, is_dialogue, merged, transcript_spans
from trail_callbacks.capture.events import Event, Piece, RunEnded, RunStarted
from trail_callbacks.capture.lineage import Contribution, NodeDraft
from trail_callbacks.capture.match import Text, TextIndex
from trail_callbacks.capture.runs import CapturedRun, Slot
from trail_callbacks.graph import EVIDENCE_KINDS, Node, NodeKind, ProvenanceGraph
from trail_callbacks.text import forms, outside

TURN = "turn"
"""Attribute of a node of an earlier turn: the number of the turn, 1 for the first that is known."""

_CHARACTERS = 400_000
_STATED = 16  # outputs of models that one text may hold


@dataclass(frozen=True)
class Earlier:
    """What is known of the turns before a run.

    Attributes:
        graph: The graph of the turn before, which holds what that turn knew of those before it.
        turn: Number of the turn before, 1 for the first that is known.
        turns: Turns to look back at, 1 or more.
    """

    graph: ProvenanceGraph
    turn: int
    turns: int

    @classmethod
    def before(cls, graph: ProvenanceGraph, turns: int) -> Earlier:
        """Returns what is known before the turn that follows the one of a graph."""
        return cls(graph, 1 + max((node.attributes.get(TURN, 0) for node in graph.nodes), default=0), turns)

    def written(self) -> Iterator[str]:
        """Yields what models wrote in the turns before."""
        return (node.text for node in self.graph.nodes if node.origin == "model" and node.kind != "tool_result")

    def node(self, text: Text) -> Node | None:
        """Returns the last node of the turns before with this text."""
        return self._nodes.get(text.text.strip())

    def model_spans(self, text: Text) -> tuple[Span, ...] | None:
        """Returns what models wrote of a text that is made of nodes of the turns before; None if it is not."""
        found = [(self._nodes[known.text.strip()], match.spans) for known, match in self._all.find(text).items()]
        if len(forms(outside(text.text, merged([span for _, spans in found for span in spans])))) >= _CONTENT:
            return None
        held = [span for node, spans in found if node.is_evidence for span in spans]
        wrote = [span for node, spans in found if not node.is_evidence for span in spans]
        return merged([(start, end) for start, end in wrote if not any(start < e and s < end for s, e in held)])

    def repeats(self, text: Text) -> bool:
        """True if a text is, or holds in full, what a model wrote before."""
        return bool(self._stated(text))

    def sources(self, text: Text) -> list[tuple[Node, int]]:
        """Returns the evidence behind what a text repeats of a model's before, with its turns, the latest first."""
        found: dict[str, tuple[Node, int]] = {}
        room = _CHARACTERS
        for stated in self._stated(text):
            for node in self.graph.leaves(stated.id):
                turn = node.attributes.get(TURN, self.turn)
                if node.id not in found and node.origin != "user" and turn > self.turn - self.turns:
                    room -= len(node.text)
                    if room >= 0:
                        found[node.id] = node, turn
        return sorted(found.values(), key=lambda pair: -pair[1])

    def _stated(self, text: Text) -> list[Node]:
        """What models wrote before that a text is, or else holds in full, the latest first."""
        same = self._by_text.get(text.text.strip())
        if same is not None:
            return [same]
        held = [known.text.strip() for known, match in self._index.find(text).items() if match.whole]
        return [self._by_text[each] for each in reversed(held[:_STATED]) if each in self._by_text]

    @cached_property
    def _nodes(self) -> dict[str, Node]:
        return {node.text.strip(): node for node in self.graph.nodes}

    @cached_property
    def _all(self) -> TextIndex:
        return _indexed(self._nodes)

    @cached_property
    def _by_text(self) -> dict[str, Node]:
        """The last output of a model with each text."""
        return {node.text.strip(): node for node in self.graph.nodes if node.kind in _WRITTEN and node.text.strip()}

    @cached_property
    def _index(self) -> TextIndex:
        return _indexed(self._by_text)


def _indexed(texts: Iterable[str]) -> TextIndex:
    index = TextIndex()
    for text in texts:
        index.add(index.text(text))
    return index


_LONG = 100_000  # characters of a text in which an earlier answer is looked for
_LABELS = 6  # words between a question and its answer that only say who speaks


def told(events: Sequence[Event]) -> list[str]:
    """Returns the words of the texts that a run was given or filled into its prompts, but for those of its models."""
    models = {event.run_id for event in events if isinstance(event, RunStarted) and event.kind == "model"}
    ended = (event for event in events if isinstance(event, RunEnded) and event.run_id in models)
    own = {piece.text.strip() for event in ended for piece in event.outputs}
    shown = [each for each in events if isinstance(each, RunStarted) and (each.seq == 1 or each.kind == "prompt")]
    texts = {piece.text.strip() for event in shown for piece in event.inputs if piece.role not in {"assistant", "tool"}}
    return [_words(text) for text in texts - own if len(text) <= _LONG]


def tells(texts: Sequence[str], events: Sequence[Event]) -> bool:
    """True if one of these texts holds what a run answered right behind what it was asked."""
    root = next(iter(events), None)
    if not isinstance(root, RunStarted):
        return False
    asked = [_words(piece.text) for piece in root.inputs]
    ended = (event for event in events if isinstance(event, RunEnded) and event.run_id == root.run_id)
    said = [_words(piece.text) for event in ended for piece in event.outputs if piece.text.strip()]
    before = [f"{text.partition(answer)[0]} " for answer in said for text in texts if answer in text]
    behind = (each.rpartition(question)[2] for each in before for question in asked if question in each)
    return any(between.count(" ") <= _LABELS for between in behind)


def _words(text: str) -> str:
    return f" {' '.join(forms(text))} "


_HISTORY = -1e6  # the time of what was there before the run; within a run, times begin at 1
_EARLIER_TURN = 1.5 * _HISTORY  # when models wrote in earlier turns
_EARLIER_SOURCE = 2 * _HISTORY  # when those turns had their sources, which they read first
_WRITTEN = frozenset({"completion", "answer"})
_EARLIER_KINDS: Mapping[NodeKind, NodeKind] = {"answer": "completion"}
_CONTENT = 4  # words from which the rest of a text says something


def recall(drafts: list[NodeDraft], earlier: Earlier | None, left: Mapping[str, NodeDraft]) -> None:
    """Adds what earlier turns of a conversation knew to the texts that rest on it.

    Args:
        drafts: The nodes of this turn, to which those of earlier ones are added.
        earlier: What is known of them.
        left: Those of the drafts that are nodes of earlier turns, found in the state, by the id there: all that led to
            them is added, to any other text that repeats what a model wrote then the evidence behind that.
    """
    if earlier is None:
        return
    known = _Recalled(drafts, dict(left))
    known.take_all(earlier)
    found: dict[str, list[tuple[Node, int]]] = {}
    for text in [draft for draft in drafts if TURN not in draft.attributes and _may_repeat(draft)]:
        if text.text.text not in found:
            found[text.text.text] = earlier.sources(text.text)
        for node, turn in found[text.text.text]:
            if (source := known.take(node, turn, text.run)) is not None:
                text.inputs.setdefault(source, Contribution("declared", 1.0))


class _Recalled:
    """The nodes of earlier turns that are nodes of this one, too; `known` has their drafts by their ids then."""

    def __init__(self, drafts: list[NodeDraft], known: dict[str, NodeDraft]) -> None:
        self._drafts = drafts
        self._known = known
        self._wording = {draft.text.text for draft in drafts if draft.kind == "instruction"}

    def take(self, node: Node, turn: int, run: CapturedRun) -> NodeDraft | None:
        """Returns the draft of a node; None for what was asked then, and for the same prompt again."""
        if node.origin == "user" or (node.origin == "template" and node.text in self._wording):
            return None
        if node.id not in self._known:
            draft = self._known[node.id] = NodeDraft(
                _EARLIER_KINDS.get(node.kind, node.kind), Text(node.text), run, order_of(node),
                {**node.attributes, TURN: turn}, origin=node.origin, model_spans=node.model_spans, step=node.step,
            )  # fmt: skip
            self._drafts.append(draft)
        return self._known[node.id]

    def take_all(self, earlier: Earlier) -> None:
        """Adds all that led to the nodes that are known by now."""
        for id_, draft in list(self._known.items()):
            for each in earlier.graph.upstream(id_):
                turn = each.attributes.get(TURN, earlier.turn)
                if turn > earlier.turn - earlier.turns:
                    self.take(each, turn, draft.run)
        for edge in earlier.graph.edges if self._known else ():
            source, target = self._known.get(edge.source), self._known.get(edge.target)
            if source is not None and target is not None:
                target.inputs.setdefault(source, Contribution(edge.basis, edge.coverage))


def order_of(node: Node) -> float:
    """When a node of an earlier turn was there: before all of this run, in the order of that turn."""
    return _EARLIER_TURN + (node.stage or 0)


def _may_repeat(draft: NodeDraft) -> bool:
    """True for a message of the history, and for what code or a tool brought unless it is a word such as "yes"."""
    if draft.kind in _WRITTEN:
        return draft.slot is not None or draft.run.kind != "model"
    return draft.text.distinctive


def mark_model_text(
    drafts: Iterable[NodeDraft],
    runs: Sequence[CapturedRun],
    earlier: Earlier | None,
    was_before: Callable[[Slot], bool],
) -> None:
    """Sets `model_spans` of the drafts of evidence, and their origin where nothing else is left of them."""
    drafts = list(drafts)
    sources = [draft for draft in drafts if draft.kind in EVIDENCE_KINDS and draft.text.text.strip()]
    if not sources:
        return
    latest = max(time_of(draft) for draft in sources)
    written = [(text, _EARLIER_TURN, True) for text in (earlier.written() if earlier is not None else ())]
    written += [each for each in _written(drafts, runs, was_before) if each[1] < latest]
    # Only words of both kinds of texts matter, so those of the kind that has fewer are kept.
    texts = [draft.text.text for draft in sources], [text for text, _, _ in written]
    echoes = Echoes(min(texts, key=lambda several: sum(map(len, dict.fromkeys(several)))))
    for draft in sources:
        echoes.held(outside(draft.text.text, draft.model_spans), time_of(draft))
    for node in earlier.graph.nodes if earlier is not None else ():
        if node.is_evidence:  # what a model then read is no invention of its own, though it be read again
            echoes.held(outside(node.text, node.model_spans), _EARLIER_SOURCE)
    for text, time, recorded in written:
        echoes.wrote(text, time, recorded=recorded)
    asked = any(draft.kind == "question" and draft.origin in {None, "user"} for draft in drafts)
    for draft in sources:
        if TURN not in draft.attributes:  # else decided in its own turn
            _mark(draft, echoes, asked)


def _written(
    drafts: Iterable[NodeDraft], runs: Sequence[CapturedRun], was_before: Callable[[Slot], bool]
) -> Iterator[tuple[str, float, bool]]:
    """Every text that a model wrote, with its time, and whether the run in which it did was recorded."""
    written: dict[str, float] = {}
    for text, stated, time in _outputs(drafts, runs):
        written[text] = min(time, written.get(text, time))
        yield from ((each, time, True) for each in stated)
    for run in runs:
        for slot in run.inputs:
            piece = slot.piece
            if run.kind == "tool" and run.hints.call_id is not None:
                yield piece.text, run.start, True
            elif piece.role == "assistant" or piece.origin == "model" or piece.form == "tool_call":
                text = piece.text.strip()
                if written.get(text, run.start) >= run.start:  # else written in this run, and passed on
                    time = _in_history(slot) if was_before(slot) else run.start
                    written[text] = min(time, run.start - 1)  # when it is read again it is the same
                    yield from ((each, time, False) for each in _stated(piece))


def _outputs(drafts: Iterable[NodeDraft], runs: Sequence[CapturedRun]) -> Iterator[tuple[str, Iterable[str], float]]:
    """The outputs of the models of this run: each text, what it states, and when it was written."""
    for draft in drafts:
        if draft.kind not in EVIDENCE_KINDS and draft.run.kind == "model" and draft.slot is None:
            text = draft.text.text.strip()
            yield text, (text,), draft.order
    for run in runs:
        for slot in run.outputs if run.kind == "model" else ():
            if slot.piece.form == "tool_call":
                yield slot.piece.text.strip(), _stated(slot.piece), run.end


def _stated(piece: Piece) -> Iterable[str]:
    """What a piece states: a tool call its arguments."""
    return arguments(piece.text) if piece.form == "tool_call" else (piece.text.strip(),)


def _mark(draft: NodeDraft, echoes: Echoes, asked: bool) -> None:
    text, time = draft.text.text, time_of(draft)
    if draft.origin == "retrieved":  # models quote pages; a page with nothing else in it is a memory of the model's
        draft.origin = "unknown" if echoes.whole(text, time) else "retrieved"
        return
    literal = draft.kind == "instruction" and draft.origin in {None, "template"}
    spans = list(echoes.spans(text, time, recorded=literal))
    said = transcript_spans(text) if draft.kind != "tool_result" and not draft.declared else ()
    draft.model_spans = merged([*draft.model_spans, *spans, *said])
    # Beside a question, a dialogue may be what was said before: then the answers in it are a model's.
    given = draft.kind == "document" and draft.origin in {None, "given"} and not draft.declared
    if asked and given and not said and is_dialogue(outside(text, draft.model_spans)):
        draft.origin = "unknown"
    if draft.model_spans and len(forms(outside(text, draft.model_spans))) < _CONTENT:
        draft.origin = "model"


def time_of(draft: NodeDraft) -> float:
    """When a text was there: smaller is earlier; what was there before the run has a time far before it."""
    if TURN in draft.attributes:
        return _EARLIER_SOURCE
    return draft.order if draft.slot is None else _in_history(draft.slot)


def _in_history(slot: Slot) -> float:
    """When a message was written that was there before the run: by its place in the history."""
    places = [part for part in slot.piece.path if isinstance(part, int)]
    return _HISTORY + (places[0] if places else 0)
