"""What a verification will cost, before anything is spent: it is rehearsed, with guesses in place of a model's answers.

The prompts are those that the judge would really send, on the path that the verification would really take; only their
tokens are estimated, and what a model would say is guessed:

- its claims are those of the rule-based splitter, and one more of them than a call holds is expected to cost a call;
- if models wrote what the answer rests on, a third of the claims turns out unsupported and is traced back. The share
  is that of common test sets; where all claims hold, the tracing is saved. Without such outputs there is nothing to
  trace, and the share does not matter;
- its answers are as long as the schema and two sentences of reasoning make them.

Tokens are those of the messages. The JSON schema that goes with a request is not counted: servers with grammars do not
read it, and clients that write it into the prompt do so each in its own way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, TypeVar

from trail_callbacks.claims import Claim, abstains, split
from trail_callbacks.evidence import quoted
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.judge import Assessment, Extraction, Judge, Judgement, Purpose, Question
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.judges.tracer import Search, Selection, Tracer
from trail_callbacks.models.call import Call, Model, Pipeline, Reply
from trail_callbacks.models.failure import Failure
from trail_callbacks.models.tokens import count
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import judging, pipeline
from trail_callbacks.verify.words import Words

if TYPE_CHECKING:
    from trail_callbacks.models.cache import CallCache

__all__ = ["Estimate", "estimate"]

T = TypeVar("T")
_SOME, _ALL, _NONE = 3, 1, 0  # one claim of so many is unsupported, or none
_CLAIM = 20  # tokens of a claim's JSON around quote and statement
_ITEM = {"verdicts": 50, "localize": 25, "answerable": 25}  # tokens of a judgement's JSON around its reasoning
_REASONING = 30  # tokens of two short sentences
_FOUND = 25  # tokens of what one text says about one claim; most say nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Expected cost of one verification.

    Attributes:
        calls: Model calls expected; retries come on top.
        prompt_tokens: Tokens those calls will read, without the JSON schemas sent along.
        completion_tokens: Tokens the model will write, roughly.
        claims: Claims expected, counted by the rule-based splitter.
        more_calls: Further calls if more claims are unsupported, or fewer, whichever costs more, and every output that
            could carry them does.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    claims: int
    more_calls: int


def estimate(graph: ProvenanceGraph, judge: JudgeLike = None, options: VerifyOptions | None = None) -> Estimate:
    """Estimates the calls and tokens of `verify` with the same arguments; asks no model.

    A model named by a string need not be reachable, nor its package installed. What a cache knows is free.

    Raises:
        JudgeError: If the judge is unknown.
        InputError: If the cache folder of the options cannot be used.
    """
    settings = options or VerifyOptions()
    named = isinstance(judge, str) and "/" in judge
    asked = judging(LLMJudge(_Unasked(str(judge))) if named else judge, settings)
    if asked.model is None:
        answer, question = graph.answer, graph.question
        claims = split(answer.text, question.text if question else None) if answer else ()
        return Estimate(calls=0, prompt_tokens=0, completion_tokens=0, claims=len(claims), more_calls=0)
    expected = _rehearsed(graph, asked, settings, _SOME)
    words = Words(graph, settings.passages) if settings.strategy == "veritrail" else None
    ways = product((_ALL, _NONE), dict.fromkeys((None, words)))
    others = [_rehearsed(graph, asked, settings, wrong, selecting) for wrong, selecting in ways]
    return Estimate(
        calls=expected.calls,
        prompt_tokens=expected.read,
        completion_tokens=expected.written,
        claims=expected.claims,
        more_calls=max(rehearsal.calls for rehearsal in (expected, *others)) - expected.calls,
    )


class _Unasked:
    """A model of which only the name matters."""

    def __init__(self, name: str) -> None:
        self.name = name

    def ask(self, call: Call) -> Reply:
        """Never gets here."""
        return Reply(failure=Failure("failed", f"an estimate asks no model, not for {call.purpose}"))

    async def aask(self, call: Call) -> Reply:
        """Never gets here."""
        return self.ask(call)


def _rehearsed(
    graph: ProvenanceGraph, judge: Judge, options: VerifyOptions, wrong: int, words: Words | None = None
) -> _Rehearsal:
    from trail_callbacks.verify.caching import call_cache  # noqa: PLC0415 - the command line imports this module

    kind = _TracerRehearsal if isinstance(judge, Tracer) else _Rehearsal
    rehearsal = kind(judge, call_cache(judge, options), words, wrong)
    for _ in pipeline(graph, rehearsal, options):  # it yields nothing: every call is kept back
        raise AssertionError("a rehearsal asks nobody")
    return rehearsal


@dataclass(slots=True)
class _Rehearsal:
    """A judge that counts the calls another would make, and makes up the answers."""

    judge: Judge
    cache: CallCache | None
    words: Words | None  # what selects evidence; None takes a sentence of every text
    wrong: int  # one claim of so many is unsupported; 0 is none
    calls: int = 0
    read: int = 0
    written: int = 0
    claims: int = 0
    name: str = "rehearsal"
    model: Model | None = None
    _seen: dict[str, bool] = field(default_factory=dict)  # whether a claim is supported

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """See `Judge`."""
        yield from ()
        real = self._ahead(self.judge.extract(answer, question))
        guess = Extraction(claims=split(answer, question), abstained=abstains(answer))
        extraction = real or guess
        self.claims = len(extraction.claims)
        if real is None:
            self.written += sum(_CLAIM + count(claim.quote) + count(claim.text) for claim in guess.claims)
        return extraction

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """See `Judge`."""
        yield from ()
        before = self.calls
        real = self._ahead(self.judge.assess(questions, purpose))
        if self.calls > before:
            self.written += len(questions) * (_ITEM[purpose] + _REASONING)
        return real or Assessment(judgements=tuple(self._guess(question, purpose) for question in questions))

    def _guess(self, question: Question, purpose: Purpose) -> Judgement:
        id_ = question.claim.id
        if purpose == "verdicts" and not self._holds(id_):
            return Judgement(claim_id=id_, support=SupportClass.ABSENT, error_type=ErrorType.OTHER)
        by_node = {passage.node_id: quoted(passage, "supports") for passage in question.passages}
        return Judgement(claim_id=id_, support=SupportClass.SUPPORTED, evidence=tuple(by_node.values()))

    def _holds(self, claim_id: str) -> bool:
        return self._seen.setdefault(claim_id, not self.wrong or (len(self._seen) + 1) % self.wrong != 0)

    def _ahead(self, work: Pipeline[T]) -> T | None:
        """Counts the calls that a judge makes before it has heard anything; its result, if it needs to hear nothing.

        What the cache knows it has heard.
        """
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
    """The same for a judge that takes claims apart and selects evidence; no claim comes apart."""

    def decompose(self, claims: Sequence[Claim]) -> Pipeline[tuple[tuple[str, ...], ...]]:
        """See `Tracer`."""
        yield from ()
        assert isinstance(self.judge, Tracer)  # noqa: S101 - tells mypy why this class was chosen
        real = self._ahead(self.judge.decompose(claims))
        if real is None:
            self.written += sum(_CLAIM + count(claim.text) for claim in claims)
        return real or tuple((claim.text,) for claim in claims)

    def select(self, searches: Sequence[Search]) -> Pipeline[tuple[Selection, ...]]:
        """See `Tracer`."""
        assert isinstance(self.judge, Tracer)  # noqa: S101 - as above
        real = self._ahead(self.judge.select(searches))
        if real is not None:
            return real
        if self.words is not None:
            return (yield from self.words.select(searches))
        selections = tuple(
            Selection(passages=tuple({passage.node_id: passage for passage in search.passages}.values()))
            for search in searches
        )
        self.written += sum(_FOUND * len(selection.passages) for selection in selections)
        return selections
