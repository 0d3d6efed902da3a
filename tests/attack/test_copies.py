"""With a withheld answer goes whatever an app made of it, wherever it put that.

Each guard meets apps that return, remember and stream copies of the answer. `TRAIL_ATTACK=full` puts every kind of copy
into every place; without it each kind meets each place once.
"""

import asyncio
import os
import re
import sys
from itertools import product
from pathlib import Path
from typing import Any, TypedDict

import pytest

pytest.importorskip("langchain", minversion="1.2.9")
sys.path.insert(0, str(Path(__file__).parent))
from apps_langchain import ASKED, GIVEN, Answers, agent, chain
from apps_llama_index import Chats, Nodes
from copies import COPIES, HARD, read
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import AgentState, ExtendedModelResponse, ModelResponse
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, SystemMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_trail import guarded
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import Response, StreamingResponse
from llama_index.core.chat_engine.types import AgentChatResponse, BaseChatEngine
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import ToolOutput
from llama_index.core.workflow import Context, Event
from llama_index_trail import GuardedChatEngine, GuardedQueryEngine, guard_agent

from trail_callbacks.guard import BLOCKED

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # LlamaIndex's own
FULL = os.environ.get("TRAIL_ATTACK") == "full"
SOURCE = "The lighthouse of Genoa is 77 metres tall, and was rebuilt in 1543."
FALSE = "The lighthouse of Genoa is 9713 metres tall."
TRUE = "The lighthouse of Genoa is 77 metres tall."
HEIGHT = re.compile(r"(?<![\w-])9713(?![\w-])")  # not in an id, nor in a time
BLOCK: Any = {"judge": "local", "on_fail": "block"}
STORED = [name for name in COPIES if "generator" not in name and name not in {"iterator", "map"}]
"""What can be written to a checkpoint."""


def turns(names, places):
    combinations = list(product(names, places)) if FULL else list(zip(names, places * len(names), strict=False))
    return [pytest.param(*each, id=" - ".join(each)) for each in combinations]


def leaks(*values):
    return any(HEIGHT.search(read(value)) for value in values)


# ---------------------------------------------------------------------------------------------------- LangChain


def returned(made, way):
    """A chain whose output has a copy beside the answer."""
    app = guarded(
        RunnableLambda(lambda given: {"context": [Document(SOURCE)], **given})
        | (lambda found: {"answer": Answers(message=AIMessage(FALSE)).invoke([SystemMessage(SOURCE)]).text, **found})
        | (lambda out: {**out, "copy": made(out["answer"])}),
        **BLOCK,
    )
    if way == "invoke":
        return app.invoke(GIVEN)
    if way == "ainvoke":
        return asyncio.run(app.ainvoke(GIVEN))
    return list(app.stream(GIVEN))


@pytest.mark.parametrize(("copy", "way"), turns([*COPIES, *HARD], ["invoke", "ainvoke", "stream"]))
def test_beside_the_answer_of_a_chain(copy, way):
    out = returned({**COPIES, **HARD}[copy], way)
    assert not leaks(out)
    assert SOURCE in read(out)


@pytest.mark.parametrize("answer", [str, AIMessage])
@pytest.mark.parametrize("other", ["copy", "zz", "context_message"])
def test_a_true_message_beside_a_false_answer_is_not_taken_for_it(answer, other):
    true = "The lighthouse of Genoa is 77 metres tall."
    app = guarded(
        RunnableLambda(lambda given: {"context": [Document(SOURCE)], **given})
        | (lambda found: {"text": Answers(message=AIMessage(FALSE)).invoke([SystemMessage(SOURCE)]).text, **found})
        | (lambda out: {"answer": answer(out["text"]), other: AIMessage(true)}),
        **BLOCK,
    )
    assert not leaks(app.invoke(GIVEN))


class State(TypedDict, total=False):
    question: str
    answer: str
    copies: Any
    log: list


@pytest.mark.parametrize(("copy", "way"), turns(STORED, ["invoke", "stream"]))
def test_in_the_state_of_a_graph_and_in_its_checkpoints(copy, way):
    def answer(state):
        return {"answer": Answers(message=AIMessage(FALSE)).invoke([SystemMessage(SOURCE)]).text}

    def note(state):
        return {"copies": COPIES[copy](state["answer"]), "log": [("said", state["answer"])]}

    graph = StateGraph(State)
    graph.add_node("answer", answer)
    graph.add_node("note", note)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", "note")
    graph.add_edge("note", END)
    saver = InMemorySaver()
    compiled = graph.compile(checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "1"}}
    app = guarded(compiled, **BLOCK)
    out = app.invoke(GIVEN, config) if way == "invoke" else list(app.stream(GIVEN, config))
    assert not leaks(out, list(compiled.get_state_history(config)), list(saver.list(None)))


