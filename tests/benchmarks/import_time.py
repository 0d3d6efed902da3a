"""Cost of importing: `python tests/benchmarks/import_time.py` starts fresh interpreters, interleaved with empty ones."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

ROUNDS = 15
MODULES = (
    "pydantic",
    "trail_callbacks",
    "langchain_core.callbacks",
    "langchain_trail",
    "llama_index.core",
    "llama_index_trail",
)


def start(code: str) -> float:
    started = time.perf_counter()
    if subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode:
        return float("nan")
    return (time.perf_counter() - started) * 1e3


def main() -> None:
    times: dict[str, list[float]] = {module: [] for module in ("", *MODULES)}
    for _ in range(ROUNDS):
        for module, taken in times.items():
            taken.append(start(f"import {module}" if module else "pass"))
    empty = statistics.median(times[""])
    for module in MODULES:
        over = sorted(taken - empty for taken in times[module])
        if over[0] == over[0]:  # not NaN: the module is installed
            line = {
                "benchmark": "import",
                "module": module,
                "rounds": ROUNDS,
                "milliseconds": round(statistics.median(over)),
            }
            print(json.dumps({**line, "range": [round(over[0]), round(over[-1])]}))


if __name__ == "__main__":
    main()
