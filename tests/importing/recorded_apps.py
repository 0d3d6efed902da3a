"""Small real apps, whose runs the real tracers of other tools record; each is asked `QUESTION`."""

from __future__ import annotations

import asyncio
from typing import Any

QUESTION = "When did the harbour open?"
TEXTS = ("The museum harbour opened in 1968.", "Some boats can be visited on Sundays.")
ANSWER = "The museum harbour opened in 1986, and boats can be visited."


def documents():
    from langchain_core.documents import Document

    return [Document(text, id=f"doc-{i}", metadata={"source": f"{i}.md", "page": i}) for i, text in enumerate(TEXTS, 1)]


def chain():
    """Retrieval, a function that joins the texts, a prompt, a model and a parser."""
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnablePassthrough

    class Shelf(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Any]:
            return documents()

    def joined(found: list[Any]) -> str:
        return "\n\n".join(each.page_content for each in found)

    prompt = ChatPromptTemplate.from_messages(
        [("system", "Answer from these texts:\n{context}"), ("user", "{question}")]
    )
    model = FakeListChatModel(responses=[ANSWER])
    return {"context": Shelf() | joined, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()


def agent():
    """An agent that calls one tool."""
    from langchain.agents import create_agent
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool

    @tool
    def search(q: str) -> str:
        """Looks it up."""
        return TEXTS[0]

    class Model(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            return self

    call = {"name": "search", "args": {"q": "harbour"}, "id": "call_1"}
    turns = iter([AIMessage("", tool_calls=[call]), AIMessage("It opened in 1986.")])
    return create_agent(Model(messages=turns), [search])


def invoke(app: Any, given: Any, config: Any, way: str = "invoke") -> None:
    """Runs an app of LangChain to its end."""
    if way == "invoke":
        app.invoke(given, config)
    elif way == "stream":
        list(app.stream(given, config))
    elif way == "ainvoke":
        asyncio.run(app.ainvoke(given, config))
    else:

        async def consume() -> None:
            async for _ in app.astream(given, config):
                pass

        asyncio.run(consume())


def paths(graph: Any) -> set[tuple[str, str, str]]:
    """What the answer rests on: kind, origin and text of each source upstream of it."""
    assert graph.answer is not None
    sources = [node for node in graph.leaves(graph.answer.id) if node.kind in {"document", "tool_result"}]
    return {(node.kind, str(node.origin), node.text) for node in sources}
