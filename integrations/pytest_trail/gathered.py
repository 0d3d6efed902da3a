"""The checks of all tests in one place, wherever they ran: files and summaries are written from here, once."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_trail.options import Options
from pytest_trail.recorded import AcceptedFinding, baseline_text

_LENGTH = 120  # of a quote in the terminal


class Gathered:
    """What the controller knows of all tests; workers have none. Node ids start from the folder `root`."""

    def __init__(self, options: Options, accepted: Collection[AcceptedFinding], root: Path) -> None:
        self._options, self._accepted, self._root = options, set(accepted), root
        self._tests: dict[str, dict[str, Any]] = {}
        self._passed: set[str] = set()
        self._failed: set[str] = set()
        self._problems: list[str] = []
        self._unwritten = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps what a test checked."""
        if report.failed:
            self._failed.add(report.nodeid)
        elif report.when == "call" and report.passed:
            self._passed.add(report.nodeid)
        recorded = getattr(report, "trail", None)
        if recorded is not None:
            self._tests[report.nodeid] = json.loads(recorded)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Writes the files; a run that cannot write one that was asked for has not succeeded."""
        if self._options.report is not None:
            self._write("--trail-report", self._options.report, "".join(self._lines()))
        if self._options.update_baseline and self._options.baseline is not None and self._passed | self._failed:
            self._write(
                "--trail-baseline", self._options.baseline, baseline_text((self._accepted - self._stale()) | self._used)
            )
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        if summary and self._tests:
            try:
                with Path(summary).open("a", encoding="utf-8", newline="\n") as stream:
                    stream.write(markdown(self._tests, self._notes()))
            except OSError as error:
                self._problems.append(f"the summary of the step cannot be written: {error}")
        if self._unwritten and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Says what was checked; nothing if nothing was."""
        notes = list(self._notes())
        if self._tests and self._options.report is not None:
            notes.append(f"reports: {_named(self._options.report)}")
        if notes or self._problems:
            terminalreporter.section("trail")
            for note in notes:
                terminalreporter.line(note)
            for problem in self._problems:
                terminalreporter.line(problem, red=True)

    def _write(self, option: str, path: Path, text: str) -> None:
        from trail_callbacks import files  # noqa: PLC0415 - the engine, not before it is used
        from trail_callbacks.errors import InputError  # noqa: PLC0415 - as above

        try:
            files.write(str(path), text)
        except InputError as error:
            self._problems.append(f"{option}: {error}")
            self._unwritten = True

    def _lines(self) -> Iterator[str]:
        for test, recorded in sorted(self._tests.items()):  # workers finish in any order
            line = {"test": test, "outcome": recorded["outcome"]}
            for check in recorded["checks"]:
                if check["report"] is None:
                    self._problems.append(f"--trail-report: {test}: {check['unwritable']}")
                else:
                    yield json.dumps({**line, "report": check["report"]}) + "\n"
            yield from (json.dumps({**line, "canary": each}) + "\n" for each in recorded["canaries"])

    @property
    def _used(self) -> set[AcceptedFinding]:
        return {AcceptedFinding(*each) for recorded in self._tests.values() for each in recorded["accepted"]}

    def _stale(self) -> set[AcceptedFinding]:
        """Accepted findings of tests that passed without them, or whose file is gone.

        A test that failed may have ended before the check that would find one.
        """
        done = self._passed - self._failed
        return {
            each
            for each in self._accepted - self._used
            if each.test in done or not (self._root / each.test.partition("::")[0]).exists()
        }

    def _notes(self) -> Iterator[str]:
        tests = sorted(self._tests.items())
        checks = [(test, check) for test, recorded in tests for check in recorded["checks"]]
        if checks:
            yield f"{_count(len(checks), 'answer')} checked in {_count(len({test for test, _ in checks}), 'test')}"
        if once := sum(check["made"] < check["wanted"] for _, check in checks):
            yield f"{_count(once, 'check')} made once: a judge without a model says the same each time"
        for test, check in checks:
            if check["passing"] is not None and check["passing"] < check["made"] > 1:
                yield f"pass rate {check['passing']} of {check['made']}: {test}"
        for test, recorded in tests:
            for canary in recorded["canaries"]:
                yield from (f"canary {each}: {test}" for each in canary["summary"].splitlines())
        yield from self._about_baseline()
        yield from self._about_allowed()

    def _about_baseline(self) -> Iterator[str]:
        if self._options.baseline is None:
            return
        file, stale = _named(self._options.baseline), sorted(self._stale())
        if self._options.update_baseline:
            added = len(self._used - self._accepted)
            yield f"baseline {file}: {_count(added, 'finding')} added, {len(stale)} removed"
            return
        if self._used:
            yield f"accepted by {file}: {_count(len(self._used), 'finding')}"
        for each in stale:
            yield f"stale in {file}: {each.test}: {_short(each.quote)} ({each.outcome}) is not found any more"
        waiting = {each.test for each in self._accepted - set(stale)} - self._passed - self._failed
        if waiting:
            yield f"{file} has findings of {_count(len(waiting), 'test')} that did not run"

    def _about_allowed(self) -> Iterator[str]:
        allowed: dict[str, tuple[str, bool]] = {}
        for test, recorded in sorted(self._tests.items()):
            for entry, did in recorded["allowed"].items():
                first, matched = allowed.get(entry, (test, False))
                allowed[entry] = first, matched or did
        for entry, (test, matched) in allowed.items():
            if not matched:
                yield f"allow has {entry[:_LENGTH]}, which matches no claim: {test}"


