"""Verdicts from a language model: several claims a call, each answer checked, and only what is missing asked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trail_callbacks.judges.judge import Assessment, Judgement, Purpose, Question
from trail_callbacks.judges.llm.layout import Keyed, candidates, claim_lines, passage_lines
from trail_callbacks.judges.llm.reading import Dropped, absent, read
from trail_callbacks.judges.llm.schema import StatedReply, VerdictsReply, narrow_verdicts
from trail_callbacks.models.call import Call, Pipeline, Reply
from trail_callbacks.prompts import Fence, load
from trail_callbacks.taxonomy import SupportClass

__all__ = ["assess"]

_ROOM = {"verdicts": (256, 360), "localize": (128, 280), "answerable": (128, 280)}
"""Tokens for a reply: once, and for each claim."""
_SPLIT = ("length:", "refused:", "rejected: too long")  # failures that fewer claims, and so fewer passages, may cure


@dataclass(frozen=True, slots=True)
class _Task:
    """Claims to be judged in one call.

    Attributes:
        questions: One to `claims_per_call` of them.
        again: Whether what is missing in the reply may be asked for once more.
        widened: Whether the reply's room was already doubled.
        note: Why these claims are asked again, told to the model.
    """

    questions: tuple[Keyed, ...]
    again: bool = True
    widened: bool = False
    note: str = ""


def assess(questions: Sequence[Question], purpose: Purpose, claims_per_call: int) -> Pipeline[Assessment]:
    """Judges claims by their passages. See `Judge.assess`."""
    keyed = _keyed(questions)
    done = {key: settled for key, question in keyed if (settled := _without_model(question)) is not None}
    unsettled = [item for item in keyed if item[0] not in done]
    todo = [_Task(tuple(unsettled[i : i + claims_per_call])) for i in range(0, len(unsettled), claims_per_call)]
    dropped = Dropped()
    while todo:
        replies = yield [_call(task, purpose) for task in todo]
        later: list[_Task] = []
        for task, reply in zip(todo, replies, strict=True):
            judged, faults = read(task.questions, reply, purpose, dropped)
            done |= judged
            left = tuple(item for item in task.questions if item[0] not in judged)
            further = _further(task, left, reply, faults) if left else []
            later += further
            if not further:
                done |= {key: _failed(question, faults.get(key) or reply.error) for key, question in left}
        todo = later
    return Assessment(judgements=tuple(done[key] for key, _ in keyed), warnings=dropped.warnings())


def _keyed(questions: Sequence[Question]) -> list[Keyed]:
    """Keys questions by claim id; a claim asked about twice, with other passages, gets a suffix."""
    keyed: dict[str, Question] = {}
    asked: Counter[str] = Counter()
    for question in questions:
        key = id_ = question.claim.id
        while key in keyed:
            asked[id_] += 1
            key = f"{id_}.{asked[id_] + 1}"
        keyed[key] = question
    return list(keyed.items())


def _without_model(question: Question) -> Judgement | None:
    claim = question.claim
    if not claim.checkable:
        return Judgement(claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale="Not a checkable statement.")
    if not question.passages:
        return absent(claim.id, "There is no passage to judge it by.")
    return None


def _failed(question: Question, error: str | None) -> Judgement:
    return Judgement(claim_id=question.claim.id, error=error or "invalid: the model skipped this claim")


def _call(task: _Task, purpose: Purpose) -> Call:
    labelled = candidates(task.questions)
    shown = {label: passage for mine in labelled.values() for label, passage in mine.items()}
    passages, claims = passage_lines(shown), claim_lines(task.questions, labelled)
    fence = Fence(passages, claims)
    once, each = _ROOM[purpose]
    room = once + each * len(task.questions)
    return Call(
        messages=load(purpose).messages(
            passages=fence.block("PASSAGES", passages), claims=fence.block("CLAIMS", claims), note=task.note
        ),
        schema=narrow_verdicts(
            VerdictsReply if purpose == "verdicts" else StatedReply, [key for key, _ in task.questions], list(shown)
        ),
        purpose=purpose,
        max_tokens=room * 2 if task.widened else room,
    )


def _further(task: _Task, left: tuple[Keyed, ...], reply: Reply, faults: dict[str, str]) -> list[_Task]:
    """Says what must be asked again for the claims that a reply left open; nothing, if asking will not help."""
    task, some = replace(task, questions=left), len(left) < len(task.questions)
    if reply.error is None or reply.error.startswith("invalid:"):
        return [replace(task, again=False, note=_reminder(left, faults))] if task.again else []
    if reply.error.startswith("length:") and some:
        return [replace(task, widened=True)]  # its answers are long: those that are left get more room, and one call
    if reply.error.startswith(_SPLIT) and len(left) > 1:
        half = (len(left) + 1) // 2
        return [replace(task, questions=left[:half]), replace(task, questions=left[half:])]
    if reply.error.startswith("length:") and not task.widened:
        return [replace(task, widened=True)]
    return []


def _reminder(questions: Sequence[Keyed], faults: dict[str, str]) -> str:
    """In our own words only: what the model wrote may be what a text under judgement made it write."""
    said = [f"{key}: {faults.get(key, 'there was no answer').removeprefix('invalid: ')}" for key, _ in questions]
    return "An earlier answer could not be used. " + "; ".join(said)
