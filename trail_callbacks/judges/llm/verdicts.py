"""Verdicts from a language model: several claims a call, each answer checked, and only what is missing asked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from trail_callbacks.judges.judge import Assessment, Judgement, Purpose, Question
from trail_callbacks.judges.llm.asking import Reading, Rest, ask
from trail_callbacks.judges.llm.layout import Keyed, candidates, claim_lines, passage_lines, told
from trail_callbacks.judges.llm.reading import Verdicts, absent, dropped, read
from trail_callbacks.judges.llm.schema import StatedReply, VerdictsReply
from trail_callbacks.judges.llm.truncation import watched
from trail_callbacks.judges.prompts import Fence, load
from trail_callbacks.models.call import Call, Failure, Pipeline, Reply
from trail_callbacks.taxonomy import SupportClass

__all__ = ["assess"]

_ROOM = {"verdicts": (256, 360), "localize": (128, 280), "answerable": (128, 280)}
"""Tokens for a reply: once, and for each claim."""
_FILLED = 8  # times as many characters of passages as of claims
_SKIPPED = Failure("invalid", "the model skipped this claim")


def assess(
    questions: Sequence[Question], purpose: Purpose, claims_per_call: int, prompt: str = ""
) -> Pipeline[Assessment]:
    """Judges claims by their passages, with the prompt of the purpose or another one. See `Judge.assess`."""
    keyed = _keyed(questions)
    judged = {key: settled for key, question in keyed if (settled := _without_model(question)) is not None}
    open_ = [item for item in keyed if item[0] not in judged]
    batches = [_Batch(part, purpose, prompt or purpose) for part in _even(open_, claims_per_call)]
    lost: Counter[str] = Counter()
    cut: list[str] = []
    for verdicts in (yield from watched(ask(batches), cut)):
        judged |= verdicts.judged
        lost += verdicts.dropped
    return Assessment(judgements=tuple(judged[key] for key, _ in keyed), warnings=(*cut, *dropped(lost)))


@dataclass(frozen=True, slots=True)
class _Batch:
    """Claims to be judged in one call; a `Task`."""

    questions: tuple[Keyed, ...]
    purpose: Purpose
    prompt: str

    def call(self, note: str) -> Call:
        labelled = candidates(self.questions)
        shown = {label: passage for mine in labelled.values() for label, passage in mine.items()}
        passages, claims = passage_lines(shown), claim_lines(self.questions, labelled)
        # The key of the passages depends on nothing else, so that all calls about the same sources begin alike.
        sources, fence = Fence(passages), Fence(passages, claims)
        once, each = _ROOM[self.purpose]
        return Call(
            messages=load(self.prompt).messages(
                passages=sources.block("PASSAGES", passages),
                **told([question for _, question in self.questions], passages),
                claims=fence.block("CLAIMS", claims),
                note=note,
            ),
            schema=VerdictsReply if self.purpose == "verdicts" else StatedReply,
            purpose=self.purpose,
            max_tokens=once + each * len(self.questions),
        )

    def read(self, reply: Reply) -> Reading[Verdicts]:
        verdicts = read(self.questions, reply, self.purpose)
        left = tuple((key, question) for key, question in self.questions if key not in verdicts.judged)
        if not left:
            return Reading(verdicts)
        failures = {key: verdicts.faults.get(key) or reply.failure or _SKIPPED for key, _ in left}
        loss = {key: Judgement(claim_id=question.claim.id, error=str(failures[key])) for key, question in left}
        rest = Rest(
            replace(self, questions=left),
            reply.failure or _SKIPPED,
            Verdicts(judged=loss),
            _note(left, verdicts.faults),
        )
        return Reading(verdicts, rest)

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
        return Judgement(claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale="Not a checkable statement.")
    if not question.passages:
        return absent(claim.id, "There is no passage to judge it by.")
    return None


def _note(questions: Sequence[Keyed], faults: dict[str, Failure]) -> str:
    """Says what was wrong with an earlier answer, in our own words only."""
    reasons = (f"{key}: {faults[key].detail if key in faults else 'there was no answer'}" for key, _ in questions)
    return f"An earlier answer could not be used. {'; '.join(reasons)}"
