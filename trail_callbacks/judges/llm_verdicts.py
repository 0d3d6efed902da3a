"""Verdicts from a language model: several claims a call, each answer checked, and only what is missing asked again."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.judges.judge import Assessment, Judgement, Purpose, Question
from trail_callbacks.judges.llm_schema import (
    StatedItem,
    StatedReply,
    VerdictItem,
    VerdictsReply,
    narrow_verdicts,
    salvage,
)
from trail_callbacks.models.call import Call, Pipeline, Reply
from trail_callbacks.prompts import Fence, load
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass

__all__ = ["assess"]

Label = TypeVar("Label", SupportClass, ErrorType)

_logger = logging.getLogger("trail_callbacks")
_ROOM = {"verdicts": (256, 360), "localize": (128, 160)}  # tokens for a reply: once, and for each claim
_SPLIT = ("length:", "refused:", "rejected: too long")  # failures that fewer claims, and so fewer passages, may cure


Keyed = tuple[str, Question]
"""A question under the id that the model answers with."""


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
    while todo:
        replies = yield [_call(task, purpose) for task in todo]
        later: list[_Task] = []
        for task, reply in zip(todo, replies, strict=True):
            judged, faults = _read(task, reply, purpose)
            done |= judged
            left = tuple(item for item in task.questions if item[0] not in judged)
            further = _further(replace(task, questions=left), reply, faults) if left else []
            later += further
            if not further:
                done |= {key: _failed(question, faults.get(key) or reply.error) for key, question in left}
        todo = later
    return Assessment(judgements=tuple(done[key] for key, _ in keyed))


def _keyed(questions: Sequence[Question]) -> list[Keyed]:
    """Keys questions by claim id; a claim asked about twice, with other passages, gets a suffix."""
    seen: Counter[str] = Counter()
    keyed = []
    for question in questions:
        id_ = question.claim.id
        seen[id_] += 1
        keyed.append((id_ if seen[id_] == 1 else f"{id_}.{seen[id_]}", question))
    return keyed


def _without_model(question: Question) -> Judgement | None:
    claim = question.claim
    if not claim.checkable:
        return Judgement(claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale="Not a checkable statement.")
    if not question.passages:
        return _absent(claim.id, "There is no passage to judge it by.")
    return None


def _absent(claim_id: str, rationale: str) -> Judgement:
    return Judgement(claim_id=claim_id, support=SupportClass.ABSENT, error_type=ErrorType.OTHER, rationale=rationale)


def _failed(question: Question, error: str | None) -> Judgement:
    return Judgement(claim_id=question.claim.id, error=error or "invalid: the model skipped this claim")


def _call(task: _Task, purpose: Purpose) -> Call:
    candidates = _candidates(task)
    shown = {label: passage for mine in candidates.values() for label, passage in mine.items()}
    nodes: dict[str, list[tuple[str, Passage]]] = {}
    for label, passage in shown.items():
        nodes.setdefault(passage.node_id, []).append((label, passage))
    passages = "\n\n".join(
        "\n".join(
            f"[{label}] {_line(passage.text)}" for label, passage in sorted(group, key=lambda pair: pair[1].start)
        )
        for group in nodes.values()
    )
    claims = "\n".join(_claim(key, question, candidates[key], len(shown)) for key, question in task.questions)
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


def _candidates(task: _Task) -> dict[str, dict[str, Passage]]:
    """Labels each question's passages for one call: their ids, with a suffix where two passages have the same."""
    taken: dict[str, Passage] = {}
    labelled: dict[str, dict[str, Passage]] = {}
    for key, question in task.questions:
        mine = labelled.setdefault(key, {})
        for passage in question.passages:
            label, n = passage.id, 1
            while taken.setdefault(label, passage) != passage:
                n += 1
                label = f"{passage.id}.{n}"
            mine[label] = passage
    return labelled


def _claim(key: str, question: Question, candidates: dict[str, Passage], shown: int) -> str:
    ids = "all passages" if len(candidates) == shown else ", ".join(candidates)
    return f"[{key}] (candidates: {ids}) {_line(question.claim.text)}"


def _line(text: str) -> str:
    """One line, so that no text can pass for a line with an id of its own."""
    return " ".join(text.split())


def _read(task: _Task, reply: Reply, purpose: Purpose) -> tuple[dict[str, Judgement], dict[str, str]]:
    """Returns the judgements of a reply that hold, and what is wrong with the others, both by key."""
    items: Sequence[VerdictItem | StatedItem]
    if isinstance(reply.value, VerdictsReply | StatedReply):
        items = reply.value.verdicts
    else:
        items = salvage(reply.text, VerdictItem if purpose == "verdicts" else StatedItem)
    asked, candidates = dict(task.questions), _candidates(task)
    judged: dict[str, Judgement] = {}
    faults: dict[str, str] = {}
    unknown = 0
    for item in items:
        key = item.claim.strip(" []().:'\"")
        if key not in asked:
            unknown += 1
            continue
        id_, mine = asked[key].claim.id, candidates[key]
        read = _stated(id_, mine, item) if isinstance(item, StatedItem) else _verdict(id_, mine, item)
        if isinstance(read, str):
            faults.setdefault(key, read)
        elif key not in judged:
            judged[key] = read
        elif judged[key].support is not read.support:
            faults[key] = "invalid: the model gave this claim two classes"
    for key in faults:
        judged.pop(key, None)
    if unknown:
        _logger.warning("%d answers of the model named a claim that was not asked about and were dropped", unknown)
    return judged, faults


