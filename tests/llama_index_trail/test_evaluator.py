"""`TrailEvaluator`, wherever LlamaIndex takes an evaluator."""

import asyncio
import json

import pytest
from llama_index.core import Settings
from llama_index.core.base.response.schema import AsyncStreamingResponse, PydanticResponse, Response, StreamingResponse
from llama_index.core.chat_engine.types import AgentChatResponse
from llama_index.core.evaluation import BatchEvalRunner, EvaluationResult
from llama_index.core.query_engine import RetryQueryEngine, SubQuestionQueryEngine
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import QueryEngineTool
from llama_index_trail import TrailEvaluator, instrument, status, trail
from pydantic import BaseModel

from trail_callbacks.errors import InputError
from trail_callbacks.testing import ScriptedModel

FACT = "The lighthouse of Genoa is 77 metres tall and was rebuilt in 1543."
ASKED = "How high is the lighthouse of Genoa?"
GOOD = "The lighthouse of Genoa is 77 metres tall."
BAD = "The lighthouse of Genoa was designed by Quixodoro Vexx."
SUB_QUESTIONS = '```json\n[{"sub_question": "How high?", "tool_name": "towers"}]\n```'


def nodes(*texts, **metadata):
    return [NodeWithScore(node=TextNode(text=text, metadata=metadata), score=1.0) for text in texts]


def tokens(text):
    yield from text.split(" ")[:1]
    for word in text.split(" ")[1:]:
        yield f" {word}"


async def atokens(text):
    for token in tokens(text):
        yield token


class Tower(BaseModel):
    name: str
    architect: str


RESPONSES = {
    "plain": lambda: Response(BAD, nodes(FACT)),
    "stream": lambda: StreamingResponse(tokens(BAD), nodes(FACT)),
    "astream": lambda: AsyncStreamingResponse(atokens(BAD), nodes(FACT)),
    "pydantic": lambda: PydanticResponse(Tower(name="lighthouse of Genoa", architect="Quixodoro Vexx"), nodes(FACT)),
    "chat": lambda: AgentChatResponse(BAD, source_nodes=nodes(FACT)),
}


def check(result):
    assert isinstance(result, EvaluationResult)
    assert result.passing is False
    assert result.score < 1.0
    assert result.score == pytest.approx(1.0 - result.report.hallucination_score)
    assert result.feedback.startswith('absent: "')  # for people, not for the model
    assert result.feedback.endswith("Quixodoro Vexx'.")
    assert "Quixodoro Vexx" in result.response
    assert result.contexts == [FACT]
    assert any("Quixodoro Vexx" in claim.text for claim in result.claims)
    assert "report" not in json.loads(result.model_dump_json())


@pytest.mark.parametrize("kind", RESPONSES)
def test_every_response(kind):
    check(TrailEvaluator().evaluate_response(ASKED, RESPONSES[kind]()))
    check(asyncio.run(TrailEvaluator().aevaluate_response(ASKED, RESPONSES[kind]())))


def test_a_supported_answer():
    result = TrailEvaluator().evaluate(ASKED, GOOD, [FACT])
    assert (result.passing, result.score, result.invalid_result, result.invalid_reason) == (True, 1.0, False, None)
    assert [result.report.verdict(claim.id).support for claim in result.claims] == ["supported"]
    assert asyncio.run(TrailEvaluator().aevaluate(ASKED, GOOD, [FACT])).passing is True


def test_the_threshold_is_a_hallucination_score():
    both = f"{GOOD} {BAD}"
    assert TrailEvaluator().evaluate(ASKED, both, [FACT]).passing is False
    assert TrailEvaluator(max_score=0.5).evaluate(ASKED, both, [FACT]).passing is True
    with pytest.raises(InputError):
        TrailEvaluator(max_score=1.5)


@pytest.mark.parametrize(
    ("answer", "sources", "why"),
    [
        (GOOD, [], "no source"),
        (GOOD, None, "no source"),
        ("I don't know.", [FACT], "declines"),
        ("", [FACT], "no claim"),
        ("Hello! How can I help?", [FACT], "no claim"),
    ],
)
def test_what_nobody_can_score_neither_passes_nor_fails(answer, sources, why):
    result = TrailEvaluator().evaluate(ASKED, answer, sources)
    assert (result.passing, result.score, result.invalid_result) == (None, None, True)
    assert why in result.invalid_reason
    assert result.feedback == result.invalid_reason


def test_a_judge_that_fails_is_told():
    judge = ScriptedModel([RuntimeError("no judge today")] * 9)
    result = TrailEvaluator(judge).evaluate(ASKED, GOOD, [FACT])
    assert result.invalid_result is True
    assert "no judge today" in result.invalid_reason


def test_without_a_response():
    with pytest.raises(InputError):
        TrailEvaluator().evaluate(ASKED, None, [FACT])
    for other in (None, "text", 3):
        with pytest.raises(InputError, match="takes a response"):
            TrailEvaluator().evaluate_response(ASKED, other)


