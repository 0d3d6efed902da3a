"""Verdicts from a language model: several claims a call, and only what is missing is asked again.

Every id, label and list of a reply is checked, and what is dropped is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.judges.judge import Assessment, Judgement, Purpose, Question, absent, unevaluatable
from trail_callbacks.judges.llm.asking import Heard, ask, watched
from trail_callbacks.judges.llm.layout import Keyed, bare, candidates, claim_lines, passage_lines, told
from trail_callbacks.judges.llm.schema import StatedItem, StatedReply, VerdictItem, VerdictsReply, own, salvage
from trail_callbacks.judges.prompts import Fence, load
from trail_callbacks.models.call import Call, Failure, Pipeline, Reply
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorDetail, ErrorType, SupportClass

_ROOM = {"verdicts": (256, 360), "localize": (128, 280), "answerable": (128, 280)}
"""Tokens for a reply: once, and for each claim."""
_FILLED = 8  # times as many characters of passages as of claims
_SKIPPED = Failure("invalid", "the model skipped this claim")
Label = TypeVar("Label", SupportClass, ErrorType, ErrorDetail)
Candidates = Mapping[str, Passage]

_TOKEN = re.compile(r"[^\s|,;:()\[\]'\"]+")
_NO_CLASS = Failure("invalid", "the model gave a class that does not exist")
_TWO_CLASSES = Failure("invalid", "the model gave this claim two classes")


_DROPPED = {
    "unknown": ("answer", "of the model about no claim that was asked"),
    "repeated": ("answer", "of the model about a claim already answered"),
    "foreign": ("passage id", "named by the model but no candidate of the claim"),
    "echoed": ("answer", "of the model copied from a text it was to judge"),
}
"""What of a reply cannot be used, with the words of a warning."""


def assess(questions: Sequence[Question], purpose: Purpose, claims_per_call: int) -> Pipeline[Assessment]:
    """Judges claims by their passages. See `Judge.assess`."""
    keyed = _keyed(questions)
    judged = {key: settled for key, question in keyed if (settled := _without_model(question)) is not None}
    open_ = [item for item in keyed if item[0] not in judged]
    batches = [_Batch(part, purpose) for part in _even(open_, claims_per_call)]
    lost: Counter[str] = Counter()
    cut: list[str] = []
    for verdicts in (yield from watched(ask(batches), cut)):
        judged |= verdicts.judged
        lost += verdicts.dropped
    return Assessment(judgements=tuple(judged[key] for key, _ in keyed), warnings=(*cut, *dropped(lost)))


@dataclass(frozen=True, slots=True)
class _Batch:
    """Claims to be judged in one call; an `Inquiry`."""

    questions: tuple[Keyed, ...]
    purpose: Purpose

    def call(self, note: str) -> Call:
        labelled = candidates(self.questions)
        shown = {label: passage for mine in labelled.values() for label, passage in mine.items()}
        passages, claims = passage_lines(shown), claim_lines(self.questions, labelled)
        # The key of the passages depends on nothing else, so that all calls about the same sources begin alike.
        sources, fence = Fence(passages), Fence(passages, claims)
        once, each = _ROOM[self.purpose]
        return Call(
            messages=load(self.purpose).messages(
                passages=sources.block("PASSAGES", passages),
                **told([question for _, question in self.questions], passages),
                claims=fence.block("CLAIMS", claims),
                note=note,
            ),
            schema=VerdictsReply if self.purpose == "verdicts" else StatedReply,
            purpose=self.purpose,
            max_tokens=once + each * len(self.questions),
        )

    def read(self, reply: Reply) -> Heard[Verdicts]:
        verdicts = read(self.questions, reply, self.purpose)
        left = tuple((key, question) for key, question in self.questions if key not in verdicts.judged)
        if not left:
            return Heard(verdicts)
        failures = {key: verdicts.faults.get(key) or reply.failure or _SKIPPED for key, _ in left}
        loss = {key: Judgement(claim_id=question.claim.id, error=str(failures[key])) for key, question in left}
        note = _note(left, verdicts.faults)
        rest = replace(self, questions=left)
        return Heard(verdicts, rest, reply.failure or _SKIPPED, Verdicts(judged=loss), note)

    def smaller(self, failure: Failure) -> Sequence[_Batch]:
        if failure.kind == "too_long" and self._passages_fill_it:
            return []  # fewer claims would be as long
        half = (len(self.questions) + 1) // 2
        halves = (self.questions[:half], self.questions[half:])
        return [replace(self, questions=part) for part in halves] if all(halves) else []

    @property
    def _passages_fill_it(self) -> bool:
        """Whether a call about half of the claims would be nearly as long: they share passages, which are long."""
        shared = {id(question.passages): question.passages for _, question in self.questions}
        read = sum(len(passage.text) for passages in shared.values() for passage in passages)
        return len(shared) == 1 and read > _FILLED * sum(len(question.claim.text) for _, question in self.questions)


def _even(questions: Sequence[Keyed], most: int) -> Iterator[tuple[Keyed, ...]]:
    """Divides questions into batches of at most so many, and of almost the same size."""
    at, left = 0, -(-len(questions) // most)
    while left:
        size = -(-(len(questions) - at) // left)
        yield tuple(questions[at : at + size])
        at, left = at + size, left - 1


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
        return unevaluatable(claim.id)
    if not question.passages:
        return absent(claim.id, "There is no passage to judge it by.")
    return None


def _note(questions: Sequence[Keyed], faults: dict[str, Failure]) -> str:
    """Says what was wrong with an earlier answer, in our own words only."""
    reasons = (f"{key}: {faults[key].detail if key in faults else 'there was no answer'}" for key, _ in questions)
    return f"An earlier answer could not be used. {'; '.join(reasons)}"


def dropped(counted: Counter[str]) -> tuple[str, ...]:
    """One sentence for each kind of `Verdicts.dropped` that occurred."""
    return tuple(
        f"{n} {noun}{'' if n == 1 else 's'} {why}, dropped"
        for kind, (noun, why) in _DROPPED.items()
        if (n := counted[kind])
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What a reply says about the claims of a call, by their keys: judgements that hold, and what is wrong with others.

    Of two answers with different classes none holds. `dropped` counts what cannot be used, by the kinds of `_DROPPED`.
    """

    judged: dict[str, Judgement]
    faults: dict[str, Failure] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)


