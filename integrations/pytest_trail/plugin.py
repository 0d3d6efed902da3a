"""What pytest loads: options, fixtures, and the hooks that carry what was checked to the results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_trail import grounded
from pytest_trail.options import Options, add_options
from pytest_trail.recorded import AcceptedFinding, Check, CheckedTest, read_baseline

if TYPE_CHECKING:
    from pytest_trail.canary import CanaryResult
    from trail_callbacks import ProvenanceGraph, Report
    from trail_callbacks.judges import Judge

_OPTIONS: pytest.StashKey[Options] = pytest.StashKey()
_ACCEPTED: pytest.StashKey[Collection[AcceptedFinding]] = pytest.StashKey()
_RECORDED: pytest.StashKey[CheckedTest] = pytest.StashKey()
_WORST = {"failed": 0, "skipped": 1, "passed": 2}  # plugins that run tests again have outcomes of their own


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options and their equivalents in an ini file."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Says at once what is wrong with an option."""
    chosen = config.stash[_OPTIONS] = Options.of(config)
    config.stash[_ACCEPTED] = frozenset()
    if chosen.baseline is not None and not (chosen.update_baseline and not chosen.baseline.exists()):
        try:
            config.stash[_ACCEPTED] = read_baseline(chosen.baseline)
        except ValueError as error:
            raise pytest.UsageError(f"--trail-baseline: {error}") from error


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Gathers results in the controller only; workers have none to write."""
    config = session.config
    if not hasattr(config, "workerinput"):
        from pytest_trail.gathered import Gathered  # noqa: PLC0415 - only the controller needs it

        gathered = Gathered(config.stash[_OPTIONS], config.stash[_ACCEPTED], config.rootpath)
        config.pluginmanager.register(gathered, "trail-gathered")


@pytest.fixture
def trail_check(request: pytest.FixtureRequest) -> Callable[..., Report]:
    """`trail_callbacks.check` with the judge of the options; its report is shown if the test fails."""
    from trail_callbacks import verify  # noqa: PLC0415 - a suite that checks nothing need not wait for it

    def checked(*given: Any, **more: Any) -> Report:
        asked, times = _to_check(request, *given, **more)
        return _keep(request, [verify(*asked) for _ in range(times)])

    return checked


@pytest.fixture
def trail_acheck(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """As `trail_check`, to be awaited."""
    from trail_callbacks import averify  # noqa: PLC0415 - as above

    async def checked(*given: Any, **more: Any) -> Report:
        asked, times = _to_check(request, *given, **more)
        return _keep(request, [await averify(*asked) for _ in range(times)])

    return checked


@pytest.fixture(name="assert_grounded")
def _assert_grounded(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`pytest_trail.assert_grounded` with the threshold and the baseline of the options."""
    chosen, accepted = request.config.stash[_OPTIONS], request.config.stash[_ACCEPTED]

    def asserted(
        report: Report,
        max_score: float | None = None,
        allow: Sequence[grounded.Accepted] = (),
        on_undecided: Literal["pass", "fail"] | None = None,
    ) -> None:
        __tracebackhide__ = True
        highest = chosen.max_score if max_score is None else max_score

        def refused(report: Report, allow: Sequence[grounded.Accepted]) -> str | None:
            return grounded.refusal(report, highest, allow, on_undecided or chosen.on_undecided)

        grounded.check_arguments(highest, allow)
        recorded, check = _record(request.node, report)
        recorded.allow(report, allow)
        known: set[AcceptedFinding] = set()
        if chosen.baseline is not None:
            found = {AcceptedFinding(request.node.nodeid, *each) for each in grounded.findings(report, allow)}
            needed = chosen.update_baseline and refused(report, allow) is not None
            known = found if needed else found & set(() if chosen.update_baseline else accepted)
        everything = [*allow, *({"quote": each.quote, "outcome": each.outcome} for each in known)]
        passing = sum(refused(run, everything) is None for run in check.runs)
        if check.passing is None and len(check.runs) > 1:
            _properties(request.node, check, pass_rate=round(passing / len(check.runs), 4))
        check.passing = passing
        reason = refused(report, everything)
        if reason is None or not chosen.update_baseline:
            recorded.accepted |= known
        if reason is not None:
            if len(check.runs) > 1:
                reason += f"; {check.passing} of {len(check.runs)} checks pass on their own"
            raise AssertionError(grounded.message(report, reason, everything))

    return asserted


