"""`store=` on a LangChain handler and on a guard, with real chains."""

import pytest

pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_trail import TrailCallbackHandler, guarded

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
