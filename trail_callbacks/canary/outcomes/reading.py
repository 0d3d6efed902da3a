"""An answer as it is read: what of it is the answer, in plain words, numbers in digits, cut into clauses.

The words by which answers speak of values are in a table, `wording.txt`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from trail_callbacks.language.speech import is_question, sources
from trail_callbacks.language.terms import sections
from trail_callbacks.language.values.number_words import in_digits
from trail_callbacks.text import sentences

_THOUGHT = re.compile(r"<(think|thinking|reasoning|scratchpad)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_TOKEN = re.compile(r"\[object\sObject\]|\bundefined\b|\bNaN\b|<\|\w{1,40}\|>|</?s>|\[/?INST\]")  # a model's own marks
_TAGGED = re.compile(r"<(?P<tag>answer|final|response|output|result)>(?P<body>[^<]{1,8000})</(?P=tag)>", re.IGNORECASE)
_FENCE = re.compile(r"\A\s*```[\w-]*\n(?P<body>.*?)\n?```\s*\Z", re.DOTALL)
_FIELDS = ("final_answer", "answer", "response", "result", "value", "output", "antwort", "réponse", "respuesta")
_EMPTY = "Empty Response"  # what LlamaIndex writes without a node
_EMPHASIS = re.compile(r"\*\*+|__+|`+|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|^\s{0,3}#{1,6}\s+|^\s{0,3}>\s?", re.MULTILINE)
_MILLIONS = re.compile(r"([$\u00a3\u20ac]\s?\d[\d.,]{0,12})m(?=\W|$)")
_TABLE = Path(__file__).with_name("wording.txt")
_LONGEST = 60_000  # characters of an answer that are read


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence between marks and words like `but`, by its offsets in the plain text."""

    start: int  # where it begins, the joining word left out
    end: int  # where it ends
    asks: bool  # whether its sentence is a question


def answer_of(text: str) -> str | None:
    """Takes out of a reply what it gives as its answer: without thoughts, and of an object the field of that name.

    Returns:
        The answer, or None where there is none in it (`{"answer": null}`, and what LlamaIndex writes without a node).
    """
    text = _TOKEN.sub(" ", _THOUGHT.sub(" ", text[:_LONGEST]))
    if tagged := _TAGGED.search(text):
        text = tagged["body"]
    fenced = _FENCE.match(text)
    body = fenced["body"] if fenced else text
    if body.lstrip()[:1] in {"{", "["}:
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            value = None
        if value is not None:
            return _field(value)
    return None if text.strip(" .\n") == _EMPTY else text


def _field(value: object) -> str | None:
    """The field of an object that is its answer, with a unit beside it; else all of it."""
    folded = {str(key).casefold(): each for key, each in value.items()} if isinstance(value, dict) else {}
    for name in _FIELDS:
        if name in folded:
            given, unit = folded[name], folded.get("unit", "")
            return None if given in (None, "", [], {}) else f"{_written(given)} {unit}"
    return _written(value)


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "\n".join(map(_written, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


@lru_cache(maxsize=32)  # matchers of several sorts read the values of one probe
def plain(text: str) -> str:
    """Writes a text without marks of emphasis, with numbers in words as digits; offsets change."""
    text = unicodedata.normalize("NFC", text).replace("\u2019", "'")
    return in_digits(_MILLIONS.sub(r"\1 million", _EMPHASIS.sub("", text)))


@cache
def _but() -> re.Pattern[str]:
    """Marks and words at which another clause begins."""
    return re.compile(
        rf"[;\u061b\uff1b]|\s[\u2013\u2014]\s|\u2014|[\n|]|[,\u060c\uff0c\u3001]?\s*(?<!\w)(?:{alternatives('but')})(?!\w)"
        r"|但是?|而是|不过|しかし|ですが|けど",
        re.IGNORECASE,
    )


def clauses(text: str) -> tuple[Clause, ...]:
    """Cuts a plain text into clauses, in order."""
    found: list[Clause] = []
    for sentence in sentences(text):
        at, end, asks = sentence.start, sentence.end, is_question(sentence.text)
        for but in _but().finditer(text, at, end):
            if text[at : but.start()].strip():
                found.append(Clause(at, but.start(), asks))
            at = but.end()
        if text[at:end].strip():
            found.append(Clause(at, end, asks))
    return tuple(found)


@cache
def alternatives(section: str) -> str:
    """The words of a section, as alternatives of a regular expression without groups."""
    if section == "source":
        return sources()
    written = "|".join(filter(None, sections(_TABLE)[section].splitlines()))
    for name in ("source", "wrong"):
        written = written.replace(f"{{{name}}}", alternatives(name)) if f"{{{name}}}" in written else written
    return written


@cache
def pattern(section: str, *, words: bool = False) -> re.Pattern[str]:
    """A section, compiled at first use, in which case does not count; `words`: no letters stand around a match."""
    listed = alternatives(section)
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)" if words else listed, re.IGNORECASE)
