"""Building blocks of generated apps of LangChain: each adds one text to the state of an app."""

from __future__ import annotations

from collections.abc import Callable

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.tools import tool
from langchain_model import Scripted, Shelf, call
from story import Story

Work = Callable[[dict[str, str]], str]
"""A building block at work: reads the texts of the app's state, and returns one more."""


def seen(state: dict[str, str]) -> str:
    """What a prompt shows of the state."""
    return "\n\n".join(text for text in state.values() if isinstance(text, str))


def ask(story: Story, style: str, state: dict[str, str], task: str) -> str:
    """Asks the model in one of the styles of prompts; returns its reply."""
    model = Scripted(story=story)
    texts = {name: text for name, text in state.items() if isinstance(text, str)}
    if style == "template":
        words = "\n".join(f"{name}: {{{name}}}" for name in texts)
        return (ChatPromptTemplate.from_messages([("system", task), ("user", words)]) | model).invoke(texts).text
    if style == "messages":
        return model.invoke([SystemMessage(f"{task}\n{seen(texts)}"), HumanMessage(story.question)]).text
    return model.invoke(f"{task}\n{seen(texts)}\nQuestion: {story.question}").text


def retriever(story: Story) -> Work:
    shelf = Shelf(pages=[story.page("retriever") for _ in range(story.random.randint(1, 3))])
    return lambda state: "\n\n".join(each.page_content for each in shelf.invoke(story.question))


def function(story: Story) -> Work:
    page = story.page("function")
    return lambda state: page


def tool_of_facts(story: Story) -> Work:
    page = story.page("tool")

    @tool
    def look_up(about: str) -> str:
        """Looks something up."""
        return page

    return lambda state: look_up.invoke({"about": story.question})


def draft(story: Story) -> Work:
    style = story.random.choice(STYLES)
    story.replies.append(story.draft("draft"))
    return lambda state: ask(story, style, state, "Write a first draft.")


def echo_tool(story: Story) -> Work:
    style = story.random.choice(STYLES)
    story.replies.append(story.draft("echo tool"))

    @tool
    def record(text: str) -> str:
        """Records a note."""
        return f"Notes recorded: {text}"

    return lambda state: record.invoke({"text": ask(story, style, state, "Write a note.")})


def notebook(story: Story) -> Work:
    style = story.random.choice(STYLES)
    story.replies.append(story.draft("notes"))
    kept: list[str] = []

    @tool
    def write(text: str) -> str:
        """Keeps a note."""
        kept.append(text)
        return "ok"

    @tool
    def read(about: str) -> str:
        """Reads all notes."""
        return "\n".join(f"- {each}" for each in kept)

    def work(state: dict[str, str]) -> str:
        write.invoke({"text": ask(story, style, state, "Write a note.")})
        return read.invoke({"about": "all"})

    return work


def mapped(story: Story) -> Work:
    pages = [story.page("map") for _ in range(story.random.randint(2, 4))]
    for page in pages:
        story.replies.append(f"{page} {story.invent('map')}")
    chain = ChatPromptTemplate.from_template("Take notes of this: {page}") | Scripted(story=story)

    def work(state: dict[str, str]) -> str:
        replies = chain.batch([{"page": page} for page in pages], {"max_concurrency": 1})
        return "\n".join(reply.text for reply in replies)

    return work


def refined(story: Story) -> Work:
    pages = [story.page("refine") for _ in range(story.random.randint(2, 3))]
    written = ""
    for page in pages:
        written = f"{written} {page} {story.invent('refine')}".strip()
        story.replies.append(written)
    prompt = "Existing answer: {existing}\nRefine it with this: {page}"
    chain = ChatPromptTemplate.from_template(prompt) | Scripted(story=story)

    def work(state: dict[str, str]) -> str:
        existing = "none"
        for page in pages:
            existing = chain.invoke({"existing": existing, "page": page}).text
        return existing

    return work


def rewritten(story: Story) -> Work:
    style = story.random.choice(STYLES)
    story.replies.append(story.draft("query"))
    shelf = Shelf(pages=[story.page("retriever after a rewritten query")])

    def work(state: dict[str, str]) -> str:
        query = ask(story, style, state, "Write a query.")
        return f"Results for {query}\n" + "\n".join(each.page_content for each in shelf.invoke(query))

    return work


def sub_agent(story: Story) -> Work:
    page = story.page("tool of a sub-agent")
    story.replies.append(call("look_up", about=story.question))
    story.replies.append(story.draft("sub-agent"))

    @tool
    def look_up(about: str) -> str:
        """Looks something up."""
        return page

    agent = create_agent(Scripted(story=story), [look_up])
    return lambda state: agent.invoke({"messages": [("user", story.question)]})["messages"][-1].text


def summary(story: Story) -> Work:
    said = story.know("history of the user's")
    story.replies.append(f"{said} {story.draft('summary')}")
    chain = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("user", "Sum it up.")]) | Scripted(
        story=story
    )
    history = [HumanMessage(said), AIMessage(story.invent("history of messages"))]
    return lambda state: chain.invoke({"history": history}).text


STYLES = ("template", "messages", "text")
BLOCKS = (
    retriever,
    function,
    tool_of_facts,
    draft,
    echo_tool,
    notebook,
    mapped,
    refined,
    rewritten,
    sub_agent,
    summary,
)
KEYS = ("kb", "context", "trail", "last_answer", "findings", "memo", "scratchpad", "material")
