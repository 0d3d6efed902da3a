"""An audit from start to end: read, leave out, judge what is not judged yet, write."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trail_callbacks.audit.engine import Engine, LocalEngine
from trail_callbacks.audit.items import AuditItem, Inputs, item
from trail_callbacks.audit.journal import AuditJournal, claim
from trail_callbacks.audit.judging import AuditOutcome, AuditTask
from trail_callbacks.audit.results import AuditSummary, written
from trail_callbacks.errors import InputError, JudgeError
from trail_callbacks.judges.resolve import JudgeLike, resolve
from trail_callbacks.models.cache import digest
from trail_callbacks.models.call import Budget, Usage
from trail_callbacks.reading import Broken
from trail_callbacks.reading.rows import COLUMNS
from trail_callbacks.report import Report
from trail_callbacks.trace import Trace
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.work.budget import Ledger

if TYPE_CHECKING:
    from trail_callbacks.store import Store

_FAILURES = 20  # in a row, after which a judge is not asked any more
_NO_MATTER = ("cache", "concurrency", "budget")  # options on which no verdict depends


@dataclass(slots=True)
class AuditProgress:
    """How far an audit is."""

    entered: int = 0  # places of the input that were read
    judged: int = 0  # results of this run
    known: int = 0  # places whose result was there already: from an earlier run, or of an equal answer
    failed: int = 0  # results of this run that are unfinished or broken
    share: float | None = None  # share of the input that was read, 0.0 to 1.0; None if its size is not known
    usage: Usage = field(default_factory=Usage)  # what the audit cost, earlier runs too
    money: float | None = None  # the same in the currency of the prices; None without prices


def audit(
    inputs: str | Path | Sequence[str | Path],
    judge: JudgeLike = None,
    *,
    out: str | Path,
    where: Mapping[str, str] | None = None,
    sample: float = 1.0,
    by: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    keep_reports: bool | None = None,
    options: VerifyOptions | None = None,
    budget: Budget | None = None,
    engine: Engine | None = None,
    on_progress: Callable[[AuditProgress], object] | None = None,
    store: str | Path | Store | None = None,
) -> AuditSummary:
    """Audits answers that were recorded: traces, saved reports, or rows with an answer and its sources.

    Results go to a folder: `answers.jsonl`, `claims.jsonl`, `broken.jsonl`, `summary.json`, and Parquet of the
    first two where pyarrow is installed. The same call again does only what is missing. Equal answers to the same
    question with the same sources are judged once. Memory does not grow with the input.

    Args:
        inputs: Files or folders: JSON lines, JSON, CSV or Parquet, gzip or not; `-` is standard input.
        judge: The judge; None is the offline judge, and takes the verdicts of saved reports as they are.
        out: Folder of the results; made if it does not exist.
        where: Values that metadata must have, by field.
        sample: Share of the answers to audit, over 0.0 to 1.0: the same ones in each run, whatever their order.
        by: Fields of the metadata by which the summary is broken down.
        columns: Names of the columns of rows for `id`, `question`, `answer`, `sources`, where they are not usual ones.
        keep_reports: Whether to take the verdicts of saved reports as they are; None does so unless a judge is given.
        options: Settings of each verification. With a judge that asks a model, the cache is in the folder by default.
        budget: What it may cost, and how fast it may ask.
        engine: Who does the work; None is `LocalEngine()`, this process.
        on_progress: Called after each result.
        store: Where reports are kept, too, with traces: see `CaptureSettings.store`. Only of what this call judges.

    Returns:
        The summary. Rows that cannot be read, and answers on which the judge failed, are in it, not exceptions.

    Raises:
        InputError: If an input cannot be read, a setting is out of range, or the folder belongs to another audit.
        JudgeError: If the judge is unknown, cannot be sent to workers, or failed 20 times in a row.
    """
    if not 0.0 < sample <= 1.0:
        raise InputError(f"sample is {sample}, expected over 0.0 to 1.0 (all)")
    for role in columns or {}:
        if role not in COLUMNS:
            raise InputError(f"columns has {role!r}, expected some of {', '.join(COLUMNS)}")
    folder = Path(out)
    names = dict(columns or {})
    paths = [str(each) for each in ([inputs] if isinstance(inputs, str | Path) else inputs)]
    files = Inputs(paths, names, folder)
    files.check()
    kept = None
    if store is not None:
        from trail_callbacks.store import opened  # noqa: PLC0415 - SQLAlchemy is needed by few

        kept = opened(store)
        with kept.connected():
            pass  # or it is said before anything is paid
    asked = resolve(judge)
    settings, limits = options or VerifyOptions(), (budget or Budget()).of_many()
    keep = judge is None if keep_reports is None else keep_reports
    judging = {
        "release": version("trail-callbacks"),
        "judge": asked.name,
        "parameters": getattr(asked.model, "parameters", None),
        "options": {name: each for name, each in asdict(settings).items() if name not in _NO_MATTER},
    }
    chosen = {
        "inputs": [path if path == "-" else str(Path(path).resolve()) for path in paths],
        "where": dict(where or {}),
        "sample": sample,
        "columns": names,
        "keep_reports": keep,
    }
    claim(folder, {**judging, **chosen})
    if asked.model is not None and settings.cache is None:
        settings = replace(settings, cache=folder / "cache")
    with closing(AuditJournal(folder)) as journal:
        summary = AuditSummary(by=tuple(by), judge=asked.name)
        ledger = Ledger(limits, journal.spent)
        work = _Work(
            journal=journal,
            files=files,
            make=partial(item, columns=names, keep_reports=keep),
            prefix=digest(judging),
            ledger=ledger,
            cost=limits.cost,
            where=where or {},
            sample=sample,
            summary=summary,
            store=kept,
            on_progress=on_progress,
        )
        work.judge((engine or LocalEngine()).run(work.tasks(), asked, settings, ledger))
        summary.repeated_ids = journal.repeated_ids()
        summary.usage, summary.stopped, summary.money = journal.spent, ledger.exhausted, limits.cost(journal.spent)
        written(journal, folder, summary)
    return summary


@dataclass(slots=True, kw_only=True)
class _Work:
    """One run of an audit."""

    journal: AuditJournal
    files: Inputs
    make: Callable[[Mapping[str, Any]], AuditItem]
    prefix: str
    ledger: Ledger
    cost: Callable[[Usage], float | None]
    where: Mapping[str, str]
    sample: float
    summary: AuditSummary
    store: Store | None
    on_progress: Callable[[AuditProgress], object] | None
    progress: AuditProgress = field(default_factory=AuditProgress)
    in_work: dict[str, AuditItem | None] = field(default_factory=dict)

    def judge(self, outcomes: Iterator[AuditOutcome]) -> None:
        """Keeps the results of what is judged, whatever ends it."""
        failures = 0
        try:
            for outcome in outcomes:
                judged = self.in_work.pop(outcome.key, None)
                if self.store is not None and judged is not None and outcome.report is not None:
                    trace = Trace.from_json(judged.data) if judged.kind == "trace" else None
                    segments = judged.fields if trace is None else {}
                    report = Report.from_json(outcome.report)
                    self.store.put([(report, trace, segments)], rate=self.sample)  # before the journal knows it
                self.journal.take(outcome, self.ledger.spent)
                failures = 0 if outcome.status == "done" else failures + (outcome.status != "broken")
                if self.ledger.exhausted is None:
                    _endure(failures, outcome)
                self.progress.judged += 1
                self.progress.failed += outcome.status != "done"
                if self.on_progress is not None:
                    self.progress.share = min(1.0, self.files.read / self.files.size) if self.files.size else None
                    self.progress.usage, self.progress.money = self.ledger.spent, self.cost(self.ledger.spent)
                    self.on_progress(self.progress)
        except BaseException:  # an interrupt above all: what is in work is not to ask for more
            self.ledger.stop("the audit was stopped")
            raise
        finally:
            if isinstance(outcomes, Generator):
                outcomes.close()
            self.journal.commit(self.ledger.spent)

    def tasks(self) -> Iterator[AuditTask]:
        """Reads the input: enters each place, and yields what is to be judged."""
        for n, (place, found) in enumerate(self._items(), 1):
            self.progress.entered = n
            if isinstance(found, str):
                self.journal.enter(n, place, None, None, found)
                continue
            key = sha256(f"{self.prefix}{found.content}".encode()).hexdigest()
            self.journal.enter(n, place, found, key)
            if key in self.in_work or not self.journal.wants(key):
                self.progress.known += 1
            elif self.ledger.exhausted is None:
                self.in_work[key] = None if self.store is None else found
                yield AuditTask(key, found.kind, found.data, whole=self.store is not None)

    def _items(self) -> Iterator[tuple[str, AuditItem | str]]:
        """Places with what is to be audited there, or why it cannot be."""
        for record in self.files:
            if isinstance(record, Broken):
                yield record.place, record.why
                continue
            try:
                found = self.make(record.value)
            except Exception as error:  # noqa: BLE001 - anything may be in a file, and others follow
                yield record.place, str(error) if isinstance(error, InputError) else f"cannot be read: {error!r}"
                continue
            wanted = all(found.fields.get(name) == value for name, value in self.where.items())
            if wanted and int(found.content[:13], 16) < self.sample * 16**13:
                yield record.place, found
            else:
                self.summary.left_out += 1


def _endure(failures: int, last: AuditOutcome) -> None:
    if failures < _FAILURES:
        return
    why = last.data
    if last.status == "unfinished":
        result = json.loads(last.data)
        errors = [each["why"] for each in result["verdicts"] if each["outcome"] == "not_judged" and each["why"]]
        why = str(next(iter([*errors, *result["warnings"]]), "it says nothing"))
    raise JudgeError(f"the judge failed {failures} times in a row, the last time: {why}")
