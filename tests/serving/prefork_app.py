"""An app of LangChain as servers load it: its handler is made once, before workers are forked."""

import json
import os

from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from langchain_trail import TrailCallbackHandler

HANDLER = TrailCallbackHandler(evaluate=os.environ.get("TRAIL_EVALUATE", "background"))


class Shelf(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(f"Ferry {query} costs 5 euros.", id=query)]


def answered(number):
    """Answers one request, wrongly, and returns what its report says."""
    model = GenericFakeChatModel(messages=iter([AIMessage(f"Ferry {number} costs 6 euros.")]))
    prompt = ChatPromptTemplate.from_template("{context}\n\nWhat does ferry {question} cost?")
    context = Shelf() | (lambda found: "\n".join(each.page_content for each in found))
    chain = {"context": context, "question": RunnablePassthrough()} | prompt | model
    said = chain.invoke(str(number), config={"callbacks": [HANDLER]})
    report = HANDLER.report(timeout=60)
    return {
        "pid": os.getpid(),
        "answer": said.content,
        "claim": report.claims[0].text,
        "score": report.hallucination_score,
    }


answered(0)  # in the parent: its worker runs, its locks have been used


def application(environ, start_response):
    """The same behind WSGI; `report()` is of the latest run, so a worker takes one request at a time."""
    body = json.dumps(answered(environ["PATH_INFO"].strip("/"))).encode()
    start_response("200 OK", [("Content-Type", "application/json")])
    return [body]
