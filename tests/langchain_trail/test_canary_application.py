"""Real LangChain apps asked under each arm of a canary run."""

import asyncio
import sys
import threading
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_trail import CanaryRetriever, canary_app

from trail_callbacks.canary import Answered, Ask, Probe, Strategy, assess, run, to_page
from trail_callbacks.canary.serving.application import RealTextServedError
from trail_callbacks.canary.trial import ArmUnavailableError
from trail_callbacks.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[1] / "canary"))
from small_twins import small

TWIN = small()
REAL, FICTIVE = "The ferry to Lorne takes 40 minutes.", "The ferry to Garvane takes 53 minutes."
QUESTION = "How long does the ferry take?"
ANSWERS = (("53 minutes", "The ferry to Garvane takes 53 minutes."), ("40 minutes", "The ferry to Lorne takes 40 minutes."), ("", "I do not know."))  # fmt: skip
ARMS = {"real": ANSWERS[1][1], "fictive": ANSWERS[0][1], "empty": ANSWERS[2][1]}


def store():
    made = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    made.add_documents([Document(REAL, id="c1", metadata={"source": "ferry.md"})])
    return made


def canary(vectors=None):
    return CanaryRetriever((vectors or store()).as_retriever(), TWIN)


def joined(documents):
    return "\n".join(each.page_content for each in documents)


def chain(retriever, model):
    prompt = ChatPromptTemplate.from_template("{context}\n{question}")
    return {"context": retriever | joined, "question": RunnablePassthrough()} | prompt | model


def ask(arm, strategy="plain", **parameters):
    return Ask(probe="p", question=QUESTION, arm=arm, strategy=Strategy(strategy, parameters))


def answer(app, asked):
    """An app's answer, awaited if it is to be."""
    answered = app(asked)

    async def awaited():
        return await answered

    return answered if isinstance(answered, Answered) else asyncio.run(awaited())


@pytest.mark.parametrize("mode", ["ainvoke", "invoke"])
@pytest.mark.parametrize("finished", [True, False])
def test_each_arm_gets_its_answer(says, mode, finished):
    model, parser = says(*ANSWERS), StrOutputParser()
    retriever = canary()
    built = []

    def build(own, strategy):
        built.append((own.arm, strategy.name))
        return chain(own, model) | parser

    app = canary_app(chain(retriever, model) | parser if finished else build, retriever, model=model, mode=mode)
    for _ in range(2):
        for arm, text in ARMS.items():
            found = answer(app, ask(arm))
            assert found.text == text
            assert found.passages == {"real": (REAL,), "fictive": (FICTIVE,), "empty": ()}[arm]
            assert found.report is None
            assert found.usage.calls == 1
        alone = answer(app, ask("closed_book"))
        assert (alone.text, alone.passages) == ("I do not know.", None)
    assert built == ([] if finished else [("real", "plain"), ("fictive", "plain"), ("empty", "plain")])
    assert app.handler.errors == []


def test_closed_book_needs_a_model_which_a_strategy_may_choose(says):
    retriever = canary()
    with pytest.raises(ArmUnavailableError, match="model="):
        answer(canary_app(chain(retriever, says("x")), retriever), ask("closed_book"))
    app = canary_app(chain(retriever, says("x")), retriever, model=lambda strategy: says(strategy.name))
    assert answer(app, ask("closed_book", "big")).text == "big"
    with pytest.raises(InputError, match="unknown mode"):
        canary_app(chain(retriever, says("x")), retriever, mode="batch")
    with pytest.raises(InputError, match="expected a CanaryRetriever"):
        canary_app(chain(retriever, says("x")), store().as_retriever())


def test_reports_are_of_the_arm(says):
    app = canary_app(chain(retriever := canary(), says(*ANSWERS)), retriever, verify=True)
    for arm in ("real", "fictive"):
        report = answer(app, ask(arm)).report
        assert report.hallucination_score == 0.0
        assert report.graph.answer.text == ARMS[arm]
        assert {e.quote for v in report.verdicts for e in v.evidence} == {FICTIVE if arm == "fictive" else REAL}
    assert answer(app, ask("empty")).report is not None


