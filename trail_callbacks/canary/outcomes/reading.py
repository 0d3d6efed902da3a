"""An answer as it is read: what of it is the answer, in plain words, numbers in digits, cut into clauses."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from trail_callbacks.canary.outcomes.number_words import in_digits
from trail_callbacks.canary.outcomes.wording import alternatives, table
from trail_callbacks.language.speech import is_question
from trail_callbacks.text import sentences

__all__ = ["Clause", "answer_of", "clauses", "plain", "sentence_spans"]

_THOUGHT = re.compile(r"<(think|thinking|reasoning|scratchpad)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_TOKEN = re.compile(r"\[object\sObject\]|\bundefined\b|\bNaN\b|<\|\w{1,40}\|>|</?s>|\[/?INST\]")  # a model's own marks
_TAGGED = re.compile(r"<(?P<tag>answer|final|response|output|result)>(?P<body>[^<]{1,8000})</(?P=tag)>", re.IGNORECASE)
_FENCE = re.compile(r"\A\s*```[\w-]*\n(?P<body>.*?)\n?```\s*\Z", re.DOTALL)
_FINAL = re.compile(
    r"^[\s*_#>-]*(?:(?:the\s)?final\sanswer|endgültige\santwort|réponse\sfinale|respuesta\sfinal|risposta\sfinale)"
    r"(?:\sis)?[\s*_]*(?:[:\uff1a][\s*_]*)?(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_FIELDS = ("final_answer", "answer", "response", "result", "value", "output", "antwort", "réponse", "respuesta")
_EMPTY = "Empty Response"
_LONGEST_JSON = 200_000  # characters
_EMPHASIS = re.compile(r"\*\*+|__+|`+|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|^\s{0,3}#{1,6}\s+|^\s{0,3}>\s?", re.MULTILINE)
_REFERENCE = re.compile(r"\s?\[\^?\d{1,3}(?:,\s?\d{1,3})*\]|\u3010[^\u3011\n]{0,40}\u3011")
_ADJECTIVE = re.compile(  # `8 unused days`
    r"(?P<n>\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty))\s(?:calendar|working|business|school|vacation|holiday|unused|full|whole|consecutive|additional|extra|paid|unpaid|more|entire)\s"
    r"(?=(?:second|minute|hour|day|week|month|year)s?\b)",
    re.IGNORECASE,
)
_INCHES = re.compile(r"(?<![\"\u201c\u201e\d.,])(?P<n>\d{1,6}(?:[.,]\d{1,3})?)\s?[\"\u2033](?=[\s.,;)]|$)")
_MILLIONS = re.compile(r"(?P<money>[$\u00a3\u20ac]\s?\d[\d.,]{0,12})m(?=\W|$)")  # `$2.1m`
_OF_ONE = re.compile(
    r"\b(?:(?P<n>an?|one|two|three|four)\s)?(?P<part>third|quarter|fifth|sixth|eighth|tenth)s?\sof\san?\s(?=[a-z])",
    re.IGNORECASE,
)
_AND_HALF = re.compile(
    r"\b(?P<n>one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3})\sand\sa\shalf\s(?=thousand|million|billion)",
    re.IGNORECASE,
)
_MILLION_HALF = re.compile(
    r"\b(?P<n>an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3})\s(?P<scale>thousand|million|billion)"
    r"\sand\sa\shalf\b",
    re.IGNORECASE,
)
_SMALL = {
    w: i for i, w in enumerate(["a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"])
} | {"a": 1, "an": 1}
_PART = {"third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_SHARE = re.compile(rf"\b(?:an?|one)\s(?={'|'.join(_PART)}\b(?!\sof\san?\s))", re.IGNORECASE)
_GROUPS = re.compile(r"(?<![\d.,:/-])[1-9]\d{0,2}(?:[ \u00a0\u202f]\d{3})+(?![\d/:]|[.,]\d{3})")
_HOURS = {
    w: i
    for i, w in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 1
    )
}
_HALVES = {"noon": 12, "midnight": 24}
_PAST = re.compile(
    rf"\b(?P<part>(?:a\s)?quarter|half|ten|twenty|five|twenty-five)\s(?P<side>past|to)\s"
    rf"(?P<hour>{'|'.join((*_HOURS, *_HALVES))}|1[0-2]|[1-9])\b",
    re.IGNORECASE,
)
_PARTS = {"quarter": 15, "a quarter": 15, "half": 30, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
_O_CLOCK = re.compile(
    rf"\b(?P<hour>{'|'.join(_HOURS)})(?=\s(?:o'clock|in\sthe\s(?:morning|afternoon|evening)|at\snight|[ap]\.?m\b))",
    re.IGNORECASE,
)
_MORNING = re.compile(r"(?<=\d)(?:\so'clock)?\sin\sthe\s(?:(?P<am>morning)|(?P<pm>afternoon|evening))\b", re.IGNORECASE)
_RANKS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
]
_RANKS += ["fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"]
_RANKS += [f"twenty-{rank}" for rank in _RANKS[:9]] + ["thirtieth", "thirty-first"]
_DAY_WORD = re.compile(
    rf"\b(?P<rank>{'|'.join(sorted(_RANKS, key=len, reverse=True))})"
    r"(?=\sof\s(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))",
    re.IGNORECASE,
)
_LOOKED_AT, _LONGEST_LOOP = 300, 40  # words
_LONGEST = 60_000  # characters of an answer that are read


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence between marks and words like `but`, by its offsets in the plain text.

    Attributes:
        start: Where it begins, the joining word left out.
        end: Where it ends.
        asks: Whether its sentence is a question.
    """

    start: int
    end: int
    asks: bool


