"""Guarding a stream, as steps to be carried out: whole answers, or sentence by sentence."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from langchain_trail.sentences import Sentences
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.guard import Action, Examine, Guarding, Outcome, Policy, Review, Write
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report

__all__ = ["END", "Emit", "Fetch", "Open", "Steps", "by_sentence", "whole"]

END = object()
"""Stands for the chunk after the last one."""

Draft = TypeVar("Draft")
Steps: TypeAlias = Generator[Any, Any, Outcome[Draft]]
"""Yields `Open`, `Fetch` and `Emit`, and what `trail_callbacks.guard.Checker` carries out."""


@dataclass(frozen=True, slots=True)
class Open:
    """To be done: start a stream; one that is open is closed."""

    request: Any


@dataclass(frozen=True, slots=True)
class Fetch:
    """To be done: get the next chunk, or `END`."""


@dataclass(frozen=True, slots=True)
class Emit:
    """To be done: give the user a chunk."""

    chunk: Any


def whole(steps: Guarding[Draft], drafted: Callable[[list[Any]], Draft], *, live: bool) -> Steps[Draft]:
    """Guards a stream whose chunks count together.

    Args:
        steps: The guarding.
        drafted: Makes a draft of all its chunks.
        live: The user gets each chunk at once.
    """
    step = next(steps)
    while True:
        result: Any
        if isinstance(step, Write):
            yield Open(step.request)
            chunks = []
            while (chunk := (yield Fetch())) is not END:
                chunks.append(chunk)
                if live:
                    yield Emit(chunk)
            result = drafted(chunks)
        else:
            result = yield step
        try:
            step = steps.send(result)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]  # what the generator returns


def by_sentence(
    policy: Policy,
    request: Any,
    *,
    graph_of: Callable[[str], Callable[[], ProvenanceGraph]],
    revised: Callable[[Any, Any, str], Any],
) -> Steps[Sentences]:
    """Guards a stream of text; each new sentence is judged together with those before it, and released if they pass.

    Args:
        policy: What passes. `retry` can start again only while nothing was released.
        request: What the app is asked.
        graph_of: Returns how to get the graph of the answer so far.
        revised: As in `trail_callbacks.guard.guarding`, with the text of the draft.
    """
    usage, rejected = Usage(), 0
    while True:
        yield Open(request)
        seen, more = Sentences(), True
        action: Action = "skip"
        report: Report | None = None
        while more and action in {"skip", "pass", "annotate"}:
            chunk = yield Fetch()
            more = chunk is not END
            if more:
                seen.add(chunk)
            end = seen.end() if more else len(seen.text)
            if seen.text[seen.released : end].strip():
                report = yield Examine(graph_of(seen.text[:end]), usage)
                usage += report.usage
                action = policy.decide(report, policy.max_retries if seen.released else rejected)
            if action in {"pass", "annotate"} and end > seen.released:
                yield Emit(seen.release(end))
        if action in {"skip", "pass", "annotate"} or report is None:
            attempts = rejected + 1
        else:
            attempts = rejected = rejected + 1
        if action != "retry" or report is None:
            return Outcome(draft=seen, action=action, report=report, rejected=rejected, attempts=attempts, usage=usage)
        request = revised(request, seen.text, (yield Review(report)))
