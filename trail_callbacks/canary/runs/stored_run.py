"""Reads a canary run from its folder, also while it goes on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from trail_callbacks.canary.results import Run
from trail_callbacks.canary.runs.database import connected
from trail_callbacks.canary.runs.journal import FILE
from trail_callbacks.canary.runs.plan import Plan
from trail_callbacks.canary.runs.rows import about_of, left_out_of, plan_of, readable, trials_of
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Usage

__all__ = ["load_run"]


def load_run(folder: str | Path) -> Run:
    """Reads a run, finished or not, also while another process goes on with it.

    Raises:
        InputError: If there is none, or it is damaged: says where.
    """
    path = Path(folder)
    with _opened(path) as (db, plan, about):
        calls, prompt, completion = about["spent"]
        return Run(
            probes={probe.id: probe for probe in plan.probes},
            strategies={strategy.name: strategy for strategy in plan.strategies},
            arms=plan.arms,
            trials=tuple(trial for _, trial, _ in trials_of(db, plan)),
            skipped=(*plan.skipped, *left_out_of(db, plan)),
            settings={"app": plan.app, "judge": plan.judge, "release": plan.release, **plan.settings},
            stopped=about["stopped"],
            folder=path,
            repeated=about["repeated"],
            spent=Usage(calls=calls, prompt_tokens=prompt, completion_tokens=completion),
        )


@contextmanager
def _opened(folder: Path) -> Iterator[tuple[sqlite3.Connection, Plan, Mapping[str, Any]]]:
    """Opens the journal of a folder, also while another process writes; yields it, its plan, and what else it tells.

    Raises:
        InputError: If there is none, or it is damaged.
    """
    path = folder / FILE
    if not path.is_file():
        raise InputError(f"{folder} holds no canary run: {FILE} is not there")
    db: sqlite3.Connection | None = None
    try:
        try:
            db = connected(path, "mode=rw")
            db.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:  # of a folder that cannot be written to, where nobody else writes either
            if _unfinished(path):
                raise
            db = connected(path, "immutable=1")
        db.execute("BEGIN")  # one state for all that is read
        if not db.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise InputError(f"{folder} holds no canary run yet: {FILE} is empty")
        with readable(path):
            yield db, plan_of(db, path), about_of(db)
    except sqlite3.Error as error:
        more = ": its last trials are in a file beside it; copy the folder to a place that can be written to"
        raise InputError(f"{path} cannot be read: {error}{more if _unfinished(path) else ''}") from error
    finally:
        if db is not None:
            db.close()


def _unfinished(path: Path) -> bool:
    """Whether a process that was killed left a write-ahead log, which SQLite must work off first."""
    log = path.with_name(f"{path.name}-wal")
    return log.is_file() and log.stat().st_size > 0
