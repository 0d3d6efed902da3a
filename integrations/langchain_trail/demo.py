"""Two real apps for `trail demo`: a map-reduce chain, and a LangGraph agent that looks things up with tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, convert_to_openai_messages
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from langchain_core.tools import BaseTool, tool
from langchain_core.utils.function_calling import convert_to_openai_tool

from langchain_trail.handler import trail
from trail_callbacks.demo.chat import RecordedChat
from trail_callbacks.demo.documents import documents, paragraphs, search
from trail_callbacks.errors import MissingExtraError
from trail_callbacks.judges.judge import Judge
from trail_callbacks.report import Report


class ChatModel(BaseChatModel):
    """The demo's chat as a LangChain chat model."""

    chat: Any  # a RecordedChat; pydantic cannot check protocols

    @property
    def _llm_type(self) -> str:
        return "trail-demo"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        turn = self.chat.reply(convert_to_openai_messages(messages), kwargs.get("tools", ()))
        calls = [ToolCall(id=call.id, name=call.name, args=call.arguments) for call in turn.calls]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(turn.text, tool_calls=calls))])

    def bind_tools(
        self, tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool], **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Binds tools in the format of OpenAI."""
        return self.bind(tools=[convert_to_openai_tool(each) for each in tools], **kwargs)


class _AllDocuments(BaseRetriever):
    """Returns every document of the demo."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [Document(page_content=each.text, id=each.name, metadata={"source": each.name}) for each in documents()]


def _spread(found: dict[str, Any]) -> list[dict[str, str]]:
    return [{"question": found["question"], "document": each.page_content} for each in found["documents"]]


def map_reduce(chat: RecordedChat, question: str, judge: Judge) -> Report:
    """Summarises each document on its own and combines the summaries."""
    model = ChatModel(chat=chat)
    summarise = (
        ChatPromptTemplate.from_template(
            "Summarise the document in a few sentences, as far as it helps to answer the question.\n\n"
            "Question: {question}\n\nDocument:\n{document}"
        )
        | model.with_config(run_name="summarise")
        | StrOutputParser()
    )
    combine = (
        ChatPromptTemplate.from_template(
            "Combine the summaries into one short answer to the question.\n\n"
            "Question: {question}\n\nSummaries:\n{summaries}"
        )
        | model.with_config(run_name="combine")
        | StrOutputParser()
    )
    spread: Runnable[dict[str, Any], list[dict[str, str]]] = RunnableLambda(_spread)
    gather = {
        "question": lambda found: found["question"],
        "summaries": spread | summarise.map() | "\n\n".join,
    }
    find = {"question": RunnablePassthrough(), "documents": _AllDocuments(name="retriever")}
    chain: Runnable[str, str] = find | RunnableLambda(lambda found: found) | gather | combine
    with trail(judge, "never") as recording:
        chain.invoke(question, {"max_concurrency": 1})  # in order, so that every run of the demo is the same
    return recording.report


@tool
def look_up_boat(name: str) -> str:
    """Says what the documents hold about a boat, its row of the fleet table included.

    Args:
        name: The boat's name, for example "Nightjar".
    """
    rows = [row for part in paragraphs() for row in part.text.splitlines() if row.startswith("|")]
    found = [rows[0], *(row for row in rows if name.lower() in row.lower())] if rows else []
    found += [part.text for part in paragraphs() if name.lower() in part.text.lower() and "|" not in part.text]
    return "\n".join(found) if len(found) > 1 else f"No document mentions a boat named {name}."


@tool
def search_documents(query: str) -> str:
    """Finds passages in the documents of the museum harbour.

    Args:
        query: What to look for, in plain words.
    """
    return "\n\n".join(search(query)) or "Nothing was found."


def agent(chat: RecordedChat, question: str, judge: Judge) -> Report:
    """Lets a model call tools until it answers."""
    try:
        from langgraph.graph import START, MessagesState, StateGraph  # noqa: PLC0415 - optional beside langchain-core
        from langgraph.prebuilt import ToolNode, tools_condition  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        raise MissingExtraError("the LangGraph app of trail demo", "demo") from error
    tools = [look_up_boat, search_documents]
    model = ChatModel(chat=chat).bind_tools(tools)
    graph = StateGraph(MessagesState)
    graph.add_node("think", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", tools_condition)
    graph.add_edge("tools", "think")
    with trail(judge, "never") as recording:
        graph.compile().invoke({"messages": [HumanMessage(question)]})
    return recording.report
