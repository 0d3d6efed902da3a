"""Generated conversations of LangGraph: what was said before comes back as messages, as state or as plain text."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_model import Scripted, Shelf
from langchain_play import App
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from story import Story

MEMORIES = ("checkpointed messages", "last answer in the state", "history as text", "history as a log")


class State(TypedDict, total=False):
    messages: Annotated[list[Any], add_messages]
    last_answer: str
    log: str


class Talk:
    """A graph of one node that remembers in some way, and has a new source in each turn."""

    def __init__(self, story: Story) -> None:
        self.story, self.model, self.shelf = story, Scripted(story=story), Shelf(pages=[])
        self.pages: list[str] = []
        self.memory = story.random.choice(MEMORIES)
        self.source = story.random.choice(["retriever", "function", "none"])
        self.role = story.random.choice([SystemMessage, HumanMessage])
        story.blocks += ["talk", self.memory, f"source: {self.source}"]

    def write(self, state: State) -> dict[str, Any]:
        """The node."""
        history = list(state["messages"])
        prompt = f"Answer from this: {self._found()}"
        if self.memory != "checkpointed messages":
            prompt += f"\n{self._remembered(state)}"
            history = history[-1:]
        reply = self.model.invoke([self.role(prompt), *history])
        log = f"{state.get('log', '')}\nasked: {history[-1].text}\nanswered: {reply.text}"
        return {"messages": [reply], "last_answer": reply.text, "log": log}

    def _found(self) -> str:
        if self.source == "retriever":
            self.shelf.pages[:] = self.pages[-1:]
            return "\n".join(each.page_content for each in self.shelf.invoke(self.story.question))
        return "\n".join(self.pages)

    def _remembered(self, state: State) -> str:
        if self.memory == "last answer in the state":
            return f"Your answer of before: {state.get('last_answer', 'none')}"
        if self.memory == "history as a log":
            return f"Before:\n{state.get('log', '')}"
        lines = [f"{'AI' if each.type == 'ai' else 'Human'}: {each.text}" for each in state["messages"][:-1]]
        return "The talk so far:\n" + "\n".join(lines)

    def begin(self, turn: int) -> None:
        """Writes the script of a turn."""
        if turn:
            self.story.next_turn(f"a turn before ({self.memory})")
        if self.source != "none":
            self.pages.append(self.story.page(f"talk from {self.source}"))
        self.story.invent("talk")
        self.story.replies.append(self.story.answer())


def talk(story: Story) -> App:
    """Two turns or more."""
    made = Talk(story)
    graph = StateGraph(State)
    graph.add_node("write", made.write)
    graph.add_edge(START, "write").add_edge("write", END)
    turns = [
        ({"messages": [("user", story.questions[i])]}, lambda i=i: made.begin(i))
        for i in range(story.random.randint(2, 4))
    ]
    return App(story, graph.compile(checkpointer=InMemorySaver()), turns, "talk")
