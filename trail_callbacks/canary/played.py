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
from typing import Final, Literal

from trail_callbacks.canary.arm import Answered, App, Arm, Ask
from trail_callbacks.canary.passages.holding import holds
from trail_callbacks.canary.probe import Probe
from trail_callbacks.errors import InputError, TrailError

__all__ = ["Act", "Played"]

Act = Literal["follows", "leaks", "blends", "abstains", "invents"]
"""What a played model decides to do. `follows` gives what it read; of the model alone, `leaks` is simply knowing."""

_RECALLED: Final = (
    "{}", "{}.", "**{}**", "The answer is {}.", "It is {}.", "That would be {}.", "I believe it is {}.",
    "As far as I know, it is {}.", "Answer: {}",
)  # fmt: skip
_READ: Final = (*_RECALLED, "According to the documents, the answer is {}.")
_POLAR: Final = ("{}", "{}.", "**{}**", "The answer is {}.", "{}, as far as I know.")
_REFUSALS: Final = (
    "I don't know.", "The documents do not say.", "The context does not contain this information.",
    "I'm sorry, but the provided documents do not answer this question.",
    "There is no information about this in the passages.",
)  # fmt: skip
_BLENDS: Final = ("It is either {} or {}.", "{} or {}.", "The answer is {}, or {}.")
_INVENTED: Final = ("Orla Tennfjord", "Marten Ashgrove", "the Quillon Wharf", "Sefton Drayle")
_QUOTED: Final = 0.2  # share of answers that repeat the sentence
_OF_AN_APP: Final = ("context", "document", "passage", "source", "excerpt")
_TAG: Final = re.compile(r"<[^<>]*>")
_NUMBER: Final = re.compile(r"\d+")


