"""The OpenTelemetry span that is current in the app, for hooks that run elsewhere and later."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["app_span", "within"]


def app_span() -> Any:
    """Returns the current span; None if there is none. OpenTelemetry is never imported for it."""
    tracing = sys.modules.get("opentelemetry.trace")
    if tracing is None:
        return None
    try:
        span = tracing.get_current_span()
        return span if span.get_span_context().is_valid else None
    except Exception:  # noqa: BLE001 - another's library, half imported or replaced: then there is no span
        return None


@contextmanager
def within(span: Any) -> Iterator[None]:
    """Makes a span that `app_span` returned the current one in a block."""
    tracing = sys.modules.get("opentelemetry.trace")
    if span is None or tracing is None:
        yield
        return
    with tracing.use_span(span, end_on_exit=False, record_exception=False, set_status_on_exception=False):
        yield
