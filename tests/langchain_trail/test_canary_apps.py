"""What the model really reads, in LangChain apps of all shapes, under each arm of a canary run."""

import asyncio
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zlib import crc32

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.globals import get_llm_cache, set_llm_cache
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.tools.retriever import create_retriever_tool
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_trail import CanaryRetriever, canary_app

from trail_callbacks.canary import Answered, Ask, Strategy
from trail_callbacks.canary.serving.application import RealTextServedError
from trail_callbacks.errors import InputError

pytest.importorskip("langchain_classic")
from langchain_classic.chains import create_history_aware_retriever, create_retrieval_chain
from langchain_classic.chains.combine_documents import create_stuff_documents_chain
from langchain_classic.retrievers import (
    EnsembleRetriever,
    MultiQueryRetriever,
)

sys.path.insert(0, str(Path(__file__).parents[1] / "canary"))
from small_twins import FERRY, MUSEUM, small

TWIN = small()
WHALES = "Whales breathe air and dive for an hour."
QUESTION = "How long does the ferry take to cross the bay?"
ALONE = "How long is the crossing by ferry?"
ANSWERS = {"real": "It takes 40 minutes.", "fictive": "It takes 53 minutes.", "empty": "I do not know."}
REAL_WORDS = ("40 minutes", "Lorne", "12.50", "Dogs")
FICTIVE_WORDS = ("53 minutes", "Garvane", "9.75")


class Words(Embeddings):
    """A bag of words: what shares words with the query ranks first."""

    def embed_query(self, text):
        vector = [0.0] * 512
        for word in re.findall(r"\w+", text.lower()):
            vector[crc32(word.encode()) % 512] += 1.0
        return vector

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]


def store():
    made = InMemoryVectorStore(Words())
    made.add_documents(
        [
            Document(FERRY, id="ferry", metadata={"source": "ferry.md", "lang": "en"}),
            Document(MUSEUM, id="museum", metadata={"source": "museum.html", "lang": "en"}),
            Document(WHALES, id="whales", metadata={"lang": "de"}),
        ]
    )
    return made


def joined(documents):
    return "\n".join(each.page_content for each in documents)


def answers(says, **more):
    """A model that reads: what it says is what the prompt says."""
    return says(
        ("different versions of the given user question", f"{ALONE}\nHow long does it take?"),
        ("standalone question", ALONE),
        ("53 minutes", ANSWERS["fictive"]),
        ("40 minutes", ANSWERS["real"]),
        ("", ANSWERS["empty"]),
        **more,
    )


PROMPT = ChatPromptTemplate.from_template("Context:\n{context}\n\nQuestion: {input}")


def retrieval_chain(retriever, model):
    return create_retrieval_chain(retriever, create_stuff_documents_chain(model, PROMPT))


def history_aware(retriever, model):
    rewrite = ChatPromptTemplate.from_messages(
        [MessagesPlaceholder("chat_history"), ("user", "{input}"), ("user", "Write a standalone question.")]
    )
    history = [HumanMessage("Hello"), AIMessage("What do you want to know?")]
    chain = retrieval_chain(create_history_aware_retriever(model, retriever, rewrite), model)
    return RunnablePassthrough.assign(chat_history=lambda _: history) | chain


def multi_query(retriever, model):
    return retrieval_chain(MultiQueryRetriever.from_llm(retriever, model), model)


APPS = [retrieval_chain, history_aware, multi_query]
WAYS = [("invoke", True), ("ainvoke", True), ("ainvoke", False)]


def ask(arm, question=QUESTION):
    return Ask(probe="p", question=question, arm=arm, strategy=Strategy("s"))


def answer(app, asked):
    answered = app(asked)

    async def awaited():
        return await answered

    return answered if isinstance(answered, Answered) else asyncio.run(awaited())


def canary(vectors):
    return CanaryRetriever(vectors.as_retriever(search_kwargs={"k": 3}), TWIN)


@pytest.mark.parametrize(("mode", "finished"), WAYS)
@pytest.mark.parametrize("make", APPS)
def test_the_model_reads_what_the_arm_allows(says, make, finished, mode):
    vectors = store()
    before = {key: dict(value) for key, value in vectors.store.items()}
    retriever, model = canary(vectors), answers(says)
    app = make(retriever, model) if finished else lambda own, _: make(own, model)
    app = canary_app(app, retriever, model=model, mode=mode)
    for arm in ("real", "fictive", "empty", "real"):
        model.asked.clear()
        found = answer(app, ask(arm))
        assert found.text == ANSWERS[arm]
        read = "\n".join(model.asked)
        assert any(word in read for word in REAL_WORDS) == (arm == "real")
        assert any(word in read for word in FICTIVE_WORDS) == (arm == "fictive")
        graph = app.handler.graph()
        leaves = "\n".join(node.text for node in graph.leaves())
        assert ("53 minutes" in leaves, "40 minutes" in leaves) == (arm == "fictive", arm == "real")
    assert vectors.store == before
    assert app.handler.errors == []


