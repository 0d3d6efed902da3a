"""Lists of runs, one run, and the documents that runs retrieved."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from trail_callbacks.serving.charts import minute
from trail_callbacks.serving.feedback import given
from trail_callbacks.serving.filters import Filters
from trail_callbacks.store import Store
from trail_callbacks.store.listing import listed, run_facts, sources
from trail_callbacks.taxonomy import SupportClass

__all__ = ["href", "listing", "one", "source_health"]


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