def answer_of(text: str) -> str | None:
    """Takes out of a reply what it gives as its answer.

    Thoughts are left out, of an object the field that names itself the answer is read alone, and of a reply that ends
    in `Final answer:` what follows.

    Returns:
        The answer, or None where there is none in it (`{"answer": null}`, and what LlamaIndex writes without a node);
        empty where a model went round in circles.
    """
    text = _TOKEN.sub(" ", _THOUGHT.sub(" ", text[:_LONGEST]))
    if tagged := _TAGGED.search(text):
        text = tagged["body"]
    fenced = _FENCE.match(text)
    body = fenced["body"] if fenced else text
    if body.lstrip()[:1] in {"{", "["} and len(body) <= _LONGEST_JSON:
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            value = body
        if isinstance(value, dict | list):
            return _field(value)
    if text.strip(" .\n") == _EMPTY:
        return None
    if _goes_round(text):
        return ""
    finals = list(_FINAL.finditer(text))
    return text[finals[-1].end() :] if finals else text


def _goes_round(text: str) -> bool:
    """Whether a text is the same few words again and again: at least three times, and nothing else."""
    words = text.split()[:_LOOKED_AT]
    return any(
        len(words) >= 3 * n and all(word == words[i % n] for i, word in enumerate(words))
        for n in range(2, _LONGEST_LOOP)
    )


def _field(value: object) -> str | None:
    """The field of an object that is its answer, with a unit beside it; else all of its fields, one a line."""
    if isinstance(value, dict):
        folded = {str(key).casefold(): each for key, each in value.items()}
        for name in _FIELDS:
            if name in folded:
                given = folded[name]
                if given is None or given in ("", [], {}):
                    return None
                unit = folded.get("unit", folded.get("units", ""))
                return f"{_lines(given)} {unit}" if isinstance(unit, str) else _lines(given)
    return _lines(value)


