"""What the canary apps of all frameworks share, and the guard: no answer counts that rests on what its arm forbids."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from trail_callbacks.canary.arm import Answered, Arm, ArmUnavailableError, Ask
from trail_callbacks.canary.serving.exposure import Exposure
from trail_callbacks.canary.serving.source import CanarySource
from trail_callbacks.errors import InputError, TrailError
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.models.call import Usage

_OF_MODELS = frozenset({"llm", "model", "provider", "prompt_tokens", "completion_tokens"})
_SHOWN = 3  # steps, and edits of each, that an error names


class RealTextServedError(TrailError):
    """An app was to see the twin, or nothing, and read the real text of an edit, so that its answer is no leak."""


class Wrapper(Protocol):
    """The `CanaryRetriever` of a framework."""

    arm: Arm | None

    @property
    def source(self) -> CanarySource[Any]:
        """What it shares with its copies."""

    def under(self, arm: Arm) -> Any:
        """Returns a copy for one arm."""


R = TypeVar("R", bound=Wrapper)


class Made(NamedTuple, Generic[R]):
    """An app that is to be asked.

    Attributes:
        retriever: What it reads with.
        app: The app.
        outside: Calls of the retriever outside of any run, before this one.
    """

    retriever: R
    app: Any
    outside: int


class FrameworkApp(Generic[R]):
    """An app of a framework: made for each strategy and arm, and its answers held against what it was served.

    Args:
        app: A finished app, or a function that makes one for a retriever and a strategy.
        retriever: The `CanaryRetriever` that it reads with.
        model: The model to ask alone, or a function from the strategy to it.
        is_app: Tells whether something is a finished app.
        is_model: Tells whether something is a model.

    Raises:
        InputError: If `app` is neither.
    """

    def __init__(
        self, app: Any, retriever: R, model: Any, *, is_app: Callable[[Any], bool], is_model: Callable[[Any], bool]
    ) -> None:
        if not is_app(app) and not callable(app):
            raise InputError(f"app: expected an app or a function that makes one, got {type(app).__name__}")
        self._app, self._retriever, self._model = app, retriever, model
        self._is_app, self._is_model = is_app, is_model
        self._made: dict[tuple[str, Arm], tuple[R, Any]] = {}
        self._making = threading.Lock()
        self._earlier: dict[str, set[str]] = {}

    def _alone(self, ask: Ask) -> Any:
        if self._model is None:
            raise ArmUnavailableError(
                "closed_book asks a model alone, and this app names none: canary_app(..., model=...)"
            )
        return self._model if self._is_model(self._model) else self._model(ask.strategy)

    def _for(self, ask: Ask) -> Made[R]:
        """The app for a strategy and an arm, with its retriever."""
        if self._is_app(self._app):
            return Made(self._retriever, self._app, self._retriever.source.outside)
        key = (ask.strategy.name, ask.arm)
        with self._making:
            retriever, app = self._made.get(key) or (self._retriever.under(ask.arm), None)
            if app is None:
                app = self._app(retriever, ask.strategy)
                if not self._is_app(app):
                    raise InputError(f"app: expected it to return an app, got {type(app).__name__}")
                if self._keeps(app):
                    self._made[key] = retriever, app
            return Made(retriever, app, retriever.source.outside)

    def _keeps(self, made: Any) -> bool:  # noqa: ARG002 - for those that override it
        """Whether an app may be asked again."""
        return True

    def _checked(
        self, ask: Ask, made: Made[R], exposure: Exposure, text: str, graph: ProvenanceGraph | None
    ) -> Answered:
        """Returns an answer, unless it rests on what its arm must not see.

        Args:
            ask: What was asked.
            made: The app.
            exposure: What it was served.
            text: The answer.
            graph: The recorded run; None if nothing was recorded.

        Raises:
            RealTextServedError: If a model read the real text of an edit, or the retriever was called without context.
            InputError: If a model was shown an earlier run of the app, which may have been of another arm.
        """
        source = made.retriever.source
        outside = source.outside - made.outside
        if ask.arm in ("fictive", "empty") and not exposure.calls and outside and not made.retriever.arm:
            raise RealTextServedError(
                f"under arm {ask.arm!r} the retriever was called {outside} times outside of the run, in a thread "
                "without its context, where it returns real texts: make the app by a function of the retriever, so "
                "that it gets retriever.under(arm)"
            )
        written = {text}
        if graph is not None:
            asked = {ask.question, *(node.text for node in graph.nodes if node.kind == "question")}
            said = {each for question in asked for each in self._earlier.get(question, ())}
            completions = [node for node in graph.nodes if node.kind == "completion"]
            if any(node.text in said for node in completions if not _is_call(node)):
                raise InputError(
                    "app: its model was shown what it was asked before, and answered under another arm perhaps: make "
                    "the app without a memory, or with a new one for each question"
                )
            if ask.arm in ("fictive", "empty"):
                _refuse_real(graph, source, exposure, ask.question)
            written |= {node.text for node in graph.nodes if _is_call(node)}
        self._earlier.setdefault(ask.question, set()).update(written)
        return Answered(
            text=text,
            # Without a call in the run, one outside of it may have been of this run.
            passages=tuple(exposure.passages) if exposure.calls or not outside else None,
            documents=tuple(exposure.documents),
            dropped=tuple(exposure.dropped),
            usage=usage_of(graph),
        )


def _refuse_real(graph: ProvenanceGraph, source: CanarySource[Any], exposure: Exposure, question: str) -> None:
    """Raises if a model of a run read the real text of an edit, or the answer rests on it.

    A second retriever that is not wrapped, a cache, a parent document that was looked up after retrieval: an answer
    with the real value is then no proof of memory. What was served is right, also where it stands in other documents,
    in which it was edited; and the words of the question are no source. The message quotes nothing.
    """
    served = sorted({each for each in (*exposure.passages, question) if each.strip()}, key=len, reverse=True)
    found = []
    # Also what a step in between may have cut off from the answer.
    written = [node.id for node in graph.nodes if node.kind == "completion"]
    for node in {node.id: node for id_ in (None, *written) for node in graph.leaves(id_)}.values():
        rest = "" if any(node.text in passage for passage in served) else node.text
        for passage in served:
            rest = rest.replace(passage, "\n")
        if edits := source.translator.real(rest):
            found.append(f"{node.step or node.kind}: {', '.join(edits[:_SHOWN])}")
    if found:
        raise RealTextServedError(
            f"under arm {exposure.arm!r} the app read real words of edits ({'; '.join(found[:_SHOWN])}), which the "
            "CanaryRetriever did not serve: wrap every retriever, and what looks documents up after it"
        )


def _is_call(node: Node) -> bool:
    """True for what a model of the run wrote, and not for what it was shown of a conversation."""
    return bool(_OF_MODELS & node.attributes.keys()) and not node.attributes.get("history")


def usage_of(graph: ProvenanceGraph | None) -> Usage:
    """Returns what the models of a recorded run read and wrote, each call once."""
    calls = {
        node.run_id or node.id: node.attributes
        for node in (graph.nodes if graph else ())
        if node.kind in ("completion", "answer") and _is_call(node)
    }
    return Usage(
        calls=len(calls),
        prompt_tokens=sum(each.get("prompt_tokens") or 0 for each in calls.values()),
        completion_tokens=sum(each.get("completion_tokens") or 0 for each in calls.values()),
    )