def test_metadata_that_the_model_saw_counts():
    response = Response("The survey is by Tove Lind.", nodes(FACT, survey="by Tove Lind"))
    result = TrailEvaluator().evaluate_response(ASKED, response)
    assert "Tove Lind" in result.contexts[0]
    assert result.passing is True


def test_a_stream_that_the_app_has_read(ask):
    """LlamaIndex forgets what a stream said; a recording does not."""
    engine = ask([FACT], GOOD, streaming=True)
    response = engine.query(ASKED)
    list(response.response_gen)
    assert TrailEvaluator().evaluate_response(ASKED, response).invalid_result is True
    instrument(evaluate="never")
    response = engine.query(ASKED)
    list(response.response_gen)
    result = TrailEvaluator().evaluate_response(ASKED, response)
    assert (result.response, result.passing) == (GOOD, True)


@pytest.fixture
def sub_questions(ask, models):
    """An engine over sub-questions, one of whose answers is made up and repeated."""
    llm = models.Rules(rules=[("sub_question", SUB_QUESTIONS), ("", BAD)])
    Settings.llm = llm
    tool = QueryEngineTool.from_defaults(ask([FACT], BAD), name="towers", description="towers")
    return SubQuestionQueryEngine.from_defaults(
        query_engine_tools=[tool],
        llm=llm,
        question_gen=LLMQuestionGenerator.from_defaults(llm=llm),
        response_synthesizer=get_response_synthesizer(llm=llm),
        use_async=False,
        verbose=False,
    )


@pytest.mark.parametrize("recorded", [False, True])
def test_a_sub_answer_is_no_evidence(sub_questions, recorded):
    if recorded:
        instrument(evaluate="never")
    response = sub_questions.query(ASKED)
    assert any(BAD in node.text for node in response.source_nodes)
    result = TrailEvaluator().evaluate_response(ASKED, response)
    assert result.passing is False
    assert result.score == 0.0
    assert {leaf.text for leaf in result.report.graph.leaves() if leaf.kind == "document"} == {FACT}


@pytest.mark.filterwarnings("ignore:asyncio_module:DeprecationWarning")
async def test_in_a_batch(ask):
    runner = BatchEvalRunner({"trail": TrailEvaluator()}, workers=4)
    found = await runner.aevaluate_responses(
        queries=[ASKED] * 3, responses=[Response(text, nodes(FACT)) for text in (GOOD, BAD, "I don't know.")]
    )
    assert [result.passing for result in found["trail"]] == [True, False, None]
    found = await runner.aevaluate_response_strs(
        queries=[ASKED] * 2, response_strs=[GOOD, BAD], contexts_list=[[FACT]] * 2
    )
    assert [result.passing for result in found["trail"]] == [True, False]
    found = await runner.aevaluate_queries(ask([FACT], GOOD), queries=[ASKED])
    assert [result.passing for result in found["trail"]] == [True]


def test_in_a_retry_engine(ask):
    """It puts the bad answer in front of the next question, where it must not vouch for itself."""
    engine = ask([FACT], [("Here is a previous bad answer", GOOD), ("", BAD)])
    assert str(RetryQueryEngine(engine, TrailEvaluator(), max_retries=2).query(ASKED)) == GOOD
    stubborn = ask([FACT], BAD)
    seen = []

    class Watching(TrailEvaluator):
        def evaluate_response(self, *args, **kwargs):
            seen.append(super().evaluate_response(*args, **kwargs))
            return seen[-1]

    with trail(evaluate="never") as t:
        RetryQueryEngine(stubborn, Watching(), max_retries=2).query(ASKED)
    assert [result.passing for result in seen] == [False, False]
    assert not any("No passage has" in node.text for node in t.graph.nodes)


def test_evaluation_is_part_of_no_recording(ask):
    engine = ask([FACT], GOOD)
    seen = []
    recorded = instrument(on_report=seen.append)
    response = engine.query(ASKED)
    assert recorded.flush(20)
    assert len(seen) == 1
    with trail(evaluate="never") as t:
        TrailEvaluator().evaluate_response(ASKED, response)
    with pytest.raises(InputError):
        _ = t.graph
    assert len(seen) == 1
    assert status().open_runs == 0


def test_undecided_claims_are_not_said_to_be_supported(by_colour):
    evaluator = TrailEvaluator(by_colour)
    result = evaluator.evaluate(ASKED, "The tower is old. The tower is blue.", [FACT])
    assert (result.passing, result.score) == (True, 1.0)
    assert result.feedback == "The sources support what was decided; 1 of 2 claims could not be decided."
    result = evaluator.evaluate(ASKED, "The tower is blue.", [FACT])
    assert (result.passing, result.score, result.invalid_result) == (None, None, True)
    assert result.invalid_reason == "the judge could not decide any claim of the answer"
