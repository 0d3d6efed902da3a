"""The verdicts of a store that people looked at, as rows: what the page exports and `trail calibrate` reads."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from trail_callbacks.store import Store
from trail_callbacks.store.schema import feedback, run_segments, runs, segments


def marked(store: Store, *, graphs: bool = False) -> Iterator[dict[str, Any]]:
    """Yields the claims that people looked at, with the class that they have after them, JSON-like.

    With `graphs` the first claim of each run has its graph.
    """
    import sqlalchemy as sa  # noqa: PLC0415 - after the store, which says what is missing

    asked = sa.select(runs.c.run, segments.c.name, segments.c.value).where(runs.c.n.in_(sa.select(feedback.c.n)))
    asked = asked.join(run_segments, run_segments.c.n == runs.c.n).join(segments, segments.c.s == run_segments.c.s)
    by_run: dict[str, dict[str, str]] = defaultdict(dict)
    with store.connected() as connection:
        for row in connection.execute(asked):
            by_run[row.run][row.name] = row.value
    read = lru_cache(maxsize=16)(store.report)  # a run has a mark for each claim
    shown = set[str]()
    for each in store.marks():
        report = read(each.run)
        claim = next((found for found in report.claims if found.id == each.claim), None) if report else None
        verdict = report.verdict(claim.id) if report and claim else None
        first = graphs and each.run not in shown
        shown.add(each.run)
        yield {
            "run": each.run,
            "claim_id": each.claim,
            "question": report.graph.question.text if report and report.graph.question else None,
            "claim": claim.text if claim else None,
            "quote": claim.quote if claim else None,
            "span": (claim.start, claim.end) if claim else None,
            "evidence": [item.quote for item in verdict.evidence] if verdict else [],
            "judge": each.judge,
            "outcome": each.outcome,
            "confidence": verdict.confidence if verdict else None,
            "right": each.verdict == "right",
            "label": each.label,
            "author": each.author,
            "at": each.at,
            "segments": by_run[each.run],
            **({"graph": json.loads(report.graph.to_json())} if first and report else {}),
        }
