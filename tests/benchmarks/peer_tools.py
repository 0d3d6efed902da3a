"""The tools that `peers.py` compares, each with its own prompts and defaults, and nothing reported to their makers."""

from __future__ import annotations

import asyncio
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gold_runs import UNSUPPORTED
from peer_sets import Case

from trail_callbacks import LLMJudge, check

# Before the tools are imported. DeepEval's own time limits are those of a fast model.
os.environ.update(
    DEEPEVAL_DISABLE_DOTENV="1",
    DEEPEVAL_DISABLE_TIMEOUTS="1",
    DEEPEVAL_FILE_SYSTEM="READ_ONLY",
    DEEPEVAL_TELEMETRY_OPT_OUT="1",
    DO_NOT_TRACK="true",
    LANGSMITH_TRACING="false",
    RAGAS_DO_NOT_TRACK="true",
)
WINDOW = 128_000  # tokens: LlamaIndex asks once for what fits, and refines with the rest


@dataclass(frozen=True)
class At:
    """Where to ask."""

    url: str
    model: str
    key: str
    timeout: float


@dataclass(frozen=True)
class Result:
    """How much of an answer a tool finds unsupported: 0 to 1, or None without a score; `flagged` are stretches of it."""

    score: float | None
    flagged: Sequence[tuple[int, int]] = ()


def trail(case: Case, at: At) -> Result:
    judge = LLMJudge(f"openai/{at.model}", base_url=at.url, api_key=at.key, timeout=at.timeout)
    report = check(case.answer, case.sources, case.question, judge=judge)
    if report.state in {"error", "interrupted"}:
        raise RuntimeError("; ".join(report.warnings))
    wrong = {verdict.claim_id for verdict in report.verdicts if verdict.support in UNSUPPORTED}
    flagged = [(claim.start, claim.end) for claim in report.claims if claim.id in wrong]
    return Result(report.hallucination_score, flagged)


def ragas(case: Case, at: At) -> Result:
    from openai import AsyncOpenAI
    from ragas.llms import llm_factory
    from ragas.metrics.collections import Faithfulness

    async def ask() -> float:
        async with AsyncOpenAI(base_url=at.url, api_key=at.key, timeout=at.timeout) as client:
            metric = Faithfulness(llm=llm_factory(at.model, client=client))
            said = await metric.ascore(user_input=case.question, response=case.answer, retrieved_contexts=case.sources)
            return said.value

    value = asyncio.run(ask())
    return Result(None if math.isnan(value) else 1 - value)


def deepeval(case: Case, at: At) -> Result:
    from deepeval.metrics import FaithfulnessMetric
    from deepeval.models import LocalModel
    from deepeval.test_case import LLMTestCase

    model = LocalModel(at.model, api_key=at.key, base_url=at.url, timeout=at.timeout)
    # Its event loops, one a thread, now and then hang; its reason in words is a call more, and no part of its score.
    metric = FaithfulnessMetric(model=model, async_mode=False, include_reason=False)
    given = LLMTestCase(input=case.question, actual_output=case.answer, retrieval_context=case.sources)
    return Result(1 - metric.measure(given, _show_indicator=False))


def llama_index(case: Case, at: At) -> Result:
    from httpx import AsyncClient
    from llama_index.core.evaluation import FaithfulnessEvaluator
    from llama_index.llms.openai_like import OpenAILike

    async def ask() -> bool:
        async with AsyncClient(timeout=at.timeout) as client:  # one of its own is closed by whichever loop comes later
            llm = OpenAILike(
                model=at.model, api_base=at.url, api_key=at.key, timeout=at.timeout, async_http_client=client,
                context_window=WINDOW, is_chat_model=True,
            )  # fmt: skip
            evaluator = FaithfulnessEvaluator(llm=llm)
            said = await evaluator.aevaluate(query=case.question, response=case.answer, contexts=case.sources)
            return bool(said.passing)

    return Result(0.0 if asyncio.run(ask()) else 1.0)


TOOLS: dict[str, Callable[[Case, At], Result]] = {
    "trail": trail, "ragas": ragas, "deepeval": deepeval, "llama_index": llama_index,
}  # fmt: skip
NEEDS = {
    "trail": ("instructor",),
    "ragas": ("openai", "ragas.llms", "ragas.metrics.collections"),
    "deepeval": ("deepeval.metrics", "deepeval.models", "deepeval.test_case"),
    "llama_index": ("httpx", "llama_index.core.evaluation", "llama_index.llms.openai_like"),
}
"""Imported before threads are started: no library promises to be importable by several at once."""
DISTRIBUTIONS = {
    "trail": "trail-callbacks", "ragas": "ragas", "deepeval": "deepeval", "llama_index": "llama-index-core",
}  # fmt: skip

if __name__ == "__main__":
    print("a part of peers.py; measures nothing by itself", file=sys.stderr)
