"""The settings of recording and verifying an app."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, get_args

from trail_callbacks.capture.declared import Sources
from trail_callbacks.capture.recorder import Redact
from trail_callbacks.errors import InputError
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.verify.delivery import OnReport
from trail_callbacks.verify.options import VerifyOptions

__all__ = ["CaptureKeywords", "CaptureSettings", "Evaluate", "RecordKeywords"]

Evaluate = Literal["background", "process", "inline", "never"]


class RecordKeywords(TypedDict, total=False):
    """The settings of code that waits for every report. Documented, with their defaults, in `CaptureSettings`."""

    options: VerifyOptions | None
    redact: Redact | None
    on_report: OnReport | None
    max_traces: int
    max_waiting: int
    ttl: float
    sources: Sources | None
    source_keys: Collection[str]
    context: Mapping[str, Any] | None
    versions: Mapping[str, str] | None


class CaptureKeywords(RecordKeywords, total=False):
    """The settings that everything that records takes by keyword. Documented in `CaptureSettings`."""

    sample_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureSettings:
    """How an app is recorded and verified.

    Attributes:
        judge: Who decides. None is the offline judge; a string such as `"openai/gpt-5-mini"` is a model through
            instructor; `as_model(...)` of the adapter is the app's own model.
        evaluate: `background`: a run is verified on a worker thread once it has ended, which rests while the app is
            busy; `process`: likewise, in a process of its own, started with the first run, which takes the work off
            the app's interpreter: for servers; `inline`: before the app gets its answer; `never`: only when its report
            is asked for. For `process` the judge is sent there: it is None, a model's name, or can be pickled.
        options: Settings of the verification.
        sample_rate: Share of runs verified without being asked for, 0.0 to 1.0.
        redact: Applied to every captured text before it is stored or judged.
        on_report: Called with every finished report, on the thread that verified. It may be a coroutine function: of a
            run in an event loop it is awaited in that loop, as a task of its own; of any other run in a loop of ours.
            What it raises is kept in `errors`. The OpenTelemetry span that was current when the run ended is current in
            it, for `trail_callbacks.export.annotate_span`.
        max_traces: Runs, and their reports, kept for reading, 1 or more; the oldest are dropped first.
        max_waiting: Ended runs that may wait to be verified, 1 or more; those beyond are skipped, and counted. They are
            kept in memory, also those beyond `max_traces`.
        ttl: Seconds, above 0, after which a run that never ended is dropped.
        sources: Returns the sources of a run, texts or documents, given what the app was called with. They are evidence
            for its answer, also where no recorded prompt shows them.
        source_keys: Names of inputs, state channels and prompt variables: the texts in them are sources, whatever they
            would be taken for otherwise.
        context: What holds for all runs and is kept in their traces, with the keys of a run's metadata, which goes
            before it: `{"tenant_id": "acme"}`. See `docs/trace.md`.
        versions: Versions of what answers, kept in traces: `{"index": "2026-11-20", "reranker": "v3"}`. What a run, its
            components or its documents say goes before them.

    Raises:
        InputError: If a value is out of range.
    """

    judge: JudgeLike = None
    evaluate: Evaluate = "background"
    options: VerifyOptions | None = None
    sample_rate: float = 1.0
    redact: Redact | None = None
    on_report: OnReport | None = None
    max_traces: int = 256
    max_waiting: int = 1024
    ttl: float = 3600.0
    sources: Sources | None = None
    source_keys: Collection[str] = ()
    context: Mapping[str, Any] | None = None
    versions: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        """Checks ranges."""
        if self.evaluate not in get_args(Evaluate):
            raise InputError(f"evaluate is {self.evaluate!r}, expected one of {', '.join(get_args(Evaluate))}")
        if not 0.0 <= self.sample_rate <= 1.0:
            raise InputError(f"sample_rate is {self.sample_rate}, expected a share from 0.0 to 1.0")
        if self.max_traces < 1:
            raise InputError(f"max_traces is {self.max_traces}, expected 1 or more")
        if self.max_waiting < 1:
            raise InputError(f"max_waiting is {self.max_waiting}, expected 1 or more")
        if isinstance(self.source_keys, str) or not all(isinstance(key, str) for key in self.source_keys):
            raise InputError(f"source_keys is {self.source_keys!r}, expected names of inputs, such as ['kb']")
        if self.sources is not None and not callable(self.sources):
            raise InputError(f"sources is {type(self.sources).__name__}, expected a function of a run's inputs")
        if self.context is not None and not isinstance(self.context, Mapping):
            raise InputError(
                f"context is {type(self.context).__name__}, expected a mapping such as {{'user_id': 'u1'}}"
            )
        if self.versions is not None:
            from trail_callbacks.trace.context import given_versions  # noqa: PLC0415 - most give none

            given_versions(self.versions)
        if not self.ttl > 0:  # a NaN, too
            raise InputError(f"ttl is {self.ttl}, expected seconds above 0")
