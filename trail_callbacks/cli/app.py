"""The commands of `trail` and their options; the work is done elsewhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version
from typing import Annotated, Any, Literal

import typer
from rich.text import Text

from trail_callbacks.cli import doctor as doctoring
from trail_callbacks.cli.alerts import alerts
from trail_callbacks.cli.audit import audit
from trail_callbacks.cli.canary import canary
from trail_callbacks.cli.demo import run_demo
from trail_callbacks.cli.diagnose import diagnose
from trail_callbacks.cli.diff import diff
from trail_callbacks.cli.export import export
from trail_callbacks.cli.gate import gate
from trail_callbacks.cli.inputs import OnUndecidedClaims, read, texts
from trail_callbacks.cli.metrics import metrics
from trail_callbacks.cli.options import BaseUrl, Cache, Json, Judge, Output
from trail_callbacks.cli.output import browse, complain, display, dumped, emit, folder, progress
from trail_callbacks.cli.serve import serve, serve_demo
from trail_callbacks.cli.store import store
from trail_callbacks.cli.threshold import checked, refusal
from trail_callbacks.cli.traces import is_trace, show_traces, spooled
from trail_callbacks.cli.triage import triage
from trail_callbacks.cli.verify import verify as verify_traces
from trail_callbacks.errors import InputError, ReportError, TrailError
from trail_callbacks.files import write
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.render.provenance import graph_to_rich
from trail_callbacks.render.safe_text import plain
from trail_callbacks.render.terminal import fits, to_rich
from trail_callbacks.report import Report
from trail_callbacks.verify.estimate import estimate as estimated
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import verify

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Finds which sentences of an answer are made up, and which step of an app made them up.",
)

Answer = Annotated[str | None, typer.Option(metavar="FILE", help="File with the answer to check; - is standard input.")]
AnswerText = Annotated[str | None, typer.Option(metavar="TEXT", help="The answer to check, as text.")]
Source = Annotated[list[str] | None, typer.Option(metavar="FILE", help="File with a source; may be repeated.")]
SourceText = Annotated[list[str] | None, typer.Option(metavar="TEXT", help="A source, as text; may be repeated.")]
Strategy = Annotated[
    Literal["audit", "veritrail"],
    typer.Option(help="Check claims against the sources, or walk back from the answer as VeriTrail does."),
]
Question = Annotated[str | None, typer.Option(metavar="TEXT", help="The question that was asked.")]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"trail-callbacks {version('trail-callbacks')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before a command."""


@app.command()
def demo(
    *,
    app: Annotated[str, typer.Option(metavar="APP", help="langchain, langgraph, llama-index or all.")] = "all",
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Use this model instead of recorded replies.")
    ] = None,
    base_url: BaseUrl = None,
    judge: Judge = None,
    html: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Also write each report as an HTML page, APP.html.")
    ] = None,
    served: Annotated[
        bool, typer.Option("--serve", help="Instead, show 30 days of played traffic with two rollouts in a browser.")
    ] = False,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Runs three small apps and traces their made-up claims.

    Runs offline with recorded model replies, unless --model is given.
    """
    if served:
        serve_demo()
        return
    into = folder(html) if html else None
    finished = run_demo(app, model, base_url, judge)
    if output:
        write(output, dumped(finished.as_json()))
    pages = {str(into / f"{each.app}.html"): each.report for each in finished.outcomes} if into else {}
    for page, report in pages.items():
        write(page, report.to_html())
    if as_json:
        emit(finished.as_json())
    else:
        display(*finished.views(), *(f"written to {plain(page)}" for page in pages))


@app.command()
def check(
    *,
    answer: Answer = None,
    answer_text: AnswerText = None,
    source: Source = None,
    source_text: SourceText = None,
    question: Question = None,
    judge: Judge = None,
    base_url: BaseUrl = None,
    max_score: Annotated[
        float | None, typer.Option(metavar="X", help="Exit with status 1 if the score is over this, 0.0 to 1.0.")
    ] = None,
    on_undecided: OnUndecidedClaims = "pass",
    strategy: Strategy = "audit",
    q: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="With veritrail: consecutive verdicts of not fully supported that end a walk."
        ),
    ] = 1,
    cache: Cache = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Checks an answer against its sources.

    With --max-score, an answer that could not be fully verified fails too (no evidence, nothing decided, claims that
    were not judged, or statements that the judge left out). Claims that the judge left undecided beside decided ones
    are not in the score; with --on-undecided fail each counts as unsupported. If the judge fails
    completely, the exit status is 2, with or without --max-score.
    """
    threshold = checked(max_score)
    graph = texts(answer, answer_text, source or [], source_text or [], question)
    asked = resolve(judge, base_url=base_url)
    with progress(f"judging with {asked.name}"):
        report = verify(graph, asked, VerifyOptions(strategy=strategy, q=q, cache=cache))
    _deliver(report, as_json=as_json, output=output)
    if report.state == "error":
        raise TrailError(report.warnings[0] if report.warnings else "the verification failed")
    why = refusal(report, threshold, on_undecided)
    if why:
        complain(why)
        raise typer.Exit(1)


