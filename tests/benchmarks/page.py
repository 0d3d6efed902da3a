"""Times the page for the team over a large store: each page at the first and at later looks, and the first paint.

The baseline is the style sheet, which the same server sends in the same process without asking the store.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import httpx

from trail_callbacks.monitor import Observation
from trail_callbacks.report.diagnosis import Figure
from trail_callbacks.serving import Access
from trail_callbacks.serving.server import Server
from trail_callbacks.store import Store

PAGES = (
    "/static/page.css",
    "/",
    "/?window=30d",
    "/?window=30d&segment=tenant%3Dacme",
    "/segments?window=7d",
    "/releases?window=7d",
    "/runs",
    "/runs?window=30d&sort=worst",
    "/runs?window=30d&signal=contradiction",
    "/runs?window=7d&q=nowhere",
    "/sources",
)


def played(n: int, until: float) -> Iterator[Observation]:
    """Runs over 30 days, in two releases and six segments."""
    rng = random.Random(3)  # noqa: S311 - plays traffic
    for i in range(n):
        bad = rng.random() < 0.08
        yield Observation(
            id=f"run-{i}",
            at=until - 30 * 86_400 * (1 - i / n),
            key=str(i % 5_000),
            judge="local/4",
            state="assessed",
            score=0.25 if bad else 0.0,
            claims=4,
            outcomes={"supported": 3, "contradicted": 1} if bad else {"supported": 4},
            figures={
                "query_coverage": Figure(value=rng.random(), n=4),
                "answer_coverage": Figure(value=0.75 if bad else 1.0, n=4),
            },
            broken="generation" if bad else None,
            diagnosed=True,
            release="v1" if i < n // 2 else "v2",
            fields={
                "query_class": rng.choice(["billing", "how-to", "legal"]),
                "tenant": rng.choice(["acme", "globex"]),
            },
        )


def paint(url: str) -> float | None:
    """Milliseconds until Chromium shows something of a page; None without it."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
    try:
        import browsing

        if browsing.executable() is None:
            return None
        with browsing.started() as chromium:
            page = chromium.browser.new_page()
            page.goto(url)
            found = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
            return None if found is None else float(found)
    except ImportError:
        return None


def main() -> None:
    """Prints one JSON object for each page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(str(Path(folder) / "trail.db"))
        begun = time.perf_counter()
        store.put_observations(played(asked.runs, time.time()))
        print(json.dumps({"measure": "filled", "runs": asked.runs, "seconds": round(time.perf_counter() - begun, 1)}))
        server = Server(store, "127.0.0.1", 0, Access())
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        with httpx.Client(base_url=server.url, timeout=600.0) as client:
            client.get("/static/page.css")
            first: dict[str, float] = {}
            later: dict[str, list[float]] = {path: [] for path in PAGES}
            for n in range(asked.rounds + 1):
                for path in PAGES:
                    begun = time.perf_counter()
                    client.get(path).raise_for_status()
                    seconds = time.perf_counter() - begun
                    if n:
                        later[path].append(seconds)
                    else:
                        first[path] = seconds
        for path in PAGES:
            times = later[path]
            row = {
                "page": path,
                "first_ms": first[path] * 1e3,
                "median_ms": median(times) * 1e3,
                "worst_ms": max(times) * 1e3,
            }
            print(
                json.dumps(
                    {name: round(x, 1) if isinstance(x, float) else x for name, x in row.items()} | {"n": len(times)}
                )
            )
        shown = paint(server.url)
        print(json.dumps({"measure": "first_contentful_paint_ms", "value": shown and round(shown, 1)}))
        server.stop()
        thread.join(20)
        store.close(5)


if __name__ == "__main__":
    main()
