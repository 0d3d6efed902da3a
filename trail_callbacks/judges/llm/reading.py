"""What a reply says about the claims it was asked: every id, label and list checked, and what is dropped counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.judges.judge import Judgement, Purpose
from trail_callbacks.judges.llm.layout import Keyed, bare, candidates
from trail_callbacks.judges.llm.schema import StatedItem, StatedReply, VerdictItem, VerdictsReply, own, salvage
from trail_callbacks.models.call import Failure, Reply
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorDetail, ErrorType, SupportClass

__all__ = ["Verdicts", "absent", "dropped", "read", "shown_texts"]

Label = TypeVar("Label", SupportClass, ErrorType, ErrorDetail)
Candidates = Mapping[str, Passage]

_TOKEN = re.compile(r"[^\s|,;:()\[\]'\"]+")
_SILENT = frozenset({SupportClass.ABSENT, SupportClass.UNEVALUATABLE})
_NO_CLASS = Failure("invalid", "the model gave a class that does not exist")
_TWO_CLASSES = Failure("invalid", "the model gave this claim two classes")


_DROPPED = {
    "unknown": ("answer", "of the model about no claim that was asked"),
    "repeated": ("answer", "of the model about a claim already answered"),
    "foreign": ("passage id", "named by the model but no candidate of the claim"),
    "echoed": ("answer", "of the model copied from a text it was to judge"),
}
"""What of a reply cannot be used, with the words of a warning."""


def dropped(counted: Counter[str]) -> tuple[str, ...]:
    """One sentence for each kind of `Verdicts.dropped` that occurred."""
    return tuple(
        f"{_many(counted[kind], noun)} {why}, dropped" for kind, (noun, why) in _DROPPED.items() if counted[kind]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What a reply says about the claims of a call, by their keys.

    Attributes:
        judged: The judgements that hold; for claims that were given up, ones with an `error`.
        faults: What is wrong with others. Of two answers with different classes none holds.
        dropped: How much could not be used, by the kinds of `_DROPPED`.
    """

    judged: dict[str, Judgement]
    faults: dict[str, Failure] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)


