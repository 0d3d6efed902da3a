"""The settings of a guard."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Literal, TypedDict, get_args

from trail_callbacks.errors import InputError, JudgeError
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.models.call import Budget
from trail_callbacks.signatures import refuses_unknown
from trail_callbacks.verify.delivery import OnReport
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.threshold import OnUndecided

if TYPE_CHECKING:
    from trail_callbacks.store import Store

OnFail = Literal["retry", "strip", "block", "annotate", "raise"]
LastResort = Literal["block", "annotate", "raise"]
Stream = Literal["buffer", "pass"]

_NO_JUDGE = """a guard needs a judge:
judge="openai/gpt-5-mini" or another model, through instructor;
judge=as_model(your_model) for the model of your app;
judge="local" for the offline judge: no model, no key, and it leaves undecided what no source says in its words"""
_NO_LIMIT = Budget()
BLOCKED = "I could not find enough support in the sources to answer this."
"""The text that replaces a withheld answer by default."""


class GuardKeywords(TypedDict, total=False):
    """The settings that every guard takes by keyword. Documented, with their defaults, in `GuardSettings`."""

    max_score: float
    on_fail: OnFail
    max_retries: int
    exhausted: LastResort
    min_share: float
    on_error: Literal["open", "closed"]
    no_evidence: Literal["pass", "fail"]
    on_undecided: OnUndecided
    timeout: float | None
    budget: Budget
    concurrency: int | None
    options: VerifyOptions | None
    message: str
    on_report: OnReport | None
    store: str | PathLike[str] | Store | None


@refuses_unknown
@dataclass(frozen=True, slots=True, kw_only=True)
class GuardSettings:
    """How the answers of an app are guarded.

    Attributes:
        judge: Who decides; there is no default, because a guard is as good as its judge. A string such as
            `"openai/gpt-5-mini"` is a model through instructor; `as_model(...)` of the adapter is the app's own model;
            `"local"` is the offline judge, which decides only what it can show and leaves most paraphrases undecided.
        max_score: Hallucination score up to which an answer passes, 0.0 to 1.0.
        on_fail: What is done with an answer above it. `retry`: ask the app again, with feedback that lists the claims
            that failed and what the sources say; `strip`: take out the sentences that are not supported (see
            `trail_callbacks.guard.stripping`) and name them in `removed` of the summary; `block`: return `message`
            instead; `annotate`: let it through with its report; `raise`: raise `AnswerRejectedError`.
        max_retries: Further drafts asked for, 0 or more. They count for one turn of the conversation.
        exhausted: What `retry` does with the last draft, and `strip` with one that it cannot mend.
        min_share: Share of the answer's text that `strip` has to leave, 0.0 to 1.0: less is no answer any more.
        on_error: What is done when the judge fails, also on a part of the claims, when it leaves out a part of the
            answer (`Report.uncovered`) or calls a statement a refusal, and when an answer states something of which
            nothing could be checked (`unverified`, but no claim is undecided). `closed`, the default, because what
            makes a judge fail may stand in the text that it reads: do what `on_fail` says, or `exhausted` in the case
            of `retry` and `strip`, which do not repair the judge. `open`: let the answer through with that noted,
            unless the judge was late.
        no_evidence: What is done with claims when nothing was read that could support them. `fail`, the default,
            because an answer from a model's memory is what a guard is there to stop, and because the feedback sends a
            model to its tools; `pass` for apps that may answer from memory.
        on_undecided: What claims mean from which the judge abstained: it read the sources, and what it can show
            settles nothing. `pass`: beside decided claims they do not fail an answer; feedback and summary name them as
            not checked; what the judge left out is no such claim. An answer of which nothing was decided fails. `fail`:
            each counts as unsupported, as does a statement of which it says that no source could settle it, such as
            praise, and feedback asks to state only what the sources say; and what is returned beside the answer without
            being judged (`unjudged` in the summary: reasoning, annotations, text beside tool calls, what a tool returns
            directly) is left out, and an answer with what is no claim in it (code, addresses) does not pass.
        timeout: Seconds for judging one draft, above 0; None is no limit. After nine tenths of it no call of the
            judge's model goes on. A judge that is late never lets an answer through, whatever `on_error` says: how long
            judging takes, the sources decide, and so whoever wrote them.
        budget: Calls, tokens and money of the judge for all drafts of one turn; that of `options` limits each draft.
        concurrency: Drafts of synchronous calls judged at once, 1 or more, if the judge waits for a model; None is 16.
        options: Settings of the verification. By default the origin of unsupported claims is looked for only if the
            report reaches the user (`annotate`, `raise`).
        message: What the user reads in place of a withheld answer.
        stream: `buffer`: nothing of a draft is streamed before it is accepted; `pass`: tokens are streamed as they
            come, which only `annotate` allows. None is `pass` for `annotate`, else `buffer`.
        on_report: Called with the report on every draft, rejected ones included, on the thread that judged. It may be a
            coroutine function: in a coroutine it is awaited before anything is done with the draft, at most for
            `timeout` seconds. What it raises is a warning of the report that the answer carries.
        store: Where the report on the last draft is kept, with what was done as the segment `guard`, in the row of the
            run that the app's handler records: a file such as `"trail.db"`, the URL of a database, or a
            `trail_callbacks.store.Store`. Needs the extra `store`.

    Raises:
        JudgeError: If there is no judge.
        InputError: If a value is out of range, or the store cannot be opened.
        MissingExtraError: If the store needs what is not installed.
    """

    judge: JudgeLike = None  # refused: so that the error can name the choices
    max_score: float = 0.0
    on_fail: OnFail = "retry"
    max_retries: int = 2
    exhausted: LastResort = "block"
    min_share: float = 0.25
    on_error: Literal["open", "closed"] = "closed"
    no_evidence: Literal["pass", "fail"] = "fail"
    on_undecided: OnUndecided = "pass"
    timeout: float | None = 60.0
    budget: Budget = _NO_LIMIT
    concurrency: int | None = None
    options: VerifyOptions | None = None
    message: str = BLOCKED
    stream: Stream | None = None
    on_report: OnReport | None = None
    store: str | PathLike[str] | Store | None = None

    def __post_init__(self) -> None:
        """Checks ranges."""
        if self.judge is None:
            raise JudgeError(_NO_JUDGE)
        for name in ("max_score", "min_share"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"{name} is {getattr(self, name)}, expected 0.0 to 1.0")
        self._check_choices()
        for name, least in (("max_retries", 0), ("concurrency", 1)):
            value = getattr(self, name)
            if value is not None and not value >= least:
                raise InputError(f"{name} is {value}, expected {least} or more")
        self._check_nested()
        if self.timeout is not None and not self.timeout > 0:  # a NaN, too
            raise InputError(f"timeout is {self.timeout}, expected seconds above 0, or None for no limit")
        if self.stream == "pass" and self.on_fail != "annotate":
            raise InputError(
                f"stream='pass' shows an answer before it is judged, so on_fail={self.on_fail!r} could not take it back"
            )
        if self.store is not None:
            from trail_callbacks.store import opened  # noqa: PLC0415 - SQLAlchemy is needed by few

            object.__setattr__(self, "store", opened(self.store))

    def _check_nested(self) -> None:
        if self.budget.of_one("budget").seconds is not None:
            raise InputError("budget.seconds is set, but the time of a guard is its timeout, for each draft")
        if self.verification.diagnose:
            raise InputError("options.diagnose is set, but a draft is no recorded run: set it on what records the app")

    def _check_choices(self) -> None:
        for name, allowed in (
            ("on_fail", get_args(OnFail)),
            ("exhausted", get_args(LastResort)),
            ("on_error", ("open", "closed")),
            ("no_evidence", ("pass", "fail")),
            ("on_undecided", get_args(OnUndecided)),
            ("stream", (None, *get_args(Stream))),
        ):
            value = getattr(self, name)
            if value not in allowed:
                raise InputError(f"{name} is {value!r}, expected one of {', '.join(filter(None, allowed))}")

    @property
    def hides_drafts(self) -> bool:
        """True if the user sees nothing of a draft before it is accepted."""
        return self.stream == "buffer" or (self.stream is None and self.on_fail != "annotate")

    @property
    def verification(self) -> VerifyOptions:
        """The options for judging one draft; those given, or the default for what happens to a failed draft."""
        return self.options or VerifyOptions(localize=self.on_fail in {"annotate", "raise"})
