"""The last model call of a recorded run, to be made again without the words of some passages."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from trail_callbacks.diagnosis.reach import Reach, inputs_of
from trail_callbacks.errors import InputError
from trail_callbacks.evidence import whole
from trail_callbacks.graph import Node
from trail_callbacks.text import locate
from trail_callbacks.trace import Candidate, Trace

_GAPS = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class ReplayTurn:
    """One message of a prompt.

    Attributes:
        role: `system`, `user`, `assistant` or `tool`; None for the prompt of a model that completes text.
        text: Its text.
    """

    role: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A prompt to be answered again.

    Attributes:
        turns: The messages, without the words of what was dropped.
        dropped: The passages that were dropped; none to measure how much answers differ by themselves.
        kept: Those that stay.
    """

    turns: tuple[ReplayTurn, ...]
    dropped: tuple[Candidate, ...]
    kept: tuple[Candidate, ...]


class ReplayPrompt:
    """The prompt of the model call that wrote the answer of a recorded run.

    Args:
        trace: The run.

    Raises:
        InputError: If the run has no answer that a model wrote, or its prompt was not recorded.
    """

    def __init__(self, trace: Trace) -> None:
        self._reach = Reach(trace)
        calls = [call for call in trace.calls if call.answers] or list(trace.calls)[-1:]
        if not calls or trace.graph.answer is None:
            raise InputError("the run has no answer of a model: there is nothing to generate again")
        self._turns = tuple(ReplayTurn(piece.role, piece.text) for piece in inputs_of(trace, calls[-1].run_id))
        if not any(turn.text.strip() for turn in self._turns):
            raise InputError("the prompt of the last model call was not recorded: there is nothing to generate again")
        self._known = {node.id: node for node in self._reach.nodes}

    @property
    def passages(self) -> tuple[Candidate, ...]:
        """The passages whose words are found in the prompt, in order of retrieval."""
        return tuple(
            candidate
            for id_, candidate in self._reach.candidates.items()
            if id_ in self._known and self._without(self._turns, self._known[id_]) != self._turns
        )

    def without(self, dropped: Collection[str]) -> Replay:
        """Returns the prompt without the words of some passages.

        Args:
            dropped: Their node ids. Words that several passages have go once for each that is dropped.
        """
        turns = self._turns
        for id_ in dropped:
            turns = self._without(turns, self._known[id_])
        if dropped:
            turns = tuple(replace(turn, text=_GAPS.sub("\n\n", turn.text)) for turn in turns)
        shown = self.passages
        return Replay(
            turns=turns,
            dropped=tuple(each for each in shown if each.node_id in dropped),
            kept=tuple(each for each in shown if each.node_id not in dropped),
        )

    @staticmethod
    def _without(turns: Sequence[ReplayTurn], node: Node) -> tuple[ReplayTurn, ...]:
        return tuple(replace(turn, text=_cut(turn.text, node)) for turn in turns)


def _cut(text: str, node: Node) -> str:
    """A text without a passage, or without those of its lines that are there, if it arrived in part."""
    for words in (node.text, *(line.text for line in whole([node]))):
        found = locate(words, text) if words.strip() else None
        if found is not None:
            text = text[: found[0]] + text[found[1] :]
            if words == node.text:
                break
    return text
