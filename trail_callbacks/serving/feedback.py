"""What people say of verdicts, and how far judge and people agree."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from trail_callbacks.errors import InputError
from trail_callbacks.serving.charts import Point
from trail_callbacks.serving.filters import Filters
from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.store import Store
from trail_callbacks.taxonomy import SupportClass

__all__ = ["agreement", "given", "kappa", "labelled", "mark"]

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
