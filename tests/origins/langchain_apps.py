"""Apps of LangChain and LangGraph, put together by chance from building blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

from langchain_agent import agent
from langchain_blocks import BLOCKS, KEYS, STYLES, Work, ask
from langchain_core.runnables import RunnableLambda
from langchain_play import MODES, App
from langchain_talk import talk
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from story import Story, Tally, Violation

Answer = Callable[[dict[str, str]], str]


def as_graph(works: dict[str, Work], answer: Answer) -> Any:
    """Each block is a node that writes a key of the state."""
    graph = StateGraph(TypedDict("State", dict.fromkeys(["question", "answer", *works], str), total=False))
    before = START
    for key, work in works.items():
        graph.add_node(f"do_{key}", lambda state, key=key, work=work: {key: work(state)})
        graph.add_edge(before, f"do_{key}")
        before = f"do_{key}"
    graph.add_node("write", lambda state: {"answer": answer(state)})
    graph.add_edge(before, "write").add_edge("write", END)
    return graph.compile(checkpointer=InMemorySaver())


def as_chain(works: dict[str, Work], answer: Answer) -> Any:
    """Each block is a step of a sequence."""
    chain = RunnableLambda(lambda state: state)
    for key, work in works.items():
        chain |= RunnableLambda(lambda state, key=key, work=work: {**state, key: work(state)})
    return chain | RunnableLambda(answer)


def as_function(works: dict[str, Work], answer: Answer) -> Any:
    """One function calls everything."""

    def all_of_it(state: dict[str, str]) -> str:
        for key, work in works.items():
            state = {**state, key: work(state)}
        return answer(state)

    return RunnableLambda(all_of_it)


def pipeline(story: Story, blocks: list[Callable[[Story], Work]]) -> App:
    """Blocks one after the other that share a state, then an answer."""
    random = story.random
    style, shape = random.choice(STYLES), random.choice([as_graph, as_chain, as_function])
    story.blocks += [shape.__name__, f"{style} prompt", *(block.__name__ for block in blocks)]
    works = {key: block(story) for key, block in zip(random.sample(KEYS, len(blocks)), blocks, strict=True)}
    question, task = story.question, "Answer the question."
    if story.chance(0.2):
        story.blocks.append("fact in the question")
        question = f"{story.know('question')} {question}"
    if story.chance(0.2):
        story.blocks.append("fact in the system prompt")
        task = f"{task} {story.know('system prompt')}"
    story.replies.append(story.answer())
    app = shape(works, lambda state: ask(story, style, state, task))
    return App(story, app, [({"question": question}, lambda: None)], "a")


def made(seed: str) -> App:
    """Makes the app of a seed, with its script."""
    story = Story.seeded(seed)
    kind = story.random.choice(["pipeline", "pipeline", "talk", "agent", "agent"])
    if kind == "pipeline":
        return pipeline(story, story.random.sample(BLOCKS, story.random.randint(1, 4)))
    return talk(story) if kind == "talk" else agent(story)


def played(seed: str, tally: Tally) -> list[Violation]:
    """Makes an app, runs it, and returns what was judged wrongly."""
    app = made(seed)
    mode = app.story.random.choice(MODES)
    app.story.blocks.append(mode)
    found = app.run(mode, tally)
    tally.add(seed, app.story, found)
    return found
