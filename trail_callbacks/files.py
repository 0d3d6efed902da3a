"""Writing files: atomically, and for their owner only unless they hold no text of anybody."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from trail_callbacks.errors import InputError


def write(path: str, text: str | Iterable[str], *, public: bool = False) -> None:
    """Writes a file atomically, in UTF-8, line ends unchanged; a new one can be read by its owner only.

    Only a regular file is replaced. A symbolic link is not followed: what it leads to may be another's choice.

    Args:
        path: The file.
        text: What is to be in it, or its parts, which are written as they come. If they raise, nothing is replaced.
        public: It holds figures and names, no judged text: a new one gets the mode that files get (umask), so that
            whoever collects figures can read it.

    Raises:
        InputError: If it cannot be written, or something else than a file is there; names the file.
    """
    target = Path(path)
    temporary = ""
    try:
        mode = _mode(target, public=public)
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=_prefix(target))
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            stream.writelines([text] if isinstance(text, str) else text)
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException as error:
        if temporary:
            with suppress(OSError):
                Path(temporary).unlink()
        if isinstance(error, OSError):
            raise InputError(f"{path} cannot be written: {error.strerror or error}") from error
        raise


def require_writable(path: str) -> None:
    """Returns if `write` could write this file now: asked before work whose result would be lost.

    Raises:
        InputError: As `write` does.
    """
    target = Path(path)
    try:
        _mode(target)
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=_prefix(target)):
            pass
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error


def remnants(path: Path) -> set[Path]:
    """Returns what `write` left beside a file when it was killed; a writer that is at work looks the same."""
    return {each for each in path.parent.iterdir() if each.name.startswith(_prefix(path))}


def _prefix(target: Path) -> str:
    return f".{target.name}."


def _mode(target: Path, *, public: bool = False) -> int:
    """The permissions a file has, or is to have."""
    try:
        there = target.lstat().st_mode
    except FileNotFoundError:
        if not public:
            return 0o600
        hidden = os.umask(0o077)
        os.umask(hidden)  # it can only be asked for by setting it
        return 0o666 & ~hidden
    if stat.S_ISLNK(there):
        raise InputError(f"{target} cannot be written: it is a symbolic link; name the file that it leads to")
    if not stat.S_ISREG(there):
        raise InputError(
            f"{target} cannot be written: it is {'a folder' if stat.S_ISDIR(there) else 'no regular file'}"
        )
    return stat.S_IMODE(there)
