"""`store=` on `instrument` and on a guard, with real engines."""

import pytest

pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.instrumentation.dispatcher import instrument_tags
from llama_index_trail import GuardedChatEngine, GuardedQueryEngine, guard_agent, instrument, uninstrument

from trail_callbacks.store import Store

FACT = "The lighthouse of Genoa is 77 metres tall and was rebuilt in 1543."
GOOD = "The lighthouse of Genoa is 77 metres tall."
BAD = "The lighthouse of Genoa was designed by Quixodoro Vexx."
ASKED = "How high is the lighthouse of Genoa?"


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "trail.db")
    yield store
    store.close(10)


@pytest.mark.parametrize("evaluate", ["background", "inline", "process"])
async def test_what_is_instrumented_is_stored(store, ask, evaluate):
    handler = instrument(evaluate=evaluate, store=store, context={"query_class": "heights"})
    try:
        engine = ask([FACT], GOOD)
        engine.query(ASKED)
        await engine.aquery(ASKED)
        assert handler.flush(60)
    finally:
        uninstrument()
    assert store.flush(20)
    found = list(store.observations())
    assert [(each.fields, each.score) for each in found] == [({"query_class": "heights"}, 0.0)] * 2
    assert all(store.trace(each.id).answer == GOOD for each in found)
    assert store.errors == []


async def test_a_guarded_engine_stores_the_last_draft(store, ask):
    guarded = GuardedQueryEngine(ask([FACT], [("<<<REVIEW", GOOD), ("", BAD)]), judge="local", store=store)
    assert str(guarded.query(ASKED)) == GOOD
    withheld = GuardedQueryEngine(ask([FACT], BAD), judge="local", store=store, on_fail="block")
    assert str(await withheld.aquery(ASKED)) != BAD
    assert store.flush(20)
    assert [(each.fields["guard"], each.score) for each in store.observations()] == [("pass", 0.0), ("block", 1.0)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")  # LlamaIndex's own
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("evaluate", ["inline", "never", None])
async def test_guarded_runs_have_one_row_each_whoever_records_them(store, ask, models, shelf, evaluate):
    settings = {"judge": "local", "store": store, "on_fail": "block"}
    handler = (
        None if evaluate is None else instrument(evaluate=evaluate, store=store, context={"versions": {"app": "7"}})
    )
    try:
        with instrument_tags({"user_id": "ada", "kind": "heights"} | ({} if handler else {"app_version": "7"})):
            engine = GuardedQueryEngine(ask([FACT], BAD), **settings)
            engine.query(ASKED)
            await engine.aquery(ASKED)
            live = GuardedQueryEngine(ask([FACT], BAD, streaming=True), **settings | {"on_fail": "annotate"})
            assert list(live.query(ASKED).response_gen)
            retriever, llm = shelf(FACT).as_retriever(), models.Rules(rules=[("", BAD)])
            for policy in ("block", "annotate"):
                talk = GuardedChatEngine(
                    ContextChatEngine.from_defaults(retriever=retriever, llm=llm), **settings | {"on_fail": policy}
                )
                assert list(talk.stream_chat(ASKED).response_gen)
            agent = guard_agent(FunctionAgent(tools=[], llm=models.Turns(steps=[BAD])), **settings)
            await agent.run(ASKED)
        assert handler is None or handler.flush(60)
    finally:
        uninstrument()
    assert store.flush(20)
    found = list(store.observations())
    assert [each.fields["guard"] for each in found] == ["block", "block", "annotate", "block", "annotate", "block"]
    assert {(each.user, each.release, each.fields["kind"]) for each in found} == {("ada", "7", "heights")}
    assert [len(each.documents) for each in found] == [1, 1, 1, 1, 1, 0]
    assert handler is None or set(handler.reports) <= {each.id for each in found}
    assert store.forget("ada") == 6
    assert store.errors == []
