"""The feedback of a guard on an earlier draft, in the texts that an app hands on: it is taken out of what is recorded.

It repeats claims that nothing supports, and must never become evidence for them. It stands between marks.
"""

from __future__ import annotations

import re
import secrets
from functools import cache

__all__ = ["marked", "without_feedback"]


def marked(review: str) -> str:
    """Returns feedback between the marks by which `without_feedback` finds it again."""
    opening, closing = _marks()
    return f"{opening}\n\n{review}\n\n{closing}"


def without_feedback(text: str) -> str:
    """Returns a text without the feedback in it; what was written before and after stays."""
    return _block().sub("", text) if _marks()[0] in text else text


@cache
def _marks() -> tuple[str, str]:
    """Random, because whoever knows the marks can hide a text from the record, though never an answer."""
    key = secrets.token_hex(8)
    return f"<<<REVIEW {key}>>>", f"<<<END REVIEW {key}>>>"


@cache
def _block() -> re.Pattern[str]:
    opening, closing = _marks()
    return re.compile(rf"\s*{opening}.*?(?:{closing}\s*|\Z)", re.DOTALL)
