"""Generated workflows of LlamaIndex: agents with tools of all kinds, and a workflow of an app's own."""

import json
from collections.abc import Callable
from typing import Any

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context, Event, StartEvent, StopEvent, Workflow, step
from llama_index_model import Scripted, Shelf
from story import Story
from toolbox import Steps, Toolbox

Turn = Callable[[], Any]


async def remember(ctx: Context, text: str) -> str:
    """Keeps a note in the state."""
    await ctx.store.set("kept", [*await ctx.store.get("kept", default=[]), text])
    return "kept"


async def recall(ctx: Context, about: str) -> str:
    """Reads the notes of the state."""
    return json.dumps(await ctx.store.get("kept", default=[]), ensure_ascii=False)


def call(name: str, **arguments: Any) -> Any:
    """A model's wish to call a tool."""
    return [(name, arguments)]


def thought(name: str, **arguments: Any) -> str:
    """The same in the words of a ReAct agent."""
    text = json.dumps(arguments, ensure_ascii=False)
    return f"Thought: I need a tool.\nAction: {name}\nAction Input: {text}"


def made(kind: str, story: Story, box: Toolbox, *, streaming: bool) -> Any:
    """Makes an agent or a workflow of two."""
    llm = Scripted(story=story)
    tools = [FunctionTool.from_defaults(each) for each in box.tools]
    tools += [FunctionTool.from_defaults(async_fn=each) for each in (remember, recall)]
    if kind == "ReAct agent":
        return ReActAgent(tools=tools, llm=llm, streaming=streaming)
    if kind == "function agent":
        return FunctionAgent(tools=tools, llm=llm, streaming=streaming, initial_state={"notes": []})
    names = ["first", "second"]
    agents = [
        FunctionAgent(name=name, description=name, tools=tools, llm=llm, can_handoff_to=names, streaming=streaming)
        for name in names
    ]
    return AgentWorkflow(agents=agents, root_agent="first", initial_state={"notes": []})


class Talk:
    """A conversation with an agent: each turn writes its part of the script when it begins."""

    def __init__(self, story: Story, kind: str, *, streaming: bool) -> None:
        self.story, self.kind, box = story, kind, Toolbox()
        self.reacts = kind == "ReAct agent"
        self.steps = Steps(story, box, thought if self.reacts else call, kind)
        self.app = made(kind, story, box, streaming=streaming)
        self.memory = ChatMemoryBuffer.from_defaults(token_limit=100_000)

    def state(self) -> None:
        self.steps.call("remember", text=self.steps.draft("note in the state"))
        self.steps.call("recall", about="all")

    def change_agent(self) -> None:
        self.steps.call("handoff", to_agent="second", reason=self.steps.draft("reason of a change of agents"))

    def ask(self, number: int) -> Any:
        """Asks the question of a turn."""
        if number:
            self.story.next_turn(f"a turn before ({self.kind})")
            self.story.blocks.append(f"second turn of {self.kind}")
        chosen = self.steps.chosen(*([] if self.reacts else [self.state]))
        if self.kind == "workflow of agents" and not number:
            chosen.insert(self.story.random.randrange(len(chosen) + 1), self.change_agent)
            self.story.blocks.append("change of agents")
        for each in chosen:
            each()
        answer = self.story.answer()
        self.story.replies.append(f"Thought: I know.\nAnswer: {answer}" if self.reacts else answer)
        return self._run(self.story.questions[number])

    async def _run(self, question: str) -> None:
        handler = self.app.run(question, memory=self.memory)
        async for _ in handler.stream_events():
            pass
        await handler


def agent(story: Story, mode: str) -> list[Turn]:
    """An agent or two, for one turn or several."""
    kind = story.random.choice(["function agent", "function agent", "ReAct agent", "workflow of agents"])
    story.blocks.append(kind)
    talk = Talk(story, kind, streaming=mode.endswith("stream"))
    return [lambda number=number: talk.ask(number) for number in range(story.random.choice([1, 1, 2, 3]))]


class Found(Event):
    """What was retrieved."""

    text: str


class Drafted(Event):
    """What was retrieved, and a draft."""

    text: str
    draft: str


class Flow(Workflow):
    """Retrieves, drafts and writes."""

    def __init__(self, shelf: Any, llm: Any, *, stored: bool) -> None:
        super().__init__()
        self.shelf, self.llm, self.stored = shelf, llm, stored

    @step
    async def find(self, event: StartEvent) -> Found:
        found = await self.shelf.aretrieve(event.question)
        return Found(text="\n".join(each.node.get_content() for each in found))

    @step
    async def draft(self, ctx: Context, event: Found) -> Drafted:
        draft = (await self.llm.acomplete(f"Draft an answer from this:\n{event.text}")).text
        if self.stored:
            await ctx.store.set("draft", draft)
        return Drafted(text=event.text, draft="" if self.stored else draft)

    @step
    async def write(self, ctx: Context, event: Drafted) -> StopEvent:
        draft = event.draft or await ctx.store.get("draft")
        reply = await self.llm.acomplete(f"Sources:\n{event.text}\n\nNotes:\n{draft}\n\nWrite the answer.")
        return StopEvent(result=reply.text)


def workflow(story: Story, mode: str) -> list[Turn]:
    """A workflow of the app's own, with a draft in an event or in its store."""
    stored = story.chance(0.5)
    story.blocks.append("workflow")
    pages = [story.page("documents of a workflow") for _ in range(story.random.randint(1, 3))]
    story.replies.append(story.draft(f"draft in {'the store' if stored else 'an event'} of a workflow"))
    story.replies.append(story.answer())
    flow = Flow(Shelf(pages), Scripted(story=story, chats=story.chance(0.5)), stored=stored)

    async def run() -> None:
        await flow.run(question=story.question)

    return [run]
