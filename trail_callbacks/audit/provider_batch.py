"""A provider's batch endpoint: requests go there as a file, and their answers come back as one, hours later."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from trail_callbacks.errors import InputError
from trail_callbacks.files import write

__all__ = ["BatchReply", "LostError", "Provider", "Submitted", "load", "why"]

_ENDPOINT: Literal["/v1/chat/completions"] = "/v1/chat/completions"
_OVER = {"completed", "failed", "expired", "cancelled"}
_GROWTH = 1.5
_ERRORS = 20  # in a row, after which a provider that does not say how a batch is doing is not asked any more
_NOT_FOUND, _BUSY, _ERROR = 404, 429, 500  # HTTP
_UNAVAILABLE = 503


@dataclass(frozen=True, slots=True)
class BatchReply:
    """The answer to one request.

    Attributes:
        status: As of HTTP.
        body: JSON.
    """

    status: int
    body: Any


class LostError(Exception):
    """Nobody knows whether a batch will be carried out: its requests must not be submitted again."""


@dataclass(slots=True)
class Submitted:
    """One batch; a small JSON file that is replaced in one step.

    Attributes:
        path: The file.
        endpoint: Where it was submitted.
        requests: The ids of the requests in it that are still of use.
        file: The provider's id of its requests.
        batch: The provider's id of the batch; None while nobody knows whether there is one.
        outputs: The provider's ids of the files with its replies.
    """

    path: Path
    endpoint: str
    requests: list[str]
    file: str
    batch: str | None = None
    outputs: list[str] = field(default_factory=list)

    def save(self) -> None:
        """Writes it down, or deletes the file if nothing in it is of use."""
        if not self.requests:
            self.delete()
            return
        data = {name: getattr(self, name) for name in ("endpoint", "file", "batch", "outputs", "requests")}
        write(str(self.path), json.dumps(data))

    def delete(self) -> None:
        """Deletes the file."""
        self.path.unlink(missing_ok=True)


def why(message: str, code: str, status: int = _UNAVAILABLE) -> BatchReply:
    """Returns the answer to a request that was not carried out."""
    return BatchReply(status, {"error": {"message": message, "type": "batch", "code": code, "param": None}})


class Provider:
    """Files and batches of a client of openai.

    Args:
        client: The client, for the loop that is running.
        folder: Where batches are written down.
        first: Seconds before a batch is looked at for the first time; they grow by a half each time.
        longest: Seconds between two looks, at most.
    """

    def __init__(self, client: Any, folder: Path, first: float, longest: float) -> None:
        self._client, self._folder = client, folder
        self._first, self._longest = first, longest
        self.endpoint = str(client.base_url)

    async def submit(self, requests: dict[str, str]) -> Submitted:
        """Submits requests, and writes down that they are.

        Args:
            requests: Their bodies as JSON, by id.

        Raises:
            LostError: If it is not known whether they are.
            Exception: What the client raises if they are not.
        """
        lines = (
            f'{{"custom_id": "{id_}", "method": "POST", "url": "{_ENDPOINT}", "body": {body}}}\n'
            for id_, body in requests.items()
        )
        data = "".join(lines).encode()
        uploaded = await self._client.files.create(file=("requests.jsonl", data), purpose="batch")
        name = sha256(f"{self.endpoint} {uploaded.id}".encode()).hexdigest()[:16]
        batch = Submitted(self._folder / f"{name}.json", self.endpoint, list(requests), uploaded.id)
        batch.save()  # before it is submitted
        try:
            await self._create(batch)
        except LostError:
            raise
        except Exception:
            batch.delete()
            raise
        return batch

    async def _create(self, batch: Submitted) -> None:
        """Submits a file, never twice: a request without an answer may have been heard."""
        try:
            made = await self._client.with_options(max_retries=0).batches.create(
                input_file_id=batch.file, endpoint=_ENDPOINT, completion_window="24h"
            )
        except Exception as error:
            status = getattr(error, "status_code", None)
            if status is not None and status < _ERROR:
                raise
            batch.batch = await self._found(batch)
            if batch.batch is None:
                raise
        else:
            batch.batch = made.id
        batch.save()

    async def _found(self, batch: Submitted) -> str | None:
        """Looks for the batch of a file among those of the provider."""
        try:
            async for each in self._client.batches.list(limit=100):
                if each.input_file_id == batch.file:
                    return str(each.id)
        except Exception as error:
            raise LostError(
                f"it is not known whether the provider's file {batch.file} was submitted ({error}): if it was not, "
                f"delete {batch.path}"
            ) from error
        return None

    async def answers(self, batch: Submitted) -> dict[str, BatchReply]:
        """Waits for a batch, and returns the answers by id, those that failed too.

        Raises:
            LostError: If the provider does not say how it is doing.
        """
        if batch.batch is None:  # an earlier run ended just then
            batch.batch = await self._found(batch)
            if batch.batch is None:
                await self._create(batch)
            batch.save()
        state = await self._over(batch)
        if state is None:
            lost = why(f"the provider does not know the batch {batch.batch}", "batch_unknown")
            return dict.fromkeys(batch.requests, lost)
        batch.outputs = [each for each in (state.output_file_id, state.error_file_id) if each]
        answers: dict[str, BatchReply] = {}
        for file in batch.outputs:
            answers.update(await self._patiently(partial(self._read, file)))
        missing = _unanswered(state)
        return {id_: answers.get(id_, missing) for id_ in batch.requests}

    async def _over(self, batch: Submitted) -> Any:
        """Returns a batch when it is over; None if there is none."""
        pause = self._first
        while True:
            await asyncio.sleep(pause)
            pause = min(pause * _GROWTH, self._longest)
            try:
                found = await self._patiently(partial(self._client.batches.retrieve, batch.batch))
            except LostError as error:
                if getattr(error.__cause__, "status_code", None) == _NOT_FOUND:
                    return None
                raise
            if found.status in _OVER:
                return found

    async def _read(self, file: str) -> list[tuple[str, BatchReply]]:
        """Returns ids and answers of a file of replies."""
        async with self._client.files.with_streaming_response.content(file) as response:
            return [_line(line) async for line in response.iter_lines() if line.strip()]

    async def _patiently(self, ask: Callable[[], Awaitable[Any]]) -> Any:
        """Asks, and again while the provider is busy or out of reach."""
        pause = self._first
        for tried in range(_ERRORS):
            try:
                return await ask()
            except Exception as error:
                status = getattr(error, "status_code", None)
                stop = status is not None and status < _ERROR and status != _BUSY
                if stop or tried + 1 == _ERRORS:
                    raise LostError(f"the provider does not say what became of a batch: {error}") from error
            pause = min(pause * _GROWTH, self._longest)
            await asyncio.sleep(pause)
        return None

    async def forget(self, batches: list[Submitted]) -> None:
        """Deletes the provider's files of batches whose answers are kept, if it can be."""
        client = self._client.with_options(max_retries=0)
        for file in [file for batch in batches for file in (batch.file, *batch.outputs)]:
            with suppress(Exception):  # some endpoints cannot delete, and nothing depends on it
                await client.files.delete(file)

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()