def _further(task: _Task, reply: Reply, faults: dict[str, str]) -> list[_Task]:
    """Says what must be asked again for the claims that a reply left open; nothing, if asking will not help."""
    questions = task.questions
    if reply.error is None or reply.error.startswith("invalid:"):
        return [replace(task, again=False, note=_reminder(questions, faults))] if task.again else []
    if reply.error.startswith(_SPLIT) and len(questions) > 1:
        half = (len(questions) + 1) // 2
        return [replace(task, questions=questions[:half]), replace(task, questions=questions[half:])]
    if reply.error.startswith("length:") and not task.widened:
        return [replace(task, widened=True)]
    return []


def _reminder(questions: Sequence[Keyed], faults: dict[str, str]) -> str:
    said = [f"{key}: {faults[key].removeprefix('invalid: ')}" for key, _ in questions if key in faults]
    return "An earlier answer could not be used. " + "; ".join(said) if said else ""


def _verdict(claim_id: str, candidates: dict[str, Passage], item: VerdictItem) -> Judgement | str:
    support = _label(SupportClass, item.support)
    if support is None:
        return "invalid: the model gave a class that does not exist"
    twice = set(item.supporting) & set(item.contradicting)
    supporting, lost = _evidence(candidates, [id_ for id_ in item.supporting if id_ not in twice])
    contradicting, lost_too = _evidence(candidates, [id_ for id_ in item.contradicting if id_ not in twice])
    if support is SupportClass.SUPPORTED and not supporting:
        return "invalid: the model called this claim supported without a passage that it was shown"
    if support is SupportClass.CONTRADICTED and not contradicting:
        return "invalid: the model called this claim contradicted without a passage that it was shown"
    if support is SupportClass.PARTIALLY_SUPPORTED and not supporting + contradicting:
        return "invalid: the model called this claim partially supported without a passage that it was shown"
    wrong = support in UNSUPPORTED
    first = (_label(ErrorType, item.error_type) or ErrorType.OTHER) if wrong else None
    second = _label(ErrorType, item.second_type) if wrong else None
    speaks = support not in {SupportClass.ABSENT, SupportClass.UNEVALUATABLE}
    both = f"({', '.join(sorted(twice))}: named both for and against, and dropped.)" if twice & {*candidates} else ""
    reasons = [item.comparison, item.analysis if wrong else "", _dropped(lost + lost_too), both]
    evidence = [quoted(passage, "supports") for passage in supporting]
    evidence += [quoted(passage, "contradicts") for passage in contradicting]
    return Judgement(
        claim_id=claim_id,
        support=support,
        error_type=first,
        second_type=second if second is not first else None,
        detail=_said(item.detail) or None if wrong else None,
        rationale=" ".join(filter(None, map(_said, reasons))),
        evidence=tuple(evidence) if speaks else (),
        faults=_faults(item.faults) if wrong else (),
    )


def _faults(faults: Sequence[str]) -> tuple[str, ...]:
    distinct: dict[str, str] = {}
    for said in filter(None, map(_said, faults)):
        distinct.setdefault(said.casefold(), said)
    return tuple(distinct.values())


def _stated(claim_id: str, candidates: dict[str, Passage], item: StatedItem) -> Judgement | str:
    known, lost = _evidence(candidates, item.evidence)
    rationale = " ".join(filter(None, map(_said, [item.comparison, _dropped(lost)])))
    if not item.stated:
        return _absent(claim_id, rationale)
    if not known:
        return "invalid: the model called this claim stated without a passage that it was shown"
    return Judgement(
        claim_id=claim_id,
        support=SupportClass.SUPPORTED,
        rationale=rationale,
        evidence=tuple(quoted(passage, "supports") for passage in known),
    )


def _evidence(candidates: dict[str, Passage], ids: Sequence[str]) -> tuple[list[Passage], int]:
    """Returns the candidates that the model pointed to, and how often it pointed elsewhere."""
    named = list(dict.fromkeys(ids))
    known = [candidates[id_] for id_ in named if id_ in candidates]
    return known, len(named) - len(known)


def _dropped(lost: int) -> str:
    return f"(Passage ids that were no candidates, dropped: {lost}.)" if lost else ""


def _label(kind: type[Label], text: str) -> Label | None:
    try:
        return kind("_".join(text.casefold().replace("-", " ").replace("_", " ").split()))
    except ValueError:
        return None


def _said(text: str) -> str:
    text = " ".join(text.split())
    return "" if text.casefold().strip(".") in {"none", "n/a"} else text
