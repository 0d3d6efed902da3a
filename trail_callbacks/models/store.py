"""Paid answers kept on disk: a folder of small JSON files, each named by the hash of what was asked.

By hand, because the known libraries store pickles, which run code when they are read, or keep one database file that
a crash can take with it. Here a file is whole or it is no entry: it begins with a hash of its name and content, and
takes its place in one step. So threads and processes may share a folder without locks. The hash is keyed with a secret
that lies in the folder, for its owner only: who may add files to the folder, but not read that one, cannot forge an
answer.
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
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from hmac import compare_digest
from hmac import digest as keyed
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import Any

from trail_callbacks.errors import InputError
from trail_callbacks.forking import renewed_in_child

__all__ = ["Store", "digest", "shared"]

_logger = logging.getLogger("trail_callbacks")
_KEY_FILE = ".key"
_KEY_SIZE = 64  # hexadecimal digits
_LARGEST = 4 * 1024 * 1024  # bytes of one entry; a longer file is none of ours and is not read
_SHARE = 16  # a process that wrote a sixteenth of the bound looks whether the folder is over it
_ROOM = 0.9  # share of the bound that is left filled
_SHARD = re.compile("[0-9a-f]{2}")
_STALE = 3600.0  # seconds after which a temporary file belongs to nobody


def digest(material: Any) -> str:
    """Returns the key of some JSON-like material: 64 hex digits, the same in every process.

    Dictionaries are equal in any order; what is not JSON counts by its `repr`.
    """
    text = json.dumps(material, sort_keys=True, ensure_ascii=True, default=repr, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


class Store:
    """JSON values by key, in a folder that several threads and processes may use at once.

    After it is built nothing is raised: what cannot be read is missing, what cannot be written is not kept, and
    `problem` says why. Files are readable by their owner only, and so are folders made here. What is no regular file, a
    link for example, is not read.

    Args:
        folder: Where to keep them; made if it does not exist. `~` is the home folder.
        max_bytes: Bound on the files together, 1 or more. Over it, the oldest entries go. This is looked after now
            and then, not at each write, so the folder may be over it by a sixteenth for each process that writes.

    Raises:
        InputError: If the folder cannot be made or written, or `max_bytes` is below 1.
    """

    def __init__(self, folder: str | os.PathLike[str], *, max_bytes: int = 256 * 1024 * 1024) -> None:
        if max_bytes < 1:
            raise InputError(f"max_bytes is {max_bytes}, expected 1 or more")
        try:
            self._folder = Path(folder).expanduser()
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=self._folder, prefix=".", suffix=".tmp"):
                pass
        except (OSError, RuntimeError, TypeError, ValueError) as error:  # no home; no path at all; a zero byte in it
            why = getattr(error, "strerror", None) or error
            raise InputError(f"the cache folder {str(folder)!r} cannot be written: {why}") from error
        self._max_bytes = max_bytes
        self._renew()
        renewed_in_child(self, Store._renew)
        self._written = random.randrange(max(1, max_bytes // _SHARE))  # noqa: S311 - short processes share the work
        self._problem: str | None = None

    def _renew(self) -> None:
        self._lock = Lock()  # protects the two fields above

    def __repr__(self) -> str:
        return f"Store({str(self._folder)!r})"

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
            with NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".tmp", delete=False) as file:
                temporary = Path(file.name)
                file.write(seal + b"\n" + body)
            temporary.replace(path)
        except (OSError, TypeError, ValueError, RecursionError) as error:
            self._keep(error)
            if temporary is not None:
                _remove(temporary)
            return
        with self._lock:
            self._written += len(body)
            due = self._written >= self._max_bytes // _SHARE
            self._written = 0 if due else self._written
        if due:
            self._prune()

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
            with NamedTemporaryFile(dir=self._folder, prefix=".", suffix=".tmp") as file:
                file.write(secrets.token_hex(_KEY_SIZE // 2).encode())
                file.flush()
                with suppress(FileExistsError):  # of two processes that make it, one is first
                    os.link(file.name, path)
        raise OSError("the secret of the cache folder cannot be kept")

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.json"

    def _keep(self, error: Exception) -> None:
        with self._lock:
            first, self._problem = self._problem is None, f"{getattr(error, 'strerror', None) or error}"
        if first:
            _logger.warning("an answer could not be kept in the cache folder %s: %r", self._folder, error)

    def _prune(self) -> None:
        """Removes the oldest entries of a folder that is over its bound, and what broken writes left behind."""
        entries = sorted(self._entries())
        total = sum(size for _, size, _ in entries)
        over = total > self._max_bytes
        for _, size, path in entries:
            if not over or total <= self._max_bytes * _ROOM:
                break
            _remove(path)
            total -= size

    def _entries(self) -> Iterator[tuple[float, int, Path]]:
        """Age, size and path of each entry."""
        stale = time.time() - _STALE
        for shard in _scan(self._folder):
            if not _is_shard(shard):
                continue
            for entry in _scan(shard.path):
                with suppress(OSError):  # gone since
                    stat = entry.stat(follow_symlinks=False)
                    if entry.name.endswith(".json"):
                        yield stat.st_mtime, stat.st_size, Path(entry.path)
                    elif entry.name.endswith(".tmp") and stat.st_mtime < stale:
                        _remove(Path(entry.path))


@lru_cache(maxsize=64)
def shared(folder: str | Path) -> Store:
    """Returns the store of a folder, one for all who use it in this process: only the first tries the folder out.

    Raises:
        InputError: If the folder cannot be made or written.
    """
    return Store(folder)


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


def _is_shard(entry: os.DirEntry[str]) -> bool:
    """Only folders that we name are ours to clean: a user may point us at one that holds other things."""
    return _SHARD.fullmatch(entry.name) is not None and entry.is_dir(follow_symlinks=False)


def _scan(folder: str | os.PathLike[str]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
