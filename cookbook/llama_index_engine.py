"""LlamaIndex query engine: every response has a summary of its report in `response.metadata["trail"]`.

Simulated here: the model (a recorded answer with a wrong number) and the embedding (shared words). In your app replace
Recorded by your model and Words by your embedding; the one line to add is `instrument()`.

    pip install "trail-callbacks[llama-index]"
    python cookbook/llama_index_engine.py
"""

from typing import Any
from zlib import crc32

from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import CompletionResponse, MockLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.schema import TextNode
from llama_index_trail import instrument

PAGES = {
    "ferry.md": "The ferry to Fern Island carries 120 passengers and leaves every hour from April to October.",
    "island.md": "Fern Island has two beaches and a lighthouse. Cars are not allowed on the island.",
    "market.md": "The market in town is open on Saturdays.",
}


class Recorded(MockLLM):
    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        reply = "The ferry to Fern Island carries 210 passengers. Cars are not allowed on the island."
        return CompletionResponse(text=reply)


class Words(BaseEmbedding):
    def _get_text_embedding(self, text: str) -> list[float]:
        present = {crc32(word.strip(".,?").encode()) % 256 for word in text.lower().split()}
        return [float(n in present) for n in range(256)]

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


def main() -> None:
    instrument()  # judge="openai/gpt-5-mini" uses a model instead of the offline judge
    nodes = [TextNode(text=text, id_=name, metadata={"file_name": name}) for name, text in PAGES.items()]
    engine = VectorStoreIndex(nodes, embed_model=Words()).as_query_engine(Recorded(), similarity_top_k=2)
    response = engine.query("How many passengers does the ferry to Fern Island carry, and may I take my car?")

    trail = response.metadata["trail"]
    print(response)
    print(f"score {trail['hallucination_score']}, {trail['class_counts']}")
    for claim in trail["unsupported"]:
        print(f"{claim['support']} ({claim['error_type']}): {claim['quote']}\n  the source: {claim['evidence'][0]}")


if __name__ == "__main__":
    main()
