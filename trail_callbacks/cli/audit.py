"""`trail audit`: many answers that were recorded, judged within a budget and summed up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from trail_callbacks import audit as auditing
from trail_callbacks.cli.options import (
    Json,
    JudgeName,
    Limits,
    Word,
    Words,
    budget_of,
    judge_of,
    numbers_of,
    option,
    pairs_of,
)
from trail_callbacks.cli.output import complain, deliver, progress
from trail_callbacks.errors import InputError
from trail_callbacks.render.excerpt import line, plain
from trail_callbacks.verify.options import VerifyOptions

_SHOWN = 10
_AT_ONCE, _TOGETHER = 16, 1000  # answers in work, without and with batches


def audit(
    *,
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT",
            help="Traces, saved reports, or rows with answer and sources: JSON lines, JSON, CSV or Parquet, gzip or "
            "not; a folder stands for the files in it; - is standard input.",
        ),
    ],
    out: Annotated[str, option("DIR", "Folder of the results; to go on, name the same one.")],
    judge: JudgeName = None,
    where: Annotated[Words, option("FIELD=VALUE", "Audit only answers with this metadata; may be repeated.")] = None,
    sample: Annotated[float, option("X", "Share of the answers to audit; the same ones in each run.")] = 1.0,
    by: Annotated[Words, option("FIELD", "Break the summary down by this metadata; may be repeated.")] = None,
    column: Annotated[
        Words, option("ROLE=NAME", "Column of rows for id, question, answer or sources; may be repeated.")
    ] = None,
    diagnose: Annotated[
        bool, option(None, "Of traces: find where the evidence path broke first, too.", "--diagnose")
    ] = False,
    engine: Annotated[Literal["local", "ray", "batch"], option(None, "Who does the work, see above.")] = "local",
    workers: Annotated[int | None, option("N", "Workers; by default one for each processor.", min=1)] = None,
    concurrency: Annotated[int | None, option("N", "Answers in work at once, see above.", min=1)] = None,
    ray: Annotated[Words, option("NAME=VALUE", "About the Ray cluster, see above; may be repeated.")] = None,
    limits: Limits = None,
    store: Annotated[Word, option("STORE", "Keep the reports in this store, too: a file, or a URL.")] = None,
    as_json: Json = False,
) -> None:
    """Audits answers that were recorded, and writes a row for each answer and each claim.

    The same command again does only what is missing, whatever ended it. The exit status is 2 if something could not be
    read or judged, and 1 if the budget was used up before the end.

    The work is done by processes on this machine (local), by workers on a Ray cluster that runs (ray), or by the batch
    endpoint of the model's provider, with hours of delay (batch). Where a model is asked, each worker has 16 answers in
    work at once, a batch 1000. About the cluster can be said: address, HOST:PORT of its head; cpus, gpus or any other
    resource of each worker; patience, the seconds to wait for a worker.
    """
    budget, cluster = budget_of(limits), numbers_of("--ray", ray, {"address": str}, float)
    if ray and engine != "ray":
        raise InputError("--ray is given without --engine ray")
    doer: auditing.BatchEngine | auditing.LocalEngine | auditing.RayEngine
    if engine == "batch":
        if workers or budget.requests_per_minute or budget.tokens_per_minute:
            raise InputError("--engine batch is one process that waits for its provider: no --workers and no pace")
        doer = auditing.BatchEngine(Path(out) / "batches", concurrency=concurrency or _TOGETHER)
    elif engine == "ray":
        own = {name: cluster.pop(name) for name in ("address", "cpus", "gpus", "patience") if name in cluster}
        doer = auditing.RayEngine(workers=workers, concurrency=concurrency or _AT_ONCE, resources=cluster, **own)
    else:
        doer = auditing.LocalEngine(workers=workers or auditing.cores(), concurrency=concurrency or _AT_ONCE)
    asked = judge_of(judge)
    if engine == "batch" and asked.model is None:
        raise InputError("--engine batch needs a judge that asks a model: --judge openai/gpt-5-mini, for example")

    def show(reached: auditing.AuditProgress) -> None:
        parts = {"judged": reached.judged, "known": reached.known, "failed": reached.failed}
        words = ", ".join(f"{n} {name}" for name, n in parts.items() if n or name == "judged")
        bar.show(words, reached.judged, reached.share, reached.usage, reached.money)

    with progress(f"judging with {asked.name}") as bar:
        summary = auditing.audit(
            inputs,
            asked,
            out=out,
            where=pairs_of("--where", where),
            sample=sample,
            by=by or (),
            columns=pairs_of("--column", column),
            keep_reports=judge is None,
            options=VerifyOptions(diagnose=diagnose),
            budget=budget,
            engine=doer,
            on_progress=show,
            store=store,
        )
    deliver(summary.as_data(), _lines(summary), as_json=as_json)
    _complain(summary, Path(out))
    if summary.broken or summary.unfinished:
        raise typer.Exit(2)
    if summary.missing:
        raise typer.Exit(1)


def _lines(summary: auditing.AuditSummary) -> Iterator[str]:
    total, usage = summary.total, summary.usage
    yield f"{total.answers} answers, {total.flawed} with an unsupported claim; judge {plain(summary.judge)}"
    yield f"{total.claims} claims: {_counted(total.outcomes) or 'none'}{_share(total)}"
    for name, counts in (
        ("error types", total.error_types),
        ("entry steps", total.entry_steps),
        ("where the evidence was lost", total.signatures),
        ("first breaks", total.breaks),
    ):
        if counts:
            yield f"{name}: {_counted(counts)}"
    for name, values in summary.segments.items():
        yield f"\nby {plain(name)}"
        for value, tally in sorted(values.items(), key=lambda pair: (-(pair[1].share or 0.0), pair[0])):
            yield f"  {line(value)}: {tally.answers} answers, {tally.claims} claims{_share(tally)}"
    if summary.worst:
        yield "\nworst answers"
    for each in summary.worst[:_SHOWN]:
        named, question = line(str(each["id"] or each["place"])), line(each["question"] or "")
        yield f"  {each['score']:.2f}  {each['unsupported']} of {each['claims']}  {named}  {question}"
    yield ""
    if summary.duplicates:
        yield f"{summary.duplicates} answers are equal to one before them and were judged once"
    if summary.left_out:
        yield f"{summary.left_out} left out by --where or --sample"
    if usage.calls:
        money = "" if summary.money is None else f", {summary.money:.4f} in money"
        read, written = usage.prompt_tokens, usage.completion_tokens
        yield f"{usage.calls} calls, {read:,} tokens read and {written:,} written{money}, over all runs"
    yield from (f"written to {plain(file)}" for file in summary.files)


def _counted(counts: Any) -> str:
    return ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts.most_common())


def _share(tally: auditing.AuditTally) -> str:
    return "" if tally.share is None else f"; {tally.share:.1%} of those decided are unsupported"


def _complain(summary: auditing.AuditSummary, out: Path) -> None:
    for place, why in summary.broken_places:
        complain(f"skipped: {place}: {why}")
    if more := summary.broken - len(summary.broken_places):
        complain(f"{more} more were skipped, see {out / 'broken.jsonl'}")
    if ids := summary.repeated_ids:
        shown = ", ".join(map(repr, ids[:3]))
        complain(f"{len(ids)} ids stand for different answers, such as {shown}: all were audited")
    if summary.unfinished:
        complain(f"the judge failed on {summary.unfinished} answers: the same command asks again")
    if summary.missing:
        why = summary.stopped or "the audit was stopped"
        complain(f"{why}: {summary.missing} answers were not judged; the same command with a larger one goes on")
