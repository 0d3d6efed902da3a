"""The tools of generated agents, and the steps in which a model uses them, for both frameworks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from story import Story


class Toolbox:
    """Tools as plain functions, with the pages that they find and the notes that they keep."""

    def __init__(self) -> None:
        self.pages: list[str] = []
        self.kept: list[str] = []

    def look_up(self, about: str) -> str:
        """Looks something up."""
        return self.pages[-1]

    def search(self, about: str) -> str:
        """Searches, and repeats what was asked."""
        return f"Results for {about!r}: {self.pages[-1]}"

    def record(self, text: str) -> str:
        """Records a note, and repeats it."""
        return f"Notes recorded: {text}"

    def to_do(self, items: list[str]) -> str:
        """Writes the list of what is to do, and repeats it."""
        self.kept[:] = items
        return json.dumps([{"task": item, "done": False} for item in items], ensure_ascii=False)

    def write(self, text: str) -> str:
        """Keeps a note."""
        self.kept.append(text)
        return "ok"

    def read(self, about: str) -> str:
        """Reads all notes."""
        return "\n".join(f"- {each}" for each in self.kept)

    def transfer(self, reason: str) -> str:
        """Hands over to a colleague."""
        return f"You are the colleague now. Reason of the transfer: {reason}"

    @property
    def tools(self) -> list[Callable[..., str]]:
        """All of them."""
        return [self.look_up, self.search, self.record, self.to_do, self.write, self.read, self.transfer]


class Steps:
    """What a model may do with a toolbox: each step adds replies to a story.

    Args:
        story: The story.
        box: The tools.
        call: Makes the reply that calls a tool: takes its name, and its arguments by name.
        agent: Added to the name of each way in which a sentence gets about.
    """

    def __init__(self, story: Story, box: Toolbox, call: Callable[..., Any], agent: str) -> None:
        self.story, self._box, self._call, self._agent = story, box, call, agent

    def call(self, name: str, **arguments: Any) -> None:
        """The model calls a tool."""
        self.story.replies.append(self._call(name, **arguments))

    def draft(self, way: str) -> str:
        """An invention for an argument."""
        return self.story.draft(f"{way} ({self._agent})")

    def facts(self) -> None:
        self._box.pages.append(self.story.page(f"fact tool ({self._agent})"))
        self.call("look_up", about=self.story.question)

    def echoed_facts(self) -> None:
        self.call("search", about=self.draft("argument that a fact tool echoes"))
        self._box.pages.append(self.story.page(f"fact tool that echoes ({self._agent})"))

    def echo(self) -> None:
        self.call("record", text=self.draft("tool that echoes"))

    def list_of_tasks(self) -> None:
        self.call("to_do", items=[self.draft("to-do tool") for _ in range(self.story.random.randint(1, 3))])

    def notes(self) -> None:
        self.call("write", text=self.draft("note tool"))
        self.call("read", about="all")

    def hand_off(self) -> None:
        self.call("transfer", reason=self.draft("reason of a hand-off"))

    def chosen(self, *more: Callable[[], None]) -> list[Callable[[], None]]:
        """Some steps, in any order; at most one of them brings facts."""
        steps = [self.facts, self.echoed_facts, self.echo, self.list_of_tasks, self.notes, self.hand_off, *more]
        some = self.story.random.sample(steps, self.story.random.randint(1, 3))
        if self.facts in some and self.echoed_facts in some:
            some.remove(self.echoed_facts)
        self.story.blocks += [step.__name__ for step in some]
        return some