@pytest.mark.parametrize("copy", [name for name in STORED if "message" in name or "_" in name or name == "artifact"])
def test_in_a_history_of_messages(copy):
    kept = InMemoryChatMessageHistory()

    def answer(messages):
        text = Answers(message=AIMessage(FALSE)).invoke([SystemMessage(SOURCE), *messages]).text
        made = COPIES[copy](text)
        return {"messages": [*([made] if hasattr(made, "lc_id") else []), AIMessage(text)]}

    app = guarded(
        RunnableWithMessageHistory(RunnableLambda(answer), lambda: kept, output_messages_key="messages"), **BLOCK
    )
    out = app.invoke([("user", ASKED)])
    assert not leaks(out, kept.messages)


class Notes(AgentState):
    notes: Any


class Notices(AgentMiddleware):
    """Notes what the model says in one of several places."""

    state_schema = Notes

    def __init__(self, made, place):
        super().__init__()
        self._made, self._place = made, place

    def wrap_model_call(self, request, handler):
        response = handler(request)
        copy = self._made(response.result[-1].text)
        if self._place == "state":
            return ExtendedModelResponse(model_response=response, command=Command(update={"notes": copy}))
        before = copy if isinstance(copy, AIMessage) else AIMessage("Noted.", additional_kwargs={"notes": copy})
        return ModelResponse(result=[before, *response.result])


@pytest.mark.parametrize(("copy", "place"), turns(STORED, ["state", "message"]))
def test_around_the_answer_of_an_agent(copy, place):
    middleware = {"before" if place == "state" else "after": [Notices(COPIES[copy], place)]}  # what is after is inside
    assert not HEIGHT.search(agent(FALSE, SOURCE, "invoke", BLOCK, **middleware))


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream", "astream", "events"])
def test_in_the_message_of_an_agent(way):
    message = AIMessage(
        [{"type": "text", "text": FALSE}, {"type": "custom", "said": FALSE}],
        additional_kwargs={"draft": FALSE},
        response_metadata={"logprobs": [FALSE]},
    )
    assert not HEIGHT.search(agent(FALSE, SOURCE, way, BLOCK, message=message))


# --------------------------------------------------------------------------------------------------- LlamaIndex


class Engine(BaseQueryEngine):
    """Puts a copy of its answer into one of several places."""

    def __init__(self, made, place):
        super().__init__(None)
        self._made, self._place = made, place

    def _get_prompt_modules(self):
        return {}

    def _query(self, query_bundle):
        copy = self._made(FALSE)
        metadata = {"copy": copy} if self._place != "node" else {}
        found = Nodes(SOURCE).retrieve(query_bundle)  # what the answer rests on is recorded
        if self._place == "node":
            found = [*found, NodeWithScore(node=TextNode(text="A page.", metadata={"copy": read(copy)}))]
        if self._place == "stream":
            return StreamingResponse(iter([FALSE]), found, metadata)
        return Response(FALSE, found, metadata)

    async def _aquery(self, query_bundle):
        return self._query(query_bundle)


@pytest.mark.parametrize(("copy", "place"), turns([*COPIES, *HARD], ["metadata", "node", "stream"]))
@pytest.mark.parametrize("asynchronous", [False, True] if FULL else [False])
def test_beside_the_answer_of_a_query_engine(copy, place, asynchronous):
    engine = GuardedQueryEngine(Engine({**COPIES, **HARD}[copy], place), **BLOCK)
    response = asyncio.run(engine.aquery(ASKED)) if asynchronous else engine.query(ASKED)
    tokens = list(response.response_gen) if place == "stream" else []
    assert not leaks(tokens, response.source_nodes, response.metadata, vars(response), str(response))
    assert SOURCE in read(response.source_nodes)


