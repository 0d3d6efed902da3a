"""What a verification will cost, before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trail_callbacks.claims import split
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.judge import Question
from trail_callbacks.judges.llm import LLMJudge
from trail_callbacks.judges.resolve import JudgeLike, resolve
from trail_callbacks.models.call import Call, Pipeline, Reply
from trail_callbacks.verify.options import VerifyOptions

__all__ = ["Estimate", "estimate"]

_LETTERS_A_TOKEN = 4.0  # English prose under common tokenizers
_CLAIM_TOKENS = 60  # a claim as a model writes it: quote, statement, marks
_VERDICT_TOKENS = 160  # a verdict with its reasoning


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Expected cost of one verification.

    Attributes:
        calls: Model calls if every claim is supported; retries come on top.
        prompt_tokens: Tokens those calls will read.
        completion_tokens: Tokens the model will write, roughly.
        claims: Claims expected, counted by the rule-based splitter.
        more_calls: Further calls, at most, if claims are unsupported and have to be traced back.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    claims: int
    more_calls: int


def estimate(graph: ProvenanceGraph, judge: JudgeLike = None, options: VerifyOptions | None = None) -> Estimate:
    """Estimates the calls and tokens of `verify` with the same arguments; asks no model.

    A model named by a string need not be reachable, nor its package installed. The prompts are really rendered; only
    their claims are the rule-based splitter's instead of the model's.

    Raises:
        JudgeError: If the judge is unknown.
    """
    settings, answer = options or VerifyOptions(), graph.answer
    asked = LLMJudge(_Unasked(judge)) if isinstance(judge, str) and "/" in judge else resolve(judge)
    if answer is None or not answer.text.strip():
        return Estimate(calls=0, prompt_tokens=0, completion_tokens=0, claims=0, more_calls=0)
    question = graph.question.text if graph.question else None
    claims = split(answer.text, question)
    if asked.model is None:
        return Estimate(calls=0, prompt_tokens=0, completion_tokens=0, claims=len(claims), more_calls=0)
    calls = _first(asked.extract(answer.text, question))
    checkable = [claim for claim in claims if claim.checkable]
    leaves = [leaf for leaf in graph.leaves(answer.id) if leaf.text.strip()]
    layers = max((node.stage or 0 for node in graph.nodes if node.kind == "completion"), default=0)
    if checkable and leaves:
        passages = candidates(checkable, leaves, settings.passages)
        calls += _first(asked.assess([Question(claim=claim, passages=passages[claim.id]) for claim in checkable]))
    return Estimate(
        calls=len(calls),
        prompt_tokens=sum(_tokens(message.content) for call in calls for message in call.messages),
        completion_tokens=len(claims) * _CLAIM_TOKENS + len(checkable) * _VERDICT_TOKENS,
        claims=len(claims),
        more_calls=layers if settings.localize else 0,
    )


class _Unasked:
    """A model of which only the name matters."""

    def __init__(self, name: str) -> None:
        self.name = name

    def ask(self, call: Call) -> Reply:
        """Never gets here."""
        return Reply(error=f"failed: an estimate asks no model, not for {call.purpose}")

    async def aask(self, call: Call) -> Reply:
        """Never gets here."""
        return self.ask(call)


def _first(pipeline: Pipeline[object]) -> list[Call]:
    """The calls a pipeline makes before it has heard anything."""
    try:
        calls: Sequence[Call] = next(pipeline)
    except StopIteration:
        return []
    pipeline.close()
    return list(calls)


def _tokens(text: str) -> int:
    """Latin letters come about four a token; signs of most other scripts about one each."""
    latin = sum(character < "\u0250" for character in text)
    return round(latin / _LETTERS_A_TOKEN + (len(text) - latin))
