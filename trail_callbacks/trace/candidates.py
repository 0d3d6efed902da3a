"""What a framework's metadata says about a passage: its document, its score, its modality."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from typing import Any

from trail_callbacks.capture.keys import DOCUMENTS, MODALITIES, SCORES

__all__ = ["content_hash", "document_of", "first_number", "modality_of", "score_of"]

_HASH = 16  # hexadecimal digits: among a million passages two are alike by chance once in thirty million cases
_NAMES = {
    "text": "text", "narrativetext": "text", "image": "image", "picture": "image", "figure": "image", "table": "table",
    "audio": "audio", "video": "video", "code": "code",
}  # fmt: skip
_SPACE = re.compile(r"\s+")


def content_hash(text: str) -> str:
    """Returns the first 16 hexadecimal digits of the SHA-256 of a text with its white space collapsed.

    The same passage has the same hash after an index is rebuilt, whatever its id is then.
    """
    return hashlib.sha256(_SPACE.sub(" ", text).strip().encode("utf-8", "replace")).hexdigest()[:_HASH]


def document_of(attributes: Mapping[str, Any]) -> str | None:
    """Returns the document that a passage was cut from: by the first key of its metadata that names one."""
    found = (attributes.get(key) for key in DOCUMENTS)
    return next((str(value) for value in found if isinstance(value, str | int) and str(value).strip()), None)


def score_of(attributes: Mapping[str, Any]) -> float | None:
    """Returns the score in the metadata of a passage; None if there is none, or none that is finite."""
    return first_number(attributes, SCORES)


def first_number(attributes: Mapping[str, Any], keys: tuple[str, ...]) -> float | None:
    """Returns the first finite number under one of several keys."""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    return None


def modality_of(attributes: Mapping[str, Any]) -> str:
    """Returns `text`, `image`, `table`, `audio`, `video` or `code`, by the metadata of a passage; `text` by default."""
    for key in MODALITIES:
        value = attributes.get(key)
        if isinstance(value, str):
            named = _NAMES.get(value.casefold().partition("/")[0].strip())
            if named is not None:
                return named
    return "text"
