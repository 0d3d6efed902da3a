"""From judge to wire and back, against a real server with a real (very small) model.

It cannot judge, so nothing here looks at labels: only at structure, invariants, failures and cost.
"""

import asyncio
import time

import pytest
from pydantic import BaseModel, Field, field_validator

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Question
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.models.call import Budget, Call, Message
from trail_callbacks.models.drive import adrive, drive
from trail_callbacks.models.instructor import InstructorModel
from trail_callbacks.taxonomy import UNSUPPORTED

pytestmark = pytest.mark.loopback


class City(BaseModel):
    name: str = Field(max_length=12)


# The longest answer a grammar of `City` lets through, with 22 blanks in each of 4 places and 12 escaped characters, has
# about 170 tokens: none is cut off by this limit.
def call(text="Name a city.", schema=City, max_tokens=200):
    return Call(messages=(Message("user", text),), schema=schema, purpose="claims", max_tokens=max_tokens)


@pytest.fixture(scope="module")
def model(base_url):
    return InstructorModel("openai/smollm2", base_url=base_url, timeout=240, temperature=0)


PASSAGES = tuple(
    Passage(id=f"s{i}", node_id="doc", start=0, end=len(text), text=text)
    for i, text in enumerate(["The bridge opened in 1932.", "It has two decks."], 1)
)
QUESTIONS = [
    Question(claim=Claim(id=f"c{i}", text=text, quote=text, start=0, end=len(text)), passages=PASSAGES)
    for i, text in enumerate(["The bridge opened in 1932.", "The bridge is red."], 1)
]


def test_claims_come_back_with_spans_of_the_answer(model):
    answer = "The bridge opened in 1932."
    judge = LLMJudge(model)
    result, usage = drive(judge.extract(answer, "When did it open?"), judge.model, Budget(calls=2))
    assert [claim.id for claim in result.claims] == [f"c{i}" for i in range(1, len(result.claims) + 1)]
    assert all(answer[claim.start : claim.end] == claim.quote for claim in result.claims)
    assert usage.calls >= 1
    assert usage.prompt_tokens > 100
    assert usage.completion_tokens > 5


def test_verdicts_come_back_for_every_claim_with_ids_that_were_shown(model):
    judge = LLMJudge(model)
    assessment, usage = drive(judge.assess(QUESTIONS, "localize"), judge.model, Budget(calls=1))
    judgements = assessment.judgements
    assert [j.claim_id for j in judgements] == ["c1", "c2"]
    for judgement in judgements:
        assert (judgement.support is None) == (judgement.error is not None)
        assert (judgement.error_type is not None) == (judgement.support in UNSUPPORTED)
        assert all(e.quote in {p.text for p in PASSAGES} for e in judgement.evidence)
    assert usage.calls >= 1
    assert usage.completion_tokens > 0


async def test_full_verdicts_with_asyncio(base_url):
    judge = LLMJudge("openai/smollm2", base_url=base_url, temperature=0, max_tokens=200)
    assessment, usage = await adrive(judge.assess(QUESTIONS[:1]), judge.model, Budget(calls=1))
    (judgement,) = assessment.judgements
    assert (judgement.support is None) == (judgement.error is not None)
    assert 1 <= usage.calls <= 2  # a retry of instructor's included


def test_a_wrong_shape_is_asked_for_again_if_so_set_and_both_attempts_are_counted(base_url, model):
    seen = []

    class Picky(City):
        @field_validator("name")
        @classmethod
        def second_time_lucky(cls, value):
            seen.append(value)
            if len(seen) == 1:
                raise ValueError("say it again")
            return value

    patient = InstructorModel("openai/smollm2", base_url=base_url, timeout=240, temperature=0, max_retries=1)
    reply = patient.ask(call(schema=Picky))
    assert reply.failure is None
    assert len(seen) == reply.usage.calls == 2
    single = model.ask(call()).usage
    assert single.calls == 1
    assert reply.usage.prompt_tokens > 2 * single.prompt_tokens


def test_an_answer_cut_at_max_tokens_is_a_length_failure_with_its_text(model):
    class Long(BaseModel):
        words: list[str] = Field(min_length=40)

    reply = model.ask(call("List forty cities.", Long, max_tokens=8))
    assert reply.failure.kind == "length"
    assert reply.text.lstrip().startswith("{")
    assert reply.usage.calls == 1
    assert reply.usage.completion_tokens == 8


def test_a_prompt_over_the_context_is_rejected_as_too_long(model):
    reply = model.ask(call("word " * 9000))
    assert reply.failure.kind == "too_long"
    assert reply.value is None


def test_two_calls_are_in_flight_at_once(model):
    def pipeline():
        return (yield [call(f"Name a city in {where}.") for where in ("Asia", "Africa", "Europe", "Oceania")])

    replies, usage = drive(pipeline(), model, concurrency=2)
    assert all(isinstance(reply.value, City) for reply in replies)
    assert usage.calls == 4


async def test_sync_and_async_inside_a_running_loop(model):
    assert isinstance(model.ask(call()).value, City)  # blocks this loop, but works
    first, second = await asyncio.gather(model.aask(call()), model.aask(call("Name a river.")))
    assert isinstance(first.value, City)
    assert isinstance(second.value, City)


def test_one_model_serves_many_event_loops(model):
    for _ in range(3):
        assert isinstance(asyncio.run(model.aask(call())).value, City)


async def test_cancelling_returns_at_once(model):
    class Story(BaseModel):
        text: str = Field(min_length=1500, max_length=2000)

    task = asyncio.create_task(model.aask(call("Tell a story.", Story, max_tokens=600)))
    await asyncio.sleep(0.5)
    started = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.perf_counter() - started < 5  # seconds; the story takes longer


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync client", "async client"])
async def test_ready_clients_of_both_kinds_answer_both_ways(base_url, asynchronous):
    import instructor
    import openai

    kind = openai.AsyncOpenAI if asynchronous else openai.OpenAI
    raw = kind(base_url=base_url, api_key="none")
    ready = InstructorModel("smollm2", client=instructor.from_openai(raw, mode=instructor.Mode.JSON_SCHEMA))
    assert ready.name == "openai/smollm2"
    if asynchronous:
        assert isinstance((await ready.aask(call())).value, City)
        await raw.close()
        return
    assert isinstance(ready.ask(call()).value, City)
    assert isinstance((await ready.aask(call())).value, City)
    raw.close()


def test_an_async_client_answers_without_a_loop(base_url):
    import instructor
    import openai

    raw = openai.AsyncOpenAI(base_url=base_url, api_key="none")
    ready = InstructorModel("smollm2", client=instructor.from_openai(raw, mode=instructor.Mode.JSON_SCHEMA))
    assert isinstance(ready.ask(call()).value, City)
    ready._loop.run(raw.close())
