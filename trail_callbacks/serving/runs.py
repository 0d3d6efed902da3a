"""Lists of runs, one run, and the documents that runs retrieved."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from trail_callbacks.errors import InputError
from trail_callbacks.serving.charts import Point, minute
from trail_callbacks.serving.filters import Filters
from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.store import Store
from trail_callbacks.store.reading import listed, run_facts, sources
from trail_callbacks.taxonomy import SupportClass

__all__ = ["agreement", "given", "href", "kappa", "labelled", "listing", "mark", "one", "source_health"]

_PAGE = "page"  # who marks here: the page knows no names


def mark(store: Store, run: str, form: Mapping[str, str]) -> bool:
    """Keeps what a form says; returns False if there is no such claim, or the form says nothing that can be kept."""
    right, should = form.get("right") == "yes", form.get("should") or None
    try:
        store.mark(
            run,
            form.get("claim", ""),
            "right" if right else "wrong",
            should=None if right else should,
            author=_PAGE,
        )
    except InputError:
        return False
    return True


def given(store: Store, run: str) -> dict[str, dict[str, Any]]:
    """What the page was told of the claims of a run, by claim."""
    return {each.claim: {"said": each.verdict == "right", "should": each.should} for each in store.marks(run)}


def labelled(store: Store) -> Iterator[bytes]:
    """The claims that people looked at, with the class that they have after them, as JSON lines."""
    read = lru_cache(maxsize=16)(store.report)  # a run has a mark for each claim
    for each in store.marks():
        report = read(each.run)
        claim = next((found for found in report.claims if found.id == each.claim), None) if report else None
        question = report.graph.question.text if report and report.graph.question else None
        evidence = [item.quote for item in report.verdict(claim.id).evidence] if report and claim else []
        row = {
            "run": each.run,
            "claim_id": each.claim,
            "question": question,
            "claim": claim.text if claim else None,
            "quote": claim.quote if claim else None,
            "evidence": evidence,
            "judge": each.judge,
            "outcome": each.outcome,
            "right": each.verdict == "right",
            "label": each.label,
            "author": each.author,
            "at": each.at,
        }
        yield json.dumps(row).encode() + b"\n"


def agreement(store: Store, _: Filters) -> dict[str, Any]:
    """How far judge and people agree, over all runs."""
    said = store.marks()
    pairs = [(each.outcome, each.label) for each in said if each.label is not None]
    value, why = kappa(pairs)
    classes = [each.value for each in SupportClass]
    counts = Counter(pairs)
    judged = [*classes, *sorted({outcome for outcome, _ in pairs} - set(classes))]
    n, right = len(said), sum(each.verdict == "right" for each in said)
    low, high = wilson(right / n, n) if n else (None, None)
    return {
        "n": n,
        "right": Point(at=0.0, value=right / n if n else None, low=low, high=high, n=n),
        "kappa": value,
        "why": why,
        "paired": len(pairs),
        "classes": classes,
        "table": [(name, [counts[name, each] for each in classes]) for name in judged],
    }


def kappa(pairs: Sequence[tuple[str, str | None]]) -> tuple[float | None, str]:
    """Cohen's kappa (1960) of two raters, -1.0 to 1.0, or None and why."""
    n = len(pairs)
    if not n:
        return None, "nobody says what would be right"
    ours, theirs = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    chance = sum(ours[name] * theirs[name] for name in ours) / n**2
    if chance == 1.0:
        return None, "all claims are of one class"
    return (sum(one == other for one, other in pairs) / n - chance) / (1.0 - chance), ""


def listing(store: Store, filters: Filters) -> dict[str, Any]:
    """A page of runs."""
    with store.connected() as connection:
        page = listed(
            connection,
            filters.runs(),
            state=filters.state or None,
            signal=filters.chosen_signal(),
            stage=filters.stage or None,
            words=filters.q,
            sort=filters.sort,
            after=filters.after,
        )
    rows = [{**row, "href": href(row["run"])} for row in page.rows]
    return {"rows": rows, "next": filters.href("/runs", after=page.after) if page.after else None}


def href(run: str, path: str = "/run") -> str:
    """Address of a run's page, or of another path about it; ids of runs are any texts."""
    return f"{path}?{urlencode({'id': run})}"


def one(store: Store, run: str) -> dict[str, Any] | None:
    """What is known of a run, and its claims; None if there is no such run."""
    with store.connected() as connection:
        row = run_facts(connection, run)
    if row is None:
        return None
    report = store.report(run)
    said = given(store, run)
    claims = []
    for claim, verdict in zip(report.claims, report.verdicts, strict=True) if report else ():
        step = report.graph.node(verdict.introduced_at).step if report and verdict.introduced_at else None
        claims.append(
            {
                "id": claim.id,
                "text": claim.text,
                "outcome": verdict.outcome,
                "error_type": verdict.error_type.value if verdict.error_type else None,
                "entry_step": step,
                **said.get(claim.id, {"said": None, "should": None}),
            }
        )
    return {
        "facts": list(_facts(row).items()),
        "claims": claims,
        "classes": [each.value for each in SupportClass],
        "has_report": report is not None,
    }


def _facts(row: Mapping[str, Any]) -> dict[str, str]:
    score = row["score"]
    found = {
        "Question": row["question"] or "(none)",
        "Score": "none" if score is None else f"{score:.2f}",
        "State": row["state"],
        "Unsupported claims": f"{row['unsupported']} of {row['claims']}",
        "First break": row["broken"] or ("none" if row["diagnosed"] else "not diagnosed"),
        "Began": minute(row["at"]),
        "Judge": row["judge"],
        "Release": row["release"] or "unknown",
        "Run": row["run"],
    }
    return {name: str(value) for name, value in found.items()}


def source_health(store: Store, filters: Filters) -> dict[str, Any]:
    """The documents that were retrieved most: volume, age and ingestion delay."""
    now = time.time() if filters.until is None else filters.until
    with store.connected() as connection:
        found = sources(connection, filters.runs())
    rows = []
    for each in found:
        updated, ingested = each["updated"], each["ingested"]
        rows.append(
            {
                **each,
                "flawed": each["flawed"] / each["decided"] if each["decided"] else None,
                "age": None if updated is None else now - updated,
                "delay": None if updated is None or ingested is None else ingested - updated,
            }
        )
    return {"rows": rows}
