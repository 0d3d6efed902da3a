"""LangChain apps of all shapes asked under each arm of a canary run, and what their models really read."""

import asyncio
import re
import sys
import threading
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

from trail_callbacks.canary import ArmUnavailableError, Ask, Probe, Strategy, assess, run, to_page
from trail_callbacks.canary.serving.application import RealTextServedError
from trail_callbacks.errors import InputError

pytest.importorskip("langchain_classic")
from langchain_classic.chains import create_history_aware_retriever, create_retrieval_chain
from langchain_classic.chains.combine_documents import create_stuff_documents_chain
from langchain_classic.retrievers import EnsembleRetriever, MultiQueryRetriever

sys.path.insert(0, str(Path(__file__).parents[1] / "canary"))
from small_twins import FERRY, MUSEUM, small

TWIN = small()
WHALES = "Whales breathe air and dive for an hour."
QUESTION = "How long does the ferry take to cross the bay?"
ALONE = "How long is the crossing by ferry?"
ANSWERS = {"real": "It takes 40 minutes.", "fictive": "It takes 53 minutes.", "empty": "I do not know."}
WORDS = {"real": ("40 minutes", "Lorne", "12.50", "Dogs"), "fictive": ("53 minutes", "Garvane", "9.75"), "empty": ()}


class Words(Embeddings):
    """A bag of words: what shares words with the query ranks first."""

    def embed_query(self, text):
        vector = [0.0] * 512
        for word in re.findall(r"\w+", text.lower()):
            vector[crc32(word.encode()) % 512] += 1.0
        return vector

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]


@pytest.fixture
def vectors():
    made = InMemoryVectorStore(Words())
    made.add_documents(
        [
            Document(FERRY, id="ferry", metadata={"source": "ferry.md", "lang": "en"}),
            Document(MUSEUM, id="museum", metadata={"source": "museum.html", "lang": "en"}),
            Document(WHALES, id="whales", metadata={"lang": "de"}),
        ]
    )
    return made


@pytest.fixture
def retriever(vectors):
    return CanaryRetriever(vectors.as_retriever(search_kwargs={"k": 3}), TWIN)


@pytest.fixture
def model(says):
    """A model that reads: what it says is what the prompt says."""
    return says(
        ("different versions of the given user question", f"{ALONE}\nHow long does it take?"),
        ("standalone question", ALONE),
        ("53 minutes", ANSWERS["fictive"]),
        ("40 minutes", ANSWERS["real"]),
        ("", ANSWERS["empty"]),
    )


PROMPT = ChatPromptTemplate.from_template("Context:\n{context}\n\nQuestion: {input}")


def joined(documents):
    return "\n".join(each.page_content for each in documents)


def plain(retriever, model):
    return {"context": retriever | joined, "input": RunnablePassthrough()} | PROMPT | model


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


def ask(arm, strategy="s"):
    return Ask(probe="p", question=QUESTION, arm=arm, strategy=Strategy(strategy))


def answer(app, asked):
    return asyncio.run(app(asked))


def check(app, model, arm):
    """Asks, and looks at what the model read and what the graph has."""
    model.asked.clear()
    found = answer(app, ask(arm))
    assert found.text == ANSWERS[arm]
    read = "\n".join(model.asked)
    assert [each for each in WORDS if any(word in read for word in WORDS[each])] == ([] if arm == "empty" else [arm])
    leaves = "\n".join(node.text for node in app.handler.graph().leaves())
    assert ("53 minutes" in leaves, "40 minutes" in leaves) == (arm == "fictive", arm == "real")
    return found


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize("make", [plain, history_aware, multi_query])
def test_the_model_reads_what_the_arm_allows(retriever, model, make, finished):
    vectors = retriever.retriever.vectorstore
    before = {key: dict(value) for key, value in vectors.store.items()}
    built = []

    def build(own, strategy):
        built.append((own.arm, strategy.name))
        return make(own, model)

    app = canary_app(make(retriever, model) if finished else build, retriever, model=model)
    for arm in ("real", "fictive", "empty", "real"):
        found = check(app, model, arm)
        assert bool(found.passages) == (arm != "empty")
        assert found.report is None
        assert found.usage.calls == len(model.asked)
    alone = answer(app, ask("closed_book"))
    assert (alone.text, alone.passages) == ("I do not know.", None)
    assert built == ([] if finished else [("real", "s"), ("fictive", "s"), ("empty", "s")])
    assert vectors.store == before
    assert app.handler.errors == []


