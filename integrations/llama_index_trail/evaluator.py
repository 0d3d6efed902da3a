"""`TrailEvaluator`: a report on an answer in the form of LlamaIndex's evaluators."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from llama_index.core.async_utils import asyncio_run
from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
from pydantic import Field

from llama_index_trail.families import is_kind
from llama_index_trail.records import evaluated
from llama_index_trail.responses import from_nodes, node_texts, response_text
from llama_index_trail.results import graph_for, untraced
from trail_callbacks import averify, verify
from trail_callbacks.capture.payloads import without_feedback
from trail_callbacks.claims import Claim
from trail_callbacks.errors import InputError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.resolve import JudgeLike, resolve
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions

if TYPE_CHECKING:
    from llama_index.core.prompts.mixin import PromptDictType

_REASONS = {
    "abstained": "the answer declines to answer",
    "no_checkable_claims": "the answer makes no claim that can be checked",
    "unverified": "nothing that the answer states could be checked",
    "no_evidence": "there was no source to check the answer against",
    "error": "the judge failed",
}
_RETRY = re.compile(
    r"\AHere is a previous bad answer\.\n.*?\nHere is some feedback from the evaluator about the response given\.\n"
    r".*?\nNow answer the question\.\n",
    re.DOTALL,
)


_Evaluated = tuple[ProvenanceGraph, str | None, str, Sequence[str] | None]  # with query, answer and contexts


class TrailEvaluationResult(EvaluationResult):
    """An evaluation with its report.

    Attributes:
        score: 1.0 minus the hallucination score: 1.0 is an answer that its sources support, as other evaluators count.
            None where there is no score.
        report: Claims, verdicts and evidence; not part of the result's JSON.
    """

    report: Any = Field(default=None, exclude=True, repr=False, description="The whole report")

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of the answer; `report.verdict(claim.id)` is the verdict on each."""
        report: Report | None = self.report
        return report.claims if report is not None else ()


class TrailEvaluator(BaseEvaluator):
    """Evaluates which claims of an answer its sources support. Works wherever LlamaIndex takes an evaluator.

        result = TrailEvaluator().evaluate_response(question, engine.query(question))
        result.passing, result.score, result.report

    A response of a recorded run (`instrument()`, `trail()`) is checked against all that was read for it, at whatever
    depth; any other against its source nodes, as prompts show them, without the answers to sub-questions among them: a
    model wrote those. Streams are read to their end, and are then in `response_txt`. An answer without a score (it
    declines, claims nothing, had no sources, or the judge failed) is an `invalid_result` with its reason, and neither
    passing nor failing. Evaluation is never recorded.

    Args:
        judge: Who decides; None is the offline judge, `as_model(llm)` the app's own model.
        max_score: Hallucination score up to which an answer passes, 0.0 to 1.0.
        options: Settings of the verification.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """

    def __init__(
        self, judge: JudgeLike = None, max_score: float = 0.0, *, options: VerifyOptions | None = None
    ) -> None:
        if not 0.0 <= max_score <= 1.0:
            raise InputError(f"max_score is {max_score}, expected 0.0 to 1.0")
        self._judge = resolve(judge)
        self._max_score = max_score
        self._options = options

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        """Does nothing: the judge has prompts of its own."""

    def evaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> TrailEvaluationResult:
        """Evaluates a text.

        Args:
            query: What was asked, if known.
            response: The answer.
            contexts: The texts it should rest on; None is the same as none.
            **kwargs: Ignored: other evaluators take more.

        Raises:
            InputError: If there is no answer.
        """
        del kwargs
        return self._verified(*_of_texts(query, response, contexts))

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> TrailEvaluationResult:
        """As `evaluate`, without blocking the event loop."""
        del kwargs
        return await self._averified(*_of_texts(query, response, contexts))

    def evaluate_response(self, query: str | None = None, response: Any = None, **kwargs: Any) -> TrailEvaluationResult:
        """Evaluates a response of any of LlamaIndex's types.

        Raises:
            InputError: If it is not a response.
        """
        del kwargs
        text = _text(response)
        if text is None:
            text = asyncio_run(response.get_response()).response
        return self._verified(*_of_response(query, response, text or ""))

    async def aevaluate_response(
        self, query: str | None = None, response: Any = None, **kwargs: Any
    ) -> TrailEvaluationResult:
        """As `evaluate_response`, without blocking the event loop."""
        del kwargs
        text = _text(response)
        if text is None:
            text = (await response.get_response()).response
        return await self._averified(*_of_response(query, response, text or ""))

    def _verified(self, graph: ProvenanceGraph, *said: Any) -> TrailEvaluationResult:
        with untraced():
            report = verify(graph, self._judge, self._options)
        return self._result(report, *said)

    async def _averified(self, graph: ProvenanceGraph, *said: Any) -> TrailEvaluationResult:
        with untraced():
            report = await averify(graph, self._judge, self._options)
        return self._result(report, *said)

    def _result(
        self, report: Report, query: str | None, text: str | None, contexts: Sequence[str] | None
    ) -> TrailEvaluationResult:
        score = report.hallucination_score
        passing = None if score is None else score <= self._max_score
        reason = None if score is not None else _reason(report)
        return TrailEvaluationResult(
            query=query,
            response=text,
            contexts=list(contexts or ()),
            passing=passing,
            score=None if score is None else 1.0 - score,
            feedback=reason or _feedback(report),
            invalid_result=score is None,
            invalid_reason=reason,
            report=report,
        )


