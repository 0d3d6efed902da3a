"""The settings of recording and verifying an app."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from inspect import iscoroutinefunction
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast, get_args

from trail_callbacks.capture.redaction import Redact
from trail_callbacks.capture.run_tree import Sources
from trail_callbacks.errors import InputError
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.signatures import refuses_unknown
from trail_callbacks.verify.delivery import OnReport
from trail_callbacks.verify.options import VerifyOptions

if TYPE_CHECKING:
    from trail_callbacks.store import Store

__all__ = ["CaptureKeywords", "CaptureSettings", "Evaluate", "RecordKeywords", "Redact"]

Evaluate = Literal["background", "process", "inline", "never"]


_KEY = 16  # bytes


@refuses_unknown
@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """What is kept of runs in memory, and for how long.

    Attributes:
        runs: Runs, and their reports, kept for reading, 1 or more; the oldest are dropped first.
        waiting: Ended runs that may wait to be verified, 1 or more; those beyond are skipped, and counted. They are
            kept also beyond `runs`.
        seconds: After which a run that never ended is dropped, above 0.
        texts: False: of a run that was judged no text is kept. Report and graph have fillers of the same length in
            place of texts, with a keyed hash of each; classes, scores and offsets stay. `on_report` gets the same
            report. What a later turn of the conversation repeats of this one is not recognised.
        text_key: Of `texts=False`: the key of the hashes, 16 bytes or more, kept by whoever is to compare texts with
            them later. None is one of this process, which nobody can read.

    Raises:
        InputError: If a value is out of range.
    """

    runs: int = 256
    waiting: int = 1024
    seconds: float = 3600.0
    texts: bool = True
    text_key: bytes | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Checks ranges."""
        for name in ("runs", "waiting"):
            if getattr(self, name) < 1:
                raise InputError(f"Retention.{name} is {getattr(self, name)}, expected 1 or more")
        if not self.seconds > 0:  # a NaN, too
            raise InputError(f"Retention.seconds is {self.seconds}, expected more than 0")
        key: object = self.text_key
        if key is not None and (not isinstance(key, bytes) or len(key) < _KEY):
            raise InputError(f"text_key is no bytes of length {_KEY} or more: use secrets.token_bytes(32), and keep it")


_KEPT = Retention()


class RecordKeywords(TypedDict, total=False):
    """The settings of code that waits for every report. Documented, with their defaults, in `CaptureSettings`."""

    options: VerifyOptions | None
    redact: Redact | None
    on_report: OnReport | None
    concurrency: int | None
    sources: Sources | None
    context: Mapping[str, Any] | None
    store: str | PathLike[str] | Store | None
    keep: Retention
    attach: bool


class CaptureKeywords(RecordKeywords, total=False):
    """The settings that everything that records takes by keyword. Documented in `CaptureSettings`."""

    sample_rate: float