def load(folder: Path) -> list[Submitted]:
    """Returns what earlier runs have written down.

    Raises:
        InputError: If the folder cannot be used, or a file in it is damaged.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return [_read(path) for path in sorted(folder.glob("*.json"))]
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be used: {error.strerror or error}") from error


def _read(path: Path) -> Submitted:
    try:
        data: dict[str, Any] = json.loads(path.read_bytes())
        return Submitted(path, data["endpoint"], data["requests"], data["file"], data["batch"], data["outputs"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} says which batch is with the provider, and is damaged: delete it to submit its requests again"
        ) from error


def _line(text: str) -> tuple[str, BatchReply]:
    """Reads a line of a file of replies; one that cannot be read is the answer to nothing."""
    try:
        data = json.loads(text)
        id_, response, error = str(data["custom_id"]), data.get("response"), data.get("error")
        if isinstance(response, dict) and isinstance(response.get("status_code"), int):
            return id_, BatchReply(response["status_code"], response.get("body"))
        error = error if isinstance(error, dict) else {}
        return id_, why(str(error.get("message") or "no reason is given"), str(error.get("code") or "batch"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", why("the line cannot be read", "batch")


def _unanswered(state: Any) -> BatchReply:
    """Returns the answer to requests of a batch that are in none of its files."""
    if state.status != "failed":
        return why(f"the batch {state.id} is {state.status} without an answer to this request", f"batch_{state.status}")
    errors = getattr(getattr(state, "errors", None), "data", None) or [None]
    code = str(getattr(errors[0], "code", None) or "batch_failed")
    said = str(getattr(errors[0], "message", None) or "no reason is given")
    return why(f"the provider refused the batch {state.id}: {said}", code, _BUSY if "limit" in code else _UNAVAILABLE)
