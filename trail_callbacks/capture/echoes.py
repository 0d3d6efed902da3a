"""Which parts of a text repeat what a model wrote before, such as a tool's echo of its arguments.

A model's own words must not come back as evidence. So every text that a model wrote is kept here by its clauses and by
its runs of five words, with the time at which it was written; a later text is then compared with all of them at once.
Words that a source held before the model wrote them are the source's: a model that quotes did not invent.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from trail_callbacks.text import Words, forms, words

_ENDS = ".!?\u3002\uff01\uff1f"
_BREAKS = rf';:"\r\n()\[\]{{}}\u201c\u201d\u2026{_ENDS}'
_QUOTES = "'\u2018\u2019"  # inside a word they are apostrophes
_CLAUSE = re.compile(rf"(?:[^{_BREAKS}{_QUOTES}]|(?<=\w)[{_QUOTES}](?=\w)|[.:](?=\w))++[{_ENDS}]?")
_SENTENCE = re.compile(rf"(?:[^\r\n{_ENDS}]|[.!?](?=\w))+[{_ENDS}]*")
_RUN = 5  # words in a row that two texts do not share by chance
_STATES = 3  # words from which a clause can state something
_MOST = 0.6  # share of a sentence's words that make the sentence an echo
_WHOLE = 0.8  # share of a retrieved text's words from which it may be a memory of the model's
_NAME = r"(?P<{}>[^\W\d_][^\n:\uff1a<>\"'{{}}\[\](),.?!]{{0,23}})"
_LABEL = re.compile(  # at the start of a line, as a heading, as a tag, as a key or the first of a pair
    rf"^[^\w\n]{{0,8}}{_NAME.format('line')}[^\w\n:\uff1a]{{0,8}}[:\uff1a]|^#{{1,6}}[ \t]*{_NAME.format('head')}$"
    rf"|<[|\s]*(?:im_start\W+)?{_NAME.format('tag')}(?:\W*>|$)|[\[{{(,]\s*[\"']{_NAME.format('key')}[\"']\s*[:,]",
    re.MULTILINE,
)
_ASKS = re.compile(r"[?\uff1f\u061f][^\w?\uff1f\u061f]*\Z")
_MODELS = frozenset({"ai", "assistant", "bot", "model", "chatbot"})  # as interfaces of models name who speaks
_OTHERS = frozenset({"human", "user", "system", "tool", "function", "customer", "developer"})

Span = tuple[int, int]


class _Clause(NamedTuple):
    start: int
    end: int
    forms: tuple[str, ...]
    states: bool


@dataclass(slots=True)
class _Times:
    """When words were first written: by a model, by a model whose run was recorded, and by anybody else."""

    model: float = float("inf")
    recorded: float = float("inf")
    source: float = float("inf")


class Echoes:
    """What models wrote and what sources held, by clauses and runs of words, with times.

    Times only have to be comparable: a text of an earlier turn has a smaller one than any of this run. Only the words
    of some texts are kept, so neither the outputs of a hundred thousand steps nor long sources cost memory.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._clauses: dict[tuple[str, ...], _Times] = {}
        self._runs: dict[tuple[str, ...], _Times] = {}
        self._stated: set[tuple[str, ...]] = set()
        for text in dict.fromkeys(texts):
            found = words(text)
            self._clauses.update((clause.forms, _Times()) for clause in _clauses(text, found))
            self._runs.update((run, _Times()) for run in _windows(found.forms))

    def wrote(self, text: str, time: float, *, recorded: bool) -> None:
        """Adds what a model wrote."""
        for times in self._keys(text):
            times.model = min(times.model, time)
            if recorded:
                times.recorded = min(times.recorded, time)

    def held(self, text: str, time: float) -> None:
        """Adds what a source held: a document, a tool's result, a user's message."""
        for times in self._keys(text):
            times.source = min(times.source, time)

    def _keys(self, text: str) -> Iterator[_Times]:
        if not self._clauses and not self._runs:
            return
        found = words(text)
        for clause in _clauses(text, found):
            times = self._clauses.get(clause.forms)
            if times is not None:
                yield times
                if clause.states:
                    self._stated.add(clause.forms)
        for run in _windows(found.forms):
            times = self._runs.get(run)
            if times is not None:
                yield times

    def spans(self, text: str, time: float, *, recorded: bool = False) -> tuple[Span, ...]:
        """Finds the parts of a text that a model wrote first."""
        if not self._clauses and not self._runs:
            return ()
        found = words(text)
        echoed = [False] * len(found.forms)
        spans: list[Span] = []
        for clause in _clauses(text, found):
            times = self._clauses.get(clause.forms)
            if times is not None and _models(times, time, recorded):
                first, last = _within(found, clause.start, clause.end)
                echoed[first:last] = [True] * (last - first)
                if clause.states or clause.forms in self._stated:
                    spans.append((clause.start, clause.end))
        for i, run in enumerate(_windows(found.forms)):
            times = self._runs.get(run)
            if times is not None and _models(times, time, recorded):
                echoed[i : i + _RUN] = [True] * _RUN
        if any(echoed):
            spans += _sentences(text, found, echoed)
        return merged(spans)

    def whole(self, text: str, time: float) -> bool:
        """True if nearly all of a text is what a model wrote first, in a recorded run: a memory, not a document."""
        spans = self.spans(text, time, recorded=True)
        if not spans:
            return False
        found = words(text)
        inside = sum(last - first for first, last in (_within(found, *span) for span in spans))
        return bool(found.forms) and inside >= _WHOLE * len(found.forms)