@pytest.mark.parametrize("finished", [True, False])
def test_an_agent_calls_the_retriever_as_a_tool(says, retriever, finished):
    agents = pytest.importorskip("langchain.agents")
    call = AIMessage("", tool_calls=[{"name": "guide", "args": {"query": "ferry"}, "id": "1"}])
    model = says(
        ("53 minutes", ANSWERS["fictive"]), ("40 minutes", ANSWERS["real"]), ("Whales", "?"), ("Nothing", "?"),
        (QUESTION, call), tools=True,
    )  # fmt: skip

    def build(own, _):
        return agents.create_agent(model, [create_retriever_tool(own, "guide", "Finds things.")])

    app = canary_app(build(retriever, None) if finished else build, retriever)
    for arm in ("fictive", "real"):
        check(app, model, arm)


def test_a_graph_with_messages_is_asked_and_read(retriever, model):
    langgraph = pytest.importorskip("langgraph.graph")

    def respond(state):
        found = retriever.invoke(state["messages"][-1].text)
        return {"messages": [model.invoke(f"{joined(found)}\n{state['messages'][-1].text}")]}

    graph = langgraph.StateGraph(langgraph.MessagesState)
    graph.add_node("respond", respond)
    graph.add_edge(langgraph.START, "respond")
    app = canary_app(graph.compile(), retriever)
    for arm in ANSWERS:
        check(app, model, arm)


def test_what_it_is_made_of_is_checked(retriever, vectors, says):
    with pytest.raises(ArmUnavailableError, match="model="):
        answer(canary_app(plain(retriever, says("x")), retriever), ask("closed_book"))
    app = canary_app(plain(retriever, says("x")), retriever, model=lambda strategy: says(strategy.name))
    assert answer(app, ask("closed_book", "big")).text == "big"
    with pytest.raises(InputError, match="expected a CanaryRetriever"):
        canary_app(plain(retriever, says("x")), vectors.as_retriever())


def test_inputs_and_outputs_of_all_shapes(retriever, model, says):
    keyed = RunnableLambda(lambda given: joined(retriever.invoke(given["q"]))) | model
    app = canary_app(keyed, retriever, question="q", answer=lambda message: message.text.upper())
    assert answer(app, ask("fictive")).text == ANSWERS["fictive"].upper()
    both = keyed | (lambda m: {"text": m, "output": AIMessage("no")})
    app = canary_app(both, retriever, question=lambda q: {"q": q}, answer="text")
    assert answer(app, ask("fictive")).text == ANSWERS["fictive"]
    odd = ChatPromptTemplate.from_template("{a} {b}") | says("x")
    unnamed = RunnablePassthrough.assign(context=retriever | joined)
    for made, words in ((odd, "question="), (unnamed, "which key of its dictionary")):
        with pytest.raises(InputError, match=words):
            answer(canary_app(made, retriever), ask("fictive"))
    for output in (7, {"answer": 3}, {"output": "x", "result": "y"}):
        app = canary_app(retriever | RunnableLambda(lambda _, output=output: output), retriever)
        with pytest.raises(InputError, match="answer="):
            answer(app, ask("fictive"))