def test_a_retriever_in_a_thread_without_context_is_found_out(says):
    retriever = canary()

    def threaded(own):
        def run(question):
            found = []
            thread = threading.Thread(target=lambda: found.extend(own.invoke(question)))
            thread.start()
            thread.join()
            return found

        return RunnableLambda(run)

    app = canary_app(chain(threaded(retriever), says(*ANSWERS)), retriever)
    with pytest.raises(RealTextServedError):
        answer(app, ask("fictive"))
    app = canary_app(lambda own, _: chain(threaded(own), says(*ANSWERS)), retriever)
    found = answer(app, ask("fictive"))
    assert found.text == ARMS["fictive"], "the copy for the arm needs no context"
    assert found.passages is None, "nobody can tell for sure what was served"


def test_a_graph_with_messages_is_asked_and_read(says):
    langgraph = pytest.importorskip("langgraph.graph")
    retriever = canary()

    def respond(state):
        found = retriever.invoke(state["messages"][-1].text)
        return {"messages": [says(*ANSWERS).invoke(f"{joined(found)}\n{state['messages'][-1].text}")]}

    graph = langgraph.StateGraph(langgraph.MessagesState)
    graph.add_node("respond", respond)
    graph.add_edge(langgraph.START, "respond")
    app = canary_app(graph.compile(), retriever)
    for arm, text in ARMS.items():
        assert answer(app, ask(arm)).text == text


def test_inputs_and_outputs_of_all_shapes(says):
    retriever = canary()
    keyed = RunnableLambda(lambda given: f"{joined(retriever.invoke(given['q']))}") | says(*ANSWERS)
    app = canary_app(keyed, retriever, question="q", answer=lambda message: message.text.upper())
    assert answer(app, ask("fictive")).text == ARMS["fictive"].upper()
    app = canary_app(
        keyed | (lambda m: {"text": m, "output": AIMessage("no")}),
        retriever,
        question=lambda q: {"q": q},
        answer="text",
    )
    assert answer(app, ask("fictive")).text == ARMS["fictive"]
    prompt = ChatPromptTemplate.from_template("{question} {tone}")
    app = canary_app(prompt | says("x"), retriever)
    with pytest.raises(KeyError, match="tone"):
        answer(app, ask("fictive"))
    odd = canary_app(ChatPromptTemplate.from_template("{a} {b}") | says("x"), retriever)
    with pytest.raises(InputError, match="question="):
        answer(odd, ask("fictive"))
    unnamed = canary_app(RunnablePassthrough.assign(context=retriever | joined), retriever)
    with pytest.raises(InputError, match="which key of its dictionary"):
        answer(unnamed, ask("fictive"))
    for output in (7, {"answer": 3}, {"output": "x", "result": "y"}):
        app = canary_app(retriever | RunnableLambda(lambda _, output=output: output), retriever)
        with pytest.raises(InputError, match="answer="):
            answer(app, ask("fictive"))


def test_what_could_not_be_served_is_in_the_report_of_the_run(says, tmp_path):
    vectors = store()
    vectors.add_documents([Document("Crossing the bay with the ferry takes about 40 minutes.", id="s")])
    probe = Probe(
        id="p", question=QUESTION, real="40 minutes", fictive="53 minutes", real_quote=REAL, fictive_quote=FICTIVE
    )
    app = canary_app(lambda retriever, strategy: chain(retriever, says(*ANSWERS)), canary(vectors))
    found = assess(run([probe], app, out=tmp_path, arms=["real", "fictive"]))
    why = "could not be placed in the corpus and states what an edit changed"
    assert found.as_data()["dropped"] == [
        {"why": why, "passages": 1, "trials": 1, "example": "passage s with number-0"}
    ]
    assert "1 passage that retrievers found in 1 trial were not served" in to_page(found)
