"""LlamaIndex query engine that answers wrongly: which stage lost the fact, and which passage does the answer rest on?

Simulated here: the LLM, which repeats what its prompt says of the opening, or makes a year up. The node postprocessor
cuts every passage to a few words. In your app replace LLM by `Settings.llm` and give `trail` a judge with a model.

    pip install "trail-callbacks[llama-index]"
    python cookbook/diagnose_llama_index.py
"""

from typing import Any

from llama_index.core import Settings, SummaryIndex
from llama_index.core.llms import CompletionResponse, CompletionResponseGen, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index_trail import replay, trail

from trail_callbacks import VerifyOptions
from trail_callbacks.diagnosis import ablate

PAGES = [
    TextNode(
        text="The Alder library stands on the market square. The Alder library opened in May 1962.", id_="history"
    ),
    TextNode(text="The Alder library is closed on Mondays.", id_="hours"),
]


class Recorded(CustomLLM):
    """Stands in for a model that answers from its prompt, and from nothing if it has to."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        closed = "The Alder library is closed on Mondays." if "closed on Mondays" in prompt else ""
        year = "1962" if "1962" in prompt else "1971"
        return CompletionResponse(text=f"The Alder library opened in May {year}. {closed}".strip())

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponseGen:
        yield self.complete(prompt)


class Short(BaseNodePostprocessor):
    """Cuts every passage, as a packer with too small a budget does."""

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: Any = None) -> list[NodeWithScore]:
        cut = {each.node.node_id: " ".join(each.node.get_content().split()[:10]) for each in nodes}
        return [NodeWithScore(node=TextNode(text=text, id_=id_)) for id_, text in cut.items()]


def main() -> None:
    Settings.tokenizer = str.split
    engine = SummaryIndex(PAGES).as_query_engine(llm=Recorded(), node_postprocessors=[Short()])
    with trail(options=VerifyOptions(diagnose=True)) as t:
        engine.query("When did the Alder library open, and when is it closed?")
    print(t.report.diagnosis, end="\n\n")

    found = ablate(t.trace, replay(Recorded()))
    for claim in found.claims:
        passages = [t.report.graph.node(id_).text for group in found.causes[claim.id] for id_ in group]
        print(f"{claim.quote!r} rests on {passages or 'no passage'}")


if __name__ == "__main__":
    main()
