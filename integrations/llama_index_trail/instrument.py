"""Switching the recording on: for the whole process, or for a `with` block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from llama_index_instrumentation.span import active_span_id

from llama_index_trail.results import Scope, current
from llama_index_trail.tracker import TRACKER, listen, listening, unlisten
from trail_callbacks.forking import ChildSafeLock
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.session import Block, CaptureKeywords, CaptureSettings, Evaluate, Recording
from trail_callbacks.signatures import shows_settings

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The state of the recording.

    Attributes:
        instrumented: `instrument()` is on.
        trails: Open `trail()` blocks.
        listening: Our handlers are on LlamaIndex's dispatcher; true as well while a stream is unread.
        open_runs: Runs that have not ended; unread streams count.
        errors: Our own faults since the start of the process, the last hundred. LlamaIndex swallows what handlers
            raise, so this is the place to look if something is missing.
    """

    instrumented: bool
    trails: int
    listening: bool
    open_runs: int
    errors: tuple[Exception, ...]


@shows_settings(CaptureSettings, CaptureKeywords)
def instrument(
    judge: JudgeLike = None, evaluate: Evaluate = "background", **settings: Unpack[CaptureKeywords]
) -> Recording:
    """Records and verifies every LlamaIndex run of the process.

        instrument()
        response = engine.query(question)
        print(response.metadata["trail"]["state"])

    Called again it replaces the settings; a run is never recorded twice. Runs inside a `trail()` block belong to the
    block.

    Args:
        judge: Who decides; None is the offline judge. A string such as `"openai/gpt-5-mini"` is a model through
            instructor; `as_model(llm)` is the app's own model.
        evaluate: `background`: the summary comes into the metadata shortly after the response. Until then it is printed
            as `{"state": "pending", "run_id": ...}`, and reading it waits, except in an event loop, which must not wait
            (`await areport_for(response)` does). `process`: likewise, in another process, which takes the work off a
            busy server. `inline`: a synchronous call returns when it is there. `never`: only when a report is asked
            for; nothing is attached.
        **settings: `options`, `sample_rate`, `redact`, `on_report`, `sources`, `context`, `store` and more; see
            `trail_callbacks.session.CaptureSettings`.

    Returns:
        What is being recorded.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """
    scope = Scope(CaptureSettings(judge=judge, evaluate=evaluate, **settings))
    with lock:
        TRACKER.installed = scope
        listen()
    return Recording(scope.session)


def uninstrument() -> None:
    """Ends what `instrument` began. Streams that are still being read are recorded to their end."""
    with lock:
        TRACKER.installed = None
        rest()


def status() -> Status:
    """Returns whether anything is recorded, and what went wrong on our side."""
    open_runs = TRACKER.open_traces
    with lock:
        rest()
        return Status(
            instrumented=TRACKER.installed is not None,
            trails=TRACKER.trails,
            listening=listening(),
            open_runs=open_runs,
            errors=tuple(TRACKER.errors),
        )


lock = ChildSafeLock()  # protects the next number and the handlers' registration


class Trail(Block):
    """One block's recording. Made by `trail`; enter it once.

    Its results are those of the last run of the block that answered, and stay readable after the block, also if the app
    raised. What the block called before, such as a retriever, belongs to that run if the run read what it returned.
    """

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope.session, current, scope)
        scope.session.recorder.join_roots()
        self._scope = scope

    def __enter__(self) -> Self:
        self._scope.opened_in = active_span_id.get()
        with lock:
            TRACKER.trails += 1
            listen()
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        if self._token is None:
            return
        super().__exit__(*error)
        with lock:
            TRACKER.trails -= 1
            rest()


@shows_settings(CaptureSettings, CaptureKeywords)
def trail(judge: JudgeLike = None, evaluate: Evaluate = "background", **settings: Unpack[CaptureKeywords]) -> Trail:
    """Records and verifies what runs in a `with` block, for sync and async code alike.

        with trail() as t:
            engine.query(question)
        print(t.report)

    Blocks may nest and run concurrently: a run belongs to the innermost block around the code that starts it. A
    thread started by hand is outside, unless run in a `contextvars.copy_context()`.

    Args:
        judge: See `instrument`.
        evaluate: See `instrument`.
        **settings: See `instrument`.

    Raises:
        InputError: If a value is out of range.
        JudgeError: If the judge is unknown.
    """
    return Trail(Scope(CaptureSettings(judge=judge, evaluate=evaluate, **settings)))


def rest() -> None:
    """Takes the handlers off when nobody needs them any more."""
    with lock:
        if TRACKER.installed is None and TRACKER.trails == 0 and TRACKER.open_traces == 0:
            unlisten()


TRACKER.on_idle = rest
