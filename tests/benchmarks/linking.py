"""Cost of linking: `python tests/benchmarks/linking.py` builds graphs of 1,000 to 10,000 model outputs of 300 characters.

Every prompt quotes three earlier outputs. The baseline, in the same process, looks for each earlier output in each
prompt with `in`, for the same pairs, at 1,000 nodes only: it is quadratic. Prints one JSON line a size.
"""

from __future__ import annotations

import json
import random
import statistics
import time

from trail_callbacks.capture.build import build
from trail_callbacks.capture.events import Piece, RunEnded, RunStarted

ROUNDS = 3
LETTERS = 300


def a_run(nodes: int) -> tuple[list, list[str], list[str]]:
    """Events of a run tree, with the prompts and the outputs."""
    chance = random.Random(7)  # noqa: S311 - made-up text, no secret
    vocabulary = [f"word{i}" for i in range(5000)]
    events: list = [
        RunStarted(seq=1, run_id="root", parent_id=None, kind="chain", name="root", inputs=(Piece(text="go"),))
    ]
    prompts: list[str] = []
    outputs: list[str] = []
    for i in range(nodes):
        prompts.append("\n".join(["Combine these notes:", *chance.sample(outputs[-50:], min(3, len(outputs)))]))
        text = ""
        while len(text) < LETTERS:
            text += chance.choice(vocabulary) + (" " if chance.random() > 0.1 else ". ")
        outputs.append(text.strip())
        run, asked, said = f"m{i}", Piece(text=prompts[-1], form="message"), Piece(text=outputs[-1], form="message")
        events.append(
            RunStarted(seq=len(events) + 1, run_id=run, parent_id="root", kind="model", name="m", inputs=(asked,))
        )
        events.append(RunEnded(seq=len(events) + 1, run_id=run, outputs=(said,)))
    events.append(RunEnded(seq=len(events) + 1, run_id="root", outputs=(Piece(text=outputs[-1]),)))
    return events, prompts, outputs


def naive(prompts: list[str], outputs: list[str]) -> int:
    """How many earlier outputs stand in later prompts, by searching for each."""
    return sum(outputs[j] in prompt for i, prompt in enumerate(prompts) for j in range(i))


def main() -> None:
    runs = {n: a_run(n) for n in (1000, 3000, 10_000)}
    seconds: dict[int, list[float]] = {n: [] for n in runs}
    slow: list[float] = []
    for _ in range(ROUNDS):
        for n, (events, prompts, outputs) in runs.items():
            started = time.perf_counter()
            graph = build(events)
            seconds[n].append(time.perf_counter() - started)
            if n == 1000:
                started = time.perf_counter()
                pairs = naive(prompts, outputs)
                slow.append(time.perf_counter() - started)
                quoted = sum(e.basis == "matched" and e.coverage == 1.0 for e in graph.edges)
                print(json.dumps({"benchmark": "linking", "recall": quoted / pairs, "pairs": pairs}))
    per_node = {n: statistics.median(times) / n * 1e6 for n, times in seconds.items()}
    for n, times in seconds.items():
        line = {
            "benchmark": "linking", "nodes": n, "rounds": ROUNDS, "seconds": round(statistics.median(times), 3),
            "range": [round(min(times), 3), round(max(times), 3)], "microseconds_a_node": round(per_node[n]),
            "against_1000": round(per_node[n] / per_node[1000], 2),
        }  # fmt: skip
        if n == 1000:
            line["naive_seconds"] = round(statistics.median(slow), 3)
        print(json.dumps(line))


if __name__ == "__main__":
    main()
