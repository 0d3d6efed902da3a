"""What `TrailGuard` adds to an agent's state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware.types import AgentState, OmitFromInput, PrivateStateAttr
from langgraph.channels import LastValue

__all__ = ["TrailState"]


class _Latest(LastValue[Any]):
    """A key that several guards may write in one step: the outermost counts, as it is applied last."""

    def update(self, values: Sequence[Any]) -> bool:
        return super().update(values[-1:])


class _ByGuard(LastValue[Any]):
    """A key in which each guard has a place of its own."""

    def update(self, values: Sequence[Any]) -> bool:
        if not values:
            return False
        known = self.get() if self.is_available() else {}
        return super().update([{**known, **{name: kept for value in values for name, kept in value.items()}}])


class TrailState(AgentState[Any]):
    """What the guard adds to an agent's state.

    Attributes:
        trail: Summary of the report on the last answer, see `Report.summary`, with `passed`, `blocked`, `attempts` and
            `usage`. Part of the output, not of the input.
        trail_rejected: For the guards alone: drafts rejected in this turn before tools were called again.
    """

    trail: NotRequired[Annotated[dict[str, Any], _Latest, OmitFromInput]]
    trail_rejected: NotRequired[Annotated[dict[str, Any], _ByGuard, PrivateStateAttr]]
