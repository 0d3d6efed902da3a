"""Paying once for a call: what counts as the same call, what is kept, and what is read back."""

import asyncio
import json
from dataclasses import replace

import pytest
from pydantic import BaseModel, Field

from trail_callbacks.models.cache import CallCache, ReplyStore
from trail_callbacks.models.call import Call, Failure, Message, Reply, Usage
from trail_callbacks.models.drive import adrive, drive
from trail_callbacks.testing import ScriptedModel


class Echo(BaseModel):
    text: str
    times: int = 1


class Other(BaseModel):
    text: str


def call(text="?", **changed):
    return Call(messages=(Message("user", text),), schema=Echo, purpose="claims", **changed)


def echo(asked):
    return {"text": asked.messages[-1].content, "times": 2}


def pipeline(*batches):
    """Yields batches of calls and returns the replies to each."""
    seen = []
    for batch in batches:
        replies = yield [one if isinstance(one, Call) else call(one) for one in batch]
        seen.append(replies)
    return seen


@pytest.fixture
def store(tmp_path):
    return ReplyStore(tmp_path)


def _adrive(*args, **more):
    return asyncio.run(adrive(*args, **more))


@pytest.fixture(params=[drive, _adrive], ids=["drive", "adrive"])
def run(request, store):
    """Drives a pipeline through a cache; gives its result, the calls that reached the model, and the cache."""

    def asked(work, model=None, budget=None, **more):
        model = model or ScriptedModel(echo)
        cache = CallCache(model, store)
        before = len(model.calls)
        result, usage = request.param(cache.answering(work), model, budget, **{"concurrency": 1, **more})
        assert usage.cache_hits == 0  # the driver does not hear of them
        return result, model.calls[before:], cache

    return asked


def test_a_call_is_paid_for_once(run):
    first, asked, cache = run(pipeline("ab", "c"))
    assert [[reply.value.text for reply in batch] for batch in first] == [["a", "b"], ["c"]]
    assert (len(asked), cache.hits) == (3, 0)
    again, asked, cache = run(pipeline("ab", "c"))
    assert [[reply.value for reply in batch] for batch in again] == [[r.value for r in batch] for batch in first]
    assert all(reply.usage == Usage() for batch in again for reply in batch)
    assert (len(asked), cache.hits) == (0, 3)


def test_only_new_calls_are_made_and_all_answers_keep_their_order(run):
    run(pipeline("bd"))
    result, asked, cache = run(pipeline("abcde"))
    assert [reply.value.text for reply in result[0]] == list("abcde")
    assert [one.messages[-1].content for one in asked] == list("ace")
    assert cache.hits == 2


class Tuned(ScriptedModel):
    def __init__(self, *args, parameters=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.parameters = parameters


OTHER_CALLS = {
    "text": call("other"),
    "role": replace(call(), messages=(Message("system", "?"),)),
    "schema": replace(call(), schema=Other),
}


@pytest.mark.parametrize("other", OTHER_CALLS.values(), ids=OTHER_CALLS)
def test_another_call_is_asked(run, other):
    run(pipeline([call()]), ScriptedModel(lambda _: {"text": "x"}))
    assert len(run(pipeline([other]), ScriptedModel(lambda _: {"text": "x"}))[1]) == 1


OTHER_MODELS = {
    "name": Tuned(echo, name="other", parameters={"temperature": 0}),
    "temperature": Tuned(echo, parameters={"temperature": 1}),
    "unknown": ScriptedModel(echo),
}


@pytest.mark.parametrize("other", OTHER_MODELS.values(), ids=OTHER_MODELS)
def test_another_model_is_asked(run, other):
    run(pipeline("a"), Tuned(echo, parameters={"temperature": 0}))
    assert len(run(pipeline("a"), other)[1]) == 1
    assert run(pipeline("a"), Tuned(echo, parameters={"temperature": 0}))[1] == []


def test_another_release_asks_again(run, monkeypatch):
    run(pipeline("a"))
    monkeypatch.setattr("trail_callbacks.models.cache._release", lambda: "another")
    assert len(run(pipeline("a"))[1]) == 1


@pytest.mark.parametrize(
    "reply",
    [Reply(failure=Failure("busy", "later")), Reply(failure=Failure("length", "cut"), text='{"text'), Reply(), "prose"],
    ids=["busy", "cut", "nothing", "invalid"],
)
def test_failures_are_not_kept(run, tmp_path, reply):
    for _ in range(2):
        assert len(run(pipeline("a"), ScriptedModel([reply]))[1]) == 1
    assert not list(tmp_path.rglob("*.json"))


def test_an_answer_that_its_asker_finds_useless_is_not_kept(run):
    for useful, asked in ((False, 1), (False, 1), (True, 1), (False, 0)):
        picky = call(worth_keeping=lambda value, useful=useful: useful and value.text == "?")
        assert len(run(pipeline([picky]))[1]) == asked


class Renamed(BaseModel):
    text: str = Field(default="nothing", validation_alias="words")


def test_an_answer_that_would_not_read_back_is_not_kept(run):
    renaming = replace(call(), schema=Renamed)
    for _ in range(2):
        result, asked, _ = run(pipeline([renaming]), ScriptedModel([{"words": "x"}]))
        assert (result[0][0].value.text, len(asked)) == ("x", 1)


@pytest.mark.parametrize("value", [None, [], "text", {"text": ["x"]}])
def test_what_does_not_fit_the_schema_is_asked_again_and_replaced(run, store, tmp_path, value):
    run(pipeline("a"))
    (path,) = tmp_path.rglob("*.json")
    store.put(path.parent.name + path.stem, value)  # with a right seal, as a foreign program would
    result, asked, _ = run(pipeline("a"))
    assert (result[0][0].value, len(asked)) == (Echo(text="a", times=2), 1)
    assert run(pipeline("a"))[1] == []


def test_a_folder_that_breaks_is_a_warning_once(tmp_path):
    folder = tmp_path / "cache"
    store, model = ReplyStore(folder), ScriptedModel(echo)
    folder.rmdir()
    folder.write_text("a file now")
    warnings = []
    for _ in range(2):
        cache = CallCache(model, store)
        drive(cache.answering(pipeline("a")), model)
        warnings.append(cache.warnings)
    assert len(model.calls) == 2
    assert warnings == [("what the model answered could not be kept in the cache: Not a directory",), ()]


def test_a_pipeline_that_is_left_is_closed(store):
    closed = []

    def waiting():
        try:
            yield [call("never asked")]
        finally:
            closed.append(True)

    work = CallCache(ScriptedModel(echo), store).answering(waiting())
    next(work)
    work.close()
    assert closed == [True]


def test_no_key_is_written(tmp_path, store):
    pytest.importorskip("instructor")
    from trail_callbacks.models.instructor import InstructorModel

    secret = "sk-proj-0123456789abcdefSECRET"
    model = InstructorModel(
        "openai/m",
        base_url=f"http://user:{secret}@127.0.0.1:9/v1",
        api_key=secret,
        extra_headers={"Authorization": secret},
    )
    drive(CallCache(model, store).answering(pipeline("a")), ScriptedModel(echo))
    (path,) = tmp_path.rglob("*.json")
    assert secret not in path.read_text()
    assert json.loads(path.read_bytes().split(b"\n", 1)[1]) == {"text": "a", "times": 2}
