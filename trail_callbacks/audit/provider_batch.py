"""A provider's batch endpoint: requests go there as a file, and their answers come back as one, hours later.

A request waits, is submitted, and is answered; one that failed is submitted again when it is asked again. A batch is
written down before it is submitted and until nobody needs its answers, so that no run submits the same twice.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.models.cache import digest

T = TypeVar("T")

_ENDPOINT: Literal["/v1/chat/completions"] = "/v1/chat/completions"
_OVER = {"completed", "failed", "expired", "cancelled"}
_GROWTH = 1.5
_RETRIES = 100  # for a quarter of an hour a provider need not say how a batch is doing
_FORGETTING = 20.0  # seconds
_SUBMISSIONS = 3  # of the same request that failed
_LARGEST = 100 * 1024 * 1024  # bytes of the requests of a batch; OpenAI takes twice that
_OVER_OK, _NOT_FOUND, _BUSY, _ERROR, _UNAVAILABLE = 300, 404, 429, 500, 503  # HTTP
_LATER = frozenset({408, 409, 425, _BUSY})  # HTTP, and 5xx: another time may do
_TOLD = frozenset({401, 403, _BUSY})  # HTTP: what these say of a batch is true of a request too


class BatchReply(NamedTuple):
    """The answer to one request: a status as of HTTP, and JSON."""

    status: int
    body: Any


def _why(message: str, code: str, status: int = _UNAVAILABLE) -> BatchReply:
    """The answer to a request that was not carried out."""
    return BatchReply(status, {"error": {"message": message, "type": "batch", "code": code, "param": None}})


class LostError(Exception):
    """Nobody knows whether a batch will be carried out: its requests must not be submitted again."""


@dataclass(slots=True)
class Submitted:
    """One batch, in a small JSON file that is replaced in one step."""

    path: Path
    endpoint: str
    requests: list[str]  # the ids of those in it that are still of use
    file: str  # the provider's ids, here and below
    batch: str | None = None  # None while nobody knows whether there is one
    outputs: list[str] = field(default_factory=list)  # files with replies

    def save(self) -> None:
        """Writes it down, or deletes the file if nothing in it is of use."""
        if not self.requests:
            self.path.unlink(missing_ok=True)
            return
        data = {name: getattr(self, name) for name in ("endpoint", "file", "batch", "outputs", "requests")}
        write(str(self.path), json.dumps(data))


def load(folder: Path) -> list[Submitted]:
    """Returns what earlier runs have written down."""
    found = []
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in sorted(folder.glob("*.json")):
            data: dict[str, Any] = json.loads(path.read_bytes())
            found.append(
                Submitted(path, data["endpoint"], data["requests"], data["file"], data["batch"], data["outputs"])
            )
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be used: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} says which batch is with the provider, and is damaged: delete it to submit its requests again"
        ) from error
    return found


_Answers = asyncio.Task[dict[str, BatchReply]]


class _Waiting(NamedTuple):
    """A request that waits for the next batch: it is told its id there, and where the answers will be."""

    key: str
    body: str
    batch: asyncio.Future[tuple[str, _Answers]]


class Endpoint:
    """What is asked at one endpoint, through a client of openai for the loop that is running.

    Batches are written down in a folder; `earlier` are those of earlier runs. See `BatchEngine` for the numbers.
    """

    def __init__(
        self, client: Any, *, folder: Path, earlier: list[Submitted], most: int, first: float, longest: float
    ) -> None:
        self._client, self._folder, self._most = client, folder, most
        self._patient = client.with_options(max_retries=_RETRIES)
        self._first, self._longest = first, longest
        self._name = str(client.base_url)
        self._waiting: list[_Waiting] = []
        self._failures: Counter[str] = Counter()  # by id: equal requests have one each
        self._last: dict[str, BatchReply] = {}  # the answer to a request that is not submitted any more
        self._lost: BatchReply | None = None  # the answer to all that are not known
        self._known: dict[str, list[tuple[str, Submitted]]] = defaultdict(list)
        self._running: dict[Path, _Answers] = {}  # batches of earlier runs
        self._used: list[Submitted] = []
        self._tasks: set[_Answers] = set()
        for batch in earlier:
            for id_ in batch.requests if batch.endpoint == self._name else ():
                self._known[id_.partition("-")[0]].append((id_, batch))

    async def ask(self, content: bytes) -> tuple[BatchReply, bool]:
        """Answers a request; tells whether asking again may help."""
        body = json.loads(content)
        key = digest(body)
        if key in self._last:
            return self._last[key], False
        if self._known.get(key):
            id_, batch = self._known[key].pop(0)
            answers = self._running.get(batch.path) or self._started(batch)
            self._running[batch.path] = answers
        elif self._lost is not None:
            return self._lost, False
        else:
            waiting = _Waiting(key, json.dumps(body), asyncio.get_running_loop().create_future())
            self._waiting.append(waiting)
            if len(self._waiting) >= self._most:
                self.submit()
            id_, answers = await waiting.batch
        answer = (await asyncio.shield(answers))[id_]
        if answer.status < _ERROR and answer.status not in _LATER:
            return answer, True
        self._failures[id_] += 1
        if self._failures[id_] < _SUBMISSIONS:
            return answer, True
        self._last[key] = answer
        return answer, False

    def submit(self) -> None:
        """Submits what waits."""
        while self._waiting:
            ids: dict[str, _Waiting] = {}
            size, equal = 0, Counter[str]()
            for each in self._waiting[: self._most]:
                size += len(each.body)
                if ids and size > _LARGEST:
                    break
                ids[f"{each.key}-{equal[each.key]}"] = each
                equal[each.key] += 1
            self._waiting = self._waiting[len(ids) :]
            answers = self._started({id_: each.body for id_, each in ids.items()})
            for id_, each in ids.items():
                if not each.batch.done():
                    each.batch.set_result((id_, answers))

    async def close(self, *, whole: bool) -> None:
        """Ends all work; `whole`: nobody needs the answers any more, so that they and the provider's files go."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if whole:
            for batch in self._used:
                batch.path.unlink(missing_ok=True)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._forget(), _FORGETTING)
        await self._client.close()

    async def _forget(self) -> None:
        client = self._client.with_options(max_retries=0)
        for file in [file for batch in self._used for file in (batch.file, *batch.outputs)]:
            with suppress(Exception):  # some endpoints cannot delete, and nothing depends on it
                await client.files.delete(file)

    def _started(self, what: Submitted | dict[str, str]) -> _Answers:
        task = asyncio.create_task(self._carried(what))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _carried(self, what: Submitted | dict[str, str]) -> dict[str, BatchReply]:
        """The answers to a batch, or to the bodies of requests by their ids, whatever happens."""
        ids = list(what.requests if isinstance(what, Submitted) else what)
        try:
            batch = what if isinstance(what, Submitted) else await self._submitted(what)
            answers = await self._answers(batch)
            batch.requests = [id_ for id_ in ids if answers[id_].status < _OVER_OK]  # others are submitted again
            batch.save()
            self._used.append(batch)
        except LostError as error:
            self._lost = _why(str(error), "batch_lost")
            self._last |= {id_.partition("-")[0]: self._lost for id_ in ids}
            return dict.fromkeys(ids, self._lost)
        except Exception as error:  # noqa: BLE001 - the client's, or a full disk: every request gets an answer
            status = getattr(error, "status_code", None)
            told = status if status in _TOLD else _UNAVAILABLE
            refused = _why(f"the batch could not be submitted: {error}", "batch_refused", told)
            if status is not None and status < _ERROR and status not in _LATER:
                self._lost = refused  # so would every other one be
            return dict.fromkeys(ids, refused)
        return answers

    async def _submitted(self, requests: dict[str, str]) -> Submitted:
        """Submits requests, and writes down that they are; what the client raises says that they are not."""
        data = "".join(
            f'{{"custom_id": "{id_}", "method": "POST", "url": "{_ENDPOINT}", "body": {body}}}\n'
            for id_, body in requests.items()
        ).encode()
        uploaded = await self._client.files.create(file=("requests.jsonl", data), purpose="batch")
        name = sha256(f"{self._name} {uploaded.id}".encode()).hexdigest()[:16]
        batch = Submitted(self._folder / f"{name}.json", self._name, list(requests), uploaded.id)
        batch.save()  # before it is submitted
        try:
            await self._create(batch)
        except LostError:
            raise
        except Exception:
            batch.path.unlink(missing_ok=True)
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

    async def _answers(self, batch: Submitted) -> dict[str, BatchReply]:
        """Waits for a batch, and returns the answers by id, those that failed too."""
        if batch.batch is None:  # an earlier run ended just then
            batch.batch = await self._found(batch)
            if batch.batch is None:
                await self._create(batch)
            batch.save()
        pause, state = self._first, None
        while state is None or state.status not in _OVER:
            await asyncio.sleep(pause)
            pause = min(pause * _GROWTH, self._longest)
            try:
                state = await self._told(self._patient.batches.retrieve(batch.batch))
            except LostError as error:
                if getattr(error.__cause__, "status_code", None) != _NOT_FOUND:
                    raise
                lost = _why(f"the provider does not know the batch {batch.batch}", "batch_unknown")
                return dict.fromkeys(batch.requests, lost)
        batch.outputs = [each for each in (state.output_file_id, state.error_file_id) if each]
        answers: dict[str, BatchReply] = {}
        for file in batch.outputs:
            answers.update(await self._told(self._read(file)))
        missing = _unanswered(state)
        return {id_: answers.get(id_, missing) for id_ in batch.requests}

    async def _read(self, file: str) -> list[tuple[str, BatchReply]]:
        """Returns ids and answers of a file of replies."""
        async with self._patient.files.with_streaming_response.content(file) as response:
            return [_line(line) async for line in response.iter_lines() if line.strip()]

    async def _told(self, asked: Awaitable[T]) -> T:
        """What the provider says of a batch; its client has asked again while it was busy or out of reach."""
        try:
            return await asked
        except Exception as error:
            raise LostError(f"the provider does not say what became of a batch: {error}") from error


def _line(text: str) -> tuple[str, BatchReply]:
    """Reads a line of a file of replies; one that cannot be read is the answer to nothing."""
    try:
        data = json.loads(text)
        id_, response, error = str(data["custom_id"]), data.get("response"), data.get("error")
        if isinstance(response, dict) and isinstance(response.get("status_code"), int):
            return id_, BatchReply(response["status_code"], response.get("body"))
        error = error if isinstance(error, dict) else {}
        return id_, _why(str(error.get("message") or "no reason is given"), str(error.get("code") or "batch"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", _why("the line cannot be read", "batch")


def _unanswered(state: Any) -> BatchReply:
    """The answer to requests of a batch that are in none of its files."""
    if state.status != "failed":
        return _why(
            f"the batch {state.id} is {state.status} without an answer to this request", f"batch_{state.status}"
        )
    errors = getattr(getattr(state, "errors", None), "data", None) or [None]
    code = str(getattr(errors[0], "code", None) or "batch_failed")
    said = str(getattr(errors[0], "message", None) or "no reason is given")
    return _why(f"the provider refused the batch {state.id}: {said}", code, _BUSY if "limit" in code else _UNAVAILABLE)
