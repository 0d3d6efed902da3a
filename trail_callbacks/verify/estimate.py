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
from dataclasses import dataclass
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
    Survey,
    Surveyor,
    reads_whole,
)
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.judges.resolve import JudgeLike, named_after
from trail_callbacks.models.call import Model, Pipeline
from trail_callbacks.models.tokens import count
from trail_callbacks.report import Report
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.testing import ScriptedModel
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import call_cache, judging, pipeline

if TYPE_CHECKING:
    from trail_callbacks.models.cache import CallCache
    from trail_callbacks.report.diagnosis import Facet

T = TypeVar("T")
_SOME, _ALL, _NONE = 3, 1, 0  # every n-th claim is unsupported; 0: none
_CLAIM = 20  # tokens of a claim's JSON besides quote and statement
_ITEM = {"verdicts": 24, "localize": 25, "answerable": 25}  # tokens of a judgement's JSON besides its reasoning
_ERROR = 25  # further ones, of an unsupported claim's faults and type
_REASONING = 30  # tokens of two short sentences
_SURVEY = 300  # tokens of three facets with the ids of their passages


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
    )


def estimated(
    work: Callable[[Judge, VerifyOptions], Pipeline[Report]],
    answer: str,
    question: str | None,
    judge: JudgeLike,
    options: VerifyOptions | None,
) -> Estimate:
    """Estimates the cost of any work that ends in a report. See `estimate`."""
    settings = options or VerifyOptions()
    if named_after("encoder", judge) is not None:
        judge = None  # finds the same claims, and asks nobody either
    named = isinstance(judge, str) and "/" in judge and named_after("cascade", judge) is None
    asked = judging(LLMJudge(ScriptedModel((), name=str(judge))) if named else judge, settings)
    if asked.model is None:
        claims = split(answer, question)
        return Estimate(calls=0, prompt_tokens=0, completion_tokens=0, claims=len(claims), more_calls=0)
    expected, *others = (_rehearsed(work, asked, settings, wrong) for wrong in (_SOME, _ALL, _NONE))
    return Estimate(
        calls=expected.calls,
        prompt_tokens=expected.read,
        completion_tokens=expected.written,
        claims=expected.claims,
        more_calls=max(each.calls for each in (expected, *others)) - expected.calls,
    )


def _rehearsed(
    work: Callable[[Judge, VerifyOptions], Pipeline[Report]],
    judge: Judge,
    options: VerifyOptions,
    wrong: int,
) -> _Rehearsal:
    rehearsal = _Rehearsal(judge, call_cache(judge, options), wrong)
    try:
        next(work(rehearsal, options))
    except StopIteration as stop:
        report: Report = stop.value
        rehearsal.claims = len(report.claims)
        return rehearsal
    raise AssertionError("a rehearsal makes no calls: none gets out of it")


class _Rehearsal:
    """A judge that counts the calls another judge would make and makes up the replies."""

    name = "rehearsal"
    model: Model | None = None

    def __init__(self, judge: Judge, cache: CallCache | None, wrong: int) -> None:
        self._judge, self._cache, self._wrong = judge, cache, wrong
        self.calls = self.read = self.written = self.claims = 0
        self.reads_whole, self.wants_nearest = reads_whole(judge), getattr(judge, "wants_nearest", False)
        self._seen: dict[str, bool] = {}  # whether a claim is supported

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """See `Judge`."""
        guess = Extraction(claims=split(answer, question), abstained=abstains(answer))
        return self._rehearse(self._judge.extract(answer, question), lambda: (guess, _lengths(guess.claims)))

    def judge_answer(
        self, answer: str, question: str | None, passages: tuple[Passage, ...], conversation: str = ""
    ) -> Pipeline[Opinion | None]:
        """See `OnePass`."""

        def guess() -> tuple[Opinion | None, int]:
            extraction = Extraction(claims=split(answer, question), abstained=abstains(answer))
            asked = [Question(claim=claim, passages=passages) for claim in extraction.claims if claim.checkable]
            assessed, written = self._made_up(asked, "verdicts")
            judged = {each.claim_id: each for each in assessed.judgements}
            return Opinion(extraction=extraction, judged=judged), written + _lengths(extraction.claims)

        if not isinstance(self._judge, OnePass):
            return None
        work = self._judge.judge_answer(answer, question, passages, conversation)
        return (yield from self._rehearse(work, guess))

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """See `Judge`."""
        return self._rehearse(self._judge.assess(questions, purpose), lambda: self._made_up(questions, purpose))

    def survey(
        self,
        question: str,
        queries: Sequence[str],
        passages: Sequence[Passage],
        facets: Sequence[Facet] = (),
        conversation: str = "",
    ) -> Pipeline[Survey]:
        """See `Surveyor`."""
        if not isinstance(self._judge, Surveyor):
            return Survey(error="the judge makes no survey")
        guess = Survey(facets=tuple(facets), answers=())
        work = self._judge.survey(question, queries, passages, facets, conversation)
        return (yield from self._rehearse(work, lambda: (guess, _SURVEY)))

    def _made_up(self, questions: Sequence[Question], purpose: Purpose) -> tuple[Assessment, int]:
        """Judgements, and their tokens; verdicts give reasons only where a claim is unsupported."""
        judgements, written = [], len(questions) * _ITEM[purpose]
        for question in questions:
            id_ = question.claim.id
            by_node = {passage.node_id: quoted(passage, "supports") for passage in question.passages}
            if purpose != "verdicts" or self._holds(id_):
                judged = Judgement(claim_id=id_, support=SupportClass.SUPPORTED, evidence=tuple(by_node.values()))
                written += _REASONING if purpose != "verdicts" else 0
            else:
                judged = Judgement(claim_id=id_, support=SupportClass.ABSENT, error_type=ErrorType.OTHER)
                written += _REASONING + _ERROR
            judgements.append(judged)
        return Assessment(judgements=tuple(judgements)), written

    def _holds(self, claim_id: str) -> bool:
        return self._seen.setdefault(claim_id, not self._wrong or (len(self._seen) + 1) % self._wrong != 0)

    def _rehearse(self, work: Pipeline[T], guess: Callable[[], tuple[T, int]]) -> Pipeline[T]:
        """The result of a pipeline if it makes no call that the cache cannot answer; else counts its first calls."""
        yield from ()
        work = work if self._cache is None else self._cache.answering(work)
        try:
            calls = next(work)
        except StopIteration as stop:
            result: T = stop.value
            return result
        work.close()
        made_up, written = guess()
        self.calls += len(calls)
        self.read += sum(count(message.content) for call in calls for message in call.messages)
        self.written += written
        return made_up


def _lengths(claims: Sequence[Claim]) -> int:
    """Tokens of the JSON of claims."""
    return sum(_CLAIM + count(claim.quote) + count(claim.text) for claim in claims)
