"""Generated agents of LangChain: tools of all kinds, several turns, questions to a human."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import StructuredTool
from langchain_model import Scripted, call
from langchain_play import App
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from story import Story
from toolbox import Steps, Toolbox


def human(question: str) -> str:
    """Asks a human."""
    return interrupt(question)


class Turns:
    """The turns of an agent's conversation: each writes its part of the script when it begins."""

    def __init__(self, story: Story, steps: Steps) -> None:
        self.story, self.steps = story, steps
        self.asked: list[tuple[Any, Callable[[], None]]] = []

    def expert(self) -> None:
        self.steps.call("ask_expert", question=self.steps.draft("question to a sub-agent"))
        self.story.replies.append(self.steps.draft("answer of a sub-agent"))

    def add(self, number: int, *, pauses: bool) -> None:
        """Adds a turn, and another one that resumes it if it pauses."""
        given = {"messages": [("user", self.story.questions[number])]}
        self.asked.append((given, lambda: self._begin(number, pauses=pauses)))
        if pauses:
            told: list[str] = []
            self.asked.append((lambda: Command(resume=told[-1]), lambda: self._resume(told)))

    def _begin(self, number: int, *, pauses: bool) -> None:
        if number:
            self.story.blocks.append("second turn of an agent")
            self.story.next_turn("a turn before (agent)")
        for step in self.steps.chosen(self.expert):
            step()
        if pauses:
            self.story.blocks.append("paused")
            self.steps.call("human", question=self.steps.draft("question to a human"))
        else:
            self.story.replies.append(self.story.answer())

    def _resume(self, told: list[str]) -> None:
        self.story.blocks.append("interrupt")
        self.story.next_turn("before an interrupt")
        told.append(self.story.know("answer of a human") if self.story.chance(0.5) else "yes")
        self.story.replies.append(self.story.answer())


def agent(story: Story) -> App:
    """An agent with tools of all kinds, for one turn or several, perhaps with a question to a human."""
    story.blocks.append("agent")
    box = Toolbox()
    expert = create_agent(Scripted(story=story), [])

    def ask_expert(question: str) -> str:
        """Asks an expert."""
        return expert.invoke({"messages": [("user", question)]})["messages"][-1].text

    prompt = None
    if story.chance(0.2):
        story.blocks.append("fact in the system prompt")
        prompt = f"You help. {story.know('system prompt of an agent')}"
    tools = [StructuredTool.from_function(each) for each in (*box.tools, human, ask_expert)]
    app = create_agent(Scripted(story=story), tools, system_prompt=prompt, checkpointer=InMemorySaver())
    turns = Turns(story, Steps(story, box, call, "agent"))
    for number in range(story.random.choice([1, 1, 2, 3])):
        turns.add(number, pauses=story.chance(0.25))
    return App(story, app, turns.asked, "agent")
