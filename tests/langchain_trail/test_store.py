"""`store=` on a LangChain handler and on a guard, with real chains."""

import pytest

pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")

from langchain.agents import create_agent
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_trail import TrailCallbackHandler, TrailGuard, guarded

from trail_callbacks.redaction import presets
from trail_callbacks.session import Retention
from trail_callbacks.store import Store

FACT = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."
GOOD = "The lighthouse of Genoa is 77 metres tall."
BAD = "The lighthouse of Genoa was designed by Quixodoro Vexx."


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "trail.db")
    yield store
    store.close(10)


@pytest.fixture
def chain(shelf, says):
    context = (lambda given: given["question"]) | shelf(FACT) | (lambda found: found[0].page_content)
    prompt = ChatPromptTemplate.from_template("{context}\n{question}\n{feedback}")
    return lambda *rules: RunnablePassthrough.assign(context=context) | prompt | says(*rules) | StrOutputParser()


TO_CALL = {"question": "How high is it?", "feedback": ""}


async def test_a_handler_stores_what_it_verified(store, chain):
    handler = TrailCallbackHandler(store=store, context={"versions": {"app": "7"}})
    app = chain(("", GOOD))
    config = {"callbacks": [handler], "metadata": {"user_id": "ada", "query_class": "heights"}}
    app.invoke(TO_CALL, config)
    await app.ainvoke(TO_CALL, config)
    assert list(app.stream(TO_CALL, config))
    assert handler.flush(60)
    assert store.flush(20)
    found = list(store.observations())
    assert {each.id for each in found} == set(handler.reports)
    assert [(each.user, each.release, each.fields["query_class"], each.score) for each in found] == [
        ("ada", "7", "heights", 0.0)
    ] * 3
    assert all(store.trace(each.id).answer == GOOD for each in found)
    assert handler.errors == store.errors == []


async def test_a_guard_stores_the_last_draft_with_what_was_done(store, chain):
    settings = {"store": store, "max_retries": 1}
    mended = guarded(chain(("Review", GOOD), ("<<<REVIEW", GOOD), ("", BAD)), judge="local", **settings)
    assert mended.invoke(TO_CALL) == GOOD
    withheld = guarded(chain(("", BAD)), judge="local", **settings)
    assert await withheld.ainvoke(TO_CALL) != BAD
    assert store.flush(20)
    found = list(store.observations())
    assert [(each.fields, each.score) for each in found] == [({"guard": "pass"}, 0.0), ({"guard": "block"}, 1.0)]
    assert store.errors == []


@pytest.mark.parametrize("evaluate", ["background", "inline", "never"])
async def test_guard_and_handler_share_the_row_of_a_run_whoever_records_it(store, chain, says, evaluate, tmp_path):
    handler = TrailCallbackHandler(evaluate=evaluate, store=store, context={"versions": {"app": "7"}})
    config = {"callbacks": [handler], "metadata": {"user_id": "ada", "kind": "heights"}}
    alone = {"metadata": config["metadata"] | {"app_version": "7"}}
    app = guarded(chain(("", BAD)), judge="local", store=store, on_fail="block")
    agent = create_agent(
        says(("", BAD), tools=True), system_prompt=FACT, middleware=[TrailGuard("local", store=store, on_fail="block")]
    )
    asked = {"messages": [("user", "How high is it?")]}
    for each in (config, alone):  # equal calls: each is a run of its own
        app.invoke(TO_CALL, each)
        await app.ainvoke(TO_CALL, each)
        assert list(app.stream(TO_CALL, each))
        await (RunnablePassthrough() | app).ainvoke(TO_CALL, each)
        agent.invoke(asked, each)
        await agent.ainvoke(asked, each)
    assert handler.flush(60)
    assert store.flush(20)
    found = list(store.observations())
    assert len(found) == 12
    assert {(each.user, each.release, store.report(each.id).graph.answer.text) for each in found} == {("ada", "7", BAD)}
    assert all(each.fields == {"guard": "block", "kind": "heights"} for each in found)
    assert [len(each.documents) for each in found] == [1, 1, 1, 1, 0, 0] * 2
    assert {each.id for each in found} >= set(handler.reports)
    traced = [store.trace(each.id) for each in found]
    assert sum(each is not None for each in traced) == len(handler.reports) == (0 if evaluate == "never" else 6)
    assert next(each.count for each in store.totals() if each.counter == "runs") == 12
    assert store.forget("ada") == 12
    assert not any(word in file.read_bytes() for file in tmp_path.iterdir() for word in (b"Genoa", b"ada", b"heights"))
    assert handler.errors == store.errors == []


async def test_what_a_handler_withholds_no_guard_writes(store, chain, tmp_path):
    handler = TrailCallbackHandler(evaluate="never", store=store, keep=Retention(texts=False), redact=presets("email"))
    app = guarded(chain(("", BAD)), judge="local", store=store, on_fail="block")
    metadata = {"user_id": "ada@example.com", "seen": "by ada@example.com"}
    app.invoke(TO_CALL, {"callbacks": [handler], "metadata": metadata})
    await app.ainvoke(TO_CALL, {"metadata": metadata})  # a run that the handler does not see
    bound = guarded(chain(("", BAD)).with_config(callbacks=[handler]), judge="local", store=store, on_fail="block")
    bound.invoke(TO_CALL, {"metadata": metadata})
    assert handler.report().run_id in {each.id for each in (store.flush(20), *store.observations())[1:]}
    assert store.flush(20)
    held = b"".join(file.read_bytes() for file in tmp_path.iterdir()) + repr(list(store.observations())).encode()
    assert not [word for word in (b"Genoa", b"ada@example.com") if word in held]
    assert store.report(next(iter(store.observations())).id).hallucination_score == 1.0
    assert store.forget("ada@example.com") == 3
    assert store.errors == []
