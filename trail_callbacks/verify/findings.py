"""Intermediate results about the claims of an answer: judgements, and where unsupported claims were introduced."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.judge import Judgement
from trail_callbacks.report import Layer

__all__ = ["Findings", "Origin", "Origins", "carriers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a claim came from.

    Attributes:
        introduced_at: The first node that states it; None if it could not be determined.
        carried_through: Later nodes that repeat it, ending with the answer.
        history: One entry for each layer walked.
    """

    introduced_at: str | None
    carried_through: tuple[str, ...]
    history: tuple[Layer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """The result of a localisation.

    Attributes:
        by_claim: An origin for each claim, by claim id.
        warnings: See `Assessment`.
    """

    by_claim: dict[str, Origin]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Judgements, and origins if the strategy finds both at once.

    Attributes:
        judged: A judgement for each claim that was assessed, by claim id.
        origins: Where unsupported claims were introduced, by claim id.
        warnings: See `Assessment`.
    """

    judged: dict[str, Judgement]
    origins: dict[str, Origin] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def carriers(graph: ProvenanceGraph, first: str, stating: Iterable[str]) -> tuple[str, ...]:
    """Returns which of the stating nodes are reachable from the first, in order."""
    reached = {first}
    ordered = sorted(graph.nodes, key=lambda node: node.stage or 0)
    reached.update(node.id for node in ordered if any(source.id in reached for source in graph.inputs(node.id)))
    wanted = reached.intersection(stating) - {first}
    return tuple(node.id for node in ordered if node.id in wanted)
