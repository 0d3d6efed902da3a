"""The app of `trail canary demo` where no framework is installed: a retriever and a prompt in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from math import log

from trail_callbacks.canary import Answered, Ask, Twin
from trail_callbacks.demo.build import PASSAGES, PROMPT, Build
from trail_callbacks.language.terms import keys

__all__ = ["PlainApp", "Shelf"]


class PlainApp:
    """Answers from the best chunks of the corpus or of its twin.

    Args:
        twin: The corpus and its twin.
        builds: The strategies.
        verify: Ignored: what is not recorded by an adapter has no graph.
    """

    def __init__(self, twin: Twin, builds: Sequence[Build], *, verify: Collection[str] = ()) -> None:  # noqa: ARG002 - as above
        self._builds = {build.strategy.name: build for build in builds}
        self._shelves: dict[tuple[str, str], Shelf] = {}
        for name, build in self._builds.items():
            for arm, corpus in (("real", twin.real), ("fictive", twin.fictive)):
                self._shelves[name, arm] = Shelf([chunk for each in corpus for chunk in build.cut(each.text)])

    def __call__(self, ask: Ask) -> Answered:
        """Answers a question."""
        build, shelf = self._builds[ask.strategy.name], self._shelves.get((ask.strategy.name, ask.arm))
        passages = shelf.find(ask.question, PASSAGES) if shelf else []
        prompt = ask.question
        if ask.arm != "closed_book":
            prompt = PROMPT.format(context="\n\n".join(passages), question=ask.question)
        return Answered(text=build.chat.reply([{"role": "user", "content": prompt}]).text, passages=passages)


class Shelf:
    """Passages that are found by the words which they share with a question; rare ones count more.

    Args:
        passages: The passages.
    """

    def __init__(self, passages: Sequence[str]) -> None:
        self._passages = [(passage, frozenset(keys(passage))) for passage in passages]
        self._common = Counter(key for _, found in self._passages for key in found)

    def find(self, question: str, most: int) -> list[str]:
        """Returns the best passages, the best one first; none without a common word."""
        asked = {key: log(1 + len(self._passages) / self._common[key]) for key in keys(question) if self._common[key]}
        scores = [(sum(asked[key] for key in asked.keys() & found), passage) for passage, found in self._passages]
        best = sorted((each for each in scores if each[0]), key=lambda each: -each[0])
        return [passage for _, passage in best[:most]]
