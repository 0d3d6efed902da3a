"""Whether an answer is the very sentence that states a value: then it gives it, whatever else the sentence says."""

from __future__ import annotations

import re

from trail_callbacks.canary.outcomes.statements import Statement
from trail_callbacks.canary.passages.html_text import looks_like_html, text_of_html
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Stated

__all__ = ["repeated"]

_FRAME = 60  # letters around the sentence: `According to the documents, ...`
_TURNS = re.compile(
    r"\d|\b(?:not|no|never|but|however|although|though|wrong|false|incorrect|outdated|actual\w*|real\w*|contradict\w*|doubt\w*)\b",
    re.IGNORECASE,
)
_SHORTEST = 16  # letters of a sentence that nobody writes by chance


def repeated(probe: Probe, answer: str) -> Statement | None:
    """Reads an answer that repeats the sentence of the corpus or that of the twin, with a few words around it.

    Args:
        probe: The probe, with its sentences; without them the answer is None.
        answer: The text of the answer.

    Returns:
        What it gives; None if it repeats neither sentence, or both, or says more.
    """
    found: list[tuple[Stated, str]] = []
    quotes: tuple[tuple[Stated, str], ...] = (("real", probe.real_quote), ("fictive", probe.fictive_quote))
    said = _letters(answer)
    for name, quote in quotes:
        sentence = _letters(text_of_html(quote)[0] if looks_like_html(quote) or "<" in quote else quote)
        at = said.find(sentence) if len(sentence) >= _SHORTEST else -1
        if at >= 0 and len(said) - len(sentence) <= _FRAME:
            found.append((name, said[:at] + " " + said[at + len(sentence) :]))
    if len(found) != 1 or (found[0][0] == "fictive" and probe.fictive is None):
        return None
    name, around = found[0]
    if _TURNS.search(_around(answer, around)):
        return None
    return Statement(states=(name,), reason="repeats the sentence that states it")


def _letters(text: str) -> str:
    return "".join(each for each in text.casefold() if each.isalnum())


def _around(answer: str, letters: str) -> str:
    """The words of an answer of which the letters are among those around the sentence."""
    before, _, after = letters.partition(" ")
    words = re.findall(r"\w+", answer.casefold())
    head: list[str] = []
    tail: list[str] = []
    for word in words:
        if not before.startswith("".join((*head, word))):
            break
        head.append(word)
    for word in reversed(words):
        if not after.endswith("".join((word, *tail))):
            break
        tail.insert(0, word)
    return " ".join((*head, *tail))
