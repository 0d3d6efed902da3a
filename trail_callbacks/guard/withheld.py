"""A withheld text and its copies: whatever carries it is withheld with it.

What an app returns beside an answer is often made of it: the answer as HTML, a log, a title, a number taken out of it.
Sources are not: they stay, although an answer repeats them in part, and is about the same things.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard.clearing import Clearing, Leaf
from trail_callbacks.language.values import quantities
from trail_callbacks.text import encodable, forms, sentences

__all__ = ["Withheld", "read_texts"]

_RUN = 5  # words in the same order, that no source has: a copy
_UNIT = 8  # letters and digits of a sentence that is looked for in any writing
_READ = 200_000  # characters of what the app read that are compared word by word
_QUOTED = 256  # sources that are cut out of a text in which they are quoted
_TAG = re.compile(r"<[^<>]{0,400}>")
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|([nrtbf])|(["\'/\\]))')
_NUMBER = re.compile(r"\d(?:[\d.,'\u2019\u00a0\u202f ]*\d)?")
_NAME = re.compile(r"[^\W_]*[^\W\d_a-z][^\W_]*|[^\W_]*\d[^\W_]*")


class Withheld:
    """Texts that nobody is to read.

    A text carries one of them if it repeats a sentence of it, in whatever case, spacing and markup, escaped as HTML or
    as JSON, or five words of it in a row that no source has, or a number or a name that only the withheld text has; or
    if all it says stands in the withheld text. A text that is an input of the app or a source, or nothing but several
    of them, does not. In doubt a text is withheld.

    Args:
        texts: The answer as it was judged: one text, or several.
        known: What the app read: its input, documents, results of tools.
        message: What takes the place of a text that carries one of them.
        is_object: The texts are the fields of an object.

    Attributes:
        message: As given.
        is_object: As given.
    """

    def __init__(self, texts: Iterable[str], known: Iterable[str], message: str, *, is_object: bool = False) -> None:
        self.message = message
        self.is_object = is_object
        self._known = {text.strip() for text in known if text.strip()} | {message.strip()}
        ours = [_plain(text) for text in texts if text.strip()]
        read = [forms(_plain(text)) for text in _shortest_first(self._known)]
        there = {word for words in read for word in words}
        sources = [_run(words) for words in read]
        units = {part.text for text in ours for part in sentences(text)} | set(ours)
        unread = [
            run for run in map(_run, map(forms, units)) if run.strip() and not any(run in each for each in sources)
        ]
        self._texts = [_run(forms(text)) for text in ours]
        self._units = [run for run in unread if len(_squeezed(run)) < _UNIT]
        self._squeezed = [_squeezed(run) for run in unread if len(_squeezed(run)) >= _UNIT]
        self._runs = {run for text in ours for run in _runs(forms(text))} - {
            run for words in read for run in _runs(words)
        }
        named = {form for text in ours for name in _NAME.findall(text) for form in forms(name)}
        self._names = {name for name in named - there if len(name) > 1 or not name.isascii() or name.isdigit()}
        self._numbers = {number for text in ours for number in _numbers(text)}

    def carried_by(self, text: str) -> bool:
        """Whether a text carries what is withheld."""
        if text.strip() in self._known:
            return False
        said = _plain(text)
        words = forms(said)
        if not words:
            return False
        if self._repeats(text, words) and not self._only_quotes(text):
            return True
        return any(_run(words) in each for each in self._texts)

    def cleared(self, value: Any, leaf: Leaf | None = None, *, numbers: bool = True) -> Any:
        """Returns a value without what is withheld: the value itself if nothing in it carries that.

        See `clearing`. Nothing is changed in place. Of a document or node that was retrieved, numbers stay, such as its
        page.

        Args:
            value: What the app returned, or a part of it.
            leaf: Returns what takes the place of an object of the framework, which may be the object itself;
                `NotImplemented` for all other objects.
            numbers: False leaves numbers alone.
        """
        return Clearing(self, leaf, numbers=numbers).of(value)

    def is_number(self, value: float) -> bool:
        """Whether a number stands in what is withheld."""
        if isinstance(value, bool):
            return any(f" {str(value).lower()} " in each for each in self._texts)
        return _shortest(str(abs(value))) in self._numbers

    def is_known(self, text: object) -> bool:
        """Whether a text is an input of the app, or a source."""
        return isinstance(text, str) and text.strip() in self._known

    def repeated_by(self, text: str) -> bool:
        """As `carried_by`, for a text of few words that says something else, such as the page of a document."""
        return not self.is_known(text) and self._repeats(text, forms(_plain(text))) and not self._only_quotes(text)

    def _repeats(self, text: str, words: Sequence[str]) -> bool:
        run = _run(words)
        if any(unit in run for unit in self._units) or not self._runs.isdisjoint(_runs(words)):
            return True
        if not self._names.isdisjoint(words):
            return True
        squeezed = {_squeezed(run), _squeezed(_run(forms(_TAG.sub("", _unescaped(text)))))}
        return any(unit in each for unit in self._squeezed for each in squeezed)

    def _only_quotes(self, text: str) -> bool:
        """True for a text that carries nothing any more without the sources quoted in it."""
        rest = text
        for source in sorted(self._known, key=len, reverse=True)[:_QUOTED]:
            if len(source) >= _UNIT and source in rest:
                rest = rest.replace(source, "\n")
        if rest is text:
            return False
        words = forms(_plain(rest))
        return not words or not (self._repeats(rest, words) or any(_run(words) in each for each in self._texts))


def _shortest_first(texts: Iterable[str]) -> Iterator[str]:
    """As much of what the app read as takes no time: without the rest, what it says too counts as a copy."""
    left = _READ
    for text in sorted(texts, key=len):
        left -= len(text)
        if left < 0:
            return
        yield text


def read_texts(graph: ProvenanceGraph) -> list[str]:
    """Returns the texts that an app read: documents, results of tools, the request; not what models wrote."""
    return [node.text for node in graph.nodes if node.is_evidence and not node.has_model_text]


def _unescaped(text: str) -> str:
    """A text as it was before a template engine or `json.dumps` wrote it, once or twice."""
    for _ in range(2):
        text = html.unescape(text)
        text = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[3] or " ", text)
    return text


def _plain(text: str) -> str:
    """The words of a text alone; tags and underscores are spaces."""
    return encodable(unicodedata.normalize("NFKC", _TAG.sub(" ", _unescaped(text)))).replace("_", " ")


def _run(words: Sequence[str]) -> str:
    return f" {' '.join(words)} "


def _squeezed(run: str) -> str:
    return run.replace(" ", "")


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1)}


def _numbers(text: str) -> set[str]:
    """The numbers in a text, as digits and as words, without what groups their digits; in doubt in several readings."""
    found = {f"{each.value:.12g}" for each in quantities(text)}
    for number in _NUMBER.findall(unicodedata.normalize("NFKC", text)):
        parts = re.split(r"\D+", number)
        whole, point, decimals = number.rpartition(".")
        found |= {"".join(parts), *parts} if not point else {f"{''.join(re.findall(r'[0-9]', whole))}.{decimals}"}
    return {_shortest(number) for number in found}


def _shortest(number: str) -> str:
    digits = number.lstrip("0") or "0"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
