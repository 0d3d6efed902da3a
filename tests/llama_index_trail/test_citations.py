"""Citations of LlamaIndex's own `CitationQueryEngine`, which splits and numbers its sources itself."""

import pytest

pytest.importorskip("llama_index.core")
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.query_engine import CitationQueryEngine
from llama_index_trail import trail

DOGS = "Dogs ride for free on the upper deck."
FERRY = "The ferry takes 40 minutes to Halden."
LONG = f"{FERRY} " + "It leaves from the north pier every day of the week. " * 12 + "Tickets cost 12 euros each way."


class Model(CustomLLM):
    answer: str = ""

    @property
    def metadata(self):
        return LLMMetadata()

    @llm_completion_callback()
    def complete(self, prompt, formatted=False, **kwargs):
        text = prompt[prompt.rindex("------\nSource 1") :] if "------\nSource 1" in prompt else prompt
        ferry = text[: text.index(FERRY)].count("Source ")  # the number under which the prompt shows it
        return CompletionResponse(text=f"{FERRY[:-1]} [{ferry}]. Dogs ride for free on the upper deck [{ferry}].")

    @llm_completion_callback()
    def stream_complete(self, prompt, formatted=False, **kwargs):
        yield self.complete(prompt)


def test_its_numbers_are_those_of_its_prompt():
    index = VectorStoreIndex.from_documents(
        [Document(text=LONG), Document(text=DOGS)], embed_model=MockEmbedding(embed_dim=4)
    )
    engine = CitationQueryEngine.from_args(index, llm=Model(), citation_chunk_size=64, citation_chunk_overlap=0)
    with trail() as t:
        engine.query("How long does it take?")
    first, second = t.report.claims
    assert [citation.status for citation in first.citations] == ["supported"]
    assert [citation.status for citation in second.citations] == ["undecided"]
    assert t.report.graph.node(first.citations[0].sources[0]).text.startswith("The ferry")
