"""What a strategy finds out about the claims of an answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from trail_callbacks.judges.judge import Judgement
from trail_callbacks.verify.localize import Origin

__all__ = ["Findings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Judgements, and origins where the strategy finds them on its way.

    Attributes:
        judged: A judgement for each claim asked about, by claim id.
        origins: Where unsupported claims came in, by claim id.
        warnings: See `Assessment`.
        cache_hits: See `Assessment`.
    """

    judged: dict[str, Judgement]
    origins: dict[str, Origin] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    cache_hits: int = 0