class Chat(BaseChatEngine):
    """As `Engine`, with a memory."""

    def __init__(self, made, place):
        self._memory = ChatMemoryBuffer.from_defaults(token_limit=10_000)
        self._made, self._place = made, place

    def chat(self, message, chat_history=None):
        copy, place = self._made(FALSE), self._place
        self._memory.put(ChatMessage(role="user", content=message))
        if place == "memory":
            self._memory.put(ChatMessage(role="assistant", content="Hm.", additional_kwargs={"copy": read(copy)}))
        self._memory.put(ChatMessage(role="assistant", content=FALSE))
        output = ToolOutput(tool_name="log", content="Done.", raw_input={"said": 1}, raw_output=copy)
        return AgentChatResponse(
            FALSE,
            [output] if place == "tool" else [],
            Nodes(SOURCE).retrieve(message),
            metadata={"copy": copy} if place == "metadata" else {},
        )

    async def achat(self, message, chat_history=None):
        return self.chat(message)

    @property
    def chat_history(self):
        return self._memory.get_all()

    def reset(self):
        self._memory.reset()

    stream_chat = astream_chat = None


@pytest.mark.parametrize(("copy", "place"), turns([*COPIES, *HARD], ["metadata", "tool", "memory"]))
@pytest.mark.parametrize("way", ["chat", "achat", "stream_chat", "astream_chat"] if FULL else ["chat"])
def test_beside_the_reply_of_a_chat_engine(copy, place, way):
    engine = GuardedChatEngine(Chat({**COPIES, **HARD}[copy], place), **BLOCK)
    called = getattr(engine, way)(ASKED)
    reply = asyncio.run(called) if way.startswith("a") else called
    assert not leaks(reply.response, reply.sources, reply.source_nodes, vars(reply), engine.chat_history)
    assert SOURCE in read(reply.source_nodes)


class Noticed(Event):
    noted: Any


class Noting(FunctionAgent):
    """Puts a copy of its answer into one of several places."""

    made: Any
    place: str

    async def take_step(self, ctx, llm_input, tools, memory):
        output = await super().take_step(ctx, llm_input, tools, memory)
        copy = self.made(FALSE)
        if self.place == "store":
            await ctx.store.set("notes", copy)
        elif self.place == "event":
            ctx.write_event_to_stream(Noticed(noted=copy))
        elif self.place == "memory":
            await memory.aput(ChatMessage(role="assistant", content="Hm.", additional_kwargs={"copy": read(copy)}))
        elif self.place == "raw":
            output.raw = copy
        else:
            output.response.additional_kwargs["copy"] = copy
        return output


@pytest.mark.parametrize(("copy", "place"), turns(STORED, ["store", "event", "memory", "raw", "message"]))
def test_around_the_answer_of_a_workflow(copy, place):
    async def run():
        guarded_agent = guard_agent(
            Noting(llm=Chats(answer=FALSE), system_prompt=SOURCE, made=COPIES[copy], place=place), **BLOCK
        )
        context: Any = Context(guarded_agent)
        memory = ChatMemoryBuffer.from_defaults(token_limit=10_000)
        handler = guarded_agent.run(ASKED, ctx=context, memory=memory)
        events = [event async for event in handler.stream_events()]
        output = await handler
        state = dict((await context.store.get_state()).items())
        del state["memory"]  # it is that one
        return [output, vars(output), events, await memory.aget_all(), state]

    assert not leaks(*asyncio.run(run()))


@pytest.mark.parametrize("copy", [*COPIES, *HARD])
def test_with_a_sentence_that_is_taken_out_go_its_copies(copy):
    says = Answers(message=AIMessage(f"{TRUE} {FALSE}"))
    app = (
        RunnableLambda(lambda given: {"context": [Document(SOURCE)], **given})
        | (lambda found: {"answer": says.invoke([SystemMessage(SOURCE)]).text, **found})
        | (lambda out: {**out, "copy": {**COPIES, **HARD}[copy](FALSE)})
    )
    out = guarded(app, judge="local", on_fail="strip").invoke(GIVEN)
    removed = [each["text"] for each in out.pop("trail").get("removed", ())]
    beside = copy in {"message", "arguments of a tool"}  # which are judged with the answer, as one text
    assert (out["answer"], removed) == ((BLOCKED, []) if beside else (TRUE, [FALSE]))
    assert not leaks(out)


def test_what_is_supported_keeps_its_copies():
    assert "<p>" in chain(TRUE, SOURCE, "invoke", BLOCK, lambda x: {"answer": x, "html": f"<p>{x}</p>"})
