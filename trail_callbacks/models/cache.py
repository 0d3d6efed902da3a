"""Paying once for a call: what a model answered is kept on disk, under a hash of all that it was asked.

A key is made of the release, the model's name and parameters, the messages and the schema. Prompts name passages and
claims by their place and hold no id of a run, so the same texts give the same calls in every run. The room for an
answer is not part of the key: an answer that was not cut off is the same in more room. The release is: another one may
read an answer in another way.

Answers are kept by hand, because the known libraries store pickles, which run code when they are read, or keep one
database file that a crash can take with it. Here an entry is a small file that takes its place in one step, so threads
and processes may share a folder without locks. It begins with a hash of its name and content, keyed with a secret that
lies in the folder for its owner only: who may add files, but not read that one, cannot forge an answer.
"""

from __future__ import annotations

import json
import logging
import os
import random
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import cache, lru_cache
from hashlib import sha256
from hmac import compare_digest
from hmac import digest as keyed
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import Any, Protocol, TypeVar

from trail_callbacks.errors import InputError
from trail_callbacks.forking import renewed_in_child
from trail_callbacks.models.call import Call, Model, Pipeline, Reply
from trail_callbacks.models.drive import advance

_logger = logging.getLogger("trail_callbacks")
_KEY_FILE = ".key"
_KEY_SIZE = 64  # hexadecimal digits
_LARGEST = 4 * 1024 * 1024  # bytes of one entry; a longer file is none of ours and is not read
_SHARE = 16  # a process that wrote a sixteenth of the bound looks whether the folder is over it
_ROOM = 0.9  # share of the bound that is left filled
_OURS = re.compile(r"[0-9a-f]{2}/(?:[0-9a-f]+\.json|\..*\.tmp)")  # a user may point us at a folder of other things
_STALE = 3600.0  # seconds after which a temporary file belongs to nobody

T = TypeVar("T")


