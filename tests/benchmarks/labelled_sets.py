"""The labelled sets, which are not part of this repository: their folder, and the rows of their files."""

from __future__ import annotations

import gzip
import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path


def takes_data(parser: ArgumentParser) -> None:
    """Gives a command the option `--data`."""
    named = os.environ.get("TRAIL_DATA_DIR")
    parser.add_argument("--data", type=Path, default=Path(named) if named else None, help="default: $TRAIL_DATA_DIR")


def require(folder: Path | None, also: str = "") -> Path:
    """The folder; without one the command ends here, and says so."""
    if folder is None:
        print(f"skipped: name the folder of the labelled sets with --data or TRAIL_DATA_DIR{also}", file=sys.stderr)
        raise SystemExit(0)
    return folder


def rows(path: Path) -> Iterator[dict]:
    """The rows of a file of JSON lines, packed with gzip or not."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
