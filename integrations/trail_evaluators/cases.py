"""What all evaluators share: the answer, its sources and the question, found in what a tool hands over; the check."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypedDict, Unpack

from trail_callbacks import check
from trail_callbacks.errors import InputError
from trail_callbacks.judges.resolve import JudgeLike, resolve
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions

ANSWERS = ("answer", "output", "response", "result", "actual_output", "completion")
QUESTIONS = ("question", "query", "input", "user_input", "prompt")
SOURCES = (
    *("sources", "contexts", "context", "documents", "source_documents"),
    *("retrieved_contexts", "retrieval_context", "retrieved_documents"),
)
"""Keys under which tools and data sets keep them, best first."""

_TEXTS = ("page_content", "text", "content", "output", "data")


class CaseKeys(TypedDict, total=False):
    """Keys in what a tool hands over, where they are none of `ANSWERS`, `SOURCES` and `QUESTIONS`."""

    answer: str
    sources: str
    question: str


class CaseChecker:
    """Checks cases with one judge."""

    def __init__(self, judge: JudgeLike, options: VerifyOptions | None, **keys: Unpack[CaseKeys]) -> None:
        self.judge = resolve(judge)
        self._options, self._keys = options, keys

    def found(self, answers: Iterable[object], others: Iterable[object], brought: Iterable[str] = ()) -> Report:
        """Checks an answer found in places, best first; sources and question may be in others, too.

        Without sources in any of them they are what the run `brought`.
        """
        answers, others = list(answers), list(others)
        said, kept, asked = (self._keys.get(name) for name in ("answer", "sources", "question"))
        reply = _first(answers, said, ANSWERS)
        if reply is None and said is None:
            reply = next((each for each in answers if isinstance(each, str) or hasattr(each, "content")), None)
        text = text_of(reply)
        if text is None:
            where = f"the key {said!r}" if said else f"one of the keys {', '.join(ANSWERS)}"
            raise InputError(f"there is no answer to check: expected it under {where}; name its key with answer=")
        sources = retrieved(_first([*answers, *others], kept, SOURCES))
        if kept is not None and not sources:
            raise InputError(f"there are no sources under the key {kept!r}")
        return self.report(text, sources or brought, text_of(_first([*others, *answers], asked, QUESTIONS)))

    def report(self, answer: str, sources: Iterable[str], question: str | None) -> Report:
        """Checks an answer; without sources the report has no score (`no_evidence`)."""
        return check(answer, list(sources), question, self.judge, self._options)


def retrieved(value: object) -> tuple[str, ...]:
    """Returns the texts of what a retriever or tool brought: a text, a document, a message, or a list of those."""
    return tuple(text for text in map(text_of, _flat(value)) if text)


def text_of(value: object) -> str | None:
    """Returns the text of a value; None if it has none. An object without one, as a structured answer, is JSON."""
    if value is None or isinstance(value, str):
        return value
    for name in _TEXTS:
        held = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
        if isinstance(held, str):
            return held
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return None


def _first(places: Iterable[object], key: Any, usual: tuple[str, ...]) -> Any:
    """What the first place has under a key, or without one under a usual one."""
    keys = usual if key is None else (key,)
    held = (place[key] for place in places if isinstance(place, Mapping) for key in keys if place.get(key) is not None)
    return next(held, None)


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        inner = next((value[key] for key in (*SOURCES, "output") if value.get(key)), None)
        yield from [value] if inner is None else _flat(inner)
    elif isinstance(value, list | tuple | set):
        for each in value:
            yield from _flat(each)
    elif value is not None:
        yield value
