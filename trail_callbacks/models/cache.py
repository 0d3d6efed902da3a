"""Paying once for a call: what a model answered is kept on disk, under a hash of all that it was asked.

A key is made of the release, the model's name and parameters, the messages and the schema. Prompts name passages and
claims by their place and hold no id of a run, so the same texts give the same calls in every run. The room for an
answer is not part of the key: an answer that was not cut off is the same in more room. The release is: another one may
read an answer in another way.
"""

from __future__ import annotations

from contextlib import closing
from functools import cache
from importlib.metadata import version
from typing import Any, Protocol, TypeVar

from trail_callbacks.models.call import Call, Model, Pipeline, Reply
from trail_callbacks.models.drive import advance
from trail_callbacks.models.store import digest

__all__ = ["CallCache", "Kept"]

T = TypeVar("T")


class Kept(Protocol):
    """JSON values by key, as a `Store` keeps them in a folder."""

    @property
    def problem(self) -> str | None:
        """See `Store`."""

    def get(self, key: str) -> Any | None:
        """See `Store`."""

    def put(self, key: str, value: Any) -> None:
        """See `Store`."""


class CallCache:
    """Answers the calls of one verification from a store, as far as it knows them.

    Failures are never kept. What is read from the store is validated with the schema of the call, as a model's answer
    is; what does not fit is asked.

    Args:
        model: Who answers the other calls, unless they name a model themselves. Its `parameters`, if it has some, are
            part of every key.
        store: Where answers are kept; others may use it too.

    Attributes:
        hits: Calls answered from the store.
    """

    def __init__(self, model: Model, store: Kept) -> None:
        self.hits = 0
        self._model = model
        self._store = store
        self._known_problem = store.problem

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why answers could not be kept, unless the store had this problem before."""
        problem = self._store.problem
        if problem is None or problem == self._known_problem:
            return ()
        return (f"what the model answered could not be kept in the cache: {problem}",)

    def answering(self, pipeline: Pipeline[T]) -> Pipeline[T]:
        """Wraps a pipeline: yields only those of its calls that have to be made, and keeps their answers."""
        with closing(pipeline):
            calls, result = advance(pipeline, None)
            while calls is not None:
                keys = [self._key(call) for call in calls]
                replies = [self._recall(key, call) for key, call in zip(keys, calls, strict=True)]
                missing = [i for i, reply in enumerate(replies) if reply is None]
                answers = (yield [calls[i] for i in missing]) if missing else ()
                for i, reply in zip(missing, answers, strict=True):
                    replies[i] = reply
                    self._keep(keys[i], calls[i], reply)
                self.hits += len(calls) - len(missing)
                calls, result = advance(pipeline, [reply for reply in replies if reply is not None])
            return result

    def _key(self, call: Call) -> str:
        messages = [[message.role, message.content] for message in call.messages]
        model = call.model or self._model
        asked = [_release(), model.name, getattr(model, "parameters", None)]
        again = [call.sample] if call.sample else []
        return digest([*asked, messages, call.schema.model_json_schema(), *again])

    def _recall(self, key: str, call: Call) -> Reply | None:
        value = self._store.get(key)
        try:
            return None if value is None else Reply(value=call.schema.model_validate(value))
        except ValueError:  # pydantic's own is one
            return None

    def _keep(self, key: str, call: Call, reply: Reply) -> None:
        if reply.failure is not None or reply.value is None:
            return
        if call.worth_keeping is None or call.worth_keeping(reply.value):
            value = reply.value.model_dump(mode="json")
            if _reads_back(call, value):
                self._store.put(key, value)


def _reads_back(call: Call, value: Any) -> bool:
    """Whether the schema reads its own output as what it was: one with aliases may not."""
    try:
        return bool(call.schema.model_validate(value).model_dump(mode="json") == value)
    except ValueError:  # as above
        return False


@cache
def _release() -> str:
    return version("trail-callbacks")