def test_reports_are_of_the_arm_and_say_what_could_not_be_served(retriever, vectors, model, tmp_path):
    app = canary_app(plain(retriever, model), retriever, verify=True)
    for arm in ("real", "fictive"):
        report = answer(app, ask(arm)).report
        assert report.graph.answer.text == ANSWERS[arm]
        quotes = [evidence.quote for verdict in report.verdicts for evidence in verdict.evidence]
        assert any(WORDS[arm][0] in each for each in quotes)
    vectors.add_documents([Document("Crossing the bay with the ferry takes about 40 minutes.", id="s")])
    whole = CanaryRetriever(vectors.as_retriever(), TWIN)
    probe = Probe(id="p", question=QUESTION, real="40 minutes", fictive="53 minutes")
    made = run([probe], canary_app(lambda own, _: plain(own, model), whole), out=tmp_path, arms=["real", "fictive"])
    why = "could not be placed in the corpus and states what an edit changed"
    assert assess(made).as_data()["dropped"] == [
        {"why": why, "passages": 1, "trials": 1, "example": "passage s with number-0"}
    ]
    assert "1 passage that retrievers found in 1 trial were not served" in to_page(assess(made))


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


def test_each_question_is_a_conversation_of_its_own(retriever, model):
    kept = {}
    talk = remembering(retriever, model, lambda session: kept.setdefault(session, []))
    app = canary_app(talk.with_config(configurable={"session_id": "a user's"}), retriever, question="input")
    for arm, text in ANSWERS.items():
        assert answer(app, ask(arm)).text == text
    assert len(kept) == 3
    assert all(session.startswith("trail-canary-") for session in kept), "a user's conversation is left alone"


def test_an_app_that_remembers_other_arms_is_an_error(retriever, model):
    past = [HumanMessage("Hello"), AIMessage(ANSWERS["empty"])]  # what it also answers is no memory
    app = canary_app(remembering(retriever, model, lambda _: past), retriever, question="input")
    assert answer(app, ask("empty")).text == ANSWERS["empty"]
    for arm in ANSWERS:
        with pytest.raises(InputError, match="shown what it was asked before"):
            answer(app, ask(arm))


def test_fifty_at_once_and_twenty_threads_never_mix(retriever, model):
    app = canary_app(multi_query(retriever, model), retriever)
    arms = list(ANSWERS) * 17

    async def many():
        return await asyncio.gather(*(app(ask(arm)) for arm in arms))

    for arm, found in zip(arms, asyncio.run(many()), strict=True):
        assert found.text == ANSWERS[arm]
    with ThreadPoolExecutor(20) as pool:
        for arm, found in zip(arms, pool.map(lambda arm: answer(app, ask(arm)), arms), strict=True):
            assert found.text == ANSWERS[arm]
            assert all("40 minutes" not in passage or arm == "real" for passage in found.passages)
    assert app.handler.errors == []


def parents(own, vectors):
    return own | (lambda found: [*found, *(vectors.get_by_ids([each.id for each in found]) if found else [])])


def second(own, vectors):
    return EnsembleRetriever(retrievers=[own, vectors.as_retriever()])


@pytest.mark.parametrize("after", [parents, second])
def test_real_texts_that_come_another_way_are_an_error(retriever, vectors, model, after):
    app = canary_app(lambda own, _: plain(after(own, vectors), model), retriever)
    assert answer(app, ask("real")).text == ANSWERS["real"]
    with pytest.raises(RealTextServedError, match="wrap every retriever"):
        answer(app, ask("fictive"))


def test_a_retriever_in_a_thread_without_context_is_found_out(retriever, model):
    def threaded(own):
        def search(question):
            found = []
            thread = threading.Thread(target=lambda: found.extend(own.invoke(question)))
            thread.start()
            thread.join()
            return found

        return RunnableLambda(search)

    with pytest.raises(RealTextServedError):
        answer(canary_app(plain(threaded(retriever), model), retriever), ask("fictive"))
    found = answer(canary_app(lambda own, _: plain(threaded(own), model), retriever), ask("fictive"))
    assert found.text == ANSWERS["fictive"], "the copy for the arm needs no context"
    assert found.passages is None, "nobody can tell for sure what was served"


class SemanticCache(InMemoryCache):
    """Finds what was said to a prompt that is like this one."""


def test_a_cache_of_models_may_not_be_one_by_likeness(retriever, model):
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
