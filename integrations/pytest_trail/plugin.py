"""What pytest loads: options, fixtures, and the reports of all workers gathered in one place."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_trail import grounded

if TYPE_CHECKING:
    from trail_callbacks import Report

_REPORTS: pytest.StashKey[list[Report]] = pytest.StashKey()
_LINES: pytest.StashKey[list[dict[str, Any]]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options and their equivalents in an ini file."""
    group = parser.getgroup("trail", "grounding of answers")
    for name, metavar, text in (
        ("max-score", "SCORE", "highest hallucination score that assert_grounded accepts, 0.0 to 1.0 (default: 0.0)"),
        ("judge", "JUDGE", "judge of trail_check, such as openai/gpt-5-mini (default: the offline judge)"),
        ("report", "FILE", "write the report of each check to FILE, as JSON lines"),
    ):
        group.addoption(f"--trail-{name}", metavar=metavar, help=text)
        parser.addini(f"trail_{name.replace('-', '_')}", text)


def pytest_configure(config: pytest.Config) -> None:
    """Says at once what is wrong with an option."""
    config.stash[_LINES] = []
    _max_score(config)
    judge = _option(config, "judge")
    if judge is not None:
        from trail_callbacks.errors import TrailError  # noqa: PLC0415 - only who names a judge needs the engine
        from trail_callbacks.judges.resolve import resolve  # noqa: PLC0415 - as above

        try:
            resolve(judge)
        except TrailError as error:
            raise pytest.UsageError(f"--trail-judge: {error}") from error
    file = _option(config, "report")
    if file is not None and (_path(config, file).is_dir() or not _path(config, file).parent.is_dir()):
        raise pytest.UsageError(f"--trail-report is {file}, expected a file in a folder that exists")


def _option(config: pytest.Config, name: str) -> str | None:
    return config.getoption(f"trail_{name}") or config.getini(f"trail_{name}") or None


def _path(config: pytest.Config, file: str) -> Path:
    return config.invocation_params.dir / file


def _max_score(config: pytest.Config) -> float:
    given = _option(config, "max_score")
    try:
        value = float(given or 0.0)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise pytest.UsageError(f"--trail-max-score is {given}, expected 0.0 (no unsupported claim) to 1.0")
    return value


@pytest.fixture
def trail_check(request: pytest.FixtureRequest) -> Callable[..., Report]:
    """`trail_callbacks.check` with the judge of the options; its report is shown if the test fails."""
    from trail_callbacks import check  # noqa: PLC0415 - a suite that checks nothing need not wait for it

    def checked(*args: Any, **kwargs: Any) -> Report:
        kwargs.setdefault("judge", _option(request.config, "judge"))
        return _record(request.node, check(*args, **kwargs))

    return checked


@pytest.fixture
def trail_acheck(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """As `trail_check`, to be awaited."""
    from trail_callbacks import acheck  # noqa: PLC0415 - as above

    async def checked(*args: Any, **kwargs: Any) -> Report:
        kwargs.setdefault("judge", _option(request.config, "judge"))
        return _record(request.node, await acheck(*args, **kwargs))

    return checked


@pytest.fixture(name="assert_grounded")
def _assert_grounded(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`pytest_trail.assert_grounded` with the threshold of the options."""

    def asserted(report: Report, max_score: float | None = None, allow: Sequence[grounded.Accepted] = ()) -> None:
        __tracebackhide__ = True
        _record(request.node, report)
        grounded.assert_grounded(report, _max_score(request.config) if max_score is None else max_score, allow)

    return asserted


def _record(item: pytest.Item, report: Report) -> Report:
    reports = item.stash.setdefault(_REPORTS, [])
    if not any(report is each for each in reports):
        reports.append(report)
        summary = report.summary()
        for name, value in (
            ("score", summary["hallucination_score"]),
            ("state", report.state),
            ("claims", len(report.claims)),
        ):
            item.user_properties.append((f"trail_{name}", "none" if value is None else value))
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds what was checked to the test's result, which travels from a worker to the controller."""
    result = yield
    reports = item.stash.get(_REPORTS, [])
    if call.when == "call" and reports:
        result.__dict__["trail"] = [json.loads(report.to_json()) for report in reports]
        # Every report that assert_grounded refused is in its message already.
        shown = str(result.longrepr)
        result.sections += [("trail", str(report)) for report in reports if result.failed and str(report) not in shown]
    return result


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Gathers results in the controller only; workers have none to write."""
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(_Gathered(session.config), "trail-gathered")


class _Gathered:
    """The checks of all tests, wherever they ran."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._lines = config.stash[_LINES]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps what a test checked."""
        for each in getattr(report, "trail", ()):
            self._lines.append({"test": report.nodeid, "outcome": report.outcome, "report": each})

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Writes the file and says in one line how many answers were checked; nothing if none was."""
        file = _option(self._config, "report")
        if file is not None:
            from trail_callbacks import files  # noqa: PLC0415 - the engine, not before it is used
            from trail_callbacks.errors import InputError  # noqa: PLC0415 - as above

            lines = sorted(self._lines, key=lambda line: line["test"])  # workers finish in any order
            try:
                files.write(str(_path(self._config, file)), (json.dumps(line) + "\n" for line in lines))
            except InputError as error:
                raise pytest.UsageError(f"--trail-report: {error}") from error
        if self._lines:
            n, tests = len(self._lines), len({line["test"] for line in self._lines})
            terminalreporter.section("trail")
            terminalreporter.line(
                f"{n} answer{'' if n == 1 else 's'} checked in {tests} test{'' if tests == 1 else 's'}"
            )
            if file is not None:
                terminalreporter.line(f"reports: {file}")
