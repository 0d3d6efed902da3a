"""Events to graph: which pieces become nodes, and which nodes feed which.

A model's output becomes a completion, a retriever's a document, a tool's a tool result; but if a model inside that run
wrote the text (a query engine used as a tool, an extracting retriever), it is that model's completion. The root's
inputs are the question or documents, its output is the answer, and prompt text that nothing earlier explains is an
instruction. All other pieces (of parsers, prompts, lambdas, graph state) are only passed through.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from trail_callbacks.capture.conversation import Earlier, mark_model_text, recall, time_of
from trail_callbacks.capture.echoes import asks
from trail_callbacks.capture.events import DECLARED, IMPORTED, LEFT, Event, Piece
from trail_callbacks.capture.lineage import (
    Contribution,
    Contributions,
    FilterDecisions,
    LineageResolver,
    NodeDraft,
    assemble,
    merge,
    with_source_labels,
)
from trail_callbacks.capture.link import Linker
from trail_callbacks.capture.match import Text
from trail_callbacks.capture.restored import RestoredState
from trail_callbacks.capture.runs import (
    MATERIAL,
    CapturedRun,
    Slot,
    answer_text,
    document_key,
    is_reply,
    question_first,
    root_kind,
    tree,
)
from trail_callbacks.capture.unexplained import CodeOutputs, InstructionFinder, is_from_before, kind_of
from trail_callbacks.graph import CUT_OFF, LOST, UNSEEN, NodeKind, ProvenanceGraph
from trail_callbacks.text import forms, sentences

_MOST_LOST = 8  # sentences
_NEW_WORDS = 4  # words from which a text is material rather than a label


def build(events: Iterable[Event], earlier: Earlier | None = None) -> ProvenanceGraph:
    """Builds the provenance graph of one run tree."""
    runs = tree(events)
    return _Builder(runs, earlier).graph() if runs else ProvenanceGraph(nodes=())


class _Builder:
    def __init__(self, runs: Sequence[CapturedRun], earlier: Earlier | None) -> None:
        self._runs = runs
        self._earlier = earlier
        self._continue(runs[0])
        self._asked = question_first(runs[0].inputs)
        self._linker = Linker(runs)
        self._drafts: list[NodeDraft] = []
        self._anchors: dict[Slot, NodeDraft | None] = {}
        self._resolver = LineageResolver(self._linker, self._anchor)
        self._documents: dict[tuple[str, str | None, object], list[NodeDraft]] = defaultdict(list)
        self._instructions: dict[str, NodeDraft] = {}
        self._history: dict[tuple[NodeKind, str | None, str | None, str], NodeDraft] = {}
        self._state = RestoredState(runs, earlier, self._linker.text, self._draft)
        self._code = CodeOutputs(self._linker, self._resolver)
        self._instruction_finder = InstructionFinder(
            self._linker,
            lambda slot: self._anchor(slot) is not None,
            lambda slot: any(node.kind == "completion" for node in self._resolver.of(slot)),
            self._state.reaches,
        )

    def _continue(self, root: CapturedRun) -> None:
        """Gives a resumed run the question that it still answers: it is in the state, or known of the run before."""
        asked = self._earlier.graph.question if self._earlier else None
        if asked is not None and all(map(is_reply, root.inputs)):
            piece = Piece(text=asked.text, path=("question",), origin=asked.origin)
            root.inputs.insert(0, Slot(root, "in", piece))

    def graph(self) -> ProvenanceGraph:
        root = self._runs[0]
        for slot in root.inputs:
            if slot.piece.form == "document" or slot is self._asked:
                self._anchor(slot)
        for run in sorted(self._runs, key=lambda run: run.end):
            if run.kind in {"model", "tool", "retriever"}:
                for slot in run.outputs:
                    self._anchor(slot)
        alternatives = self._answer(root)
        for node in (run for run in root.children if run.hints.channels):  # a later turn may read what this one did not
            for slot in node.outputs:
                if slot.piece.form == "document" or slot.piece.origin == "unknown":
                    self._resolver.of(slot)
        self._take_declared()
        recall(self._drafts, self._earlier, self._state.known)
        mark_model_text(self._drafts, self._runs, self._earlier, self._was_before)
        self._note_lost()
        decisions = FilterDecisions(self._runs, self._resolver)
        first = self._anchors.get(self._asked) if self._asked else self._last_request()
        return with_source_labels(assemble(self._drafts, first, decisions, alternatives), self._runs)

    def _was_before(self, slot: Slot) -> bool:
        """True for an input that was there before the run; another one is made of what this run wrote."""
        draft = self._anchor(slot)
        if draft is None:
            return all(link.basis == "scope" for link in self._linker.of(slot))
        return draft.slot is not None or slot.run.parent is None

    def _last_request(self) -> NodeDraft | None:
        """The last message of a user in the history of a run that was not asked anything itself."""
        users = [draft for draft in self._drafts if draft.kind == "question" and draft.slot is not None]
        return max(users, key=time_of, default=None)

    # Nodes

    def _anchor(self, slot: Slot) -> NodeDraft | None:
        """The node that a piece is, or None if it only passes text on."""
        if slot not in self._anchors:
            self._anchors[slot] = None  # against recursion, until it is decided
            self._anchors[slot] = self._decide(slot)
            if self._anchors[slot] is not None:
                self._resolver.forget(slot)
        return self._anchors[slot]

    def _decide(self, slot: Slot) -> NodeDraft | None:
        run, piece = slot.run, slot.piece
        if run.kind == "model" and slot.side == "out":
            return self._anchors.get(run.outputs[0]) or self._completion(run)
        if not piece.text.strip():
            return None
        if slot.side == "in":
            return self._read(slot)
        composite = run.composite
        if run.kind in {"tool", "retriever"}:
            inside = composite and self._written_inside(slot)
            return None if inside else self._brought(slot, composite=composite)
        if composite or run.kind != "chain":
            return None
        return self._revised(slot) or self._made_by_code(slot)

    def _read(self, slot: Slot) -> NodeDraft | None:
        """The node of an input that no recorded step produced as it is."""
        inside = slot.run.parent is not None or self._state.holds(slot)
        return (self._revised(slot) or self._untraced(slot)) if inside else self._given_to_app(slot)

    def _made_by_code(self, slot: Slot) -> NodeDraft | None:
        """The node of a text that untraced code returned, if that code is its source."""
        run, piece = slot.run, slot.piece
        passed = any(link.source.piece.text.strip() == piece.text.strip() for link in self._linker.of(slot))
        seen = passed or piece.form == "document" or IMPORTED in piece.attributes
        unknown = piece.origin == "unknown" and not seen
        if not unknown and not self._code.is_source(slot):
            return None
        if unknown:
            kind: NodeKind = "tool_result" if piece.role == "tool" else "completion"
            draft = self._draft(kind, slot, run.end, {UNSEEN: run.step})
        elif piece.form == "message" and piece.role == "user":
            draft = self._draft("question", slot, run.end, {"history": True})
        elif piece.form == "message":  # history loaded by code, or a graph's message about a failed tool
            history = {"history": True} if any(other.piece.role == "user" for other in run.outputs) else None
            draft = self._draft("tool_result" if piece.role == "tool" else "completion", slot, run.end, history)
        else:
            draft = self._document(slot)
        draft.from_code = piece.form != "document" and draft.run is run and not unknown
        self._feed(draft, self._linker.made_of(slot))
        return draft

    def _given_to_app(self, slot: Slot) -> NodeDraft:
        """A piece of the root's inputs. Apart from the request, a text of some words is material, whatever its name."""
        run, kind = slot.run, root_kind(slot, slot.run.inputs)
        long = len(self._linker.text(slot).forms) >= _NEW_WORDS
        known = slot.piece.form != "text" or slot.piece.origin == "user"
        if kind == "question" and not known and long and slot is not self._asked:
            kind = "document"
        draft = self._draft(kind, slot, run.start, {"history": True} if kind == "completion" else None)
        if is_reply(slot):
            draft.step = "user"
        if kind == "question" and run.kind == "model":  # a prompt without a chain around it
            draft.origin = "given" if _is_material(draft.text.text) else "user"
        return draft

    def _untraced(self, slot: Slot) -> NodeDraft | None:
        """Text that appears mid-run without a producer: history from a checkpoint, a document from untraced code."""
        piece, left = slot.piece, self._state.holds(slot)
        # What a node wrote to a channel of a state that was there need not be all that is in it.
        links = [link for link in self._linker.of(slot) if link.basis != "scope" and not (left and link.opaque)]
        if not piece.text.strip() or (links and not is_from_before(slot, links)):
            return None
        if left and piece.origin is None and piece.role not in {"user", "system"}:
            return self._state.node(slot)
        if piece.form == "document":
            return self._document(slot)
        kind = kind_of(slot)
        if kind is None:
            return None
        said = kind, piece.id, piece.call_id, piece.text
        draft = self._history.get(said)  # each step of an agent reads all of them again
        if draft is None:
            draft = self._history[said] = self._draft(kind, slot, slot.run.start, {"history": True})
            if links:
                self._take(draft, self._resolver.of(slot))
        return draft

    def _completion(self, run: CapturedRun) -> NodeDraft:
        shown = [s for s in run.outputs if s.piece.form != "tool_call"] or run.outputs
        text = "\n".join(slot.piece.text for slot in shown if slot.piece.text)
        attributes = {k: v for slot in run.outputs for k, v in slot.piece.attributes.items()}
        known = self._linker.text(shown[0]) if len(shown) == 1 else Text(text)
        draft = NodeDraft("completion", known, run, run.end, attributes)
        self._drafts.append(draft)
        for slot in run.outputs:
            self._anchors[slot] = draft
        self._feed(draft, run.inputs)
        self._instruct(draft, run)
        return draft

    def _written_inside(self, slot: Slot) -> bool:
        """True if runs inside this one wrote the text: then it is their output and not new evidence."""
        links = self._linker.of(slot)
        if len(links) == 1 and links[0].source.run is not slot.run and not links[0].undecided:
            source = links[0].source.piece.text
            if source.strip() == slot.piece.text.strip():
                return True
        models = [node for node, contribution in self._resolver.of(slot).items() if node.kind == "completion"]
        if not models or not any(link.spans for link in links):
            return False
        words = self._linker.text(slot).forms
        written = {form for node in models for form in node.text.forms}
        return sum(form in written for form in words) * 2 >= len(words)

    def _brought(self, slot: Slot, *, composite: bool) -> NodeDraft:
        """A document or tool result. Its inputs are the query and, for a composite run, what it was made from."""
        run = slot.run
        if run.kind == "retriever" or slot.piece.form == "document":
            draft = self._document(slot)
        else:
            draft = self._draft("tool_result", slot, run.end)
        self._feed(draft, self._linker.made_of(slot))
        if composite:
            self._take(draft, self._resolver.of(slot))
        return draft

    def _document(self, slot: Slot) -> NodeDraft:
        """The node of a document; retrieved again by another query, it stays one node unless that made a cycle."""
        order = slot.run.end if slot.side == "out" else slot.run.start
        undecided = any(link.undecided for link in self._linker.of(slot))  # the same text may be another document's
        same = [] if undecided else self._documents[document_key(slot.piece)]
        made_of = self._linker.made_of(slot) if same and slot.side == "out" else ()
        reach = {node for each in made_of for node in self._resolver.of(each)}
        for draft in same:
            if all(node.order < draft.order for node in reach):
                return draft
        draft = self._draft("document", slot, order)
        same.append(draft)
        return draft

    def _revised(self, slot: Slot) -> NodeDraft | None:
        """The node of a document that code shortened or widened: what is shown counts, not what was cut away.

        It has no edge from the document that it was: that text is in nobody's reach any more. Nor has one that several
        documents may have been.
        """
        piece, links = slot.piece, list(self._linker.of(slot))
        undecided = bool(links) and all(link.undecided for link in links)
        if not undecided:
            links = [link for link in links if piece.id is not None and link.source.piece.id == piece.id]
            if piece.form != "document" or len(links) != 1:
                return None
            kept = sum(end - start for start, end in links[0].spans)
            same = self._linker.text(links[0].source).forms == self._linker.text(slot).forms
            if same or not (links[0].whole or kept * 2 >= len(piece.text) or piece.origin == "retrieved"):
                return None
        before = [
            node for link in links for each in (link.source, *link.alternatives) for node in self._resolver.of(each)
        ]
        if not before or any(node.kind != "document" for node in before):
            return None
        draft = self._document(slot)
        draft.origin = before[0].origin
        for node in before:
            self._take(draft, node.inputs)
        return draft

    def _draft(self, kind: NodeKind, slot: Slot, order: float, more: dict[str, Any] | None = None) -> NodeDraft:
        attributes = {**slot.piece.attributes, **(more or {})}
        attributes.pop(LEFT, None)
        if slot.piece.id is not None:
            attributes.setdefault("id", slot.piece.id)
        retrieved = kind == "document" and slot.run.kind == "retriever"
        draft = NodeDraft(
            kind,
            self._linker.text(slot),
            slot.run,
            order,
            attributes,
            origin=slot.piece.origin or ("retrieved" if retrieved else None),
            declared=slot.piece.form == "document" or not MATERIAL.isdisjoint(slot.piece.path),
            slot=slot if attributes.get("history") else None,
        )
        self._drafts.append(draft)
        return draft

    def _instruct(self, draft: NodeDraft, run: CapturedRun) -> None:
        for origin, text in self._instruction_finder.of(run).items():
            node = self._instructions.get(text)
            if node is None:
                kind: NodeKind = "instruction" if origin == "template" else "document"
                left = origin == "unknown" and not any(IMPORTED in slot.piece.attributes for slot in run.inputs)
                wrote = self._earlier.model_spans(Text(text)) if left and self._earlier is not None else None
                node = NodeDraft(kind, Text(text), run, run.start - 0.5, origin=origin)
                if wrote is not None:  # it is of an earlier turn
                    node.origin, node.model_spans = "given", wrote
                elif left:
                    node.attributes[UNSEEN] = "a part"
                self._instructions[text] = node
                self._drafts.append(node)
            draft.inputs.setdefault(node, Contribution("declared", 1.0))

    def _answer(self, root: CapturedRun) -> list[str]:
        """Adds the answer, which documents alone are not; returns other texts that the app returned."""
        if root.failed or not root.outputs or root.kind == "retriever":
            return []
        slots, text, alternatives = answer_text(root, self._state.stale(root), self._wrote_last, self._wrote_both)
        if not slots:
            return []
        others = [slot.piece.text.strip() for slot in alternatives if len(self._linker.text(slot).forms) >= _NEW_WORDS]
        contributions: Contributions = {}
        for slot in slots:
            merge(contributions, self._resolver.of(slot))
        self._mark_untraced(contributions, self._found_nothing())
        exact = [node for node in contributions if node.kind == "completion" and node.text.text.strip() == text.strip()]
        if exact:  # the app returned a model's output unchanged: one node, not two
            draft = max(exact, key=lambda node: node.order)
            draft.kind = "answer"
        else:
            draft = NodeDraft("answer", Text(text), root, root.end, {}, step=self._writer(slots).step)
            self._drafts.append(draft)
            self._take(draft, contributions)
        if root.stopped:
            draft.attributes[CUT_OFF] = True
        return others

    def _note_lost(self) -> None:
        """Says on the answer what the graph lacks: a report on it is not complete."""
        answer = next((draft for draft in self._drafts if draft.kind == "answer"), None)
        if answer is None:
            return
        lost = [
            f"{run.step} was given or returned more texts than the {run.cut:,} that are recorded: no claim can be "
            "supported by the others"
            if run.cut or run.kind != "model"
            else f"the prompt of {run.step} was not seen: no claim can be supported by what it says"
            for run in {run.step: run for run in self._runs if run.cut is not None}.values()
        ]
        lost += [
            f"{step} has too many texts to follow each of them: not all that they were made of is in the graph"
            for step in dict.fromkeys(run.step for run in self._linker.thinned)
        ]
        if lost:
            answer.attributes[LOST] = lost[:_MOST_LOST]

    def _take_declared(self) -> None:
        """Makes the sources that the app declared by a function inputs of the answer where no text shows how."""
        answer = next((draft for draft in self._drafts if draft.kind == "answer"), None)
        declared = [draft for draft in self._drafts if DECLARED in draft.attributes]
        if answer is None or not declared:
            return
        before = _behind(answer)
        answer.inputs.update((draft, Contribution("declared", 1.0)) for draft in declared if draft not in before)

    def _writer(self, slots: Sequence[Slot]) -> CapturedRun:
        """The first run that returned the answer as it is; of several for its parts, the last."""
        return max((self._first_with(slot) for slot in slots), key=lambda run: run.end)

    def _first_with(self, slot: Slot) -> CapturedRun:
        """The innermost run that wrote a text, before the code that only passed it on."""
        text, run = slot.piece.text.strip(), slot.run
        here: Slot | None = slot
        seen = {slot}
        while here is not None:
            same = [
                link.source
                for link in self._linker.of(here)
                if link.source not in seen and link.source.piece.text.strip() == text
            ]
            inside = (each for each in same if each.side == "out" and each.run.within(run))
            before = (each for each in same if each.side == "in" or each.run.kind == "chain")
            here = next(inside, None) or next(before, None)
            if here is not None:
                seen.add(here)
                run = here.run if here.side == "out" else run
        return run

    def _found_nothing(self) -> bool:
        """True if what was looked for was not found and no model was asked: the answer is the app's own."""
        found = [bool(run.outputs) for run in self._runs if run.kind == "retriever"]
        return bool(found) and not any(found) and not any(run.kind == "model" for run in self._runs)

    @staticmethod
    def _mark_untraced(contributions: Contributions, found_nothing: bool) -> None:
        """Turns outputs of plain code into completions if the answer has no other source.

        A model called on a thread without callbacks looks exactly like this, and its words must not count as evidence.
        """
        sources = [node for node in contributions if node.kind not in {"question", "instruction"}]
        if all(node.from_code for node in sources):
            for node in sources:
                node.kind = "completion"
                node.origin = "unknown"
                node.attributes["untraced"] = "nothing found" if found_nothing else "unseen"

    def _wrote_last(self, slot: Slot) -> float:
        """When the latest completion behind a piece ended; -1 if there is none."""
        return max((n.order for n in self._resolver.of(slot) if n.kind == "completion"), default=-1.0)

    def _wrote_both(self, answer: Slot, slot: Slot) -> bool:
        """Whether a field stands beside the answer in the object that a model wrote."""
        text = slot.piece.text.strip()
        if slot.piece.form != "text" or text in answer.piece.text:
            return False
        last = max((node for node in self._resolver.of(answer) if node.kind == "completion"), key=_order, default=None)
        if last is None or answer.piece.text.strip() == last.text.text.strip():
            return False
        written = last.text.text
        held = text in written or json.dumps(text, ensure_ascii=False)[1:-1] in written or text.lower() in written
        return held and last in self._resolver.of(slot)  # in this order: resolving other fields would make them nodes

    # Edges

    def _feed(self, draft: NodeDraft, inputs: Sequence[Slot]) -> None:
        for slot in inputs:
            self._take(draft, self._resolver.of(slot))

    @staticmethod
    def _take(draft: NodeDraft, contributions: Contributions) -> None:
        merge(draft.inputs, {n: a for n, a in contributions.items() if n is not draft and n.order < draft.order})


def _behind(draft: NodeDraft) -> set[NodeDraft]:
    """A node and all that led to it."""
    before, todo = {draft}, [draft]
    while todo:
        more = todo.pop().inputs.keys() - before
        before |= more
        todo += more
    return before


def _is_material(prompt: str) -> bool:
    """True if a prompt says more than it asks: beside questions and one sentence, such as a task, there is another.

    Code puts lines together, so that of several lines one is the task.
    """
    said = [each.text for each in sentences(prompt) if len(forms(each.text)) >= _NEW_WORDS and not asks(each.text)]
    return len(said) > (0 if "\n" in prompt.strip() else 1)


def _order(draft: NodeDraft) -> float:
    return draft.order
