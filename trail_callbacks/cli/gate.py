"""`trail gate`: whether what is new may replace what is old: a release, one report, or a canary run.

A threshold for one answer is `--max-score` of `trail check`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from trail_callbacks.cli.inputs import only_report, read_once
from trail_callbacks.cli.options import (
    Json,
    OnNotEnough,
    OnUndecidedClaims,
    Word,
    Words,
    numbers_of,
    option,
    share,
    status_of,
    writable,
)
from trail_callbacks.cli.output import complain, deliver, dumped
from trail_callbacks.cli.runs import release_of, runs
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.monitor import SIGNALS, decision, sizing
from trail_callbacks.monitor.gate import decide
from trail_callbacks.render.comparison import comparison_to_rich
from trail_callbacks.render.excerpt import plain
from trail_callbacks.report.comparison import Comparison, compare
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify import threshold
from trail_callbacks.verify.threshold import OnUndecided, counted_score

_RUNS = "a file or folder of reports, the folder of an audit or of a canary run, or RELEASE@STORE"
_CANARY = "canary.sqlite"
_RULES = {"minimum": int, "max_undecided": float}
_STYLES = {"passes": "green", "worse": "bold red", "not enough data": "yellow"}
_WRAPPED = {"segment", "measure", "outcome", *sizing.COLUMNS[-3:]}
_ROUNDING = 1e-9  # 0.3 - 0.2 is not over 0.1


def _all_writable(paths: list[str] | None) -> list[str] | None:
    for each in paths or ():
        writable(each)
    return paths


def gate(
    *,
    baseline: Annotated[
        str, typer.Argument(metavar="OLD", help=f"A report, or judged runs of the release before: {_RUNS}.")
    ],
    candidate: Annotated[
        str | None,
        typer.Argument(
            metavar="NEW", help="The report or release in question, likewise. Without it: what a gate shows."
        ),
    ] = None,
    segment: Annotated[
        Word, option("FIELD", "Decide by the values of this metadata, such as query_class or tenant.")
    ] = None,
    critical: Annotated[
        Words, option("VALUE", "A segment where contradictions may not rise at all; may be repeated.")
    ] = None,
    margin: Annotated[float | None, option("X", "By how much it may be worse, see above.", callback=share)] = None,
    rules: Annotated[Words, option("NAME=VALUE", "Another rule, see above; may be repeated.", "--rule")] = None,
    on_undecided: OnUndecidedClaims = "pass",
    on_not_enough: OnNotEnough = None,
    outputs: Annotated[
        Words,
        option(
            "FILE",
            "Also write it to a file: Markdown for a pull request (.md), JUnit (.xml), else JSON; may be repeated.",
            "--output",
            "-o",
            callback=_all_writable,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Decides whether a release may replace the one before: not worse by more than a margin, in any segment.

    The margin is of the share of unsupported claims: 0.02. Further rules are the names of signals, such as abstention,
    by how much the share of runs that are bad by them may rise, minimum, the questions below which a segment is merged
    into the rest (30), and max_undecided, the share of the candidate's answers that the judge may have left open (0.1).
    The signal contradiction is a rule by itself, and so are query_coverage, evidence_overlap, citation_presence and
    citation_coverage where OLD knows them: 0.05.

    Without NEW it says what a gate could show with as many answers as OLD has, and how many it takes.

    Of two reports it says which claims appeared, vanished or changed. There a new report that could not be fully
    verified fails, and what is unknown about the old one is assumed in its favour; the margin is of the score: 0.0.

    Canary runs are compared in leak, follow and right rate, paired by probe; the margin is of a rate: 0.05. Their rule
    is policy, context_is_authoritative or verify_the_context.

    The exit status is 0 if it passes, 1 if it is worse, 3 if there is not enough data (see --on-not-enough), and 2 if
    the runs cannot be compared: unreadable, or judged by different judges.
    """
    if candidate is None:
        policy = _policy(segment, critical, margin, rules, on_undecided)
        known = list(runs(baseline, "OLD"))
        sized = sizing.sizes(known, policy)
        said = list(sizing.advice(known, policy, sized))
        figures = {"measures": [asdict(each) for each in sized], "advice": said}
        for path in outputs or ():
            write(path, dumped(figures), public=True)
        table = _table(sizing.COLUMNS, sizing.rows(sized))
        deliver(figures, [table, "", *said], as_json=as_json)
        return
    read_once([baseline, candidate])
    old, new = only_report(baseline), only_report(candidate)
    reports, canary = old is not None and new is not None, Path(candidate, _CANARY).is_file()
    if reports or canary:
        _only_of_releases(segment, critical, rules if reports else None, outputs)
    data: dict[str, Any]
    views: Iterable[Any]
    why, kinds = None, {}
    if old is not None and new is not None:
        compared = compare(old, new)
        data, views = json.loads(compared.to_json()), [comparison_to_rich(compared)]
        why = regression(compared, margin or 0.0, on_undecided)
        outcome = "worse" if why else "passes"
    elif baseline == candidate:
        raise InputError("OLD and NEW are the same runs: there is nothing to compare")
    elif canary:
        from trail_callbacks.cli.canary import gate_runs  # noqa: PLC0415 - takes long to import

        chosen = numbers_of("--rule", rules, {"policy": str})
        outcome, data, views = gate_runs(baseline, candidate, margin=0.05 if margin is None else margin, **chosen)
    else:
        policy = _policy(segment, critical, margin, rules, on_undecided)
        found = decide(runs(baseline, "OLD"), runs(candidate, "NEW"), policy)
        names = [named[0] if (named := release_of(each)) else Path(each).name for each in (baseline, candidate)]
        data, views = {"baseline": names[0], "candidate": names[1], **found.as_data()}, _views(found)
        kinds = {".md": decision.to_markdown(found, *names), ".xml": decision.to_junit(found, on_not_enough)}
        outcome = found.outcome
    for path in outputs or ():
        write(path, kinds.get(Path(path).suffix.lower()) or dumped(data), public=bool(kinds))
    deliver(data, views, as_json=as_json)
    if why:
        complain(why)
    raise typer.Exit(status_of(outcome, on_not_enough))


