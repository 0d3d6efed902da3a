"""Local first, the model only for what local is unsure of; every judgement says who decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.judge import Assessment, Extraction, Judge, Judgement, Purpose, Question, matched
from trail_callbacks.judges.tracer import Tracer
from trail_callbacks.models.call import Model, Pipeline
from trail_callbacks.taxonomy import SupportClass

__all__ = ["CascadeJudge", "is_sure"]

_CERTAIN = 0.9


def is_sure(question: Question, judgement: Judgement) -> bool:
    """Says whether a local judgement needs no second opinion.

    Sure is what is not a checkable statement, a claim that is a passage word for word, and a judgement with confidence
    of at least 0.9. `LocalJudge` gives that to all that it decides, and leaves the rest undecided. A passage that
    merely contains the words of a claim is not enough: it may deny them.
    """
    if judgement.error is not None:
        return False
    if not question.claim.checkable:
        return True
    if judgement.confidence is not None and judgement.confidence >= _CERTAIN:
        return True
    if judgement.support is not SupportClass.SUPPORTED:
        return False
    claim = _plain(question.claim.text)
    return any(_plain(passage.text) == claim for passage in question.passages)


def _plain(text: str) -> str:
    """Only blanks, case and final stops are set aside: every character inside may change the meaning."""
    return " ".join(text.casefold().split()).rstrip(".!。")


class CascadeJudge:
    """Lets a local judge decide what it is sure of and asks a model about the rest.

    Claims are found by the model, which resolves references better than rules do. If the model fails on a claim, that
    judgement has an `error`; the local guess is not passed off as a decision.

    Args:
        local: The judge that goes first; None is `LocalJudge()`.
        judge: The judge that decides the rest: anything `resolve` accepts, e.g. `openai/gpt-5-mini`.
        base_url: Endpoint of the model, if `judge` is a string.
        sure: Decides from a question and its local judgement whether the latter stands. See `is_sure`.

    Raises:
        JudgeError: If there is no model to ask, or a judge cannot be built.
    """

    def __init__(
        self,
        local: Judge | None = None,
        judge: Judge | Model | str | Any = None,
        *,
        base_url: str | None = None,
        sure: Callable[[Question, Judgement], bool] = is_sure,
    ) -> None:
        from trail_callbacks.judges.resolve import resolve  # noqa: PLC0415 - resolve knows this module's neighbours

        if isinstance(local, str) and judge is None:
            raise JudgeError(f"CascadeJudge(judge={local!r}): name the model as judge, local goes first")
        self._local = resolve(local)
        self._judge = resolve(judge, base_url=base_url)
        if judge is None or self._judge.model is None:
            raise JudgeError('a cascade needs a judge with a model, e.g. CascadeJudge(judge="openai/gpt-5-mini")')
        self._sure = sure
        if isinstance(self._judge, Tracer):  # then so is this; since Python 3.12 no __getattr__ would make it one
            self.decompose, self.select = self._judge.decompose, self._judge.select

    @property
    def name(self) -> str:
        """Both names."""
        return f"cascade/{self._local.name}+{self._judge.name}"

    @property
    def model(self) -> Model | None:
        """The model of the judge that decides the rest."""
        return self._judge.model

    def __repr__(self) -> str:
        return f"CascadeJudge(local={self._local!r}, judge={self._judge!r})"

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """Finds the claims of an answer, with the model."""
        return self._judge.extract(answer, question)

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """Judges claims by their passages. See `Judge.assess`."""
        first = yield from self._local.assess(questions, purpose)
        guesses = matched(questions, first.judgements)
        pairs = enumerate(zip(questions, guesses, strict=True))
        unsure = [i for i, (question, guess) in pairs if not self._sure(question, guess)]
        decided = [replace(guess, judge=guess.judge or self._local.name) for guess in guesses]
        second = Assessment(judgements=())
        if unsure:
            asked = [questions[i] for i in unsure]
            second = yield from self._judge.assess(asked, purpose)
            for i, judgement in zip(unsure, matched(asked, second.judgements), strict=True):
                decided[i] = replace(judgement, judge=judgement.judge or self._judge.name)
        return Assessment(judgements=tuple(decided), warnings=first.warnings + second.warnings)
