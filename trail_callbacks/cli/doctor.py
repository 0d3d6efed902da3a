"""`trail doctor`: plants a made-up claim in each installed framework and judge, and checks whether it is flagged."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import entry_points

import typer
from rich.text import Text

from trail_callbacks.cli.options import BaseUrl, Json
from trail_callbacks.cli.options import Judge as JudgeName
from trail_callbacks.cli.output import deliver, progress
from trail_callbacks.errors import MissingExtraError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.judge import Judge
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.render.excerpt import plain
from trail_callbacks.render.terminal import fits
from trail_callbacks.report import Report, Verdict
from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass
from trail_callbacks.verify.pipeline import check

_GROUP = "trail_callbacks.selfchecks"

QUESTION = "When was the lighthouse built, and how high is it?"
SOURCE = "The lighthouse on Skarn Point was built in 1874. Its tower is 31 metres high and painted white."
TRUE = "The lighthouse was built in 1874."
PLANTED = "Its tower is 58 metres high."

SelfCheck = Callable[[str, str, str, Judge], Report]
"""A self-check: takes question, source, the answer that the app's model is to give, and the judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finding:
    """The result of one test.

    Attributes:
        subject: The judge or framework that was tested.
        captured: The answer and the source were recorded, and the source is upstream of the answer.
        judged: Both claims have a class.
        flagged: The planted claim is unsupported and the true one is supported.
        missing: The pip command that installs what is missing; then nothing was tested.
        trouble: What went wrong.
    """

    subject: str
    captured: bool = False
    judged: bool = False
    flagged: bool = False
    missing: str | None = None
    trouble: str | None = None

    @property
    def healthy(self) -> bool:
        """The test passed, or the subject is not installed."""
        return self.missing is not None or self.flagged


def doctor(*, judge: JudgeName = None, base_url: BaseUrl = None, as_json: Json = False) -> None:
    """Plants a made-up claim and checks whether it is flagged.

    Tests the offline judge, the judge given with --judge, and each installed framework.
    """
    found = []
    todo = list(_subjects(judge, base_url))
    with progress("testing", total=len(todo)) as bar:
        for subject, run in todo:
            bar.update(bar.task_ids[0], description=f"testing {subject}")
            found.append(run())
            bar.advance(bar.task_ids[0])
    healthy = all(finding.healthy for finding in found)
    data = {"healthy": healthy, "findings": [asdict(finding) for finding in found]}
    deliver(data, _lines(found), as_json=as_json)
    if not healthy:
        raise typer.Exit(1)


def _lines(found: Sequence[_Finding]) -> Iterator[Text]:
    yes, no = ("\u2713", "\u2717") if fits(sys.stdout) else ("+", "X")
    for finding in found:
        if finding.missing:
            yield Text(f"- {plain(finding.subject)}: not installed\n  {plain(finding.missing)}", style="dim")
            continue
        steps = {"captured": finding.captured, "judged": finding.judged, "flagged": finding.flagged}
        words = ", ".join(f"{yes if done else no} {step}" for step, done in steps.items())
        yield Text(f"{yes if finding.healthy else no} {plain(finding.subject)}: {words}")
        if finding.trouble:
            yield Text(f"  {plain(finding.trouble)}", style="yellow")


def _subjects(judge: str | None, base_url: str | None) -> Iterator[tuple[str, Callable[[], _Finding]]]:
    """Lists the tests: the offline judge, the named judge, and each adapter with that judge."""
    named = resolve(judge, base_url=base_url)
    local = resolve(None)
    for each in [local] if named.name == local.name else [local, named]:
        subject = f"judge {each.name}"
        yield subject, partial(_examine, subject, lambda: _alone, each)
    for entry in sorted(entry_points(group=_GROUP)):
        subject = f"{entry.name} with {named.name}"
        yield subject, partial(_examine, subject, entry.load, named)


def _alone(question: str, source: str, answer: str, judge: Judge) -> Report:
    """The self-check without a framework."""
    return check(answer, source, question, judge)


def _examine(subject: str, load: Callable[[], SelfCheck], judge: Judge) -> _Finding:
    """Runs one self-check; any failure becomes a finding."""
    try:
        report = load()(QUESTION, SOURCE, f"{TRUE} {PLANTED}", judge)
    except MissingExtraError as error:
        return _Finding(subject=subject, missing=f'pip install "trail-callbacks[{error.extra}]"')
    except Exception as error:  # noqa: BLE001 - any failure of the subject is to be reported
        return _Finding(subject=subject, trouble=f"{type(error).__name__}: {error}")
    return _finding(subject, report)


def _finding(subject: str, report: Report) -> _Finding:
    captured = _captured(report.graph)
    classes = {part: _verdict(report, part) for part in (TRUE, PLANTED)}
    judged = captured and all(verdict is not None and verdict.support is not None for verdict in classes.values())
    true, planted = (verdict.support if verdict else None for verdict in classes.values())
    flagged = judged and planted in UNSUPPORTED and true is SupportClass.SUPPORTED
    trouble = None
    if not captured:
        trouble = "the answer or the source it came from was not recorded"
    elif not judged:
        trouble = (
            next((v.error for v in report.verdicts if v.error), None)
            or next((f"undecided: {v.undecided}" for v in report.verdicts if v.outcome == "undecided"), None)
            or "; ".join(report.warnings)
            or report.state
        )
    elif not flagged:
        trouble = f"the planted claim was judged {planted}, the true one {true}"
    return _Finding(subject=subject, captured=captured, judged=judged, flagged=flagged, trouble=trouble)


def _captured(graph: ProvenanceGraph) -> bool:
    sources = [leaf for leaf in graph.leaves() if leaf.kind == "document"]
    return graph.answer is not None and PLANTED in graph.answer.text and any(SOURCE in leaf.text for leaf in sources)


def _verdict(report: Report, part: str) -> Verdict | None:
    """The verdict on the claim in this part of the answer."""
    start = report.graph.answer.text.find(part) if report.graph.answer else -1
    found = [claim for claim in report.claims if claim.start < start + len(part) and start < claim.end]
    return report.verdict(found[0].id) if start >= 0 and found else None
