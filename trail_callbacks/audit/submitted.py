"""The batches that were submitted to a provider, on disk, so that none is submitted and paid twice."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from trail_callbacks.errors import InputError
from trail_callbacks.files import write

__all__ = ["Submitted", "begun", "load"]


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


def begun(folder: Path, endpoint: str, requests: list[str], file: str) -> Submitted:
    """Writes down a batch whose requests are at the provider, before it is submitted."""
    name = sha256(f"{endpoint} {file}".encode()).hexdigest()[:16]
    made = Submitted(folder / f"{name}.json", endpoint, requests, file)
    made.save()
    return made


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
