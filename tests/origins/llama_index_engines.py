"""Generated engines of LlamaIndex: query engines, chat engines, engines of an app's own, synthesizers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llama_index.core import VectorStoreIndex, get_response_synthesizer
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.indices.query.query_transform import HyDEQueryTransform
from llama_index.core.memory import ChatMemoryBuffer, ChatSummaryMemoryBuffer
from llama_index.core.prompts import PromptTemplate
from llama_index.core.query_engine import CustomQueryEngine, RetrieverQueryEngine, TransformQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import FunctionTool
from llama_index_model import Scripted, Shelf
from story import Story

Turn = Callable[[], Any]


def retriever(story: Story, pages: list[str]) -> BaseRetriever:
    """A retriever of some kind over pages."""
    if story.chance(0.5):
        return Shelf(pages)
    nodes = [TextNode(text=page, id_=str(i)) for i, page in enumerate(pages)]  # all are as near: ids decide the order
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=4))
    return index.as_retriever(similarity_top_k=len(pages))


def query_engine(story: Story, mode: str) -> list[Turn]:
    """A query engine, in any mode of writing; perhaps the question is first rewritten into a made-up document."""
    response_mode = story.random.choice(["compact", "refine", "tree_summarize", "simple_summarize", "accumulate"])
    story.blocks += ["query engine", response_mode]
    llm = Scripted(story=story, chats=story.chance(0.5))
    made_up = story.chance(0.3)
    if made_up:
        story.blocks.append("hypothetical document")
        story.replies.append(story.draft("hypothetical document"))
    pages = [story.page(f"documents ({response_mode})") for _ in range(story.random.randint(1, 3))]
    if response_mode == "refine":
        written = ""
        for _ in pages[1:]:
            written = f"{written} {story.invent('existing answer')}".strip()
            story.replies.append(written)
    story.invent(f"answer ({response_mode})")
    story.replies.append(story.answer())
    engine: Any = RetrieverQueryEngine.from_args(
        retriever(story, pages), llm=llm, response_mode=response_mode,
        streaming=mode.endswith("stream") and response_mode != "accumulate",
    )  # fmt: skip
    if made_up:
        engine = TransformQueryEngine(engine, HyDEQueryTransform(llm=llm, include_original=True))
    return [lambda: queried(engine, story.question, mode)]


def queried(engine: Any, question: str, mode: str) -> Any:
    """Asks a query engine in one of the ways."""

    async def ask() -> None:
        response = await engine.aquery(question)
        if hasattr(response, "async_response_gen"):
            async for _ in response.async_response_gen():
                pass

    if mode.startswith("a"):
        return ask()
    response = engine.query(question)
    return list(response.response_gen) if hasattr(response, "response_gen") else None


class Custom(CustomQueryEngine):
    """Somebody's own engine: retrieves, lets the model write drafts and notes, and shows them all to it again."""

    shelf: Any
    llm: Any
    drafts: int
    style: str
    echo: bool

    def custom_query(self, query_str: str) -> str:
        found = "\n\n".join(each.node.get_content() for each in self.shelf.retrieve(query_str))
        note = FunctionTool.from_defaults(lambda text: f"Notes recorded: {text}", name="note", description="notes")
        for _ in range(self.drafts):
            draft = self._ask(found, query_str)
            found += "\n\n" + (str(note.call(text=draft)) if self.echo else f"Draft: {draft}")
        return self._ask(found, query_str)

    def _ask(self, found: str, question: str) -> str:
        if self.style == "template":
            return self.llm.predict(PromptTemplate("Context: {kb}\nQuestion: {query}"), kb=found, query=question)
        if self.style == "messages":
            messages = [ChatMessage(role="system", content=found), ChatMessage(role="user", content=question)]
            return self.llm.chat(messages).message.content
        return self.llm.complete(f"Use this:\n{found}\nQuestion: {question}").text


