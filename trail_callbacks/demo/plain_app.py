"""The app of `trail canary demo` where no framework is installed: a retriever and a prompt in plain Python."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trail_callbacks.canary import Answered, Arm, Ask, Corpus, Twin
from trail_callbacks.canary.serving.keywords import Keywords
from trail_callbacks.demo.build import PASSAGES, PROMPT, Build

__all__ = ["PlainApp"]


class PlainApp:
    """Answers from the best chunks of the corpus or of its twin.

    Args:
        twin: The corpus and its twin.
        builds: The strategies.
        verify: Ignored: what is not recorded by an adapter has no graph.
    """

    def __init__(self, twin: Twin, builds: Sequence[Build], *, verify: Collection[str] = ()) -> None:  # noqa: ARG002 - as above
        self._builds = {build.strategy.name: build for build in builds}
        self._shelves: dict[tuple[str, Arm], _Shelf] = {}
        for name, build in self._builds.items():
            self._shelves[name, "real"] = _Shelf(twin.real, build)
            self._shelves[name, "fictive"] = _Shelf(twin.fictive, build)

    def __call__(self, ask: Ask) -> Answered:
        """Answers a question."""
        build, shelf = self._builds[ask.strategy.name], self._shelves.get((ask.strategy.name, ask.arm))
        passages = shelf.find(ask.question) if shelf else []
        prompt = ask.question
        if ask.arm != "closed_book":
            prompt = PROMPT.format(context="\n\n".join(passages), question=ask.question)
        return Answered(text=build.chat.reply([{"role": "user", "content": prompt}]).text, passages=passages)


class _Shelf:
    """Chunks that are found by keywords."""

    def __init__(self, corpus: Corpus, build: Build) -> None:
        self._chunks = [chunk for document in corpus for chunk in build.cut(document.text)]
        self._index = Keywords(self._chunks)

    def find(self, question: str) -> list[str]:
        """Returns the best chunks, the best one first."""
        return [self._chunks[number] for number, _ in self._index.search(question, PASSAGES)]
