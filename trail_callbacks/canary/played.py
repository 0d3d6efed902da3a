"""Played models: they read what they are given, and answer from memory as often as they are told to.

A tool that measures how often an app answers from memory has to be measured itself, on models of which the truth is
known.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from html import unescape
from typing import Final

from trail_callbacks.canary.passages.holding import holds
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Answered, App, Arm, Ask
from trail_callbacks.errors import InputError

_SAID: Final = ("{}", "{}.", "**{}**", "The answer is {}.", "It is {}.", "{}, as far as I know.", "Answer: {}")
_REFUSALS: Final = (
    "I don't know.", "The documents do not say.", "The context does not contain this information.",
    "I'm sorry, but the provided documents do not answer this question.",
)  # fmt: skip
_QUOTED: Final = 0.2  # share of answers that repeat the sentence
_TAG: Final = re.compile(r"<[^<>]*>")


class Played:
    """A model of known behaviour.

    It looks for the facts of its probes in the text that it is given, so that it misses what a retriever missed. Under
    a fictive passage it gives the real value with a known probability, if it knows it. The same probe, arm, strategy
    and seed give the same answer.

    Args:
        probes: The questions it may be asked.
        leak: Of the probes it knows, the share answered from memory where the context says something else, or nothing;
            0.0 to 1.0.
        knows: Share of the probes of which it knows the real answer; the same ones under each arm and strategy.
        seed: Decides which.

    Raises:
        InputError: If a share is not one.
    """

    def __init__(self, probes: Iterable[Probe], *, leak: float = 0.0, knows: float = 0.8, seed: int = 0) -> None:
        for name, share in {"leak": leak, "knows": knows}.items():
            if not 0.0 <= share <= 1.0:
                raise InputError(f"{name} is {share}, expected a share, 0.0 to 1.0")
        self._leak, self._knows, self._seed = leak, knows, seed
        self._probes = {each.id: each for each in probes}

    def knows(self, probe: Probe) -> bool:
        """Tells whether it knows the real answer of a probe."""
        return self._random(probe, "knows").random() < self._knows

    def answer(self, probe: Probe, passages: Sequence[str] | None, strategy: str = "") -> str:
        """Answers from passages, or from memory.

        Args:
            probe: What is asked.
            passages: What it reads; None if it is asked alone, without an app.
            strategy: Name of the strategy.
        """
        found = _stated(probe, "\n".join(passages or ()))
        arm: Arm = "fictive" if found - {"real"} else "real" if found else "empty"
        arm = "closed_book" if passages is None else arm
        rng = self._random(probe, f"{arm}:{strategy}")
        leaks = rng.random() < self._leak if arm != "closed_book" else True
        if arm == "real" or (leaks and self.knows(probe)):
            return _said(probe.real, probe.real_quote, rng)
        if not found:
            return rng.choice(_REFUSALS)
        if "also" in found and ("fictive" not in found or rng.choice((True, False))):
            return _said(probe.also or "", "", rng)
        return _said(probe.fictive or "", probe.fictive_quote, rng)

    def app(self, retrieve: Callable[[Ask], Sequence[str]]) -> App:
        """Makes an app without a framework.

        Args:
            retrieve: Returns the passages for a question under an arm and a strategy. It is not called closed book.
        """

        def answer(ask: Ask) -> Answered:
            passages = None if ask.arm == "closed_book" else tuple(retrieve(ask))
            return Answered(text=self.answer(self._probes[ask.probe], passages, ask.strategy.name), passages=passages)

        return answer

    def _random(self, probe: Probe, what: str) -> random.Random:
        return random.Random(f"{self._seed}:{probe.id}:{what}")  # noqa: S311 - plays a model


def _stated(probe: Probe, text: str) -> set[str]:
    """Which values a text states: in their sentences, or, where a chunker has cut those up, among their words."""
    flat = _flat(text)
    bare = replace(probe, also=None, real_forms=(), fictive_forms=())  # the number alone is soon found anywhere
    quotes: dict[Arm, str] = {"real": probe.real_quote, "fictive": probe.fictive_quote}
    found: set[str] = {arm for arm, quote in quotes.items() if quote and _flat(quote) in flat}
    found = found or {arm for arm in quotes if holds(bare, [text], arm) is True}
    if probe.also is not None and holds(replace(bare, fictive=probe.also), [text], "fictive") is True:
        found.add("also")
    return found


def _said(value: str, quote: str, rng: random.Random) -> str:
    """Gives a value in one of several ways, or the sentence that states it."""
    if quote and rng.random() < _QUOTED:
        return " ".join(_TAG.sub(" ", quote).split())
    said = rng.choice(_SAID).format(value)
    return said[0].upper() + said[1:] if value in {"yes", "no"} else said


def _flat(text: str) -> str:
    """The words as a reader of a page sees them: without tags, in lower case, with single spaces."""
    return " ".join(unescape(_TAG.sub(" ", text)).split()).casefold()
