"""What each page shows, read from a store: what is wrong now, since when and at which stage; lists of runs; one run."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any
from urllib.parse import urlencode

from trail_callbacks.bench.calibration import calibrated, read_marks
from trail_callbacks.bench.marks import marked
from trail_callbacks.errors import InputError, StoreError
from trail_callbacks.monitor import SIGNALS, Signal, SignalName, Tally
from trail_callbacks.serving.charts import Chart, Point, minute
from trail_callbacks.serving.filters import Filters
from trail_callbacks.statistics.intervals import joined
from trail_callbacks.store import Store
from trail_callbacks.store.counting import HOUR, Sums, Window, by_value, rollouts
from trail_callbacks.store.reading import listed, run_facts, sources
from trail_callbacks.taxonomy import SupportClass

_PARTS = ("release", "model", "prompt", "retriever", "reranker", "index", "chunker")  # a new version is a rollout
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
    # an app that never cites is not bad by that
    cites = any((seen := each.tally("citation_presence")).bad < seen.decided for each in (now, before))
    shown_of = [name for name, each in SIGNALS.items() if cites or each.owner != "release_guard"]
    known = [name for name in shown_of if now.tally(name).decided]
    tiles = []
    for name in known:
        signal = SIGNALS[name]
        points = [_point(each.tally(name), window.since + n * seconds) for n, each in enumerate(shown)]
        ends = {"since": window.since, "until": window.until, "bucket": seconds}
        chart = Chart(title=signal.counted, points=points, marks=new, **ends)
        tiles.append({**_tile(filters, signal, now.tally(name), before.tally(name)), "chart": chart})
    asked = [name for name in known if SIGNALS[name].figures]
    return {
        "runs": now.runs,
        "tiles": tiles,
        "unknown": [SIGNALS[name].counted for name in shown_of if name not in known],
        "cites": cites,
        "rollouts": new,
        "asked": [SIGNALS[name].counted for name in asked],
        "kinds": [] if window.segment else list(_kinds(store, filters, asked)),
        "diagnosed": now.diagnosed,
        "broken": [
            {"name": name, "n": n, "share": Point.share(n, now.diagnosed), "href": filters.href("/runs", stage=name)}
            for name, n in now.breaks.most_common()
        ],
    }


def _kinds(store: Store, filters: Filters, signals: Sequence[SignalName]) -> Iterator[dict[str, Any]]:
    """The bad runs of each kind of question."""
    window = filters.runs()
    for name in store.segments().get(_CLASS, ())[:_SHOWN]:
        whole = sum(store.figures(replace(window, segment={_CLASS: name})).values(), Sums())
        if whole.runs:
            href = filters.href("/", segment=f"{_CLASS}={name}")
            yield {"name": name, "shares": [_point(whole.tally(each)) for each in signals], "href": href}


def _tile(filters: Filters, signal: Signal, now: Tally, then: Tally) -> dict[str, Any]:
    _, most = then.interval or (None, None)
    return {
        "share": _point(now),
        "signal": signal,
        "before": then.share,
        "worse": most is not None and now.at_least > most,
        "href": filters.href("/runs", signal=signal.name),
    }


def _point(found: Tally, at: float = 0.0) -> Point:
    low, high = found.interval or (None, None)
    return Point(at=at, value=found.share, low=low, high=high, n=found.decided)


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
    others = [name for name in names if name != b]
    a = filters.a if filters.a in others else next(reversed(others), "")
    rows = [_difference(name, found[a].tally(name), found[b].tally(name)) for name in SIGNALS] if a and b else []
    offered = {"a": others, "b": [name for name in names if name != a]}
    return {
        "rows": rows,
        "offered": offered,
        "chosen": {"a": a, "b": b},
        "swapped": filters.href("/releases", a=b, b=a),
    }


def _difference(name: SignalName, a: Tally, b: Tally) -> dict[str, Any]:
    difference = low = high = None
    if a.share is not None and a.interval and b.share is not None and b.interval:
        difference, (low, high) = b.share - a.share, joined(a.share, a.interval, b.share, b.interval)
    return {
        "name": SIGNALS[name].counted,
        "a": _point(a),
        "b": _point(b),
        "difference": difference,
        "low": low,
        "high": high,
    }


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
    """How far judge and people agree, over all runs: of the judge with the most marks."""
    rows = list(read_marks(map(json.dumps, marked(store)), lambda _: None))
    return {"found": calibrated(rows) if rows else None, "classes": _CLASSES}


def labelled(store: Store) -> Iterator[bytes]:
    """The claims that people looked at, as JSON lines: `trail calibrate` and `trail bench` read them."""
    yield from (json.dumps(row).encode() + b"\n" for row in marked(store, graphs=True))
