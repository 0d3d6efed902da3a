"""Played models: they read what they are given, and answer from memory as often as they are told to.

A tool that measures how often an app answers from memory has to be measured itself, on models of which the truth is
known.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import Literal

from trail_callbacks.canary import played_words
from trail_callbacks.canary.arm import Answered, App, Arm, Ask
from trail_callbacks.canary.passages.holding import holds
from trail_callbacks.canary.probe import Probe
from trail_callbacks.errors import InputError, TrailError

__all__ = ["Act", "Played"]

Act = Literal["follows", "leaks", "blends", "abstains", "invents"]
"""What a played model decides to do. `follows` gives what it read; of the model alone, `leaks` is simply knowing."""

_TAG = re.compile(r"<[^<>]*>")
_BLANK = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Values:
    """Which of a probe's values a text states."""

    real: bool
    fictive: bool
    also: bool

    @property
    def arm(self) -> Arm:
        """The arm under which a model reads this."""
        return "fictive" if self.fictive or self.also else "real" if self.real else "empty"


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
        shares = {"leak": leak, "blend": blend, "abstain": abstain, "wrong": wrong, "knows": knows}
        for name, share in shares.items():
            if not 0.0 <= share <= 1.0:
                raise InputError(f"{name} is {share}, expected a share, 0.0 to 1.0")
        if leak + blend + abstain + wrong > 1.0:
            raise InputError("leak, blend, abstain and wrong are more than 1.0 together")
        self._shares, self._seed = shares, seed
        self._probes = {each.id: each for each in probes}
        self._questions = sorted(((_flat(each.question), each) for each in self._probes.values()), key=_length)

    @property
    def name(self) -> str:
        """What it is, as shown in reports: `played/leak=0.1`."""
        return f"played/leak={self._shares['leak']:g}"

    def knows(self, probe: Probe) -> bool:
        """Tells whether it knows the real answer of a probe."""
        return self._random(probe, "knows").random() < self._shares["knows"]

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
        values = _read(probe, "\n".join(passages or ()))
        arm: Arm = "closed_book" if passages is None else values.arm
        act = self.act(probe, arm, strategy)
        rng = self._random(probe, f"{arm}:{strategy}:words")
        if act == "abstains":
            return played_words.declined(rng)
        if act == "invents":
            return played_words.invented(probe, rng)
        if act == "blends":
            return played_words.blended(probe.real, probe.fictive or probe.also or "", rng)
        if act == "leaks" or arm == "real":
            return played_words.stated(probe, probe.real, probe.real_quote, rng, recalled=act == "leaks")
        if values.also and (not values.fictive or rng.random() < 0.5):  # noqa: PLR2004 - a coin
            return played_words.stated(probe, probe.also or "", "", rng, recalled=False)
        return played_words.stated(probe, probe.fictive or "", probe.fictive_quote, rng, recalled=False)

    def reply(self, prompt: str, strategy: str = "") -> str:
        """Answers a prompt, in which it finds the question and whatever else is there.

        A prompt that is hardly more than the question is the model asked alone.

        Raises:
            TrailError: If the prompt holds no question that it knows.
        """
        flat = _flat(prompt)
        for question, probe in self._questions:
            if question in flat:
                rest = _without(prompt, probe.question)
                return self.answer(probe, [rest] if _served(flat, question) else None, strategy)
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


def _read(probe: Probe, text: str) -> _Values:
    """Looks for the sentences, and where a chunker has cut them up, or tags are in them, for the values among words."""
    flat = _flat(text)
    said = _Values(
        real=_has(flat, probe.real_quote),
        fictive=_has(flat, probe.fictive_quote),
        also=probe.also is not None and _holds(replace(probe, fictive=probe.also, fictive_forms=()), text, "fictive"),
    )
    if said.real or said.fictive:
        return said
    return replace(said, real=_holds(probe, text, "real"), fictive=_holds(probe, text, "fictive"))


def _has(flat: str, quote: str) -> bool:
    return bool(quote) and _flat(quote) in flat


def _holds(probe: Probe, text: str, arm: Arm) -> bool:
    # By its value only: a short form, such as the number alone, is soon found beside the words of another sentence.
    return holds(replace(probe, also=None, real_forms=(), fictive_forms=()), [text], arm) is True


def _served(flat: str, question: str) -> bool:
    """Tells whether a prompt is more than the question with an instruction: whether an app wrote it."""
    around = flat.replace(question, "")
    return any(word in around for word in ("context", "document", "passage", "source", "excerpt"))


def _without(prompt: str, question: str) -> str:
    """The prompt without the question, whose words would pass for a passage."""
    words = r"\s+".join(map(re.escape, question.split()))
    return re.sub(words, " ", prompt, flags=re.IGNORECASE)


def _flat(text: str) -> str:
    """The words as a reader of a page sees them: without tags, in lower case, with single spaces."""
    return _BLANK.sub(" ", unescape(_TAG.sub(" ", text))).strip().casefold()


def _length(entry: tuple[str, Probe]) -> int:
    return -len(entry[0])  # a question may be the beginning of a longer one
