"""Compares LlamaIndex's `FaithfulnessEvaluator` with `TrailEvaluator`: `python tests/benchmarks/llama_index_evaluators.py`.

Planted cases, one for each property, so the counts say nothing about how frequent a case is. `FaithfulnessEvaluator`
needs a model, which is simulated by a perfect reader: it replies YES if the context it is shown contains what the answer
needs, else NO in the words recorded with the case. So errors here are those of the evaluator, never of the model.
`TrailEvaluator` uses the offline judge, without a model. Prints a table and one JSON line.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from llama_index.core import MockEmbedding, Settings
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import PydanticResponse, Response, StreamingResponse
from llama_index.core.evaluation import BaseEvaluator, FaithfulnessEvaluator
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.query_engine import SubQuestionQueryEngine
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import QueryEngineTool
from llama_index_trail import TrailEvaluator
from pydantic import BaseModel

ASKED = "What is known about the harbour crane?"
CRANE = "The harbour crane was built in 1874 and lifts twelve tonnes."
TRUE = "The harbour crane lifts twelve tonnes."
WRONG = "The harbour crane lifts twenty tonnes."
MADE_UP = "The harbour crane was painted yesterday."


class Harbour(BaseModel):
    """A structured answer."""

    crane: str


class Says(CustomLLM):
    """Replies with the first rule whose key occurs in the last part of the prompt."""

    rules: list[tuple[str, str]]

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="says")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        shown = prompt.rpartition("\nContext: ")[2]  # the template has examples of its own before it
        return CompletionResponse(text=next(reply for key, reply in self.rules if key in shown))

    def stream_complete(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


@dataclass(frozen=True)
class Case:
    """One planted case.

    Attributes:
        name: What is planted.
        right: The right outcome: passes, fails, or is not evaluable.
        response: Makes the response to evaluate.
        needs: What the context must hold for an honest YES.
        no: How the model says NO; recorded.
    """

    name: str
    right: str
    response: Callable[[], Any]
    needs: str
    no: str = "NO"


def source(text: str = CRANE, **metadata: str) -> list[NodeWithScore]:
    return [NodeWithScore(node=TextNode(text=text, metadata=metadata), score=1.0)]


def of_sub_questions() -> Any:
    """The response of an engine with a made-up sub-answer that the final answer repeats."""
    asked = '```json\n[{"sub_question": "When was it painted?", "tool_name": "harbour"}]\n```'
    llm = Says(rules=[("sub_question", asked), ("", MADE_UP)])

    class Harbours(BaseQueryEngine):
        def _get_prompt_modules(self) -> Any:
            return {}

        def _query(self, query_bundle: Any) -> Response:
            return Response(MADE_UP, source())

        async def _aquery(self, query_bundle: Any) -> Response:
            return self._query(query_bundle)

    tool = QueryEngineTool.from_defaults(Harbours(None), name="harbour", description="harbour")
    engine = SubQuestionQueryEngine.from_defaults(
        query_engine_tools=[tool],
        llm=llm,
        question_gen=LLMQuestionGenerator.from_defaults(llm=llm),
        response_synthesizer=get_response_synthesizer(llm=llm),
        use_async=False,
        verbose=False,
    )
    return engine.query(ASKED)


CASES = (
    Case("a supported answer", "passes", lambda: Response(TRUE, source()), "twelve tonnes"),
    Case("a wrong number", "fails", lambda: Response(WRONG, source()), "twenty tonnes"),
    Case(
        "a made-up claim; the model's NO has 'yes' in it",
        "fails",
        lambda: Response(MADE_UP, source()),
        "painted yesterday",
        "NO - nothing about yesterday",
    ),
    Case("a claim found only in a sub-answer", "fails", of_sub_questions, "painted yesterday"),
    Case("a streaming response", "fails", lambda: StreamingResponse(iter([WRONG]), source()), "twenty tonnes"),
    Case(
        "a structured response",
        "fails",
        lambda: PydanticResponse(Harbour(crane="lifts twenty tonnes"), source()),
        "twenty tonnes",
    ),
    Case("no sources", "not evaluable", lambda: Response(TRUE, []), "twelve tonnes"),
    Case("an answer that declines", "not evaluable", lambda: Response("I don't know.", source()), "I don't know"),
    Case(
        "a free paraphrase",
        "passes",
        lambda: Response("It can hoist a load of a dozen tonnes, and it dates from the 1870s.", source()),
        "lifts twelve tonnes",
    ),
    Case(
        "support in metadata that the model saw",
        "passes",
        lambda: Response("The survey of the crane is by Tove Lind.", source(survey_of_the_crane_by="Tove Lind")),
        "Tove Lind",
    ),
)


async def outcome(evaluator: BaseEvaluator, response: Any) -> tuple[str, str]:
    """An evaluator's result on a response, with its score or error."""
    try:
        result = await evaluator.aevaluate_response(ASKED, response)
    except Exception as error:  # noqa: BLE001 - errors are part of the result
        return f"raises {type(error).__name__}", ""
    if result.invalid_result or result.passing is None:
        return "not evaluable", result.invalid_reason or ""
    return ("passes" if result.passing else "fails"), f"{result.score:g}"


async def rows() -> list[dict[str, str]]:
    """One row for each case."""
    Settings.llm, Settings.embed_model = Says(rules=[]), MockEmbedding(embed_dim=8)
    found = []
    for case in CASES:
        reader = Says(rules=[(case.needs, "YES"), ("", case.no)])
        theirs, their_score = await outcome(FaithfulnessEvaluator(llm=reader), case.response())
        ours, our_score = await outcome(TrailEvaluator(), case.response())
        found.append(
            {
                "case": case.name,
                "right": case.right,
                "faithfulness": theirs,
                "faithfulness_score": their_score,
                "trail": ours,
                "trail_score": our_score,
            }
        )
    return found


def main() -> None:
    found = asyncio.run(rows())
    print("| Case | Right | FaithfulnessEvaluator | TrailEvaluator |")
    print("|---|---|---|---|")
    for row in found:
        cells = [f"{row[who]} ({row[f'{who}_score']})".replace(" ()", "") for who in ("faithfulness", "trail")]
        print(f"| {row['case']} | {row['right']} | {cells[0]} | {cells[1]} |")
    right = {who: sum(row[who] == row["right"] for row in found) for who in ("faithfulness", "trail")}
    print(json.dumps({"cases": len(found), "right": right}))


if __name__ == "__main__":
    main()
