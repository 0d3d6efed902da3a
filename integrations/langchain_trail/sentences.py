"""A streamed answer that is released sentence by sentence, each once it is judged."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessageChunk

from langchain_trail.chunks import added, as_chunk
from langchain_trail.unjudged import judged_only
from trail_callbacks.errors import InputError
from trail_callbacks.text import sentences

__all__ = ["SentenceStream"]


class SentenceStream:
    """The chunks of one stream so far.

    Attributes:
        text: Their text.
        released: How much of it is judged, in characters.
        shown: What the user has of it.
    """

    def __init__(self) -> None:
        self._chunks: list[Any] = []
        self._strict = False
        self.text = self.shown = ""
        self.released = 0

    def add(self, chunk: Any) -> None:
        """Adds a chunk.

        Raises:
            InputError: If it is neither text nor a model's message.
        """
        if not isinstance(chunk, str | AIMessageChunk):
            raise InputError(
                f"stream='sentences' releases text or messages, this app streams {type(chunk).__name__}: "
                "use stream='buffer'"
            )
        self._chunks.append(chunk)
        self.text += chunk if isinstance(chunk, str) else _text(chunk)

    @property
    def output(self) -> Any:
        """The sum of the chunks."""
        return added(self._chunks)

    def end(self) -> int:
        """Returns where the last complete sentence ends: one that another sentence follows."""
        spans = list(sentences(self.text[self.released :]))  # not those that were judged: there may be thousands
        return self.released + spans[-2].end if len(spans) > 1 else 0

    def release(self, end: int, whole: str | None = None) -> Any:
        """Returns the chunk for the text accepted now, up to an offset.

        Args:
            end: The offset.
            whole: What the user is to have of the text up to there, where not all of it is accepted.
        """
        if whole is None:
            kept = self.text.startswith(self.shown)
            whole = self.text[:end] if kept else self.shown + self.text[self.released : end]
        text, self.shown, self.released = whole[len(self.shown) :], whole, end
        return text if isinstance(self._chunks[0], str) else AIMessageChunk(content=text, id=self._chunks[0].id)

    def judged_only(self) -> SentenceStream:
        """Returns a stream that ends without what is not judged."""
        self._strict = True
        return self

    def last(self, summary: dict[str, Any]) -> list[Any]:
        """Returns the chunk for everything but the text: tool calls, costs, the summary."""
        whole = self.output
        if not isinstance(whole, AIMessageChunk):
            return []
        if self._strict:
            whole = judged_only(whole, "")
        extra = {key: value for key, value in whole.additional_kwargs.items() if key != "refusal"}  # it is in the text
        metadata = {**whole.response_metadata, **({"trail": summary} if summary else {})}
        rest = {"content": "", "additional_kwargs": extra, "response_metadata": metadata, "chunk_position": "last"}
        return [whole.model_copy(update=rest)]

    def instead(self, message: str, summary: dict[str, Any]) -> Any:
        """Returns the chunk that ends an answer which fails; sentences that passed stay."""
        text = f"\n\n{message}" if self.shown.strip() and message else message
        if isinstance(self._chunks[0], str):
            return text
        return as_chunk(AIMessageChunk(content=text, id=self._chunks[0].id, response_metadata={"trail": summary}))


def _text(chunk: AIMessageChunk) -> str:
    """The text of a chunk; a refusal is text too."""
    refused = chunk.additional_kwargs.get("refusal")
    blocks = [each.get("refusal") for each in chunk.content if isinstance(each, dict)]
    return "".join([chunk.text, *(each for each in [*blocks, refused] if isinstance(each, str))])
