"""Settings of a verification."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Budget
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
        diagnose: Find where the evidence path of a recorded run broke first, see `trail_callbacks.diagnosis`: up to two
            model calls more. For what records runs: a handler, `trail`, `instrument`, an audit.
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
    diagnose: bool = False
    cache: str | Path | None = None
    scoring: Scoring = field(default_factory=Scoring)
    budget: Budget = field(default_factory=Budget)
    concurrency: int = 4

    def __post_init__(self) -> None:
        """Checks ranges."""
        for name in ("read_tokens", "concurrency"):
            if getattr(self, name) < 1:
                raise InputError(f"VerifyOptions.{name} is {getattr(self, name)}, expected 1 or more")
        self.budget.of_one("VerifyOptions.budget")

    @property
    def limits(self) -> tuple[Budget, int]:
        """What the calls of one report may cost, and how many are in flight at once, as `drive` takes them."""
        return self.budget, self.concurrency
