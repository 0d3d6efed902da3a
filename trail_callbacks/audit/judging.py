"""One item judged: from the JSON of a task to the JSON of its result."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from time import sleep
from typing import Any, Literal

from trail_callbacks.audit.items import Kind
from trail_callbacks.errors import InputError
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Judge
from trail_callbacks.models.cache import CallCache, Kept
from trail_callbacks.models.call import Model, Pipeline
from trail_callbacks.models.drive import drive
from trail_callbacks.models.loop import alone
from trail_callbacks.monitor import figures_of
from trail_callbacks.report import Report
from trail_callbacks.report.evaluations import claim_row
from trail_callbacks.trace import Trace
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import answered, cached, of_run, pipeline
from trail_callbacks.work.budget import Granted, Grants, granted

_OF_CLAIM = (
    "claim_id", "claim", "quote", "start", "end", "path", "outcome", "error_type", "second_type", "detail",
    "confidence", "rationale",
)  # fmt: skip
_GIVEN = "source"  # the step of a source of a row
_PAUSES = (1.0, 2.0, 4.0, None)  # seconds after each attempt; None: there is no other
_TRANSIENT = re.compile(r"(no claims: )?(unreachable|busy|failed)\b")
_STOPPED = re.compile(r"(no claims: )?(unreachable|unauthorised|busy|budget|failed)\b")
"""How errors begin that another run may not meet again."""


@dataclass(frozen=True, slots=True)
class AuditTask:
    """What is to be judged: its key, kind and JSON, see `AuditItem`; and whether its whole report is wanted."""

    key: str
    kind: Kind
    data: str
    whole: bool = False


@dataclass(frozen=True, slots=True)
class AuditOutcome:
    """What came of a task."""

    key: str  # that of the task
    # `done`; `unfinished` if the judge failed on some of it in a way that another run may not meet again; `failed` if
    # it came to no result at all, likewise; `broken` if it cannot be judged
    status: Literal["done", "unfinished", "failed", "broken"]
    data: str  # the result as JSON, what a row of `answers.jsonl` and its claims hold; of a failed or broken task, why
    report: str | None = None  # the whole report as JSON, if the task asked for it and there is one


class Judging:
    """Judges tasks, with one judge and the same options.

    What a model replied is kept in the folder of the options, or in `kept`: it is not paid for again in any case.
    `through` returns who is asked in place of a model; by default that is the model itself, when it is granted.
    """

    def __init__(
        self,
        judge: Judge,
        options: VerifyOptions,
        grants: Grants,
        kept: Kept | None = None,
        through: Callable[[Model], Model] | None = None,
    ) -> None:
        self._judge, self._options, self._kept = judge, options, kept
        self._through = through or partial(Granted, grants=grants)

    def judge(self, task: AuditTask) -> AuditOutcome:
        """Judges a task. Never raises: what goes wrong is an outcome."""
        try:
            ready, options = _ready(task), self._options
            for pause in _PAUSES:
                report = ready
                if not isinstance(ready, Report):
                    report, _ = drive(self._work(ready), self._model(), *options.limits)
                if pause is None or not _is_transient(report):
                    break
                sleep(pause * random.uniform(0.75, 1.25))  # noqa: S311 - spreads load, no secret
            return _outcome(task, report)
        except Exception as error:  # noqa: BLE001 - one bad row must not end an audit
            return _failed(task, error)

    async def ajudge(self, task: AuditTask) -> AuditOutcome:
        """As `judge`, without blocking the event loop."""
        from trail_callbacks.models.drive import adrive  # noqa: PLC0415 - see there

        try:
            options = self._options
            ready = _ready(task) if alone.get() else await asyncio.to_thread(_ready, task)
            for pause in _PAUSES:
                report = ready
                if not isinstance(ready, Report):
                    report, _ = await adrive(self._work(ready), self._model(), *options.limits)
                if pause is None or not _is_transient(report):
                    break
                await asyncio.sleep(pause * random.uniform(0.75, 1.25))  # noqa: S311 - as above
            return _outcome(task, report)
        except Exception as error:  # noqa: BLE001 - as above
            return _failed(task, error)

    def _model(self) -> Model | None:
        model = self._judge.model
        return None if model is None else self._through(model)

    def _work(self, ready: ProvenanceGraph | Trace) -> Pipeline[Report]:
        judge, options = self._judge, self._options
        work = _of_trace(ready, judge, options) if isinstance(ready, Trace) else pipeline(ready, judge, options)
        if self._kept is not None and judge.model is not None:
            work = answered(work, CallCache(judge.model, self._kept))
        elif options.cache is not None:
            work = cached(work, judge, options)
        return granted(work, self._through)


def _of_trace(trace: Trace, judge: Judge, options: VerifyOptions) -> Pipeline[Report]:
    if not options.diagnose:
        return of_run(trace, judge, options)
    from trail_callbacks.diagnosis.diagnose import verifying  # noqa: PLC0415 - many audits diagnose nothing

    return verifying(trace, judge, options)


def _ready(task: AuditTask) -> ProvenanceGraph | Trace | Report:
    """The graph or run to judge, or the report that is taken as it is."""
    if task.kind == "kept":
        return Report.from_json(task.data)
    if task.kind == "report":
        return ProvenanceGraph.from_json(task.data)
    if task.kind == "trace":
        return Trace.from_json(task.data)
    row = json.loads(task.data)
    nodes = [
        Node(id=f"source-{n}", kind="document", text=source["text"], step=_GIVEN, attributes=source["attributes"])
        for n, source in enumerate(row["sources"], 1)
    ]
    return ProvenanceGraph.from_texts(row["answer"], nodes, row["question"] or None)


def _failures(report: Report) -> list[str]:
    errors = [verdict.error for verdict in report.verdicts if verdict.error is not None]
    errors += [report.claims_error] if report.claims_error is not None else []
    return errors + (list(report.warnings) if report.state == "error" else [])


def _is_transient(report: Any) -> bool:
    return any(_TRANSIENT.match(each) for each in _failures(report))


def _outcome(task: AuditTask, report: Any) -> AuditOutcome:
    stopped = task.kind != "kept" and any(_STOPPED.match(each) for each in _failures(report))
    data = json.dumps(_as_data(report), ensure_ascii=True, separators=(",", ":"))
    return AuditOutcome(task.key, "unfinished" if stopped else "done", data, report.to_json() if task.whole else None)


def _failed(task: AuditTask, error: Exception) -> AuditOutcome:
    if isinstance(error, InputError):
        return AuditOutcome(task.key, "broken", str(error))
    return AuditOutcome(task.key, "failed", f"{type(error).__name__}: {error}")


def _as_data(report: Report) -> dict[str, Any]:
    """What the outputs hold of a report: nothing of it depends on when, where or by which process it was made."""
    graph = report.graph
    claims = []
    for claim in report.claims:
        row = claim_row(report, claim)
        evidence = [
            {"quote": each["quote"], "relation": each["relation"], "source": _source(graph, each["node_id"])}
            for each in row["evidence"]
        ]
        entry = graph.node(row["introduced_at"]).step if row["introduced_at"] else None
        more = {"entry_step": entry, "why": row["error"] or row["undecided"], "judge": row["judge"] or report.judge}
        claims.append({**{name: row[name] for name in _OF_CLAIM}, "evidence": evidence, **more})
    return {
        "question": graph.question.text if graph.question else None,
        "answer": graph.answer.text if graph.answer else None,
        "state": report.state,
        "score": report.hallucination_score,
        "interval": list(report.interval) if report.interval else None,
        "claims": len(claims),
        **{
            f"{name}s": dict(sorted(Counter(str(each[name]) for each in claims if each[name]).items()))
            for name in ("outcome", "error_type", "entry_step")
        },
        "citations": asdict(report.citations) if report.citations else None,
        "judge": report.judge,
        "signature": report.diagnosis.signature if report.diagnosis else None,
        "broken": report.diagnosis.first_break.stage if report.diagnosis and report.diagnosis.first_break else None,
        "figures": {
            name: {"value": each.value, "n": each.n, "decided_by": each.decided_by}
            for name, each in figures_of(report).items()
        },
        "warnings": list(report.warnings),
        "verdicts": claims,
    }


def _source(graph: ProvenanceGraph, node_id: str) -> str:
    """What a reader knows a source by."""
    node = graph.node(node_id)
    named = (str(node.attributes[key]) for key in ("source", "id") if node.attributes.get(key))
    return next(named, node.id if node.step in {None, _GIVEN} else node.step)