def _named(path: Path) -> str:
    """The path as it is typed here."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _short(quote: str) -> str:
    return repr(quote if len(quote) <= _LENGTH else f"{quote[:_LENGTH]}...")


_ROWS, _FINDINGS, _CELL = 50, 5, 160  # GitHub drops a summary above 1 MiB
_HEAD = "| test | check | outcome | score | state | claims | not grounded |\n|" + " --- |" * 7
_JOINERS = "\u200c\u200d"  # spell words in Persian and Indic scripts


def markdown(tests: Mapping[str, Mapping[str, Any]], notes: Iterable[str]) -> str:
    """Returns the summary: what was recorded, as in `CheckedTest.to_json`, by node id, and remarks, a line each."""
    rows = [
        (not check["findings"], test, number, _row(test, number, recorded["outcome"], check))
        for test, recorded in tests.items()
        for number, check in enumerate(recorded["checks"], 1)
    ]
    shown = [row for *_, row in sorted(rows)[:_ROWS]]
    if len(rows) > len(shown):
        shown.append(f"\n{len(rows) - len(shown)} more are not shown.")
    listed = "".join(f"- {literal(note)}\n" for note in notes)
    table = "\n".join([_HEAD, *shown]) if rows else ""
    return f"### Grounding of answers\n\n{listed}\n{table}\n\n"


def _row(test: str, number: int, outcome: str, check: Mapping[str, Any]) -> str:
    score = "none" if check["score"] is None else f"{check['score']:.2f}"
    found = [f"{outcome}: {literal(quote)}" for quote, outcome in check["findings"]]
    more = [f"and {len(found) - _FINDINGS} more"] if len(found) > _FINDINGS else []
    cells = [literal(test), str(number), outcome, score, check["state"], str(check["claims"])]
    return f"| {' | '.join([*cells, '<br>'.join([*found[:_FINDINGS], *more])])} |"


def literal(text: str) -> str:
    """Writes a text so that Markdown shows it as it is: no markup, link, mention or table cell begins in it.

    All but letters, digits and single spaces is a character reference, which cannot be structure, in an element that
    nothing is linked in. It is cut at 160 characters.
    """
    flat = " ".join(text.split())
    cut = flat if len(flat) <= _CELL else f"{flat[: _CELL - 3]}..."
    shown = (each if each == " " or each.isalnum() else _reference(each) for each in cut)
    return f"<code>{''.join(shown)}</code>"


def _reference(character: str) -> str:
    return f"&#{ord(character)};" if character.isprintable() or character in _JOINERS else "\ufffd"
