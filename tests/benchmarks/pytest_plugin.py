"""What the pytest plugin adds to a suite that does not use it: `python tests/benchmarks/pytest_plugin.py`.

An empty suite is started in fresh processes, with the plugin and without, in turns. Other plugins stay out, so that the
ratio is to the smallest start that pytest has. A suite that makes one check is measured beside them.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 10
ROOT = Path(__file__).parents[2]
PLUGIN = ("-p", "pytest_trail.plugin")
EMPTY = "def test_it(): pass\n"
CHECKS = 'def test_it(trail_check): trail_check("It has 12 ships.", ["It has 12 ships."])\n'
WAYS = {"without": (EMPTY, ()), "with": (EMPTY, PLUGIN), "one check": (CHECKS, PLUGIN)}


def start(folder: Path, text: str, args: tuple[str, ...]) -> float:
    """Milliseconds of one run, from the start of the process to its end."""
    (folder / "test_it.py").write_text(text, encoding="utf-8")
    paths = [str(ROOT), str(ROOT / "integrations"), *filter(None, [os.environ.get("PYTHONPATH")])]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": os.pathsep.join(paths)}
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *args], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL
    )
    return (time.perf_counter() - started) * 1e3


def main() -> None:
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        for text, args in WAYS.values():
            start(Path(folder), text, args)  # compiles what is not compiled yet
        for _ in range(ROUNDS):
            for way, (text, args) in WAYS.items():
                times[way].append(start(Path(folder), text, args))
    for way, taken in times.items():
        ratios = [one / base for one, base in zip(taken, times["without"], strict=True)]
        line = {
            "benchmark": "pytest plugin",
            "suite": way,
            "rounds": ROUNDS,
            "milliseconds": round(statistics.median(taken)),
            "range": [round(min(taken)), round(max(taken))],
            "ratio": round(statistics.median(ratios), 3),
        }
        print(json.dumps(line))


if __name__ == "__main__":
    main()
