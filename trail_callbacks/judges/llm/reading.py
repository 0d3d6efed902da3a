"""What a reply says about the claims it was asked: every id, label and list checked, and what is dropped counted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.judges.judge import Judgement, Purpose
from trail_callbacks.judges.llm.layout import Keyed, candidates
from trail_callbacks.judges.llm.schema import StatedItem, StatedReply, VerdictItem, VerdictsReply, own, salvage
from trail_callbacks.models.call import Reply
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass

__all__ = ["Dropped", "absent", "read"]

Label = TypeVar("Label", SupportClass, ErrorType)
Candidates = Mapping[str, Passage]

_TOKEN = re.compile(r"[^\s|,;:()\[\]'\"]+")
_SILENT = frozenset({SupportClass.ABSENT, SupportClass.UNEVALUATABLE})
_POINTLESS = "invalid: the model called this claim {} without a passage that it was shown"


@dataclass(slots=True, kw_only=True)
class Dropped:
    """How much of what a model said could not be used.

    Attributes:
        unknown: Answers about no claim that was asked.
        repeated: Answers about a claim after the first.
        foreign: Passage ids that were no candidates of their claim.
        echoed: Answers that stand, word for word, in a text that was to be judged.
    """

    unknown: int = 0
    repeated: int = 0
    foreign: int = 0
    echoed: int = 0

    def warnings(self) -> tuple[str, ...]:
        """One sentence for each kind that occurred."""
        said = []
        if self.unknown:
            said.append(f"{_many(self.unknown, 'answer')} of the model about no claim that was asked, dropped")
        if self.repeated:
            said.append(f"{_many(self.repeated, 'answer')} of the model about a claim already answered, dropped")
        if self.foreign:
            said.append(
                f"{_many(self.foreign, 'passage id')} named by the model but no candidate of the claim, dropped"
            )
        if self.echoed:
            said.append(f"{_many(self.echoed, 'answer')} of the model copied from a text it was to judge, dropped")
        return tuple(said)


def _many(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def absent(claim_id: str, rationale: str) -> Judgement:
    """Says that no passage states a claim."""
    return Judgement(claim_id=claim_id, support=SupportClass.ABSENT, error_type=ErrorType.OTHER, rationale=rationale)


def read(
    questions: Sequence[Keyed], reply: Reply, purpose: Purpose, dropped: Dropped
) -> tuple[dict[str, Judgement], dict[str, str]]:
    """Reads a reply to some questions.

    Args:
        questions: What was asked, with the ids of claims as they were shown.
        reply: Any reply, a broken one too: whole items of it count.
        purpose: What was asked for.
        dropped: Adds up what cannot be used.

    Returns:
        The judgements that hold, and what is wrong with others, both by the id of the claim. Of two answers with
        different classes none holds.
    """
    asked, labelled = dict(questions), candidates(questions)
    plain = {key.casefold(): key for key in asked}
    judged: dict[str, Judgement] = {}
    faults: dict[str, str] = {}
    items = _items(reply, purpose)
    genuine = own(items, _shown(questions), VerdictItem if purpose == "verdicts" else StatedItem)
    dropped.echoed += len(items) - len(genuine)
    for item in genuine:
        written = item.claim.strip(" []().:'\"")
        key = written if written in asked else plain.get(written.casefold())
        if key is None:
            dropped.unknown += 1
            continue
        dropped.repeated += key in judged or key in faults
        found = _judgement(asked[key].claim.id, labelled[key], item, dropped)
        if isinstance(found, str):
            faults.setdefault(key, found)
        elif judged.setdefault(key, found).support is not found.support:
            faults[key] = "invalid: the model gave this claim two classes"
    return {key: judgement for key, judgement in judged.items() if key not in faults}, faults


def _items(reply: Reply, purpose: Purpose) -> Sequence[VerdictItem | StatedItem]:
    if isinstance(reply.value, VerdictsReply | StatedReply):
        return reply.value.verdicts
    return salvage(reply.text, VerdictItem) if purpose == "verdicts" else salvage(reply.text, StatedItem)


def _shown(questions: Sequence[Keyed]) -> list[str]:
    """All texts behind a call: claims, each passage with its neighbours, and the passages of each node together."""
    passages = {passage: None for _, question in questions for passage in question.passages}
    nodes: dict[str, list[str]] = {}
    for passage in sorted(passages, key=lambda passage: (passage.node_id, passage.start)):
        nodes.setdefault(passage.node_id, []).append(f"{passage.before}\n{passage.text}\n{passage.after}")
    parts = [part for node in nodes.values() for part in node]
    return [*(question.claim.text for _, question in questions), *parts, *map("\n".join, nodes.values())]


def _judgement(claim_id: str, shown: Candidates, item: VerdictItem | StatedItem, dropped: Dropped) -> Judgement | str:
    """The judgement, or what is wrong with the item."""
    if isinstance(item, StatedItem):
        return _stated(claim_id, shown, item, dropped)
    support = _label(SupportClass, item.support)
    if support is None:
        return "invalid: the model gave a class that does not exist"
    before = dropped.foreign
    supporting, contradicting = _known(item.supporting, shown, dropped), _known(item.contradicting, shown, dropped)
    both = [id_ for id_ in supporting if id_ in contradicting]
    supporting = [id_ for id_ in supporting if id_ not in both]
    contradicting = [id_ for id_ in contradicting if id_ not in both]
    if (
        (support is SupportClass.SUPPORTED and not supporting)
        or (support is SupportClass.CONTRADICTED and not contradicting)
        or (support is SupportClass.PARTIALLY_SUPPORTED and not supporting + contradicting)
    ):
        return _POINTLESS.format(support)
    wrong = support in UNSUPPORTED
    first = (_label(ErrorType, item.error_type) or ErrorType.OTHER) if wrong else None
    second = _label(ErrorType, item.second_type) if wrong else None
    evidence = [quoted(shown[id_], "supports") for id_ in supporting]
    evidence += [quoted(shown[id_], "contradicts") for id_ in contradicting]
    reasons = [item.comparison, item.analysis if wrong else "", _lost(dropped.foreign - before)]
    reasons.append(f"({', '.join(both)}: named both for and against, so neither.)" if both else "")
    return Judgement(
        claim_id=claim_id,
        support=support,
        error_type=first,
        second_type=second if second is not first else None,
        detail=_said(item.detail) or None if wrong else None,
        rationale=" ".join(filter(None, map(_said, reasons))),
        evidence=() if support in _SILENT else tuple(evidence),
        faults=_faults(item.faults) if wrong else (),
    )


def _stated(claim_id: str, shown: Candidates, item: StatedItem, dropped: Dropped) -> Judgement | str:
    before = dropped.foreign
    known = _known(item.evidence, shown, dropped)
    rationale = " ".join(filter(None, map(_said, [item.comparison, _lost(dropped.foreign - before)])))
    if not item.stated:
        return absent(claim_id, rationale)
    if not known:
        return _POINTLESS.format("stated")
    return Judgement(
        claim_id=claim_id,
        support=SupportClass.SUPPORTED,
        rationale=rationale,
        evidence=tuple(quoted(shown[id_], "supports") for id_ in known),
    )


def _known(ids: Sequence[str], shown: Candidates, dropped: Dropped) -> list[str]:
    """The candidates that the model pointed to, each once: `s4`, `S4` and `s4 (row 3)` are the same."""
    found: dict[str, None] = {}
    for written in dict.fromkeys(ids):
        first = _TOKEN.search(written)
        id_ = written if written in shown or first is None else first[0]
        id_ = id_ if id_ in shown else id_.casefold()
        if id_ in shown:
            found[id_] = None
        else:
            dropped.foreign += 1
    return list(found)


def _lost(n: int) -> str:
    return f"({_many(n, 'passage id')} named that {'was' if n == 1 else 'were'} no candidate, dropped.)" if n else ""


def _faults(faults: Sequence[str]) -> tuple[str, ...]:
    distinct: dict[str, str] = {}
    for said in filter(None, map(_said, faults)):
        distinct.setdefault(said.casefold(), said)
    return tuple(distinct.values())


def _label(kind: type[Label], text: str) -> Label | None:
    try:
        return kind("_".join(text.casefold().replace("-", " ").replace("_", " ").split()))
    except ValueError:
        return None


def _said(text: str) -> str:
    text = " ".join(text.split())
    return "" if text.casefold().strip(".") in {"none", "n/a"} else text
