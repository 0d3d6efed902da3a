"""`trail doctor`: plants a made-up claim in each installed framework and judge, and checks whether it is flagged."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import entry_points

import typer
from rich.text import Text

from trail_callbacks.cli.options import Json, JudgeName, judge_of
from trail_callbacks.cli.output import deliver, progress
from trail_callbacks.errors import MissingExtraError
from trail_callbacks.judges.judge import Judge
from trail_callbacks.render.excerpt import plain
from trail_callbacks.render.terminal import fits
from trail_callbacks.report import Report, Verdict
from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass
from trail_callbacks.verify.pipeline import check

QUESTION = "When was the lighthouse built, and how high is it?"
SOURCE = "The lighthouse on Skarn Point was built in 1874. Its tower is 31 metres high and painted white."
TRUE = "The lighthouse was built in 1874."
PLANTED = "Its tower is 58 metres high."

SelfCheck = Callable[[str, str, str, Judge], Report]  # of question, source, what the app's model answers, and judge


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finding:
    """The result of one test."""

    subject: str  # the judge or framework that was tested
    captured: bool = False  # answer and source were recorded, and the source is upstream of the answer
    judged: bool = False  # both claims have a class
    flagged: bool = False  # the planted claim is unsupported and the true one is supported
    missing: str | None = None  # the pip command that installs what is missing; then nothing was tested
    trouble: str | None = None  # what went wrong


def doctor(*, judge: JudgeName = None, as_json: Json = False) -> None:
    """Plants a made-up claim and checks whether it is found.

    Tests the offline judge, the judge given with --judge, and each installed framework. The exit status is 1 if one
    fails.
    """
    named, local = judge_of(judge), judge_of(None)
    todo: list[tuple[str, Callable[[], SelfCheck], Judge]] = [
        (f"judge {each.name}", lambda: lambda asked, source, answer, by: check(answer, source, asked, by), each)
        for each in ([local] if named.name == local.name else [local, named])
    ]
    entries = sorted(entry_points(group="trail_callbacks.selfchecks"))
    todo += [(f"{each.name}, judged by {named.name}", each.load, named) for each in entries]
    with progress("testing"):
        found = [_examined(*each) for each in todo]
    healthy = all(each.missing is not None or each.flagged for each in found)
    data = {"healthy": healthy, "findings": [asdict(each) for each in found], "next": _next(found)}
    deliver(data, _lines(found), as_json=as_json)
    if not healthy:
        raise typer.Exit(1)


def _lines(found: Sequence[_Finding]) -> Iterator[Text]:
    yes, no = ("\u2713", "\u2717") if fits(sys.stdout) else ("+", "X")
    yield Text(f"An answer with a true sentence and a made-up one: {TRUE} {PLANTED}\n", style="dim")
    for each in found:
        if each.missing:
            yield Text(f"- {plain(each.subject)}: not installed\n  {plain(each.missing)}", style="dim")
            continue
        steps = {"recorded": each.captured, "judged": each.judged, "made-up sentence found": each.flagged}
        words = ", ".join(f"{yes if done else no} {step}" for step, done in steps.items())
        yield Text(f"{yes if each.flagged else no} {plain(each.subject)}: {words}")
        if each.trouble:
            yield Text(f"  {plain(each.trouble)}", style="yellow")
    yield Text(f"\nnext: {_next(found)}")


def _next(found: Sequence[_Finding]) -> str:
    """What to do now."""
    for each in found:
        if each.trouble:
            return f"mend {plain(each.subject)}: {plain(each.trouble)}"
    if all(each.missing for each in found if "judged by" in each.subject):
        return "install one of these to record an app, or check a text: trail check --answer FILE --source FILE"
    return (
        "record your app: TrailCallbackHandler(judge=as_model(model)) of langchain_trail, or instrument(judge=...) of "
        "llama_index_trail; "
        "trail demo --open shows what you will get"
    )


def _examined(subject: str, load: Callable[[], SelfCheck], judge: Judge) -> _Finding:
    """Runs one self-check; any failure becomes a finding."""
    try:
        report = load()(QUESTION, SOURCE, f"{TRUE} {PLANTED}", judge)
    except MissingExtraError as error:
        return _Finding(subject=subject, missing=f'pip install "trail-callbacks[{error.extra}]"')
    except Exception as error:  # noqa: BLE001 - any failure of the subject is to be reported
        return _Finding(subject=subject, trouble=f"{type(error).__name__}: {error}")
    graph = report.graph
    read = any(SOURCE in leaf.text for leaf in graph.leaves() if leaf.kind == "document")
    captured = graph.answer is not None and PLANTED in graph.answer.text and read
    verdicts = [_verdict(report, part) for part in (TRUE, PLANTED)]
    true, planted = (verdict.support if verdict else None for verdict in verdicts)
    judged = captured and true is not None and planted is not None
    flagged = judged and planted in UNSUPPORTED and true is SupportClass.SUPPORTED
    trouble = None
    if not captured:
        trouble = "the answer or the source it came from was not recorded"
    elif not judged:
        failed = (each.error for each in report.verdicts if each.error)
        left = (f"undecided: {each.undecided}" for each in report.verdicts if each.outcome == "undecided")
        trouble = next(failed, None) or next(left, None) or "; ".join(report.warnings) or report.state
    elif not flagged:
        trouble = f"the made-up sentence was judged {planted}, the true one {true}"
    return _Finding(subject=subject, captured=captured, judged=judged, flagged=flagged, trouble=trouble)


def _verdict(report: Report, part: str) -> Verdict | None:
    """The verdict on the claim in this part of the answer."""
    start = report.graph.answer.text.find(part) if report.graph.answer else -1
    found = [claim for claim in report.claims if claim.start < start + len(part) and start < claim.end]
    return report.verdict(found[0].id) if start >= 0 and found else None
