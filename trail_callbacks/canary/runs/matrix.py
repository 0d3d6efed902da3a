"""Strategies as a file: each way to build the app that is to be compared, as TOML or JSON.

arms = ["closed_book", "real", "fictive"]

[matrix]                              # each value with each other
chunker = ["sentence", "500/100"]
html = [true, false]
prompt = ["short.md", "strict.md"]    # files beside this one: their text

[[exclude]]                           # but not these
chunker = "sentence"
html = true

[[strategy]]                          # and one more
name = "as deployed"
chunker = "1000/200"
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from trail_callbacks.canary.arm import ARMS, Arm, Strategy
from trail_callbacks.errors import InputError

__all__ = ["read_arms", "read_matrix"]

_PARTS = ("arms", "matrix", "exclude", "strategy")
_MOST = 1000  # strategies
_SHOWN = 40  # characters of a value in a name
_FILES = (".txt", ".md", ".prompt", ".j2", ".jinja")


def read_matrix(path: str | Path) -> Sequence[Strategy]:
    """Reads the strategies of a file: the product of its `matrix` in order, and each `strategy`.

    Names are made of the parameters, `chunker=500/100, html=false`, where none is given. A `prompt` that ends like a
    text file is one, found from the folder of the matrix.

    Raises:
        InputError: If the file cannot be read, or what it says makes no sense: says what and where.
    """
    file = Path(path)
    data = _read(file)
    try:
        return _strategies(file, data)
    except InputError as error:
        raise InputError(f"{file}{error}") from error


def read_arms(path: str | Path) -> Sequence[Arm] | None:
    """Reads the arms of a file, in the order of `ARMS`; None if it names none.

    They are a list, `arms = ["real", "fictive"]`, or a table of those to ask and to leave out,
    `[arms]` with `closed_book = false`.

    Raises:
        InputError: As `read_matrix`.
    """
    data = _read(Path(path))
    if "arms" not in data:
        return None
    given = data["arms"]
    names = given if isinstance(given, list) else []
    if isinstance(given, dict) and all(isinstance(value, bool) for value in given.values()):
        names = [arm for arm in ARMS if given.get(arm, True)]
    wrong = [each for each in given if each not in ARMS] if isinstance(given, list | dict) else [given]
    if wrong or not names:
        raise InputError(f"{path}, arms: {_json(wrong or given)}, expected some of {', '.join(ARMS)}")
    return tuple(arm for arm in ARMS if arm in names)


def _read(file: Path) -> Mapping[str, Any]:
    is_json = file.suffix.lower() == ".json"
    try:
        text = file.read_text(encoding="utf-8-sig")
        data = json.loads(text) if is_json else tomllib.loads(text)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"{file} is no {'JSON' if is_json else 'TOML'}: {error}") from error
    unknown = next((name for name in data if name not in _PARTS), None) if isinstance(data, dict) else data
    if unknown is not None:
        raise InputError(f"{file}: unknown {unknown!r:.40}, expected some of {', '.join(_PARTS)}")
    return dict(data)


def _strategies(file: Path, data: Mapping[str, Any]) -> Sequence[Strategy]:
    """The strategies; errors begin with the place in the file."""
    found: dict[str, Strategy] = {}
    for name, parameters in [*_product(data), *_given(data)]:
        each = _strategy(file, name, parameters)
        if each.name in found:
            raise InputError(f": two strategies are called {each.name!r}: give one of them another name")
        found[each.name] = each
    if not found:
        raise InputError(": there is no strategy: give [matrix] or [[strategy]]")
    return tuple(found.values())


def _product(data: Mapping[str, Any]) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    matrix = data.get("matrix", {})
    if not isinstance(matrix, dict):
        raise InputError(", matrix: expected a table of lists")
    for name, values in matrix.items():
        if not isinstance(values, list) or not values:
            raise InputError(f", matrix.{name}: {_json(values)}, expected a list of values")
        if len({_json(each) for each in values}) < len(values):
            raise InputError(f", matrix.{name}: a value is there twice")
    size = prod(len(values) for values in matrix.values())
    if size > _MOST:
        raise InputError(f", matrix: {size} combinations, expected at most {_MOST}: give fewer values")
    rules = _excluded(data, matrix)
    points = [dict(zip(matrix, values, strict=True)) for values in product(*matrix.values())] if matrix else []
    kept = [point for point in points if not any(_meets(point, rule) for rule in rules)]
    if points and not kept:
        raise InputError(": [[exclude]] leaves nothing of the matrix")
    for n, rule in enumerate(rules, 1):
        if not any(_meets(point, rule) for point in points):
            raise InputError(f": exclude {n} leaves out nothing: {_json(rule)}")
    yield from ((None, point) for point in kept)


def _excluded(data: Mapping[str, Any], matrix: Mapping[str, Any]) -> Sequence[Mapping[str, Sequence[str]]]:
    """The rules: for each parameter the values that one leaves out, as JSON, since true is not 1."""
    rules = data.get("exclude", [])
    if not isinstance(rules, list) or not all(isinstance(rule, dict) and rule for rule in rules):
        raise InputError(", exclude: expected [[exclude]] tables, each with some parameters of the matrix")
    found = []
    for n, rule in enumerate(rules, 1):
        wanted = {name: [_json(x) for x in (v if isinstance(v, list) else [v])] for name, v in rule.items()}
        for name, values in wanted.items():
            if not set(values) <= {_json(each) for each in matrix.get(name, ())}:
                raise InputError(f", exclude {n}: {name} = {_json(rule[name])} is not in the matrix")
        found.append(wanted)
    return found


def _meets(point: Mapping[str, Any], rule: Mapping[str, Sequence[str]]) -> bool:
    return all(_json(point[name]) in values for name, values in rule.items())


def _given(data: Mapping[str, Any]) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    given = data.get("strategy", [])
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise InputError(", strategy: expected [[strategy]] tables")
    for n, each in enumerate(given, 1):
        name = each.get("name")
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise InputError(f", strategy {n}: name is {_json(name)}, expected a text")
        if not each:
            raise InputError(f", strategy {n}: it is empty")
        yield name, {key: value for key, value in each.items() if key != "name"}


def _strategy(file: Path, name: str | None, parameters: Mapping[str, Any]) -> Strategy:
    try:
        json.dumps(parameters)
    except (TypeError, ValueError) as error:  # a date of TOML
        raise InputError(f": {error}; write it as a text in quotes") from error
    name = name or ", ".join(f"{key}={_shown(value)}" for key, value in parameters.items())
    prompt = parameters.get("prompt")
    if not (isinstance(prompt, str) and prompt.lower().endswith(_FILES) and "\n" not in prompt):
        return Strategy(name, dict(parameters))
    try:
        return Strategy(name, {**parameters, "prompt": (file.parent / prompt).read_text(encoding="utf-8-sig")})
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f": the prompt {prompt} cannot be read: {why}") from error


def _shown(value: Any) -> str:
    text = " ".join((value if isinstance(value, str) else _json(value)).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