def read(questions: Sequence[Keyed], reply: Reply, purpose: Purpose) -> Verdicts:
    """Reads a reply to some questions, keyed as they were shown; of a broken one whole items count."""
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
    said = item if isinstance(item, VerdictItem) else item.verdict()
    support = _label(SupportClass, said.support)
    if support is None:
        return _NO_CLASS
    given = _known(said.supporting, shown, lost), _known(said.contradicting, shown, lost)
    supporting, contradicting = ([id_ for id_ in ids if not (id_ in given[0] and id_ in given[1])] for ids in given)
    decisive = {
        SupportClass.SUPPORTED: supporting,
        SupportClass.CONTRADICTED: contradicting,
        SupportClass.PARTIALLY_SUPPORTED: [*supporting, *contradicting],
    }
    if support in decisive and not decisive[support]:
        word = support if said is item else "stated"
        return Failure("invalid", f"the model called this claim {word} without a passage that it was shown")
    wrong = support in UNSUPPORTED
    first = (_label(ErrorType, said.error_type) or ErrorType.OTHER) if wrong else None
    second = _label(ErrorType, said.second_type) if wrong else None
    detail = _label(ErrorDetail, said.detail) if first is ErrorType.OTHER else None
    evidence = [quoted(shown[id_], "supports") for id_ in supporting]
    evidence += [quoted(shown[id_], "contradicts") for id_ in contradicting]
    return Judgement(
        claim_id=claim_id,
        support=support,
        error_type=first,
        second_type=second if second is not first else None,
        detail=detail.replace("_", " ") if detail else None,
        rationale=_text(said.comparison),
        evidence=tuple(evidence) if support in decisive else (),
        faults=tuple({fault.casefold(): fault for fault in map(_text, said.faults[::-1]) if fault}.values())[::-1]
        if wrong
        else (),
    )


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


def _label(kind: type[Label], text: str) -> Label | None:
    try:
        return kind("_".join(text.casefold().replace("-", " ").replace("_", " ").split()))
    except ValueError:
        return None


def _text(text: str) -> str:
    text = " ".join(text.split())
    return "" if text.casefold().strip(".") in {"none", "n/a"} else text