def _many(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def absent(claim_id: str, rationale: str) -> Judgement:
    """Says that no passage states a claim."""
    return Judgement(claim_id=claim_id, support=SupportClass.ABSENT, error_type=ErrorType.OTHER, rationale=rationale)


def read(questions: Sequence[Keyed], reply: Reply, purpose: Purpose) -> Verdicts:
    """Reads a reply to some questions.

    Args:
        questions: What was asked, with the ids of claims as they were shown.
        reply: Any reply, a broken one too: whole items of it count.
        purpose: What was asked for.
    """
    asked, labelled = dict(questions), candidates(questions)
    plain = {key.casefold(): key for key in asked}
    judged: dict[str, Judgement] = {}
    faults: dict[str, Failure] = {}
    lost: Counter[str] = Counter()
    items = _items(reply, purpose)
    genuine = own(items, shown_texts(questions), VerdictItem if purpose == "verdicts" else StatedItem)
    lost["echoed"] += len(items) - len(genuine)
    for item in genuine:
        written = bare(item.claim)
        key = written if written in asked else plain.get(written.casefold())
        if key is None:
            lost["unknown"] += 1
            continue
        lost["repeated"] += key in judged or key in faults
        judgement = _judgement(asked[key].claim.id, labelled[key], item, lost)
        if isinstance(judgement, Failure):
            faults.setdefault(key, judgement)
        elif judged.setdefault(key, judgement).support is not judgement.support:
            faults[key] = _TWO_CLASSES
    holding = {key: judgement for key, judgement in judged.items() if key not in faults}
    return Verdicts(judged=holding, faults=faults, dropped=lost)


def _items(reply: Reply, purpose: Purpose) -> Sequence[VerdictItem | StatedItem]:
    if isinstance(reply.value, VerdictsReply | StatedReply):
        return reply.value.verdicts
    return salvage(reply.text, VerdictItem) if purpose == "verdicts" else salvage(reply.text, StatedItem)


def shown_texts(questions: Sequence[Keyed]) -> list[str]:
    """All texts behind a call: claims, each passage with its neighbours, and the passages of each node together."""
    passages = {passage: None for shown in _distinct(questions) for passage in shown}
    nodes: dict[str, list[str]] = {}
    for passage in sorted(passages, key=lambda passage: (passage.node_id, passage.start)):
        nodes.setdefault(passage.node_id, []).append(f"{passage.before}\n{passage.text}\n{passage.after}")
    parts = [part for node in nodes.values() for part in node]
    asked = (text for _, q in questions for text in (q.claim.text, q.asked, q.answer, q.conversation, *q.departs_from))
    return [*asked, *parts, *map("\n".join, nodes.values())]


def _distinct(questions: Sequence[Keyed]) -> Iterable[Sequence[Passage]]:
    """The passages of questions; claims that share them share one tuple, and it may have thousands."""
    return {id(question.passages): question.passages for _, question in questions}.values()


def _judgement(
    claim_id: str, shown: Candidates, item: VerdictItem | StatedItem, lost: Counter[str]
) -> Judgement | Failure:
    """The judgement, or what is wrong with the item."""
    if isinstance(item, StatedItem):
        return _stated(claim_id, shown, item, lost)
    support = _label(SupportClass, item.support)
    if support is None:
        return _NO_CLASS
    before = lost["foreign"]
    supporting, contradicting = _known(item.supporting, shown, lost), _known(item.contradicting, shown, lost)
    both = [id_ for id_ in supporting if id_ in contradicting]
    supporting = [id_ for id_ in supporting if id_ not in both]
    contradicting = [id_ for id_ in contradicting if id_ not in both]
    if (
        (support is SupportClass.SUPPORTED and not supporting)
        or (support is SupportClass.CONTRADICTED and not contradicting)
        or (support is SupportClass.PARTIALLY_SUPPORTED and not supporting + contradicting)
    ):
        return _pointless(support)
    wrong = support in UNSUPPORTED
    first = (_label(ErrorType, item.error_type) or ErrorType.OTHER) if wrong else None
    second = _label(ErrorType, item.second_type) if wrong else None
    detail = _label(ErrorDetail, item.detail) if first is ErrorType.OTHER else None
    evidence = [quoted(shown[id_], "supports") for id_ in supporting]
    evidence += [quoted(shown[id_], "contradicts") for id_ in contradicting]
    reasons = [item.comparison, _lost(lost["foreign"] - before)]
    reasons.append(f"({', '.join(both)}: named both for and against, so neither.)" if both else "")
    return Judgement(
        claim_id=claim_id,
        support=support,
        error_type=first,
        second_type=second if second is not first else None,
        detail=detail.replace("_", " ") if detail else None,
        rationale=" ".join(filter(None, map(_text, reasons))),
        evidence=() if support in _SILENT else tuple(evidence),
        faults=_faults(item.faults) if wrong else (),
    )


def _stated(claim_id: str, shown: Candidates, item: StatedItem, lost: Counter[str]) -> Judgement | Failure:
    before = lost["foreign"]
    known = _known(item.evidence, shown, lost)
    rationale = " ".join(filter(None, map(_text, [item.comparison, _lost(lost["foreign"] - before)])))
    if not item.stated:
        return absent(claim_id, rationale)
    if not known:
        return _pointless("stated")
    return Judgement(
        claim_id=claim_id,
        support=SupportClass.SUPPORTED,
        rationale=rationale,
        evidence=tuple(quoted(shown[id_], "supports") for id_ in known),
    )


def _pointless(word: str) -> Failure:
    return Failure("invalid", f"the model called this claim {word} without a passage that it was shown")


def _known(ids: Sequence[str], shown: Candidates, lost: Counter[str]) -> list[str]:
    """The candidates that the model pointed to, each once: `s4`, `S4` and `s4 (row 3)` are the same."""
    known: dict[str, None] = {}
    for written in dict.fromkeys(ids):
        first = _TOKEN.search(written)
        id_ = written if written in shown or first is None else first[0]
        id_ = id_ if id_ in shown else id_.casefold()
        if id_ in shown:
            known[id_] = None
        else:
            lost["foreign"] += 1
    return list(known)


def _lost(n: int) -> str:
    return f"({_many(n, 'passage id')} named that {'was' if n == 1 else 'were'} no candidate, dropped.)" if n else ""


def _faults(faults: Sequence[str]) -> tuple[str, ...]:
    distinct: dict[str, str] = {}
    for fault in filter(None, map(_text, faults)):
        distinct.setdefault(fault.casefold(), fault)
    return tuple(distinct.values())


def _label(kind: type[Label], text: str) -> Label | None:
    try:
        return kind("_".join(text.casefold().replace("-", " ").replace("_", " ").split()))
    except ValueError:
        return None


def _text(text: str) -> str:
    text = " ".join(text.split())
    return "" if text.casefold().strip(".") in {"none", "n/a"} else text