@refuses_unknown
@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureSettings:
    """How an app is recorded and verified.

    Attributes:
        judge: Who decides. None is the offline judge; a string such as `"openai/gpt-5-mini"` is a model through
            instructor; `as_model(...)` of the adapter is the app's own model.
        evaluate: `background`: a run is verified off the app's path once it has ended, by work that rests while the app
            is busy; `process`: likewise, in a process of its own, started with the first run, which takes the work off
            the app's interpreter: for servers; `inline`: before the app gets its answer; `never`: only when its report
            is asked for. For `process` the judge is sent there: it is None, a model's name, or can be pickled. Whatever
            is said here, the offline judge works in such a process on a run with a million characters or more.
        options: Settings of the verification.
        sample_rate: Share of runs verified without being asked for, 0.0 to 1.0.
        redact: A function of a string, or several that are applied in turn: they return it without what must not be
            stored, judged or shown. Applied to texts, names of models and steps, ids, metadata and errors, before
            anything is kept, judged, sent to another process or written. It must be deterministic, is called on any
            thread, and stays in this process. Where it raises, or returns no string, the text is withheld.
            `trail_callbacks.redaction` has some: `redact=presets("email", "key")`.
        on_report: Called with every finished report, on the thread that verified. It may be a coroutine function: of a
            run in an event loop it is awaited in that loop, as a task of its own; of any other run in a loop of ours.
            What it raises is kept in `errors`. The OpenTelemetry span that was current when the run ended is current in
            it, for `trail_callbacks.export.annotate_span`.
        concurrency: Verifications driven at once, 1 or more; None is 16 if the judge waits for a model, and 1 if it
            computes. Those that wait share one thread, whatever the number. How many calls each of them has in flight
            is another matter: `VerifyOptions.concurrency`.
        sources: Names of inputs, state channels and prompt variables: the texts in them are sources, whatever they
            would be taken for otherwise. Or a function that returns the sources of a run, texts or documents, given
            what the app was called with; they are evidence for its answer, also where no recorded prompt shows them.
        context: What holds for all runs and is kept in their traces, with the keys of a run's metadata:
            `{"tenant_id": "acme", "versions": {"index": "2026-11-20", "reranker": "v3"}}`. What a run, its components
            or its documents say goes before it. See `docs/trace.md`.
        store: Where finished reports are kept, with traces and figures: a file such as `"trail.db"`, the URL of a
            database, or a `trail_callbacks.store.Store`. Written on a thread of its own, in batches; what the settings
            above leave out is not in it. Needs the extra `store`. See `docs/store.md`.
        keep: What is kept of runs in memory, and for how long.
        attach: Show the report on the response: its summary under `trail` in the metadata of the message or response
            that answers, first `{"state": "pending", "run_id": ...}`, filled in place when the report is ready.

    Raises:
        InputError: If a value is out of range, or the store cannot be opened.
        MissingExtraError: If the store needs what is not installed.
    """

    judge: JudgeLike = None
    evaluate: Evaluate = "background"
    options: VerifyOptions | None = None
    sample_rate: float = 1.0
    redact: Redact | None = None
    on_report: OnReport | None = None
    concurrency: int | None = None
    sources: Sources | None = None
    context: Mapping[str, Any] | None = None
    store: str | PathLike[str] | Store | None = None
    keep: Retention = _KEPT
    attach: bool = True

    def __post_init__(self) -> None:
        """Checks ranges."""
        if self.evaluate not in get_args(Evaluate):
            raise InputError(f"evaluate is {self.evaluate!r}, expected one of {', '.join(get_args(Evaluate))}")
        if not 0.0 <= self.sample_rate <= 1.0:
            raise InputError(f"sample_rate is {self.sample_rate}, expected a share from 0.0 to 1.0")
        if self.concurrency is not None and self.concurrency < 1:
            raise InputError(f"concurrency is {self.concurrency}, expected 1 or more")
        for name, kind in (("options", VerifyOptions), ("keep", Retention), ("attach", bool)):
            value = getattr(self, name)
            if not isinstance(value, kind) and (name != "options" or value is not None):
                raise InputError(f"{name} is {value!r}, expected {kind.__name__}")
        if self.on_report is not None and not callable(self.on_report):
            raise InputError(f"on_report is {self.on_report!r}, expected a function that takes a report")
        _check_sources(self.sources)
        _check_context(self.context)
        _check_redact(self.redact)
        if self.store is not None:
            from trail_callbacks.store import opened  # noqa: PLC0415 - SQLAlchemy is needed by few

            object.__setattr__(self, "store", opened(self.store))

    @property
    def opened_store(self) -> Store | None:
        """The store."""
        return cast("Store | None", self.store)


def _check_sources(sources: object) -> None:
    if sources is None or callable(sources):
        return
    named = isinstance(sources, Collection) and not isinstance(sources, str)
    if not named or not all(isinstance(each, str) for each in cast("Collection[object]", sources)):
        raise InputError(f"sources is {sources!r}, expected a function, or names of inputs such as ['kb']")


def _check_context(context: object) -> None:
    if context is None:
        return
    from trail_callbacks.trace.context import given_versions  # noqa: PLC0415 - most say nothing

    if not isinstance(context, Mapping):
        raise InputError(f"context is {type(context).__name__}, expected a mapping such as {{'user_id': 'u1'}}")
    given_versions(context.get("versions"))


def _check_redact(redact: object) -> None:
    for each in redact if isinstance(redact, list | tuple) else () if redact is None else (redact,):
        if not callable(each) or iscoroutinefunction(each):
            what = f"{each.__name__}, a coroutine function" if callable(each) else repr(each)
            raise InputError(f"redact is {what}, expected a function that returns a string for a string, or several")
