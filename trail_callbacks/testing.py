"""A scripted model for tests of apps and judges: it replies from a script and records the calls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from threading import Lock
from time import sleep
from typing import Any, TypeAlias, Union

from pydantic import BaseModel, ValidationError

from trail_callbacks.forking import renewed_in_child
from trail_callbacks.models.call import Call, Failure, Reply, Usage

Line: TypeAlias = Union[Reply, BaseModel, "dict[str, Any]", str, Exception, Callable[[Call], "Line"]]
"""One reply: a `Reply`, a value of the call's schema, its fields, its JSON text, an exception to raise, or a function
of the call that returns one of these."""
Script: TypeAlias = Union[Callable[[Call], Line], Iterable[Line], "Mapping[str, Script]"]
"""Replies in order, a function of the call, or one of these for each purpose."""


class ScriptedModel:
    """Answers calls from a script.

    Args:
        script: Replies in order; or a function of the call; or one of these for each purpose, by name (`claims`,
            `verdicts`, `localize`). Fields and JSON text are parsed with the call's schema; what does not fit is a
            reply with an `invalid` failure, as from a real model, and an exception is raised, as by a broken one.
        name: Shown in reports.
        usage: Usage of each reply, unless it is a `Reply` with usage of its own.
        delay: Seconds before each reply.

    Attributes:
        calls: The calls so far, in order.
    """

    def __init__(
        self, script: Script, *, name: str = "scripted", usage: Usage | None = None, delay: float = 0.0
    ) -> None:
        self.calls: list[Call] = []
        self._name = name
        self._usage = usage or Usage(calls=1)
        self._delay = delay
        self._next = _reader(script)
        self._renew()
        renewed_in_child(self, ScriptedModel._renew)

    def _renew(self) -> None:
        self._lock = Lock()  # protects `calls` and the script's position

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    def ask(self, call: Call) -> Reply:
        """Replies to a call."""
        sleep(self._delay)
        return self._answer(call)

    async def aask(self, call: Call) -> Reply:
        """Replies to a call."""
        await asyncio.sleep(self._delay)
        return self._answer(call)

    def _answer(self, call: Call) -> Reply:
        with self._lock:
            self.calls.append(call)
            line = self._next(call)
            while callable(line):
                line = line(call)
        if isinstance(line, Exception):
            raise line
        if isinstance(line, Reply):
            return line if line.usage != Usage() else replace(line, usage=self._usage)
        if isinstance(line, BaseModel):
            return Reply(value=line, usage=self._usage)
        text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
        try:
            return Reply(value=call.schema.model_validate_json(text), usage=self._usage)
        except ValidationError as error:
            failure = Failure("invalid", f"{error.error_count()} errors")
            return Reply(failure=failure, text=text, usage=self._usage)


def _reader(script: Script) -> Callable[[Call], Line]:
    if callable(script):
        return script
    if isinstance(script, Mapping):
        readers = {purpose: _reader(_lines(part)) for purpose, part in script.items()}
        return lambda call: readers.get(call.purpose, _out_of)(call)
    lines: Iterator[Line] = iter(_lines(script))

    def read(call: Call) -> Line:
        for line in lines:
            return line
        return _out_of(call)

    return read


def _lines(script: Any) -> Any:
    if isinstance(script, str | Mapping | BaseModel | Reply):
        raise TypeError(
            f"a script cannot be a single {type(script).__name__}: expected a list of replies or a function of the call"
        )
    return script


def _out_of(call: Call) -> Reply:
    failure = Failure("failed", f"the script has no further reply to a {call.purpose!r} call")
    return Reply(failure=failure, usage=Usage(calls=1))