def _of_texts(query: str | None, response: str | None, contexts: Sequence[str] | None) -> _Evaluated:
    if response is None:
        raise InputError("there is no response to evaluate: pass response=, or a response to evaluate_response()")
    graph = ProvenanceGraph.from_texts(response, list(contexts or ()), _question(query))
    return graph, query, response, contexts


def _question(query: str | None) -> str | None:
    """The question alone: `RetryQueryEngine` puts the rejected answer in front, which must not support the next."""
    return None if query is None else without_feedback(_RETRY.sub("", query)).strip()


def _text(response: Any) -> str | None:
    """The text of a response; None for one that has to be awaited."""
    if is_kind(response, "AsyncStreamingResponse"):
        read = response.response_txt
        return read if isinstance(read, str) else None
    if is_kind(response, "StreamingResponse"):
        return response.get_response().response or ""
    if is_kind(response, "StreamingAgentChatResponse"):
        return str(response.response)
    if is_kind(response, "Response", "PydanticResponse", "AgentChatResponse"):
        return response_text(response)
    raise InputError(f"evaluate_response() takes a response of a query or chat engine, got {type(response).__name__}")


def _of_response(query: str | None, response: Any, text: str) -> _Evaluated:
    nodes = response.source_nodes or []
    graph = graph_for(response)
    if graph is None or graph.answer is None:
        graph = from_nodes(nodes, text, _question(query))
    elif not text.strip():  # the app read the stream itself
        text = graph.answer.text
    return graph, query, text, node_texts(nodes)


def _feedback(report: Report) -> str:
    """What a person reads; `RetryQueryEngine` shows it to the model too."""
    if report.unsupported:
        ids = {claim.id for claim in report.unsupported}
        about = [each for each in report.to_evaluations() if each["metadata"].get("claim_id") in ids]
        evaluated.append("\n".join(f"{each['label'].replace('_', ' ')}: {each['explanation']}" for each in about))
        return evaluated[-1]
    n, left = len(report.claims), len(report.undecided)
    if left:
        return f"The sources support what was decided; {left} of {n} claims could not be decided."
    return "The sources support the answer."


def _reason(report: Report) -> str:
    warnings = "; ".join(report.warnings)
    reason = _REASONS.get(report.state, report.state)
    if report.state == "unverified" and report.undecided:
        reason = "the judge could not decide any claim of the answer"
    return f"{reason}: {warnings}" if warnings and report.state == "error" else reason