def arguments(call: str) -> Iterator[str]:
    """Finds the texts among the arguments of a tool call as it is shown: its name, then JSON in parentheses."""
    start = call.find("(")
    try:
        todo = [json.loads(call[start + 1 : call.rindex(")")])]
    except (ValueError, RecursionError):
        yield call[start + 1 :]
        return
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            todo += value.values()
        elif isinstance(value, list):
            todo += value


def transcript_spans(text: str) -> tuple[Span, ...]:
    """Finds what a model says in a transcript, if its speakers have the names that interfaces of models give them.

    A text in which nobody else speaks is no transcript.
    """
    turns = _turns(text)
    if not any(label in _OTHERS for label, _, _ in turns):
        return ()
    return tuple((start, end) for label, start, end in turns if label in _MODELS and text[start:end].strip())


def is_dialogue(text: str) -> bool:
    """True if somebody asks in a text and is answered under another label: a history, or a FAQ, whatever the labels."""
    turns = [(label, text[start:end]) for label, start, end in _turns(text)]
    return any(a != b and asks(asked) and forms(said) for (a, asked), (b, said) in pairwise(turns))


def asks(text: str) -> bool:
    """True if a text ends with a question mark."""
    return _ASKS.search(text) is not None


def _turns(text: str) -> list[tuple[str, int, int]]:
    """What stands between the labels of a text: the label before it, and where."""
    found = [(str(label[label.lastgroup or 0]).strip().casefold(), label) for label in _LABEL.finditer(text)]
    labels = [each for each in found if each[1].lastgroup in {"line", "key"} or each[0] in _MODELS | _OTHERS]
    ends = [*(label.start() for _, label in labels), len(text)][1:]
    return [(name, label.end(), end) for (name, label), end in zip(labels, ends, strict=True)]


def _windows(forms: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every run of five words."""
    return (tuple(forms[i : i + _RUN]) for i in range(len(forms) - _RUN + 1))


def _clauses(text: str, found: Words) -> Iterator[_Clause]:
    """The clauses of a text that are long enough to be recognised."""
    for match in _CLAUSE.finditer(text):
        first, last = _within(found, *match.span())
        forms = tuple(found.forms[first:last])
        if len(forms) < 2 or (len(forms) < _STATES and sum(map(len, forms)) < 2 * _RUN):  # noqa: PLR2004 - one word is a name
            continue
        start, end = found.starts[first], found.ends[last - 1]
        counted = any(any(map(str.isdigit, form)) for form in forms)
        ended = match[0].rstrip()[-1:] in _ENDS
        long = len(forms) >= _RUN and not text[start:end].istitle()
        states = len(forms) >= _STATES and (counted or ended or long)
        yield _Clause(start, end, forms, states)


def _sentences(text: str, found: Words, echoed: Sequence[bool]) -> Iterator[Span]:
    """Sentences most of whose words are echoed, and that say no other number."""
    for match in _SENTENCE.finditer(text):
        first, last = _within(found, *match.span())
        own = [found.forms[i] for i in range(first, last) if not echoed[i]]
        repeated = last - first - len(own)
        if (
            repeated >= _STATES
            and repeated >= _MOST * (last - first)
            and not any(c.isdigit() for form in own for c in form)
        ):
            yield found.starts[first], found.ends[last - 1]


def _models(times: _Times, time: float, recorded: bool) -> bool:
    """Whether a model wrote some words first, before a time."""
    wrote = times.recorded if recorded else times.model
    return wrote < time and wrote < times.source


def _within(found: Words, start: int, end: int) -> tuple[int, int]:
    """The words inside a stretch of text, as a range of indices."""
    return bisect_left(found.starts, start), bisect_right(found.ends, end)


def merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Joins ranges that touch, in order."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return tuple(joined)
