"""Settings of a verification."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from trail_callbacks.errors import InputError
from trail_callbacks.models.budget import Budget
from trail_callbacks.report.verdict import Scoring
from trail_callbacks.signatures import refuses_unknown


@refuses_unknown
@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOptions:
    """Settings of one verification; the defaults suit a typical RAG answer.

    Attributes:
        read_tokens: Tokens of the sources, about, that a judge with a model reads at once, 1 or more. Sources that fit
            are read whole, once for all claims, in the call that finds these if the answer is not much longer than a
            screen; of longer ones what is most likely to bear on the claims
            comes first, and claims that are absent there are looked for in the rest, four times at most.
        localize: Find the step where unsupported content was introduced.
        strategy: `audit` checks claims against the leaves and then finds where unsupported ones were introduced;
            `veritrail` walks back from the answer as published, see `trail_callbacks.verify.veritrail`.
        q: For `veritrail`: consecutive verdicts of "not fully supported" that end a walk, 1 or more. Higher values cost
            more calls and flag fewer claims, with more certainty.
        summaries: For `veritrail`: keep in the report, beside the sentences selected at each step, what the judge says
            that they say.
        diagnose: Find where the evidence path of a recorded run broke first, see `trail_callbacks.diagnosis`: up to two
            model calls more. A report of `check` and `verify` has no recorded run, and a warning says so.
        cache: Folder in which model replies are cached for other runs and processes, call by call: only a call whose
            prompt, model or release changed is paid for again. None caches nothing on disk.
        scoring: How the score is computed.
        budget: What one report may cost: calls, tokens, seconds, money. Over it what is decided stays.
        concurrency: Calls in flight at once of one verification, 1 or more. How many verifications run at once is a
            setting of what starts them: `concurrency` of the handler, `trail`, `traced`, `instrument`, guards, audits.

    Raises:
        InputError: If a number is out of range.
    """

    read_tokens: int = 16_000
    localize: bool = True
    strategy: Literal["audit", "veritrail"] = "audit"
    q: int = 1
    summaries: bool = False
    diagnose: bool = False
    cache: str | Path | None = None
    scoring: Scoring = field(default_factory=Scoring)
    budget: Budget = field(default_factory=Budget)
    concurrency: int = 4

    def __post_init__(self) -> None:
        """Checks ranges."""
        for name in ("read_tokens", "concurrency", "q"):
            if getattr(self, name) < 1:
                raise InputError(f"VerifyOptions.{name} is {getattr(self, name)}, expected 1 or more")
        if self.strategy not in {"audit", "veritrail"}:
            raise InputError(f"VerifyOptions.strategy is {self.strategy!r}, expected 'audit' or 'veritrail'")
        self.budget.of_one("VerifyOptions.budget")

    @property
    def limits(self) -> tuple[Budget, int]:
        """What the calls of one report may cost, and how many are in flight at once, as `drive` takes them."""
        return self.budget, self.concurrency