def digest(material: Any) -> str:
    """Returns the key of some JSON-like material: 64 hex digits, the same in every process.

    Dictionaries are equal in any order; what is not JSON counts by its `repr`.
    """
    text = json.dumps(material, sort_keys=True, ensure_ascii=True, default=repr, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


class Kept(Protocol):
    """JSON values by key, as a `ReplyStore` keeps them in a folder."""

    @property
    def problem(self) -> str | None:
        """See `ReplyStore`."""

    def get(self, key: str) -> Any | None:
        """See `ReplyStore`."""

    def put(self, key: str, value: Any) -> None:
        """See `ReplyStore`."""


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
        return digest([*asked, messages, call.schema.model_json_schema()])

    def _recall(self, key: str, call: Call) -> Reply | None:
        value = self._store.get(key)
        try:
            return None if value is None else Reply(value=call.schema.model_validate(value))
        except ValueError:  # pydantic's own is one
            return None

    def _keep(self, key: str, call: Call, reply: Reply) -> None:
        if reply.failure is not None or reply.value is None:
            return
        if call.worth_keeping is not None and not call.worth_keeping(reply.value):
            return
        value = reply.value.model_dump(mode="json")
        with suppress(ValueError):  # a schema with aliases may not read its own output as what it was
            if call.schema.model_validate(value).model_dump(mode="json") == value:
                self._store.put(key, value)


class ReplyStore:
    """JSON values by key, in a folder that several threads and processes may use at once.

    After it is built nothing is raised: what cannot be read is missing, what cannot be written is not kept, and
    `problem` says why. Files are readable by their owner only, and so are folders made here. What is no regular file, a
    link for example, is not read.

    Args:
        folder: Where to keep them; made if it does not exist. `~` is the home folder.
        max_bytes: Bound on the files together, 1 or more. Over it, the oldest entries go. This is looked after now
            and then, so the folder may be over it by a sixteenth for each process that writes.

    Raises:
        InputError: If the folder cannot be made or written, or `max_bytes` is below 1.
    """

    def __init__(self, folder: str | os.PathLike[str], *, max_bytes: int = 256 * 1024 * 1024) -> None:
        if max_bytes < 1:
            raise InputError(f"max_bytes is {max_bytes}, expected 1 or more")
        try:
            self._folder = Path(folder).expanduser()
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _temporary(self._folder):
                pass
        except (OSError, RuntimeError, TypeError, ValueError) as error:  # no home; no path at all; a zero byte in it
            why = getattr(error, "strerror", None) or error
            raise InputError(f"the cache folder {str(folder)!r} cannot be written: {why}") from error
        self._max_bytes = max_bytes
        self._renew()
        renewed_in_child(self, ReplyStore._renew)
        self._written = random.randrange(max(1, max_bytes // _SHARE))  # noqa: S311 - short processes share the work
        self._problem: str | None = None

    def _renew(self) -> None:
        self._lock = Lock()  # protects the two fields above

    @property
    def problem(self) -> str | None:
        """Why the last value that could not be kept was not; None if all were."""
        return self._problem

    def get(self, key: str) -> Any | None:
        """Returns the value of a key, or None if there is none that can be trusted. `key` is one of `digest`."""
        try:
            data, _ = _read(self._path(key), _LARGEST + 1)
            seal, _, body = data.partition(b"\n")
            sealed = len(data) <= _LARGEST and compare_digest(seal, self._seal(key, body))
            return json.loads(body) if sealed else None
        except (OSError, ValueError, RecursionError):  # absent, or not ours: the next `put` replaces it
            return None

    def put(self, key: str, value: Any) -> None:
        """Keeps a value, which must be JSON, under a key of `digest`."""
        path, temporary = self._path(key), None
        try:
            body = json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            seal = self._seal(key, body)
            with _temporary(path.parent, delete=False) as file:
                temporary = Path(file.name)
                file.write(seal + b"\n" + body)
            temporary.replace(path)
        except (OSError, TypeError, ValueError, RecursionError) as error:
            with self._lock:
                first, self._problem = self._problem is None, f"{getattr(error, 'strerror', None) or error}"
            if first:
                _logger.warning("an answer could not be kept in the cache folder %s: %r", self._folder, error)
            if temporary is not None:
                _remove(temporary)
            return
        with self._lock:
            self._written += len(body)
            due = self._written >= self._max_bytes // _SHARE
            self._written = 0 if due else self._written
        if due:
            with suppress(OSError):
                self._prune()

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.json"

    def _seal(self, key: str, body: bytes) -> bytes:
        return keyed(self._secret(), key.encode() + b"\n" + body, "sha256").hex().encode()

    def _secret(self) -> bytes:
        """The secret of the folder, made when first needed; read each time, because others may clear the folder."""
        path = self._folder / _KEY_FILE
        for _ in range(3):
            with suppress(FileNotFoundError):
                secret, mode = _read(path, _KEY_SIZE + 1)
                if len(secret) == _KEY_SIZE and (os.name != "posix" or not mode & 0o077):
                    return secret
                _remove(path)  # damaged, or not secret any more
            with _temporary(self._folder) as file:
                file.write(secrets.token_hex(_KEY_SIZE // 2).encode())
                file.flush()
                with suppress(FileExistsError):  # of two processes that make it, one is first
                    os.link(file.name, path)
        raise OSError("the secret of the cache folder cannot be kept")

    def _prune(self) -> None:
        """Removes the oldest entries of a folder that is over its bound, and what broken writes left behind."""
        entries = sorted(self._entries())
        total = sum(size for _, size, _ in entries)
        most = self._max_bytes * _ROOM if total > self._max_bytes else total
        for _, size, path in entries:
            if total <= most:
                break
            _remove(path)
            total -= size

    def _entries(self) -> Iterator[tuple[float, int, Path]]:
        """Age, size and path of each entry."""
        stale = time.time() - _STALE
        for path in self._folder.glob("??/*"):
            if not _OURS.fullmatch(path.relative_to(self._folder).as_posix()) or path.parent.is_symlink():
                continue
            with suppress(OSError):  # gone since
                about = path.lstat()
                if path.suffix == ".json":
                    yield about.st_mtime, about.st_size, path
                elif about.st_mtime < stale:
                    _remove(path)


@lru_cache(maxsize=64)
def shared(folder: str | Path) -> ReplyStore:
    """Returns the store of a folder, one for all who use it in this process: only the first tries the folder out."""
    return ReplyStore(folder)


@cache
def _release() -> str:
    return version("trail-callbacks")


def _temporary(folder: Path, *, delete: bool = True) -> Any:
    return NamedTemporaryFile(dir=folder, prefix=".", suffix=".tmp", delete=delete)


def _read(path: Path, most: int) -> tuple[bytes, int]:
    """The beginning of a regular file, and its permissions; opening a pipe must not wait, a link is not followed."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(f"{path} is no regular file")
        return file.read(most), stat.S_IMODE(mode)


def _remove(path: Path) -> None:
    with suppress(OSError):  # another process was faster
        path.unlink()
