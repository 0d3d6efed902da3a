"""Citations by the numbers of a prompt that real chains put together."""

import pytest

pytest.importorskip("langchain_core")
from langchain_core.documents import Document
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_trail import trail

ANSWER = "Dogs ride for free [1]. Tickets cost 12 euros [2]. The ferry takes 40 minutes [2]."


class Docs(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        texts = ["The ferry takes 40 minutes.", "Tickets cost 12 euros.", "Dogs ride for free."]
        return [Document(text, metadata={"source": f"{text.split()[0]}.md"}) for text in texts]


def reranked(docs):
    return "\n".join(f"[{i}] {doc.page_content}" for i, doc in enumerate(reversed(docs), 1))


def chain():
    prompt = ChatPromptTemplate.from_template("Answer from {context}\n\nQuestion: {question}")
    sources = Docs() | RunnableLambda(reranked)
    model = GenericFakeChatModel(messages=iter([ANSWER]))
    return {"context": sources, "question": RunnablePassthrough()} | prompt | model


def statuses(report):
    return [(citation.target, report.graph.node(citation.sources[0]).text.split()[0], citation.status)
            for claim in report.claims for citation in claim.citations]  # fmt: skip


EXPECTED = [("1", "Dogs", "supported"), ("2", "Tickets", "supported"), ("2", "Tickets", "undecided")]


@pytest.mark.parametrize("way", ["invoke", "stream", "ainvoke"])
async def test_a_number_is_what_the_prompt_showed_under_it(way):
    with trail() as t:
        if way == "invoke":
            chain().invoke("What?")
        elif way == "stream":
            list(chain().stream("What?"))
        else:
            await chain().ainvoke("What?")
    report = await t.areport()
    assert statuses(report) == EXPECTED
