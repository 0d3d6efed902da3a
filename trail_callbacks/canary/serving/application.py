"""What the canary apps of all frameworks share, and the guard: no answer counts that rests on what its arm forbids."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, suppress
from typing import Any, NamedTuple

from trail_callbacks.canary.serving.exposure import Exposure, exposed
from trail_callbacks.canary.serving.source import CanarySource
from trail_callbacks.canary.trial import Answered, Arm, ArmUnavailableError, Ask
from trail_callbacks.errors import InputError, TrailError
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.models.call import Usage

_OF_MODELS = frozenset({"llm", "model", "provider", "prompt_tokens", "completion_tokens"})
_SHOWN = 3  # steps, and edits of each, that an error names


class RealTextServedError(TrailError):
    """An app was to see the twin, or nothing, and read the real text of an edit, so that its answer is no leak."""


class _Made(NamedTuple):
    """An app, the retriever it reads with, and how often that was called outside of any run before."""

    retriever: Any
    app: Any
    outside: int


class FrameworkApp(ABC):
    """An app of a framework: made for each strategy and arm, and its answers held against what it was served."""

    def __init__(self, app: Any, retriever: Any, model: Any, *, verify: bool) -> None:
        if not self._is_app(app) and not callable(app):
            raise InputError(f"app: expected an app or a function that makes one, got {type(app).__name__}")
        self._app, self._retriever, self._model = app, retriever, model
        self._verify = verify  # report on each answer
        self._made: dict[tuple[str, Arm], tuple[Any, Any]] = {}
        self._making = threading.Lock()
        self._earlier: dict[str, set[str]] = {}

    async def __call__(self, ask: Ask, /) -> Answered:
        """Answers a question under an arm.

        Raises:
            ArmUnavailableError: For `closed_book` without a model.
            CanaryOffError: If fictive data is switched off.
            RealTextServedError: If the app read real texts under an arm which must not see them.
            InputError: If the answer cannot be found in what the app returned, the app remembers what it was asked
                before, or it cannot be made.
        """
        with self._recording() as recorded:
            if ask.arm == "closed_book":
                text = await self._alone(self._model_for(ask), ask.question, recorded)
                return Answered(text=text, usage=_usage(_graph(recorded)))
            made = await asyncio.to_thread(self._for, ask)  # an app may take its time to be built
            with exposed(ask.arm, made.retriever.source.twin) as exposure:
                text = await self._reply(made.app, ask.question, recorded)
        graph = _graph(recorded)
        return Answered(
            text=text,
            passages=self._checked(ask, made, exposure, text, graph),
            dropped=tuple(exposure.dropped),
            report=await recorded.areport() if self._verify else None,
            usage=_usage(graph),
        )

    @abstractmethod
    def _is_app(self, made: Any) -> bool:
        """Whether something is a finished app."""

    @abstractmethod
    def _is_model(self, made: Any) -> bool:
        """Whether something is a model."""

    @abstractmethod
    def _recording(self) -> AbstractContextManager[Any]:
        """Records one question; yields what has its `graph`, which may raise InputError, and `areport`."""

    @abstractmethod
    async def _alone(self, model: Any, question: str, recorded: Any) -> str:
        """What a model says."""

    @abstractmethod
    async def _reply(self, app: Any, question: str, recorded: Any) -> str:
        """What an app says."""

    def _keeps(self, made: Any) -> bool:  # noqa: ARG002 - for those that override it
        """Whether an app may be asked again."""
        return True

    def _model_for(self, ask: Ask) -> Any:
        if self._model is None:
            raise ArmUnavailableError(
                "closed_book asks a model alone, and this app names none: canary_app(..., model=...)"
            )
        return self._model if self._is_model(self._model) else self._model(ask.strategy)

    def _for(self, ask: Ask) -> _Made:
        """The app for a strategy and an arm, with its retriever."""
        if self._is_app(self._app):
            return _Made(self._retriever, self._app, self._retriever.source.outside)
        key = (ask.strategy.name, ask.arm)
        with self._making:
            retriever, app = self._made.get(key) or (self._retriever.under(ask.arm), None)
            if app is None:
                app = self._app(retriever, ask.strategy)
                if not self._is_app(app):
                    raise InputError(f"app: expected it to return an app, got {type(app).__name__}")
                if self._keeps(app):
                    self._made[key] = retriever, app
            return _Made(retriever, app, retriever.source.outside)

    def _checked(
        self, ask: Ask, made: _Made, exposure: Exposure, text: str, graph: ProvenanceGraph | None
    ) -> tuple[str, ...] | None:
        """Returns what an answer could rest on, None if nobody can tell."""
        source = made.retriever.source
        outside = source.outside - made.outside
        hides = ask.arm in ("fictive", "empty")
        if hides and not exposure.calls and outside and not made.retriever.arm:
            raise RealTextServedError(
                f"under arm {ask.arm!r} the retriever was called {outside} times outside of the run, in a thread "
                "without its context, where it returns real texts: make the app by a function of the retriever, so "
                "that it gets retriever.under(arm)"
            )
        nodes = () if graph is None else graph.nodes
        asked = {ask.question, *(node.text for node in nodes if node.kind == "question")}
        said = {each for question in asked for each in self._earlier.get(question, ())}
        if any(node.text in said for node in nodes if node.kind == "completion" and not _is_call(node)):
            raise InputError(
                "app: its model was shown what it was asked before, and answered under another arm perhaps: make the "
                "app without a memory, or with a new one for each question"
            )
        if hides and graph is not None:
            _refuse_real(graph, source, exposure, ask.question)
        written = {text, *(node.text for node in nodes if _is_call(node))}
        self._earlier.setdefault(ask.question, set()).update(written)
        # Without a call in the run, one outside of it may have been of this run.
        return tuple(exposure.passages) if exposure.calls or not outside else None


def _graph(recorded: Any) -> ProvenanceGraph | None:
    graph: ProvenanceGraph | None = None
    with suppress(InputError):  # the app keeps callbacks off: nothing was recorded
        graph = recorded.graph
    return graph


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


def _usage(graph: ProvenanceGraph | None) -> Usage:
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