def custom_engine(story: Story, mode: str) -> list[Turn]:
    """A query engine of the app's own."""
    style = story.random.choice(["template", "messages", "text"])
    drafts, echo = story.random.randint(0, 2), story.chance(0.4)
    story.blocks += ["custom query engine", f"{style} prompt"]
    pages = [story.page(f"documents of a custom engine ({style} prompt)") for _ in range(story.random.randint(1, 3))]
    for _ in range(drafts):
        story.replies.append(story.draft(f"{'echo tool' if echo else 'draft'} ({style} prompt)"))
    story.invent("answer of a custom engine")
    story.replies.append(story.answer())
    llm = Scripted(story=story, chats=story.chance(0.5))
    engine = Custom(shelf=retriever(story, pages), llm=llm, drafts=drafts, style=style, echo=echo)
    return [lambda: queried(engine, story.question, "async" if mode.startswith("a") else "sync")]


class Chat:
    """A chat engine of some kind; each turn writes its part of the script when it begins."""

    def __init__(self, story: Story, mode: str) -> None:
        self.story, self.mode, self.shelf = story, mode, Shelf([])
        self.kind = story.random.choice(["condense_question", "context", "condense_plus_context", "simple"])
        self.memory = "buffer" if self.kind == "condense_question" else story.random.choice(["buffer", "summary"])
        story.blocks += [f"chat engine {self.kind}", f"memory {self.memory}"]
        self.engine = self._made(Scripted(story=story, chats=self.kind != "condense_question" or story.chance(0.5)))

    def _made(self, llm: Scripted) -> Any:
        memory: Any = ChatMemoryBuffer.from_defaults(token_limit=100_000)
        if self.memory == "summary":
            memory = ChatSummaryMemoryBuffer.from_defaults(llm=llm, token_limit=60, count_initial_tokens=False)
        if self.kind == "condense_question":
            inner = RetrieverQueryEngine.from_args(self.shelf, llm=llm, streaming=self.mode.endswith("stream"))
            return CondenseQuestionChatEngine.from_defaults(query_engine=inner, llm=llm, memory=memory)
        if self.kind == "context":
            return ContextChatEngine.from_defaults(retriever=self.shelf, llm=llm, memory=memory)
        if self.kind == "condense_plus_context":
            return CondensePlusContextChatEngine.from_defaults(retriever=self.shelf, llm=llm, memory=memory)
        return SimpleChatEngine.from_defaults(llm=llm, memory=memory)

    def ask(self, turn: int) -> Any:
        """Asks the question of a turn."""
        story, kind = self.story, self.kind
        if turn:
            story.next_turn(f"a turn before ({kind}, {self.memory})")
            if kind.startswith("condense"):
                story.replies.append(story.draft(f"condensed question ({kind})"))
        if kind != "simple":
            self.shelf.pages[:] = [story.page(f"documents ({kind})") for _ in range(story.random.randint(1, 2))]
        story.invent(f"answer ({kind})")
        story.replies.append(story.answer())
        return talked(self.engine, story.questions[turn], self.mode)


def chat_engine(story: Story, mode: str) -> list[Turn]:
    """A chat engine for one turn or several."""
    chat = Chat(story, mode)
    return [lambda turn=turn: chat.ask(turn) for turn in range(story.random.randint(1, 3))]


def talked(engine: Any, question: str, mode: str) -> Any:
    """Talks to a chat engine in one of the ways."""

    async def ask() -> None:
        if mode == "async":
            await engine.achat(question)
        else:
            async for _ in (await engine.astream_chat(question)).async_response_gen():
                pass

    if mode.startswith("a"):
        return ask()
    return engine.chat(question) if mode == "sync" else list(engine.stream_chat(question).response_gen)


def synthesizer(story: Story, mode: str) -> list[Turn]:
    """A synthesizer alone, with nodes that the app brings."""
    story.blocks.append("synthesizer")
    nodes = [NodeWithScore(node=TextNode(text=story.page("nodes of a synthesizer"))) for _ in range(2)]
    story.invent("answer of a synthesizer")
    story.replies.append(story.answer())
    made = get_response_synthesizer(llm=Scripted(story=story, chats=story.chance(0.5)))
    if mode.startswith("a"):
        return [lambda: made.asynthesize(story.question, nodes=nodes)]
    return [lambda: made.synthesize(story.question, nodes=nodes)]
