"""`with trail()`: what runs inside is seen, what runs elsewhere is not."""

from __future__ import annotations

import asyncio
import threading

import pytest
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_core.tracers.context import _configure_hooks
from langchain_trail import trail

from trail_callbacks.errors import InputError

SOURCE = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."
template = ChatPromptTemplate.from_template


def rag(says, shelf, reply):
    context = shelf(SOURCE) | (lambda documents: documents[0].page_content)
    return (
        {"context": context, "question": lambda q: q}
        | template("{context} {question}")
        | says(reply)
        | StrOutputParser()
    )


async def test_async_code_too(says, shelf):
    with trail() as t:
        await rag(says, shelf, "The lighthouse of Genoa is 99 metres tall.").ainvoke("How tall?")
    report = await t.areport()
    assert report.hallucination_score == 1.0
    assert report == t.report


def test_nothing_before_and_nothing_after_the_block(says):
    with trail(evaluate="never") as t:
        pass
    RunnableLambda(str).invoke("after")
    with pytest.raises(InputError, match="nothing was recorded"):
        _ = t.graph


def test_a_block_that_raises_still_has_its_graph(says):
    with pytest.raises(ZeroDivisionError), trail(evaluate="never") as t:
        (template("{x}") | says("written before the fall") | (lambda _: 1 / 0)).invoke({"x": "why?"})
    assert "written before the fall" in [node.text for node in t.graph.nodes]
    assert t.graph.answer is None


def test_blocks_nest(says):
    with trail(evaluate="never") as outer:
        says("outer one").invoke("?")
        with trail(evaluate="never") as inner:
            says("inner").invoke("?")
        assert outer.graph.answer.text == "outer one"
        says("outer two").invoke("?")
    assert inner.graph.answer.text == "inner"
    assert outer.graph.answer.text == "outer two"


async def test_concurrent_blocks_are_isolated(says):
    async def one(i):
        with trail(evaluate="never") as t:
            await asyncio.sleep(0)
            await says(f"answer {i}").ainvoke("?")
            await asyncio.sleep(0)
        return t.graph

    graphs = await asyncio.gather(*(one(i) for i in range(30)))
    assert [graph.answer.text for graph in graphs] == [f"answer {i}" for i in range(30)]
    assert all(sum(node.kind == "answer" for node in graph.nodes) == 1 for graph in graphs)


def test_a_thousand_blocks_leave_nothing_behind():
    hooks, threads = len(_configure_hooks), threading.active_count()
    for _ in range(1_000):
        with trail(evaluate="never"):
            pass
    assert len(_configure_hooks) == hooks
    assert threading.active_count() <= threads


def test_a_block_closed_in_another_context_ends_all_the_same(says):
    t = trail(evaluate="never")

    async def open_it():
        t.__enter__()

    asyncio.run(open_it())
    t.__exit__(None, None, None)
    t.__exit__(None, None, None)
    says("unseen").invoke("?")
    with pytest.raises(InputError):
        _ = t.graph


KNOWN = "The museum opened in 1968. Entry costs 4 euros."
ASKED = "When did the museum open?"
ANSWER = "The museum opened in 1968."


def text_prompt(found):
    return f"Use this:\n{found[0].page_content}\nQuestion: {ASKED}"


def message_prompt(found):
    return [SystemMessage(f"Answer from: {found[0].page_content}"), HumanMessage(ASKED)]


def called(shelf, model, prompt, mode):
    async def run():
        return await model.ainvoke(prompt(await shelf.ainvoke(ASKED)))

    if mode == "async":
        asyncio.run(run())
    elif mode == "stream":
        list(model.stream(prompt(shelf.invoke(ASKED))))
    else:
        model.invoke(prompt(shelf.invoke(ASKED)))


@pytest.mark.parametrize("mode", ["invoke", "stream", "async"])
@pytest.mark.parametrize("prompt", [text_prompt, message_prompt])
@pytest.mark.parametrize("evaluate", ["background", "inline"])
def test_a_retriever_and_a_model_called_after_it_are_one_run(says, shelf, prompt, mode, evaluate):
    with trail(evaluate=evaluate) as t:
        called(shelf(KNOWN), says(ANSWER), prompt, mode)
    assert t.graph.answer.text == ANSWER
    assert t.graph.question.text == ASKED
    (document,) = (leaf for leaf in t.graph.leaves() if leaf.origin == "retrieved")
    assert (document.text, document.step) == (KNOWN, "Shelf")
    assert {str(verdict.support) for verdict in t.report.verdicts} == {"supported"}
    assert t.report.verdicts[0].evidence[0].node_id == document.id
    assert not t.errors


def test_the_last_of_several_answers_counts_and_unrelated_runs_stay_out(says, shelf):
    with trail(evaluate="never") as t:
        for place, year in (("castle", 1402), ("museum", 1968)):
            found = shelf(f"The {place} opened its doors in {year}.").invoke(f"When did the {place} open?")
            says(f"The {place} opened in {year}.").invoke(f"Use this: {found[0].page_content}\nSay it.")
        shelf("The garden has nine ponds.").invoke("And the garden?")
    assert t.graph.answer.text == "The museum opened in 1968."
    assert "castle" not in " ".join(node.text for node in t.graph.nodes)
    assert "garden" not in " ".join(node.text for node in t.graph.nodes)
