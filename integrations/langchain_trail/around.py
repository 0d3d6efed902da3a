"""A runnable around another one, with the same input and output."""

from __future__ import annotations

from typing import Any, TypeVar

from langchain_core.runnables import Runnable, RunnableConfig

__all__ = ["Around"]

In = TypeVar("In")
Out = TypeVar("Out")


class Around(Runnable[In, Out]):
    """Takes what the runnable inside takes, and returns what it returns.

    Args:
        runnable: The runnable inside.
    """

    def __init__(self, runnable: Runnable[In, Out]) -> None:
        self._runnable = runnable

    @property
    def InputType(self) -> Any:  # noqa: N802 - as Runnable names it
        """That of the runnable inside."""
        return self._runnable.InputType

    @property
    def OutputType(self) -> Any:  # noqa: N802 - as Runnable names it
        """That of the runnable inside."""
        return self._runnable.OutputType

    def get_input_schema(self, config: RunnableConfig | None = None) -> Any:
        """That of the runnable inside."""
        return self._runnable.get_input_schema(config)

    def get_output_schema(self, config: RunnableConfig | None = None) -> Any:
        """That of the runnable inside."""
        return self._runnable.get_output_schema(config)
