"""One judge first, another for what the first is unsure of or silent about; every judgement says who decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.judge import (
    Assessment,
    Extraction,
    Judge,
    Judgement,
    Purpose,
    Question,
    Tracer,
    abstains,
    matched,
    reads_whole,
)
from trail_callbacks.models.call import Model, Pipeline
from trail_callbacks.models.drive import relayed
from trail_callbacks.taxonomy import SupportClass

T = TypeVar("T")

_CERTAIN = 0.9


def is_sure(question: Question, judgement: Judgement) -> bool:
    """Says whether a judgement of a judge that decides in doubt, too, needs no second opinion.

    Sure is what is not a checkable statement, a claim that is a passage word for word, and a judgement with confidence
    of at least 0.9. A passage that merely contains the words of a claim is not enough: it may deny them.
    """
    if not question.claim.checkable or (judgement.confidence or 0.0) >= _CERTAIN:
        return True
    claim = _plain(question.claim.text)
    same = any(_plain(passage.text) == claim for passage in question.passages)
    return same and judgement.support is SupportClass.SUPPORTED


def _plain(text: str) -> str:
    """Only blanks, case and final stops are set aside: every character inside may change the meaning."""
    return " ".join(text.casefold().split()).rstrip(".!。")


class CascadeJudge:
    """Lets a first judge decide what it is sure of and asks a second about the rest.

        CascadeJudge(LocalJudge(), "openai/gpt-5-mini")

    Any two judges will do. The second is asked where the first is unsure, failed or undecided, and has the last word:
    if it fails on a claim, that judgement has an `error`, and if it is undecided, so is the claim; what the first
    thought is not passed off as a decision.

    A first judge that abstains (`LocalJudge`, `EncoderJudge`; see `Judge`) is sure of the verdicts that it gives, and
    the second gets what it leaves undecided; of an `EncoderJudge` that is the band of scores within its `margin` of the
    threshold. Of any other judge `is_sure` tells what stands. Where outputs are searched for a claim, or sources for an
    answer, no judge abstains, and `is_sure` is asked as well.

    Claims are found by the second judge, or by the first if only that has a model: models resolve references better
    than rules do. The same goes for taking claims apart in a `veritrail` walk.

    Args:
        first: The judge that goes first, usually a cheap one: anything `resolve` accepts; None is `LocalJudge()`.
        second: The judge that decides the rest, likewise; it must be given.

    Raises:
        JudgeError: If there is no second judge, or one cannot be built.
    """

    def __init__(self, first: Judge | Model | str | Any = None, second: Judge | Model | str | Any = None) -> None:
        from trail_callbacks.judges.resolve import resolve  # noqa: PLC0415 - resolve knows this module's neighbours

        if second is None:
            given = repr(first) if isinstance(first, str) else '"openai/gpt-5-mini"'
            raise JudgeError(f"a cascade needs a second judge: CascadeJudge(LocalJudge(), {given})")
        self._first = resolve(first)
        self._second = resolve(second)
        modelled = self._second.model is not None or self._first.model is None
        self._reader = self._second if modelled else self._first  # finds the claims
        others = self._first if modelled else self._second
        tracers = [each for each in (self._reader, others) if isinstance(each, Tracer)]
        if tracers:  # then so is this; since Python 3.12 no __getattr__ would make it one
            tracer = tracers[0]
            self.decompose = lambda claims: self._asking(tracer, tracer.decompose(claims))
            self.select = lambda searches: self._asking(tracer, tracer.select(searches))

    @property
    def reads_whole(self) -> bool:
        """Whether either judge reads the sources whole."""
        return reads_whole(self._first) or reads_whole(self._second)

    @property
    def wants_nearest(self) -> bool:
        """Whether either judge is made for candidates."""
        return not (reads_whole(self._first) and reads_whole(self._second))

    @property
    def abstains(self) -> bool:
        """Whether the second judge, which decides in doubt, does."""
        return abstains(self._second)

    @property
    def name(self) -> str:
        """Both names."""
        return f"cascade/{self._first.name}+{self._second.name}"

    @property
    def model(self) -> Model | None:
        """The model of the second judge, or of the first if only that has one; calls of the first name their own."""
        return self._second.model or self._first.model

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """Finds the claims of an answer; see the class for who does."""
        return self._asking(self._reader, self._reader.extract(answer, question))

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """Judges claims by their passages. See `Judge.assess`."""
        given = [_as_read_by(self._first, question) for question in questions]
        first = yield from self._asking(self._first, self._first.assess(given, purpose))
        guesses = matched(given, first.judgements)
        pairs = enumerate(zip(given, guesses, strict=True))
        unsure = [i for i, (question, guess) in pairs if not self._stands(question, guess, purpose)]
        decided = [replace(guess, judge=guess.judge or self._first.name) for guess in guesses]
        second = Assessment(judgements=())
        if unsure:
            asked = [_as_read_by(self._second, questions[i]) for i in unsure]
            second = yield from self._asking(self._second, self._second.assess(asked, purpose))
            for i, judgement in zip(unsure, matched(asked, second.judgements), strict=True):
                decided[i] = replace(judgement, judge=judgement.judge or self._second.name)
        return Assessment(judgements=tuple(decided), warnings=first.warnings + second.warnings)

    def _stands(self, question: Question, guess: Judgement, purpose: Purpose) -> bool:
        decided = guess.error is None and guess.undecided is None
        return decided and ((purpose == "verdicts" and abstains(self._first)) or is_sure(question, guess))

    def _asking(self, judge: Judge | Tracer, work: Pipeline[T]) -> Pipeline[T]:
        """Leaves the calls of a judge to that judge's own model: a verification is driven with one of the two."""
        model = getattr(judge, "model", None)
        if model is None or model is self.model:
            return (yield from work)
        return (yield from relayed(work, lambda call: replace(call, model=call.model or model)))


def _as_read_by(judge: Judge, question: Question) -> Question:
    """The question with the candidates alone for a judge that does not read sources whole."""
    if reads_whole(judge) or not question.nearest:
        return question
    return replace(question, passages=question.nearest, nearest=())
