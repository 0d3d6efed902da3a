"""Faults of our own, kept where they can be seen instead of raised into the app."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable

__all__ = ["Faults"]

_KEPT = 100
_logger = logging.getLogger("trail_callbacks")
_logger.addHandler(logging.NullHandler())


class Faults:
    """The last hundred exceptions of capture and verification.

    Attributes:
        hide: Returns an exception without the texts that it quotes, before it is kept or logged; None for all of it.
    """

    def __init__(self, hide: Callable[[Exception], Exception] | None = None) -> None:
        self.hide = hide
        self._errors: deque[Exception] = deque(maxlen=_KEPT)
        self._logged: set[type[Exception]] = set()

    @property
    def errors(self) -> list[Exception]:
        """The exceptions, oldest first."""
        return list(self._errors)

    def keep(self, error: Exception) -> None:
        """Keeps an exception; logs the first of each type."""
        if self.hide is not None:
            error = self.hide(error)
        self._errors.append(error)
        if type(error) not in self._logged:
            self._logged.add(type(error))
            _logger.warning("trail-callbacks failed, the app is not affected: %r", error, exc_info=error)
