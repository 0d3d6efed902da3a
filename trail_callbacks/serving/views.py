"""What each page shows, read from a store: what is wrong now, since when and at which stage; lists of runs; one run."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import ceil
from typing import Any
from urllib.parse import urlencode

from trail_callbacks.errors import InputError, StoreError
from trail_callbacks.monitor import SIGNALS, SignalName, Tally
from trail_callbacks.serving.charts import Chart, Line, Point, minute
from trail_callbacks.serving.filters import Filters
from trail_callbacks.statistics.intervals import joined
from trail_callbacks.store import Store
from trail_callbacks.store.counting import AVERAGED, HOUR, Mean, Sums, Window, by_value, rollouts
from trail_callbacks.store.reading import listed, run_facts, sources
from trail_callbacks.taxonomy import SupportClass

_PARTS = ("release", "model", "prompt", "retriever", "reranker", "index", "chunker")  # a new version is a rollout
_BAD = {
    "unsupported": "other",
    "contradiction": "bad",
    "abstention": "odd",
    "undecided": "plain",
}  # signals, their hues
_HUES = dict(zip(AVERAGED, ("plain", "odd", "good", "other"), strict=True))
_FAULTS: Mapping[SignalName, str] = {
    "query_coverage": "question not covered by what was found",
    "evidence_overlap": "evidence left out of the prompt",
    "answer_coverage": "too few claims supported",
    "contradiction": "a claim contradicted",
    "unsupported": "a claim unsupported",
    "citation_coverage": "too few claims cited",
    "abstention": "the app declined",
    "undecided": "the judge decided nothing",
}
_ROWS = 200
_CLASS, _SHOWN = "query_class", 20
_PAGE = "page"  # who marks here: the page knows no names
_CLASSES = [each.value for each in SupportClass]


def overview(store: Store, filters: Filters) -> dict[str, Any]:
    """What is wrong now, compared with the window before; over time, by kind of question and by stage."""
    window, seconds = filters.runs(), filters.bucket
    count = ceil((window.until - window.since) / seconds)
    earlier = Window(since=window.since - count * seconds, until=window.since, segment=window.segment)
    shown = [Sums()] * count
    for hour, figures in store.figures(window).items():
        place = int((hour * HOUR - window.since) // seconds)
        if 0 <= place < count:
            shown[place] += figures
    now, before = sum(shown, Sums()), sum(store.figures(earlier).values(), Sums())
    with store.connected() as connection:
        new = rollouts(connection, _PARTS, window)

    def chart(title: str, about: str, hues: Mapping[Any, str], read: Callable[[Sums, Any], Tally | Mean]) -> Chart:
        lines = [
            Line(
                name=name.replace("_", " "),
                hue=hue,
                points=[_point(read(each, name), window.since + n * seconds) for n, each in enumerate(shown)],
            )
            for name, hue in hues.items()
        ]
        ends = {"since": window.since, "until": window.until, "bucket": seconds}
        return Chart(title=title, about=about, lines=lines, marks=new, **ends)

    means = "mean shares: of the question that was found, the evidence kept, the answer supported, the claims cited"
    return {
        "cards": [_card(filters, name, now.tally(name), before.tally(name)) for name in SIGNALS],
        "charts": [
            chart("Bad runs", "share of the runs of which it is known", _BAD, Sums.tally),
            chart("Coverage", means, _HUES, Sums.mean),
        ],
        "kinds": [] if window.segment else list(_kinds(store, filters)),
        "figures": list(AVERAGED),
        "broken": [
            {"name": name, "n": n, "share": Point.share(n, now.diagnosed), "href": filters.href("/runs", stage=name)}
            for name, n in now.breaks.most_common()
        ],
    }


def _kinds(store: Store, filters: Filters) -> Iterator[dict[str, Any]]:
    """The coverage of each kind of question."""
    window = filters.runs()
    for name in store.segments().get(_CLASS, ())[:_SHOWN]:
        whole = sum(store.figures(replace(window, segment={_CLASS: name})).values(), Sums())
        if whole.runs:
            href = filters.href("/", segment=f"{_CLASS}={name}")
            yield {"name": name, "means": [_point(whole.mean(each)) for each in AVERAGED], "href": href}


def _card(filters: Filters, name: SignalName, now: Tally, then: Tally) -> dict[str, Any]:
    _, most = then.interval or (None, None)
    return {
        "share": _point(now),
        "title": _FAULTS[name],
        "owner": SIGNALS[name].owner.replace("_", " "),
        "before": then.share,
        "worse": most is not None and now.at_least > most,
        "href": filters.href("/runs", signal=name),
    }


def _point(found: Tally | Mean, at: float = 0.0) -> Point:
    low, high = found.interval or (None, None)
    value, n = (found.share, found.decided) if isinstance(found, Tally) else (found.value, found.n)
    return Point(at=at, value=value, low=low, high=high, n=n)


def segments(store: Store, filters: Filters) -> dict[str, Any]:
    """The values of a segment, worst first by the lower end of the interval."""
    names = list(store.segments())
    preferred = [name for name in (filters.by, "query_class", "tenant", "release", *names) if name in names]
    by = next(iter(preferred), "")
    signal = SIGNALS[filters.signal or "unsupported"]
    with store.connected() as connection:
        found = by_value(connection, by, filters.runs(), [signal.name]) if by else {}
    rows: list[dict[str, Any]] = [
        {
            "name": value,
            "share": _point(sums.tally(signal.name)),
            "runs": sums.runs,
            "href": filters.href("/runs", segment=f"{by}={value}", signal=signal.name, by=""),
        }
        for value, sums in found.items()
    ]
    rows.sort(key=lambda row: (-1.0 if row["share"].low is None else row["share"].low, row["share"].n), reverse=True)
    return {"rows": rows[:_ROWS], "names": names, "by": by, "signal": signal}


def releases(store: Store, filters: Filters) -> dict[str, Any]:
    """Two releases side by side, every signal with its difference; by default the newest and the one before."""
    with store.connected() as connection:
        found = by_value(connection, "release", filters.runs())
    names = list(found)  # oldest first
    b = filters.b if filters.b in names else next((name for name in reversed(names) if name != filters.a), "")
    a = filters.a if filters.a in names else next((name for name in reversed(names) if name != b), "")
    rows = [_difference(name, found[a].tally(name), found[b].tally(name)) for name in SIGNALS] if a and b else []
    return {"rows": rows, "releases": names, "chosen": {"a": a, "b": b}}


def _difference(name: str, a: Tally, b: Tally) -> dict[str, Any]:
    difference = low = high = None
    if a.share is not None and a.interval and b.share is not None and b.interval:
        difference, (low, high) = b.share - a.share, joined(a.share, a.interval, b.share, b.interval)
    return {"name": name, "a": _point(a), "b": _point(b), "difference": difference, "low": low, "high": high}


def listing(store: Store, filters: Filters) -> dict[str, Any]:
    """A page of runs."""
    signal = SIGNALS[filters.signal] if filters.signal else None
    with store.connected() as connection:
        page = listed(
            connection, filters.runs(), state=filters.state, signal=signal, stage=filters.stage, words=filters.q,
            sort=filters.sort, after=filters.after,
        )  # fmt: skip
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
    said = {each.claim: each for each in store.marks(run)}
    claims = []
    for claim, verdict in zip(report.claims, report.verdicts, strict=True) if report else ():
        step = report.graph.node(verdict.introduced_at).step if report and verdict.introduced_at else None
        claims.append({"claim": claim, "verdict": verdict, "step": step, "said": said.get(claim.id)})
    facts = {
        "Question": row["question"] or "(none)",
        "Score": "none" if row["score"] is None else f"{row['score']:.2f}",
        "State": row["state"],
        "Unsupported claims": f"{row['unsupported']} of {row['claims']}",
        "First break": row["broken"] or ("none" if row["diagnosed"] else "not diagnosed"),
        "Began": minute(row["at"]),
        "Judge": row["judge"],
        "Release": row["release"] or "unknown",
        "Run": row["run"],
    }
    report_href = href(run, "/run/report") if report else None
    return {"facts": facts, "claims": claims, "classes": _CLASSES, "report": report_href}


def source_health(store: Store, filters: Filters) -> dict[str, Any]:
    """The documents that were retrieved most: volume, age and ingestion delay."""
    now = time.time() if filters.until is None else filters.until
    with store.connected() as connection:
        found = sources(connection, filters.runs())
    rows = []
    for each in found:
        updated, ingested = each["updated"], each["ingested"]
        flawed = each["flawed"] / each["decided"] if each["decided"] else None
        age = None if updated is None else now - updated
        delay = None if updated is None or ingested is None else ingested - updated
        rows.append({**each, "flawed": flawed, "age": age, "delay": delay})
    return {"rows": rows}


def mark(store: Store, run: str, form: Mapping[str, str]) -> bool:
    """Keeps what a form says; returns False if there is no such claim, or the form says nothing that can be kept."""
    right = form.get("right") == "yes"
    should = None if right else form.get("should") or None
    try:
        store.mark(run, form.get("claim", ""), "right" if right else "wrong", should=should, author=_PAGE)
    except StoreError:
        raise
    except InputError:
        return False
    return True


def agreement(store: Store, _: Filters) -> dict[str, Any]:
    """How far judge and people agree, over all runs."""
    said = store.marks()
    pairs = [(each.outcome, each.label) for each in said if each.label is not None]
    value, why = kappa(pairs)
    counts = Counter(pairs)
    judged = [*_CLASSES, *sorted({outcome for outcome, _ in pairs} - set(_CLASSES))]
    return {
        "right": Point.share(sum(each.verdict == "right" for each in said), len(said)),
        "kappa": value,
        "why": why,
        "paired": len(pairs),
        "classes": _CLASSES,
        "table": [(name, [counts[name, each] for each in _CLASSES]) for name in judged],
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


def labelled(store: Store) -> Iterator[bytes]:
    """The claims that people looked at, with the class that they have after them, as JSON lines."""
    read = lru_cache(maxsize=16)(store.report)  # a run has a mark for each claim
    for each in store.marks():
        report = read(each.run)
        claim = next((found for found in report.claims if found.id == each.claim), None) if report else None
        row = {
            "run": each.run,
            "claim_id": each.claim,
            "question": report.graph.question.text if report and report.graph.question else None,
            "claim": claim.text if claim else None,
            "quote": claim.quote if claim else None,
            "evidence": [item.quote for item in report.verdict(claim.id).evidence] if report and claim else [],
            "judge": each.judge,
            "outcome": each.outcome,
            "right": each.verdict == "right",
            "label": each.label,
            "author": each.author,
            "at": each.at,
        }
        yield json.dumps(row).encode() + b"\n"