@pytest.fixture
def trail_canary(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """`trail_callbacks.canary.runs.run.run`, with what its rates are tested by; see `pytest_trail.canary`."""

    def ran(app: Any, probes: Any, **options: Any) -> CanaryResult:
        from trail_callbacks.canary.runs.run import run  # noqa: PLC0415 - a suite that checks nothing need not wait for it

        asked, options = _asked(request, tmp_path_factory, probes, options)
        return _keep_canary(request, run(asked, app, **options))

    return ran


@pytest.fixture
def trail_acanary(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """As `trail_canary`, to be awaited."""

    async def ran(app: Any, probes: Any, **options: Any) -> CanaryResult:
        from trail_callbacks.canary.runs.run import arun  # noqa: PLC0415 - as above

        asked, options = _asked(request, tmp_path_factory, probes, options)
        return _keep_canary(request, await arun(asked, app, **options))

    return ran


def _asked(
    request: pytest.FixtureRequest, folders: pytest.TempPathFactory, probes: Any, options: dict[str, Any]
) -> tuple[Sequence[Any], dict[str, Any]]:
    """The probes of a canary run, and the options of the run."""
    from pytest_trail import canary  # noqa: PLC0415 - a suite that runs no canary need not wait for it

    most = options.pop("most", request.config.stash[_OPTIONS].canary_probes)
    asked, skipped = canary.read(probes)
    return canary.chosen(asked, most), {"out": folders.mktemp("canary"), "skipped": skipped} | options


def _keep_canary(request: pytest.FixtureRequest, run: Any) -> CanaryResult:
    """Records a canary run."""
    from pytest_trail.canary import CanaryResult  # noqa: PLC0415 - a suite that runs no canary need not wait for it

    result = CanaryResult(run)
    recorded = request.node.stash.setdefault(_RECORDED, CheckedTest())
    recorded.canaries.append(result)
    number = len(recorded.canaries)
    suffix = "" if number == 1 else f"_{number}"
    for strategy, figures in result.results.rates.strategies.items():
        of = f"[{strategy}]" if len(run.strategies) > 1 else ""
        for measure in ("leak", "follow"):
            value = figures.rates[measure].value
            request.node.user_properties.append(
                (f"trail_canary_{measure}{suffix}{of}", "none" if value is None else round(value, 4))
            )
    return result


def _to_check(  # noqa: PLR0917 - as `trail_callbacks.check`
    request: pytest.FixtureRequest,
    answer: str,
    sources: Any,
    question: str | None = None,
    judge: Any = None,
    options: Any = None,
) -> tuple[tuple[ProvenanceGraph, Judge, Any], int]:
    """What is verified, by which judge, with which settings; and how often."""
    from trail_callbacks import ProvenanceGraph  # noqa: PLC0415 - as above
    from trail_callbacks.judges.resolve import resolve  # noqa: PLC0415 - as above

    chosen = request.config.stash[_OPTIONS]
    found = resolve(chosen.judge if judge is None else judge)
    times = chosen.repeat if found.model is not None else 1
    if times > 1 and options is not None:
        options = replace(options, cache=None)  # the second check would be the first one
    graph = ProvenanceGraph.from_texts(answer, sources, question)  # once: sources may be read once only
    return (graph, found, options), times


def _keep(request: pytest.FixtureRequest, runs: Sequence[Report]) -> Report:
    """Records a check, and returns what most of its runs say."""
    from pytest_trail.repeated import majority  # noqa: PLC0415 - a suite that checks nothing need not wait for it

    report = majority(runs)
    _record(request.node, report, runs, request.config.stash[_OPTIONS].repeat)
    return report


def _record(
    item: pytest.Item, report: Report, runs: Sequence[Report] = (), wanted: int = 1
) -> tuple[CheckedTest, Check]:
    recorded = item.stash.setdefault(_RECORDED, CheckedTest())
    check = recorded.check(report)
    if check is None:
        check = Check(report, runs or (report,), wanted)
        recorded.checks.append(check)
        score = "none" if report.hallucination_score is None else report.hallucination_score
        _properties(item, check, score=score, state=report.state, claims=len(report.claims))
    return recorded, check


def _properties(item: pytest.Item, check: Check, **values: object) -> None:
    """Adds properties of the JUnit report; those of the second check of a test end in `_2`, and so on."""
    number = item.stash[_RECORDED].checks.index(check) + 1
    end = "" if number == 1 else f"_{number}"
    item.user_properties += [(f"trail_{name}{end}", value) for name, value in values.items()]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds what was checked to the test's result, which travels from a worker to the controller."""
    result = yield
    recorded = item.stash.get(_RECORDED, None)
    if recorded is None:
        return result
    recorded.outcome = min(recorded.outcome, result.outcome, key=lambda one: _WORST.get(one, 0))
    if result.failed:
        # What assert_grounded refused is in its message already.
        shown = str(call.excinfo.value) if call.excinfo is not None else ""
        texts = [str(check.report) for check in recorded.checks]
        result.sections += [("trail", text) for text in texts if text not in shown]
        result.sections += [("trail canary", str(each)) for each in recorded.canaries]
    if call.when == "teardown":  # whatever the test did, this comes, and comes last
        result.__dict__["trail"] = recorded.to_json()
        del item.stash[_RECORDED]  # a test that is run again starts anew
        item.user_properties[:] = [each for each in item.user_properties if not each[0].startswith("trail_")]
    return result
