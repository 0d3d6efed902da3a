"""Estimates the cost of a verification before anything is spent, by running it with guesses for the model's replies.

The prompts are those that the judge would send; their tokens are estimated, and the model's replies are guessed:

- its claims are those of the rule-based splitter;
- if the answer has model outputs upstream, every third claim is unsupported and is traced back, a share that is common
  in test sets; likewise every third is looked for in what is left of sources that are too long to be read at once.
  Without either there is nothing to trace, and the share does not matter;
- its replies have the length of the schema and, where something is wrong, two sentences of reasoning.

Tokens are those of the messages. The JSON schema sent along is not counted: servers with grammars do not read it, and
clients that write it into the prompt each do so in their own way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, TypeVar

from trail_callbacks.claims import Claim, abstains, split
from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.judge import (
    Assessment,
    Extraction,
    Judge,
    Judgement,
    OnePass,
    Opinion,
    Purpose,
    Question,
    Search,
    SearchResult,
    Survey,
    Surveyor,
    Tracer,
    reads_whole,
)
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.judges.resolve import JudgeLike, encoder_model
from trail_callbacks.models.call import Call, Failure, Model, Pipeline, Reply
from trail_callbacks.models.tokens import count
from trail_callbacks.report import Report
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import judging, pipeline
from trail_callbacks.verify.veritrail import WordSelector

if TYPE_CHECKING:
    from trail_callbacks.models.cache import CallCache
    from trail_callbacks.report.diagnosis import Facet

__all__ = ["Estimate", "estimate", "estimated"]

T = TypeVar("T")
_SOME, _ALL, _NONE = 3, 1, 0  # every n-th claim is unsupported; 0: none
_CLAIM = 20  # tokens of a claim's JSON besides quote and statement
_ITEM = {"verdicts": 24, "localize": 25, "answerable": 25}  # tokens of a judgement's JSON besides its reasoning
_ERROR = 25  # further ones, of an unsupported claim's faults and type
_REASONING = 30  # tokens of two short sentences
_SURVEY = 300  # tokens of three facets with the ids of their passages
_FOUND = 25  # tokens of the entry for one text and one claim; most texts have none


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Expected cost of one verification.

    Attributes:
        calls: Expected model calls, without retries.
        prompt_tokens: Prompt tokens of those calls, without the JSON schemas sent along.
        completion_tokens: Completion tokens, roughly.
        claims: Expected claims, counted by the rule-based splitter.
        more_calls: Further calls in the worst case: all claims unsupported and stated by every output, or none
            unsupported, whichever costs more.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    claims: int
    more_calls: int


def estimate(graph: ProvenanceGraph, judge: JudgeLike = None, options: VerifyOptions | None = None) -> Estimate:
    """Estimates the calls and tokens of `verify` with the same arguments, without calling a model.

    A model given as a string need not be reachable, nor its package installed. Cached replies are free.

    Raises:
        JudgeError: If the judge is unknown.
        InputError: If the cache folder of the options cannot be used.
    """
    answer, question = graph.answer, graph.question
    return estimated(
        lambda rehearsal, settings: pipeline(graph, rehearsal, settings),
        answer.text if answer else "",
        question.text if question else None,
        judge,
        options,
        WordSelector(graph),
    )


def estimated(  # noqa: PLR0917 - what `estimate` makes of its arguments
    work: Callable[[Judge, VerifyOptions], Pipeline[Report]],
    answer: str,
    question: str | None,
    judge: JudgeLike,
    options: VerifyOptions | None,
    words: WordSelector | None = None,
) -> Estimate:
    """Estimates the cost of any work that ends in a report. See `estimate`.

    Args:
        work: The work, with a judge that makes no call.
        answer: The answer that it verifies.
        question: The user's request, if known.
        judge: The judge that would do the work.
        options: Settings.
        words: Selects evidence for a `veritrail` walk.
    """
    settings = options or VerifyOptions()
    if encoder_model(judge) is not None:
        judge = None  # finds the same claims, and asks nobody either
    named = isinstance(judge, str) and "/" in judge
    asked = judging(LLMJudge(_Unasked(str(judge))) if named else judge, settings)
    if asked.model is None:
        claims = split(answer, question)
        return Estimate(calls=0, prompt_tokens=0, completion_tokens=0, claims=len(claims), more_calls=0)
    expected = _rehearsed(work, asked, settings, _SOME)
    words = words if settings.strategy == "veritrail" else None
    ways = product((_ALL, _NONE), dict.fromkeys((None, words)))
    others = [_rehearsed(work, asked, settings, wrong, selecting) for wrong, selecting in ways]
    return Estimate(
        calls=expected.calls,
        prompt_tokens=expected.read,
        completion_tokens=expected.written,
        claims=expected.claims,
        more_calls=max(rehearsal.calls for rehearsal in (expected, *others)) - expected.calls,
    )


class _Unasked:
    """A model that is never called; only its name is used."""

    def __init__(self, name: str) -> None:
        self.name = name

    def ask(self, call: Call) -> Reply:
        """Never called."""
        return Reply(failure=Failure("failed", f"an estimate asks no model, not for {call.purpose}"))

    async def aask(self, call: Call) -> Reply:
        """Never called."""
        return self.ask(call)


def _rehearsed(
    work: Callable[[Judge, VerifyOptions], Pipeline[Report]],
    judge: Judge,
    options: VerifyOptions,
    wrong: int,
    words: WordSelector | None = None,
) -> _Rehearsal:
    from trail_callbacks.verify.pipeline import call_cache  # noqa: PLC0415 - the command line imports this module

    kind = _TracerRehearsal if isinstance(judge, Tracer) else _Rehearsal
    rehearsal = kind(judge, call_cache(judge, options), words, wrong, reads_whole=reads_whole(judge))
    rehearsal.wants_nearest = getattr(judge, "wants_nearest", False)
    try:
        next(work(rehearsal, options))
    except StopIteration as stop:
        report: Report = stop.value
        rehearsal.claims = len(report.claims)
        return rehearsal
    raise AssertionError("a rehearsal makes no calls: none gets out of it")


@dataclass(slots=True)
class _Rehearsal:
    """A judge that counts the calls another judge would make and makes up the replies."""

    judge: Judge
    cache: CallCache | None
    words: WordSelector | None  # selects evidence; None takes a sentence of every text
    wrong: int  # every n-th claim is unsupported; 0: none
    calls: int = 0
    read: int = 0
    written: int = 0
    claims: int = 0
    name: str = "rehearsal"
    model: Model | None = None
    reads_whole: bool = False
    wants_nearest: bool = False
    _seen: dict[str, bool] = field(default_factory=dict)  # whether a claim is supported

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """See `Judge`."""
        yield from ()
        real = self._count_calls(self.judge.extract(answer, question))
        guess = Extraction(claims=split(answer, question), abstained=abstains(answer))
        if real is None:
            self.written += sum(_CLAIM + count(claim.quote) + count(claim.text) for claim in guess.claims)
        return real or guess

    def judge_answer(
        self, answer: str, question: str | None, passages: tuple[Passage, ...], conversation: str = ""
    ) -> Pipeline[Opinion | None]:
        """See `OnePass`."""
        yield from ()
        if not isinstance(self.judge, OnePass):
            return None
        before = self.calls
        real = self._count_calls(self.judge.judge_answer(answer, question, passages, conversation))
        if self.calls == before:
            return real
        claims = split(answer, question)
        questions = [Question(claim=claim, passages=passages) for claim in claims if claim.checkable]
        self.written += sum(_CLAIM + count(claim.quote) + count(claim.text) for claim in claims)
        self.written += len(questions) * _ITEM["verdicts"] + self._reasons(questions, "verdicts")
        return Opinion(
            extraction=Extraction(claims=claims, abstained=abstains(answer)),
            judged={asked.claim.id: self._made_up(asked, "verdicts") for asked in questions},
        )

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """See `Judge`."""
        yield from ()
        before = self.calls
        real = self._count_calls(self.judge.assess(questions, purpose))
        if self.calls > before:
            self.written += len(questions) * _ITEM[purpose] + self._reasons(questions, purpose)
        return real or Assessment(judgements=tuple(self._made_up(question, purpose) for question in questions))

    def survey(
        self, question: str, queries: Sequence[str], passages: Sequence[Passage], facets: Sequence[Facet] = ()
    ) -> Pipeline[Survey]:
        """See `Surveyor`."""
        yield from ()
        if not isinstance(self.judge, Surveyor):
            return Survey(error="the judge makes no survey")
        before = self.calls
        real = self._count_calls(self.judge.survey(question, queries, passages, facets))
        self.written += _SURVEY if self.calls > before else 0
        return real or Survey(facets=tuple(facets), answers=())

    def _reasons(self, questions: Sequence[Question], purpose: Purpose) -> int:
        """Tokens of reasoning; verdicts give reasons only where a claim is unsupported."""
        if purpose != "verdicts":
            return len(questions) * _REASONING
        return sum(not self._holds(question.claim.id) for question in questions) * (_REASONING + _ERROR)

    def _made_up(self, question: Question, purpose: Purpose) -> Judgement:
        id_ = question.claim.id
        if purpose == "verdicts" and not self._holds(id_):
            return Judgement(claim_id=id_, support=SupportClass.ABSENT, error_type=ErrorType.OTHER)
        by_node = {passage.node_id: quoted(passage, "supports") for passage in question.passages}
        return Judgement(claim_id=id_, support=SupportClass.SUPPORTED, evidence=tuple(by_node.values()))

    def _holds(self, claim_id: str) -> bool:
        return self._seen.setdefault(claim_id, not self.wrong or (len(self._seen) + 1) % self.wrong != 0)

    def _count_calls(self, work: Pipeline[T]) -> T | None:
        """Counts the first calls of a pipeline; returns its result if it makes none that the cache cannot answer."""
        work = work if self.cache is None else self.cache.answering(work)
        try:
            calls = next(work)
        except StopIteration as stop:
            result: T = stop.value
            return result
        work.close()
        self.calls += len(calls)
        self.read += sum(count(message.content) for call in calls for message in call.messages)
        return None


class _TracerRehearsal(_Rehearsal):
    """The same for a judge that decomposes claims and selects evidence; no claim is split."""

    def decompose(self, claims: Sequence[Claim]) -> Pipeline[tuple[tuple[str, ...], ...]]:
        """See `Tracer`."""
        yield from ()
        assert isinstance(self.judge, Tracer)  # noqa: S101 - tells mypy why this class was chosen
        real = self._count_calls(self.judge.decompose(claims))
        if real is None:
            self.written += sum(_CLAIM + count(claim.text) for claim in claims)
        return real or tuple((claim.text,) for claim in claims)

    def select(self, searches: Sequence[Search]) -> Pipeline[tuple[SearchResult, ...]]:
        """See `Tracer`."""
        assert isinstance(self.judge, Tracer)  # noqa: S101 - as above
        real = self._count_calls(self.judge.select(searches))
        if real is not None:
            return real
        if self.words is not None:
            return (yield from self.words.select(searches))
        selections = tuple(
            SearchResult(passages=tuple({passage.node_id: passage for passage in search.passages}.values()))
            for search in searches
        )
        self.written += sum(_FOUND * len(selection.passages) for selection in selections)
        return selections