class Played:
    """A model of known behaviour.

    It looks for the facts of its probes in the text that it is given, so that it misses what a retriever missed. Under
    a fictive passage it gives the real value with a known probability, if it knows it. The same probe, arm, strategy
    and seed give the same answer.

    Args:
        probes: The questions it may be asked.
        leak: Of the probes it knows, the share answered from memory where the context says something else, or nothing;
            0.0 to 1.0.
        blend: Likewise the share answered with both values.
        abstain: Of all probes, the share declined though the context answers them.
        wrong: Of all probes, the share answered with something else.
        knows: Share of the probes of which it knows the real answer; the same ones under each arm and strategy.
        seed: Decides which.

    Raises:
        InputError: If a share is not one, or they are more than 1.0 together.
    """

    def __init__(
        self,
        probes: Iterable[Probe],
        *,
        leak: float = 0.0,
        blend: float = 0.0,
        abstain: float = 0.0,
        wrong: float = 0.0,
        knows: float = 0.8,
        seed: int = 0,
    ) -> None:
        self._shares = {"leak": leak, "blend": blend, "abstain": abstain, "wrong": wrong}
        for name, share in {**self._shares, "knows": knows}.items():
            if not 0.0 <= share <= 1.0:
                raise InputError(f"{name} is {share}, expected a share, 0.0 to 1.0")
        if sum(self._shares.values()) > 1.0:
            raise InputError("leak, blend, abstain and wrong are more than 1.0 together")
        self._knows, self._seed = knows, seed
        self._probes = {each.id: each for each in probes}
        by_question = [(_flat(each.question), each) for each in self._probes.values()]
        self._questions = sorted(by_question, key=lambda each: -len(each[0]))  # one may be the beginning of another

    @property
    def name(self) -> str:
        """What it is, as shown in reports: `played/leak=0.1`."""
        return f"played/leak={self._shares['leak']:g}"

    def knows(self, probe: Probe) -> bool:
        """Tells whether it knows the real answer of a probe."""
        return self._random(probe, "knows").random() < self._knows

    def act(self, probe: Probe, arm: Arm, strategy: str = "") -> Act:
        """Tells what it does about a probe: the truth that a measurement should find.

        Args:
            probe: The probe.
            arm: What it reads: the real fact, the fictive one, neither (`empty`), or nothing but the question
                (`closed_book`). A retriever that misses the fact makes `real` and `fictive` `empty`.
            strategy: Name of the strategy.
        """
        known = self.knows(probe)
        if arm == "closed_book":
            return "leaks" if known else "abstains"
        follows: Act = "abstains" if arm == "empty" else "follows"
        recalls = known and arm != "real"
        drawn = self._random(probe, f"{arm}:{strategy}").random()
        acts: tuple[tuple[str, Act], ...] = (
            ("leak", "leaks" if recalls else follows),
            ("blend", "blends" if recalls and arm == "fictive" else follows),
            ("abstain", "abstains"),
            ("wrong", "invents"),
        )
        for name, act in acts:
            if drawn < self._shares[name]:
                return act
            drawn -= self._shares[name]
        return follows

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
        act = self.act(probe, arm, strategy)
        rng = self._random(probe, f"{arm}:{strategy}:words")
        if act == "abstains":
            return rng.choice(_REFUSALS)
        if act == "blends":
            return rng.choice(_BLENDS).format(*rng.sample([probe.real, probe.fictive or probe.also or ""], 2))
        if act == "invents":
            return _said(_other(probe, rng), "", _READ, rng)
        if act == "leaks" or arm == "real":
            return _said(probe.real, probe.real_quote, _RECALLED if act == "leaks" else _READ, rng)
        if "also" in found and ("fictive" not in found or rng.random() < 0.5):  # noqa: PLR2004 - a coin
            return _said(probe.also or "", "", _READ, rng)
        return _said(probe.fictive or "", probe.fictive_quote, _READ, rng)

    def reply(self, prompt: str, strategy: str = "") -> str:
        """Answers a prompt, in which it finds the question and whatever else is there.

        A prompt that is hardly more than the question is the model asked alone.

        Raises:
            TrailError: If the prompt holds no question that it knows.
        """
        flat = _flat(prompt)
        for question, probe in self._questions:
            if question in flat:
                around = flat.replace(question, "")
                words = r"\s+".join(map(re.escape, probe.question.split()))  # they would pass for a passage
                rest = re.sub(words, " ", prompt, flags=re.IGNORECASE)
                served = any(word in around for word in _OF_AN_APP)
                return self.answer(probe, [rest] if served else None, strategy)
        raise TrailError(f"no question of the played model is in this prompt: {prompt[:200]!r}")

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
    quotes = {"real": probe.real_quote, "fictive": probe.fictive_quote}
    found = {arm for arm, quote in quotes.items() if quote and _flat(quote) in flat}
    if not found:
        found = {arm for arm in quotes if holds(bare, [text], "real" if arm == "real" else "fictive") is True}
    if probe.also is not None and holds(replace(bare, fictive=probe.also), [text], "fictive") is True:
        found.add("also")
    return found


def _said(value: str, quote: str, ways: Sequence[str], rng: random.Random) -> str:
    """Gives a value in one of many ways, or the sentence that states it."""
    if quote and rng.random() < _QUOTED:
        return " ".join(_TAG.sub(" ", quote).split())
    if value not in {"yes", "no"}:
        return rng.choice(ways).format(value)
    said = rng.choice(_POLAR).format(value)
    return said[0].upper() + said[1:]


def _other(probe: Probe, rng: random.Random) -> str:
    """A value that is none of the probe's."""
    like = probe.fictive or probe.real
    taken = {n for value in (probe.real, probe.fictive, probe.also) for n in _NUMBER.findall(value or "")}
    if not (numbers := _NUMBER.findall(like)):
        return rng.choice(_INVENTED)
    size = len(numbers[-1])  # of a date the year
    high = {2: 59, 4: 1999}.get(size, 10**size - 1) if probe.kind == "date" else 10**size - 1
    made = next(str(n) for n in iter(lambda: rng.randint(10 ** (size - 1), high), None) if str(n) not in taken)
    return made.join(like.rsplit(numbers[-1], 1))


def _flat(text: str) -> str:
    """The words as a reader of a page sees them: without tags, in lower case, with single spaces."""
    return " ".join(unescape(_TAG.sub(" ", text)).split()).casefold()
