"""For `trail doctor`: a small real chain with a scripted model."""

from __future__ import annotations

from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnablePassthrough

from langchain_trail.handler import trail
from trail_callbacks.judges.judge import Judge
from trail_callbacks.report import Report


def selfcheck(question: str, source: str, answer: str, judge: Judge) -> Report:
    """Reads the source, asks a model that gives the answer, and verifies it.

    Raises:
        Exception: The first error that capture kept, if it kept any.
    """
    prompt = ChatPromptTemplate.from_template("Context: {context}\n\nQuestion: {question}")
    chain: Runnable[str, str] = (
        {"context": lambda _: [Document(page_content=source)], "question": RunnablePassthrough()}
        | prompt
        | FakeListChatModel(responses=[answer])
        | StrOutputParser()
    )
    with trail(judge, "never") as recording:
        chain.invoke(question)
    report = recording.report
    if recording.errors:
        raise recording.errors[0]
    return report