@app.command()
def show(
    *,
    report: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A report as JSON, or traces, also of other tools; - is standard input."),
    ],
    width: Annotated[int | None, typer.Option(min=40, metavar="N", help="Columns, 40 or more.")] = None,
    graph: Annotated[bool, typer.Option("--graph", help="Also show the provenance graph.")] = False,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write a self-contained HTML page instead.")] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open that page in the browser.")] = False,
    as_json: Json = False,
) -> None:
    """Shows a saved report: here, or as a page with the answer coloured by claim and the graph beside it.

    Of a report written by a newer release it shows what this release can read, and says what is missing. Of a trace it
    shows what was retrieved, reranked and read, and with --graph the texts; `trail verify` makes a report of it.
    """
    if open_ and not html:
        raise InputError("--open opens the page that --html FILE writes: give both")
    path = spooled(report)
    if is_trace(path):
        if html:
            raise InputError(f"{report} is a trace, and --html draws reports: trail verify {report} -o report.json")
        show_traces(report, path, graph=graph, width=width, as_json=as_json)
        return
    try:
        read_back = Report.from_json(read(str(path), called=report), lenient=True)
    except ReportError as error:
        raise ReportError(f"{report}: {error}") from error
    if html:
        write(html, read_back.to_html())
        if open_ and not browse(html):
            complain(f"could not start a browser: open {html} yourself")
    if as_json:
        emit(_data(read_back))
    elif html:
        display(f"written to {plain(html)}")
    else:
        display(*([graph_to_rich(read_back.graph), ""] if graph else []), to_rich(read_back), width=width)


app.command()(verify_traces)
app.command()(diagnose)
app.command()(audit)
app.command()(diff)
app.command()(gate)
app.command()(triage)
app.command()(export)
app.command()(serve)
app.command()(metrics)
app.add_typer(alerts, name="alerts")
app.add_typer(canary, name="canary")
app.add_typer(store, name="store")


@app.command()
def estimate(
    *,
    answer: Answer = None,
    answer_text: AnswerText = None,
    source: Source = None,
    source_text: SourceText = None,
    question: Question = None,
    judge: Judge = None,
    base_url: BaseUrl = None,  # noqa: ARG001 - so that `check` can be replaced by `estimate` in a command line
    strategy: Strategy = "audit",
    as_json: Json = False,
) -> None:
    """Estimates the cost of a check, without calling a model."""
    graph = texts(answer, answer_text, source or [], source_text or [], question)
    cost = estimated(graph, judge, VerifyOptions(strategy=strategy))
    if as_json:
        emit(asdict(cost))
        return
    display(
        f"about {cost.claims} claims",
        f"about {cost.calls} model calls, and up to {cost.more_calls} more, depending on the verdicts",
        f"about {cost.prompt_tokens:,} tokens read and {cost.completion_tokens:,} written",
    )


@app.command()
def doctor(*, judge: Judge = None, base_url: BaseUrl = None, as_json: Json = False) -> None:
    """Plants a made-up claim and checks whether it is flagged.

    Tests the offline judge, the judge given with --judge, and each installed framework.
    """
    found = []
    todo = list(doctoring.subjects(judge, base_url))
    with progress("testing", total=len(todo)) as bar:
        for subject, run in todo:
            bar.update(bar.task_ids[0], description=f"testing {subject}")
            found.append(run())
            bar.advance(bar.task_ids[0])
    healthy = all(finding.healthy for finding in found)
    if as_json:
        emit({"healthy": healthy, "findings": [asdict(finding) for finding in found]})
    else:
        display(*_diagnosis(found))
    if not healthy:
        raise typer.Exit(1)


def _diagnosis(found: list[doctoring.Finding]) -> Iterator[Text]:
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


def _deliver(report: Report, *, as_json: bool, output: str | None) -> None:
    if output:
        write(output, dumped(_data(report)))
    if as_json:
        emit(_data(report))
    else:
        display(to_rich(report))


def _data(report: Report) -> Any:
    return json.loads(report.to_json())
