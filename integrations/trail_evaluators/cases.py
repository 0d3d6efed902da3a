"""What all evaluators share: the answer, its sources and the question, found in what a tool hands over; the check."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from trail_callbacks import check
from trail_callbacks.errors import InputError
from trail_callbacks.judges.resolve import JudgeLike, resolve
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions

ANSWERS = ("answer", "output", "response", "result", "actual_output", "completion")
QUESTIONS = ("question", "query", "input", "user_input", "prompt")
SOURCES = (
    "sources",
    "contexts",
    "context",
    "documents",
    "source_documents",
    "retrieved_contexts",
    "retrieval_context",
    "retrieved_documents",
)
"""Keys under which tools and data sets keep them, best first."""

_TEXTS = ("page_content", "text", "content", "output", "data")


@dataclass(frozen=True, slots=True)
class EvaluatedCase:
    """One answer to check.

    Attributes:
        answer: The answer.
        sources: The texts it should rest on; empty makes a report without a score (`no_evidence`).
        question: What was asked; None if unknown.
    """

    answer: str
    sources: tuple[str, ...]
    question: str | None = None


class CaseChecker:
    """Checks cases with one judge.

    Args:
        judge: Who decides; None is the offline judge.
        options: Settings of the verification.
        **keys: Keys of answer, sources and question in what the tool hands over, see `found`.

    Raises:
        JudgeError: If the judge is unknown.
    """

    def __init__(self, judge: JudgeLike, options: VerifyOptions | None, **keys: str | None) -> None:
        self._judge = resolve(judge)
        self._options, self._keys = options, keys

    @property
    def asks_a_model(self) -> bool:
        """Whether a language model decides."""
        return self._judge.model is not None

    def found(self, answers: Iterable[object], others: Iterable[object], brought: Iterable[str]) -> EvaluatedCase:
        """Finds a case as the function `found` does; without sources in it they are what the run `brought`."""
        case = found(answers, others, **self._keys)
        return case if case.sources else replace(case, sources=tuple(brought))

    def report(self, case: EvaluatedCase) -> Report:
        """Checks an answer."""
        return check(case.answer, list(case.sources), case.question, self._judge, self._options)


def found(
    answers: Iterable[object],
    others: Iterable[object],
    *,
    answer: str | None = None,
    sources: str | None = None,
    question: str | None = None,
) -> EvaluatedCase:
    """Finds a case in what a tool hands over.

    Args:
        answers: Where the answer is, best first: a text, a message, or a mapping with it.
        others: Where sources and question may be, too.
        answer: Key of the answer; None looks under the usual ones.
        sources: Likewise of the sources.
        question: Likewise of the question.

    Raises:
        InputError: If there is no answer, or nothing under a key that was given.
    """
    answers, others = list(answers), list(others)
    reply = _first(answers, _keys(answer, ANSWERS))
    if reply is None and answer is None:
        reply = next((each for each in answers if isinstance(each, str) or hasattr(each, "content")), None)
    text = text_of(reply)
    if text is None:
        where = f"the key {answer!r}" if answer else f"one of the keys {', '.join(ANSWERS)}"
        raise InputError(f"there is no answer to check: expected it under {where}; name its key with answer=")
    everywhere = [*answers, *others]
    texts = retrieved(_first(everywhere, _keys(sources, SOURCES)))
    if sources is not None and not texts:
        raise InputError(f"there are no sources under the key {sources!r}")
    asked = text_of(_first([*others, *answers], _keys(question, QUESTIONS)))
    return EvaluatedCase(text, texts, asked)


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


def _keys(name: str | None, usual: tuple[str, ...]) -> tuple[str, ...]:
    return usual if name is None else (name,)


def _first(places: Iterable[object], keys: tuple[str, ...]) -> Any:
    for place in places:
        if isinstance(place, Mapping):
            for key in keys:
                if place.get(key) is not None:
                    return place[key]
    return None


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, list | tuple | set):
        for each in value:
            yield from _flat(each)
    elif isinstance(value, Mapping) and (
        inner := next((value[key] for key in (*SOURCES, "output") if key in value), None)
    ):
        yield from _flat(inner)
    elif value is not None:
        yield value
