"""Strategies as a file: the ways to build the app that are to be compared, as TOML.

arms = ["closed_book", "real", "fictive"]

[matrix]                              # each value with each other
chunker = ["sentence", "500/100"]
html = [true, false]

[[exclude]]                           # but not these
chunker = "sentence"
html = true
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, JsonValue, ValidationError

from trail_callbacks.canary.arm import ARMS, Arm, Strategy
from trail_callbacks.errors import InputError

__all__ = ["read_matrix"]

_MOST = 1000  # strategies
_SHOWN = 40  # characters of a value in a name


class _Matrix(BaseModel, extra="forbid"):
    arms: list[Arm] = Field(default=list(ARMS), min_length=1)
    matrix: dict[str, list[JsonValue]] = Field(min_length=1)
    exclude: list[dict[str, JsonValue]] = []


def read_matrix(path: str | Path) -> tuple[Sequence[Strategy], Sequence[Arm]]:
    """Reads the strategies of a file, and its arms, all if it names none.

    Strategies are the product of the `matrix`, without what `exclude` leaves out, and are named by their parameters:
    `chunker=500/100, html=false`.

    Raises:
        InputError: If the file cannot be read, or what it says makes no sense: says what and where.
    """
    try:
        found = _Matrix.model_validate(tomllib.loads(Path(path).read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValidationError as error:
        wrong = error.errors()[0]
        raise InputError(f"{path}, {'.'.join(map(str, wrong['loc']))}: {wrong['msg']}") from error
    except ValueError as error:
        raise InputError(f"{path} is no TOML: {error}") from error
    size = prod(map(len, found.matrix.values()))
    if size > _MOST:
        raise InputError(f"{path}, matrix: {size} combinations, expected at most {_MOST}: give fewer values")
    points = [dict(zip(found.matrix, values, strict=True)) for values in product(*found.matrix.values())]
    for n, rule in enumerate(found.exclude, 1):
        if not any(_meets(point, rule) for point in points):
            raise InputError(f"{path}, exclude {n}: {json.dumps(rule)} is not in the matrix")
    kept = [point for point in points if not any(_meets(point, rule) for rule in found.exclude)]
    strategies = {name: Strategy(name, point) for point in kept if (name := _name(point))}
    if not kept or len(strategies) < len(kept):
        raise InputError(f"{path}, matrix: " + ("two combinations are the same" if kept else "nothing is left of it"))
    return tuple(strategies.values()), tuple(arm for arm in ARMS if arm in found.arms)


def _meets(point: dict[str, Any], rule: dict[str, Any]) -> bool:
    """Whether a combination has all values of a rule; as JSON, since true is not 1."""
    return all(name in point and json.dumps(point[name]) == json.dumps(value) for name, value in rule.items())


def _name(point: dict[str, Any]) -> str:
    return ", ".join(f"{name}={_shown(value)}" for name, value in point.items())


def _shown(value: Any) -> str:
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
