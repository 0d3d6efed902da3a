"""`store=` on `instrument` and on a guard, with real engines."""

import pytest

pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")

from llama_index_trail import GuardedQueryEngine, instrument, uninstrument

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