@pytest.mark.parametrize(("mode", "finished"), WAYS[1:3])
def test_an_agent_calls_the_retriever_as_a_tool(says, mode, finished):
    agents = pytest.importorskip("langchain.agents")
    call = AIMessage("", tool_calls=[{"name": "guide", "args": {"query": "ferry"}, "id": "1"}])
    model = says(
        ("53 minutes", ANSWERS["fictive"]), ("40 minutes", ANSWERS["real"]), ("Whales", "?"), ("Nothing", "?"),
        (QUESTION, call), tools=True,
    )  # fmt: skip

    def build(own, _):
        return agents.create_agent(model, [create_retriever_tool(own, "guide", "Finds things.")])

    retriever = canary(store())
    app = canary_app(build(retriever, None) if finished else build, retriever, mode=mode)
    for arm in ("fictive", "real"):
        model.asked.clear()
        found = answer(app, ask(arm))
        assert found.text == ANSWERS[arm]
        read = "\n".join(model.asked)
        assert any(word in read for word in REAL_WORDS) == (arm == "real")
        assert any(word in read for word in FICTIVE_WORDS) == (arm == "fictive")
        leaves = "\n".join(node.text for node in app.handler.graph().leaves())
        assert ("53 minutes" in leaves, "40 minutes" in leaves) == (arm == "fictive", arm == "real")


def remembering(retriever, model, keep):
    """A conversation which `keep` makes for the id of a session."""
    prompt = ChatPromptTemplate.from_messages(
        [("system", "{context}"), MessagesPlaceholder("past"), ("user", "{input}")]
    )

    def talk(given, config):
        past = keep(config["configurable"]["session_id"])
        found = joined(retriever.invoke(given["input"]))
        told = model.invoke(prompt.invoke({"context": found, "past": list(past), **given}))
        past += [HumanMessage(given["input"]), told]
        return told

    return RunnableLambda(talk)


def test_each_question_is_a_conversation_of_its_own(says):
    kept = {}
    retriever, model = canary(store()), answers(says)
    app = canary_app(
        remembering(retriever, model, lambda session: kept.setdefault(session, [])).with_config(
            configurable={"session_id": "a user's"}
        ),
        retriever,
        question="input",
    )
    for arm in ("fictive", "real", "empty"):
        assert answer(app, ask(arm)).text == ANSWERS[arm]
    assert len(kept) == 3
    assert all(session.startswith("trail-canary-") for session in kept), "a user's conversation is left alone"


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
def test_an_app_that_remembers_other_arms_is_an_error(says, mode):
    past = [HumanMessage("Hello"), AIMessage(ANSWERS["empty"])]  # what it also answers is no memory
    retriever, model = canary(store()), answers(says)
    app = canary_app(remembering(retriever, model, lambda _: past), retriever, mode=mode, question="input")
    assert answer(app, ask("empty")).text == ANSWERS["empty"]
    for arm in ("fictive", "real", "empty"):
        with pytest.raises(InputError, match="shown what it was asked before"):
            answer(app, ask(arm))


def test_fifty_at_once_and_twenty_threads_never_mix(says):
    retriever, model, make = canary(store()), answers(says), multi_query
    app = canary_app(make(retriever, model), retriever)
    arms = ["real", "fictive", "empty"] * 17

    async def many():
        return await asyncio.gather(*(app(ask(arm)) for arm in arms))

    for arm, found in zip(arms, asyncio.run(many()), strict=True):
        assert found.text == ANSWERS[arm]
    app = canary_app(make(retriever, model), retriever, mode="invoke")
    with ThreadPoolExecutor(20) as pool:
        for arm, found in zip(arms, pool.map(lambda arm: answer(app, ask(arm)), arms), strict=True):
            assert found.text == ANSWERS[arm]
            assert all("40 minutes" not in passage or arm == "real" for passage in found.passages)
    assert app.handler.errors == []


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
@pytest.mark.parametrize("after", ["parents", "second"])
def test_real_texts_that_come_another_way_are_an_error(says, mode, after):
    vectors = store()
    retriever, model = canary(vectors), answers(says)

    def looked_up(found):
        return [*found, *(vectors.get_by_ids([each.id for each in found]) if found else [])]

    def build(own, _):
        found = {
            "parents": own | looked_up,
            "second": EnsembleRetriever(retrievers=[own, vectors.as_retriever()]),
        }[after]
        return {"context": found | joined, "input": RunnablePassthrough()} | PROMPT | model

    app = canary_app(build, retriever, mode=mode)
    assert answer(app, ask("real")).text == ANSWERS["real"]
    with pytest.raises(RealTextServedError, match="wrap every retriever"):
        answer(app, ask("fictive"))


class SemanticCache(InMemoryCache):
    """Finds what was said to a prompt that is like this one."""

    def lookup(self, prompt, llm_string):
        return super().lookup(str(QUESTION in prompt), llm_string)

    def update(self, prompt, llm_string, return_val):
        super().update(str(QUESTION in prompt), llm_string, return_val)


def test_a_cache_of_models_may_not_be_one_by_likeness(says):
    retriever, model = canary(store()), answers(says)
    app = canary_app(retrieval_chain(retriever, model), retriever, model=model)
    before = get_llm_cache()
    try:
        set_llm_cache(InMemoryCache())
        for arm in ("real", "fictive", "empty", "fictive", "real"):
            assert answer(app, ask(arm)).text == ANSWERS[arm]
        assert len(model.asked) == 3, "what was asked before is not asked again"
        set_llm_cache(SemanticCache())
        for arm in ("real", "closed_book"):
            with pytest.raises(InputError, match="SemanticCache answers one arm"):
                answer(app, ask(arm))
    finally:
        set_llm_cache(before)