def _lines(value: object) -> str:
    found: list[str] = []
    todo: list[tuple[str, object]] = [("", value)]
    while todo:
        key, each = todo.pop()
        if isinstance(each, dict):
            todo += [(str(name), part) for name, part in reversed(each.items())]
        elif isinstance(each, list):
            todo += [(key, part) for part in reversed(each)]
        elif each is not None:
            said = {True: "yes", False: "no"}[each] if isinstance(each, bool) else str(each)
            found.append(said if not key or key.casefold() in _FIELDS else f"{key.replace('_', ' ')}: {said}")
    return "\n".join(found)


@lru_cache(maxsize=32)  # matchers of several sorts read the values of one probe
def plain(text: str) -> str:
    """Writes a text without marks of emphasis, with numbers and units in digits and English; offsets change."""
    text = unicodedata.normalize("NFC", text).replace("\u2019", "'")
    text = _REFERENCE.sub("", _EMPHASIS.sub("", text))
    text = _PAST.sub(_clock, text)
    text = _O_CLOCK.sub(lambda match: str(_HOURS[match["hour"].casefold()]), text)
    text = _MORNING.sub(lambda match: " am" if match["am"] else " pm", text)
    text = _DAY_WORD.sub(lambda match: f"{_RANKS.index(match['rank'].casefold()) + 1}th", text)
    text = _OF_ONE.sub(
        lambda match: f"{_SMALL[(match['n'] or 'a').casefold()] / _PART[match['part'].casefold()]:.12g} ", text
    )
    text = _SHARE.sub("one ", text)
    text = _AND_HALF.sub(lambda match: f"{int(_SMALL.get(match['n'].casefold()) or match['n'])}.5 ", text)
    text = _MILLION_HALF.sub(
        lambda match: f"{int(_SMALL.get(match['n'].casefold()) or match['n'])}.5 {match['scale']}", text
    )
    text = _GROUPS.sub(lambda match: re.sub(r"\s", "", match[0]), text)
    text = _INCHES.sub(r"\g<n> inches", _ADJECTIVE.sub(r"\g<n> ", text))
    text = _MILLIONS.sub(r"\g<money> million", text)
    for spelt, written in _spellings():
        text = spelt.sub(written, text)
    return in_digits(text)


@cache
def _spellings() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Units, currencies and amounts in words, and how `quantities` reads them."""
    return tuple((re.compile(spelt, re.IGNORECASE), written) for written, spelt in table("other spellings").items())


def _clock(match: re.Match[str]) -> str:
    hour = match["hour"].casefold()
    minutes = 60 * ((_HOURS | _HALVES).get(hour) or int(hour))
    part = _PARTS[" ".join(match["part"].casefold().split())]
    minutes = minutes + part if match["side"].casefold() == "past" else minutes - part
    return (
        f"{minutes // 60 % 24:02}:{minutes % 60:02}" if hour in _HALVES else f"{minutes // 60 or 12}:{minutes % 60:02}"
    )


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Finds the sentences of a plain text, by offsets."""
    return [(sentence.start, sentence.end) for sentence in sentences(text)]


@cache
def _but() -> re.Pattern[str]:
    """Marks and words at which another clause begins."""
    return re.compile(
        rf"[;\u061b\uff1b]|\s[\u2013\u2014]\s|\u2014|[\n|]|[,\u060c\uff0c\u3001]?\s*(?<!\w)(?:{alternatives('but')})(?!\w)"
        r"|但是?|而是|不过|しかし|ですが|けど|,\s+(?=(?:the|it|which|that|this)\s(?:actual|real|correct|true)\b)",
        re.IGNORECASE,
    )


def clauses(text: str) -> tuple[Clause, ...]:
    """Cuts a plain text into clauses, in order."""
    found: list[Clause] = []
    for start, end in sentence_spans(text):
        at, asks = start, is_question(text[start:end])
        for but in _but().finditer(text, start, end):
            if text[at : but.start()].strip():
                found.append(Clause(at, but.start(), asks))
            at = but.end()
        if text[at:end].strip():
            found.append(Clause(at, end, asks))
    return tuple(found)
