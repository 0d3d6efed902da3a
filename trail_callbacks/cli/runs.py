"""Judged runs on the command line: from files of reports and traces, from the folder of an audit, or from a store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import chain
from pathlib import Path
from typing import Any

from trail_callbacks.cli.inputs import existing
from trail_callbacks.errors import InputError, ReportError
from trail_callbacks.monitor import Observation, observe, question_key, recorded
from trail_callbacks.report import Report
from trail_callbacks.report.diagnosis import Figure
from trail_callbacks.trace import Trace, Versions
from trail_callbacks.trace.codec import FORMAT

_ANSWERS = "answers.jsonl"
_PRIVATE = {"user", "session", "request"}
_VERSIONS = {each.name for each in fields(Versions)}
_LONGEST = 200  # characters of a segment
_ROW = ("judge", "state", "score", "claims", "outcomes", "broken")
_TRACED = ("at", "release", "versions", "fields", "user", "documents")


def release_of(given: str) -> tuple[str, str] | None:
    """Release and store that `RELEASE@STORE` names; None for a file or folder that is there."""
    release, at, store = given.partition("@")
    return (release, store) if at and release and store and not Path(given).exists() else None


def runs(given: str, option: str) -> Iterable[Observation]:
    """Reads judged runs; those of a store one by one."""
    named, audited = release_of(given), (Path(given) / _ANSWERS).is_file()
    if named:
        found = in_store(named[1], release=named[0])
    else:
        found = iter(_audited(Path(given), option) if audited else _judged(given, option))
    first = next(found, None)
    if first is None:
        missing = f"the store has no judged run of release {named[0]!r}" if named else f"{given} holds no judged run"
        raise InputError(f"{option}: {missing}")
    return chain([first], found)


def in_store(
    url: str, *, release: str | None = None, since: float | None = None, until: float | None = None
) -> Iterator[Observation]:
    """Streams the runs of a store, the oldest first; of a release, or from a time on and before another."""
    store = existing(url)
    try:
        yield from store.observations(since=since, until=until, release=release)
    finally:
        store.close()


def _judged(given: str, option: str) -> list[Observation]:
    """Reports as observations, with what their traces say. Neither is kept, so that memory stays small."""
    judged: dict[str, Observation] = {}
    traced: dict[str, Observation] = {}
    for place, value in _records(given):
        if value.get("format") == FORMAT:
            trace = Trace.from_json(json.dumps(value))
            traced[trace.id] = recorded(Observation(id=trace.id, at=0.0, key=question_key(trace.question)), trace)
            continue
        try:
            report = Report.from_json(json.dumps(value))
        except ReportError as error:
            raise ReportError(f"{place}: {error}") from error
        run = observe(report, at=0.0)
        judged[report.trace_id or f"{place} {run.id}"] = run
    if traced and not judged:
        raise InputError(
            f"{option}: {given} holds traces that nobody judged: trail audit {given} --out DIR judges them, and DIR is "
            "read here"
        )
    for key, run in traced.items():
        if key in judged:
            judged[key] = replace(judged[key], **{name: getattr(run, name) for name in _TRACED})
        else:  # nobody knows about it, which is not good
            judged[key] = replace(run, judge=next(iter(judged.values())).judge, state="error")
    return list(judged.values())


def _records(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    from trail_callbacks.reading import Record, files_in, records  # noqa: PLC0415 - other commands do not need it

    for file in [path] if path == "-" else files_in(path):
        for each in records(file, lists={"reports": False, "traces": False}):
            if not isinstance(each, Record):
                raise InputError(f"{each.place}: {each.why}")
            yield each.place, each.value


def _audited(folder: Path, option: str) -> Iterator[Observation]:
    """The answers of an audit; what it could not judge is left open, in no segment."""
    path, broken = folder / "summary.json", folder / "broken.jsonl"
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
        judge, missing = str(summary["judge"]), int(summary["missing"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} cannot be read, which says whether the audit is finished: {error}") from error
    if missing:
        raise InputError(
            f"{option}: the audit in {folder} is not finished, {missing} answers were not judged: the same trail audit "
            "with a larger budget goes on"
        )
    yield from (_of_audit(place, row) for place, row in _records(str(folder / _ANSWERS)))
    if broken.is_file() and broken.stat().st_size:
        for place, _ in _records(str(broken)):
            yield Observation(id=f"broken {place}", at=0.0, judge=judge, state="error")


def _of_audit(place: str, row: Mapping[str, Any]) -> Observation:
    """A row of an audit, as `trail audit` wrote it."""
    given = row.get("fields")
    if (
        not isinstance(given, dict)
        or not isinstance(row.get("outcomes"), dict)
        or not isinstance(row.get("state"), str)
    ):
        raise InputError(f"{place}: is no answer of an audit: expected fields, outcomes and state")
    try:
        figures = {name: Figure(**each) for name, each in (row.get("figures") or {}).items()}
    except (TypeError, AttributeError) as error:
        raise InputError(f"{place}: figures is {row['figures']!r}, expected those of an audit") from error
    known = {name: value for name, value in given.items() if isinstance(value, str) and len(value) <= _LONGEST}
    return Observation(
        id=str(row.get("id") or row.get("n") or place),
        at=0.0,
        key=question_key(row.get("question")),
        figures=figures,
        diagnosed=row.get("signature") is not None,
        release=known.get("app"),
        versions={name: value for name, value in known.items() if name in _VERSIONS},
        fields={name: value for name, value in known.items() if name not in _PRIVATE | _VERSIONS},
        **{name: row[name] for name in _ROW if row.get(name) is not None},
    )
