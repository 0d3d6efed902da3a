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
    file, data = _read(path)
    found = [*_product(file, data), *_given(file, data)]
    if not found:
        raise InputError(f"{file}: there is no strategy: give [matrix] or [[strategy]]")
    strategies = [_strategy(file, name, parameters) for name, parameters in found]
    names: set[str] = set()
    for each in strategies:
        if each.name in names:
            raise InputError(f"{file}: two strategies are called {each.name!r}: give one of them another name")
        names.add(each.name)
    return tuple(strategies)


def read_arms(path: str | Path) -> Sequence[Arm] | None:
    """Reads the arms of a file, in the order of `ARMS`; None if it names none.

    They are a list, `arms = ["real", "fictive"]`, or a table of those to ask and to leave out,
    `[arms]` with `closed_book = false`.

    Raises:
        InputError: As `read_matrix`.
    """
    file, data = _read(path)
    if "arms" not in data:
        return None
    given = data["arms"]
    names = list(given)
    if isinstance(given, dict):
        names = [arm for arm in ARMS if given.get(arm, True)]
        if not all(isinstance(value, bool) for value in given.values()):
            raise InputError(f"{file}, arms: expected true or false for each")
    wrong = [each for each in given if each not in ARMS] if isinstance(given, list | dict) else [given]
    if wrong or not names:
        raise InputError(f"{file}, arms: {_json(wrong or given)}, expected some of {', '.join(ARMS)}")
    return tuple(arm for arm in ARMS if arm in names)


def _read(path: str | Path) -> tuple[Path, Mapping[str, Any]]:
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
        data = json.loads(text) if file.suffix.lower() == ".json" else tomllib.loads(text)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"{file} is no {'JSON' if file.suffix.lower() == '.json' else 'TOML'}: {error}") from error
    if not isinstance(data, dict):
        raise InputError(f"{file}: expected tables: {', '.join(_PARTS)}")
    for name in data:
        if name not in _PARTS:
            raise InputError(f"{file}: unknown {name!r}, expected some of {', '.join(_PARTS)}")
    return file, data


def _lists(file: Path, data: Mapping[str, Any]) -> Mapping[str, Sequence[Any]]:
    matrix = data.get("matrix", {})
    if not isinstance(matrix, dict):
        raise InputError(f"{file}, matrix: expected a table of lists")
    for name, values in matrix.items():
        if not isinstance(values, list) or not values:
            raise InputError(f"{file}, matrix.{name}: {_json(values)}, expected a list of values")
        if len({_json(each) for each in values}) < len(values):
            raise InputError(f"{file}, matrix.{name}: a value is there twice")
    size = prod(len(values) for values in matrix.values())
    if size > _MOST:
        raise InputError(f"{file}, matrix: {size} combinations, expected at most {_MOST}: give fewer values")
    return matrix


def _product(file: Path, data: Mapping[str, Any]) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    matrix = _lists(file, data)
    rules = _excluded(file, data, matrix)
    if not matrix:
        return
    used = [False] * len(rules)
    left = 0
    for values in product(*matrix.values()):
        point = dict(zip(matrix, values, strict=True))
        hit = [n for n, rule in enumerate(rules) if all(_meets(point[name], value) for name, value in rule.items())]
        for n in hit:
            used[n] = True
        if not hit:
            left += 1
            yield None, point
    if not left:
        raise InputError(f"{file}: [[exclude]] leaves nothing of the matrix")
    if not all(used):
        raise InputError(
            f"{file}: exclude {used.index(False) + 1} leaves out nothing: {_json(rules[used.index(False)])}"
        )


def _excluded(file: Path, data: Mapping[str, Any], matrix: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    rules = data.get("exclude", [])
    if not isinstance(rules, list) or not all(isinstance(rule, dict) and rule for rule in rules):
        raise InputError(f"{file}, exclude: expected [[exclude]] tables, each with some parameters of the matrix")
    for n, rule in enumerate(rules, 1):
        for name, value in rule.items():
            known = matrix.get(name)
            wanted = value if isinstance(value, list) else [value]
            if known is None or not all(any(_same(each, one) for each in known) for one in wanted):
                raise InputError(f"{file}, exclude {n}: {name} = {_json(value)} is not in the matrix")
    return rules


def _meets(value: Any, wanted: Any) -> bool:
    """Whether a value is the one of a rule, or one of its list."""
    return any(_same(value, each) for each in (wanted if isinstance(wanted, list) else [wanted]))


def _same(a: Any, b: Any) -> bool:
    return _json(a) == _json(b)  # true is not 1


def _given(file: Path, data: Mapping[str, Any]) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    given = data.get("strategy", [])
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise InputError(f"{file}, strategy: expected [[strategy]] tables")
    for n, each in enumerate(given, 1):
        parameters = {name: value for name, value in each.items() if name != "name"}
        name = each.get("name")
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise InputError(f"{file}, strategy {n}: name is {_json(name)}, expected a text")
        if name is None and not parameters:
            raise InputError(f"{file}, strategy {n}: it is empty")
        yield name, parameters


def _strategy(file: Path, name: str | None, parameters: Mapping[str, Any]) -> Strategy:
    try:
        json.dumps(parameters)
    except (TypeError, ValueError) as error:  # a date of TOML
        raise InputError(f"{file}: {error}; write it as a text in quotes") from error
    name = name or ", ".join(f"{key}={_shown(value)}" for key, value in parameters.items())
    prompt = parameters.get("prompt")
    if isinstance(prompt, str) and prompt.lower().endswith(_FILES) and "\n" not in prompt:
        return Strategy(name, {**parameters, "prompt": _text(file, prompt)})
    return Strategy(name, dict(parameters))


def _text(file: Path, name: str) -> str:
    try:
        return (file.parent / name).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{file}: the prompt {name} cannot be read: {why}") from error


def _shown(value: Any) -> str:
    text = " ".join((value if isinstance(value, str) else _json(value)).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
