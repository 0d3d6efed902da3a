"""The HTML report in a browser: `python tests/benchmarks/page.py` prints sizes and times, in milliseconds.

For each report: bytes of the file, time to write it, time from opening it until it is usable, and time from a click on a
claim until its trail is drawn. Each round uses a fresh profile. Needs Chromium, as tests/browser does.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
import browsing
import reports

ROUNDS = 5
CASES = {
    "demo": lambda: reports.demo()["langchain"],
    "200 claims": reports.long_answer,
    "10,000 nodes": reports.layered,
    "2 MB of text": reports.bulky,
}
_SELECT = """async (claim) => {
  const option = document.querySelector(`[role=option][data-claim="${claim}"]`);
  option.scrollIntoView();
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  const started = performance.now();
  option.click();
  await frame();
  await frame();
  return performance.now() - started;
}"""


def measured(chromium: browsing.Chromium, report, folder: Path) -> tuple[float, list[float]]:
    with chromium.opened(report, folder, timeout=60, viewport={"width": 1440, "height": 900}) as view:
        ready = view.page.wait_for_function("window.readyAt").json_value()
        claims = view.options()
        chosen = claims[:: max(1, len(claims) // 5)]
        return ready, [view.page.evaluate(_SELECT, claim) for claim in chosen]


def spread(times: list[float]) -> dict[str, object]:
    return {"median": round(statistics.median(times)), "range": [round(min(times)), round(max(times))]}


def main() -> None:
    if browsing.executable() is None:
        print(json.dumps({"benchmark": "page", "skipped": "no Chromium"}))
        return
    made = {case: make() for case, make in CASES.items()}
    with browsing.started() as chromium, tempfile.TemporaryDirectory() as folder:
        for case, report in made.items():
            started = time.perf_counter()
            html = report.to_html()
            wrote = (time.perf_counter() - started) * 1e3
            rounds = [measured(chromium, html, Path(folder)) for _ in range(ROUNDS)]
            line = {
                "benchmark": "page",
                "report": case,
                "nodes": len(report.graph.nodes),
                "claims": len(report.claims),
                "bytes": len(html.encode()),
                "to_html": round(wrote),
                "rounds": ROUNDS,
                "ready": spread([ready for ready, _ in rounds]),
                "select": spread([each for _, times in rounds for each in times]),
            }
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