def _policy(
    segment: Word, critical: Words, margin: float | None, rules: Words, on_undecided: OnUndecided
) -> decision.Policy:
    given = numbers_of("--rule", rules, {**_RULES, **dict.fromkeys(SIGNALS, float)})
    return decision.Policy(
        segment=segment,
        margin=0.02 if margin is None else margin,
        margins={name: given.pop(name) for name in SIGNALS if name in given},
        critical=frozenset(critical or ()),
        on_undecided=on_undecided,
        **given,
    )


def _only_of_releases(segment: Word, critical: Words, rules: Words, outputs: Words) -> None:
    """Refuses what says nothing of two reports or canary runs."""
    written = [each for each in outputs or () if Path(each).suffix.lower() in {".md", ".xml"}]
    for name, given in (("--segment", segment), ("--critical", critical), ("--rule", rules), ("--output", written)):
        if given:
            also = "; what these write is JSON" if given is written else ""
            raise InputError(f"{name} is for releases, and {given!r} says nothing of what is compared here{also}")


def regression(comparison: Comparison, margin: float, on_undecided: OnUndecided = "pass") -> str | None:
    """Returns why a new report fails compared with the old one; None if it passes.

    A report that was not fully verified fails. What is unknown about the old report is assumed in its favour: a missing
    score counts as 0.0, claims that were not judged as supported. Undecided claims are treated alike in both: they are
    not counted, or all count as unsupported.
    """
    unknown = threshold.refusal(comparison.new, 1.0, on_undecided)
    if unknown is not None:
        return f"{unknown.reason}: --margin cannot be checked"
    new = counted_score(comparison.new, on_undecided)
    if new is None:
        return None  # it makes no claim that was found to be wrong
    before = comparison.old
    if before.hallucination_score is not None and before.scoring != comparison.new.scoring:
        return f"{comparison.score.reason}: --margin cannot be checked"
    verdicts = tuple(
        replace(each, support=SupportClass.SUPPORTED) if each.outcome == "not_judged" else each
        for each in before.verdicts
    )
    old = counted_score(replace(before, verdicts=verdicts), on_undecided) or 0.0
    if new - old > margin + _ROUNDING:
        return f"hallucination score rose by {new - old:.2f} from {old:.2f}, over --margin {margin:.2f}"
    return None


def _views(found: decision.Decision) -> Iterator[Any]:
    yield Text(decision.HEADLINES[found.outcome], style="bold")
    for segment in found.segments:
        for reason in segment.reasons:
            yield Text(f"- {plain(segment.name)}: {reason}")
    yield ""
    yield _table(decision.COLUMNS, decision.measure_rows(found.segments, plain))
    yield ""
    yield from (Text(each, style="dim") for each in decision.remarks(found, plain))


def _table(columns: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        table.add_column(name, overflow="fold", no_wrap=name not in _WRAPPED)
    for row in rows:
        table.add_row(*map(Text, map(plain, row[:-1])), Text(row[-1], style=_STYLES.get(row[-1], "")))
    return table
