"""Parts called one by one in a block of code, without a chain around them."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_trail import trail

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
