"""Switching the recording on for the whole process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

from llama_index_trail.context import lock, open_trails, rest
from llama_index_trail.handlers import listen, listening
from llama_index_trail.scope import Scope
from llama_index_trail.tracker import TRACKER
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.session import CaptureKeywords, CaptureSettings, Evaluate, Recording
from trail_callbacks.signatures import shows_settings

__all__ = ["Status", "instrument", "status", "uninstrument"]


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
        **settings: `options`, `sample_rate`, `redact`, `texts`, `text_key`, `on_report`, `max_traces`, `max_waiting`,
            `concurrency`, `ttl`, `context`, `versions`, `store` and `attach`; see
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
            trails=open_trails(),
            listening=listening(),
            open_runs=open_runs,
            errors=tuple(TRACKER.errors),
        )
