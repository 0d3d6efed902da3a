"""Values of a run, probes and twins as JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from pydantic import TypeAdapter

T = TypeVar("T")

_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {}


def to_data(value: Any) -> dict[str, Any]:
    """The fields of a dataclass, JSON-like, without those at their default."""
    found: dict[str, Any] = _adapter(type(value)).dump_python(value, mode="json", exclude_defaults=True)
    return found


def of_data(kind: type[T], data: Mapping[str, Any]) -> T:
    """Reads what `to_data` gives; raises ValueError (of pydantic) if the data are of no such value."""
    found: T = frozen(_adapter(kind).validate_python(data))
    return found


def frozen(value: Any) -> Any:
    """The same value with tuples for lists, as it was before it was written."""
    if isinstance(value, list):
        return tuple(map(frozen, value))
    if is_dataclass(value):
        for each in fields(value):
            object.__setattr__(value, each.name, frozen(getattr(value, each.name)))
    return value


def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
