"""Measures linking: `python tests/benchmarks/linking.py [--nodes 1000 10000 100000] [--runs 400]`. JSON lines.

Cost: run trees of the given number of model outputs of 300 characters, each prompt quoting three of the last fifty
outputs; each size in its own process, for its own peak memory. `baseline_mb` is the memory before linking, events
included. Quality: random runs with known dependencies (see tests/capture/planted_runs.py), by how a text was quoted;
links whose words occur in two texts are counted separately, because the true source is undecidable.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from trail_callbacks.capture.build import build
from trail_callbacks.capture.events import Event, Piece, RunEnded, RunStarted

sys.path.insert(0, str(Path(__file__).parents[1] / "capture"))
from planted_runs import near_copies, planted_run

LETTERS = 300
SECONDS, MEGABYTES = 20.0, 1_000  # targets for 100,000 nodes


def a_run(nodes: int) -> list[Event]:
    """Events of a run tree."""
    chance = random.Random(7)  # noqa: S311 - made-up text, no secret
    vocabulary = [f"word{i}" for i in range(5000)]
    events: list[Event] = [
        RunStarted(seq=1, run_id="root", parent_id=None, kind="chain", name="root", inputs=(Piece(text="go"),))
    ]
    outputs: list[str] = []
    for i in range(nodes):
        prompt = "\n".join(["Combine these notes:", *chance.sample(outputs[-50:], min(3, len(outputs)))])
        text = ""
        while len(text) < LETTERS:
            text += chance.choice(vocabulary) + (" " if chance.random() > 0.1 else ". ")
        outputs.append(text.strip())
        run, asked, said = f"m{i}", Piece(text=prompt, form="message"), Piece(text=outputs[-1], form="message")
        events.append(
            RunStarted(seq=len(events) + 1, run_id=run, parent_id="root", kind="model", name="m", inputs=(asked,))
        )
        events.append(RunEnded(seq=len(events) + 1, run_id=run, outputs=(said,)))
    events.append(RunEnded(seq=len(events) + 1, run_id="root", outputs=(Piece(text=outputs[-1]),)))
    return events


def cost(nodes: int) -> dict[str, object]:
    """Measures one size, in this process."""
    events = a_run(nodes)
    before = _peak_mb()
    wall, cpu = time.perf_counter(), time.process_time()
    graph = build(events)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    quoted = sum(edge.basis == "matched" and edge.coverage == 1.0 for edge in graph.edges)
    return {
        "benchmark": "linking", "nodes": nodes, "seconds": round(wall, 2), "cpu_seconds": round(cpu, 2),
        "cpu_us_a_node": round(cpu / nodes * 1e6), "peak_mb": _peak_mb(), "baseline_mb": before,
        "recall": round(quoted / (3 * nodes - 6), 4),
    }  # fmt: skip


def _peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def quality(runs: int) -> list[dict[str, object]]:
    """Measures recall and precision on random runs."""
    asked: Counter[str] = Counter()
    hit: Counter[str] = Counter()
    drawn = false = unsure = marked = 0
    for seed in range(runs):
        planted = planted_run(seed)
        graph = build(planted.events)
        nodes = {node.id: node for node in graph.nodes}
        found = {
            (nodes[edge.source].text, nodes[edge.target].text): edge.ambiguous
            for edge in graph.edges
            if edge.basis != "scope"
            and nodes[edge.source].kind not in {"instruction", "question"}
            and nodes[edge.target].kind in {"completion", "answer"}
        }
        for pair, (way, _) in planted.links.items():
            if pair in planted.unsure:
                unsure += 1
                marked += any(count for (_, target), count in found.items() if target == pair[1])
                continue
            asked[way] += 1
            hit[way] += pair in found
        held = set(near_copies(planted))
        for source, target in found:
            drawn += 1
            copies = {b if a == source else a for a, b in held if source in {a, b}}
            false += (source, target) not in planted.links and not any((c, target) in planted.links for c in copies)
    lines: list[dict[str, object]] = [
        {"benchmark": "planted", "way": way, "links": asked[way], "recall": round(hit[way] / asked[way], 4)}
        | {"interval": _wilson(hit[way], asked[way])}
        for way in sorted(asked)
    ]
    whole, all_ = sum(hit.values()), sum(asked.values())
    return [
        *lines,
        {
            "benchmark": "planted", "runs": runs, "links": all_, "recall": round(whole / all_, 4),
            "interval": _wilson(whole, all_), "drawn": drawn, "precision": round(1 - false / drawn, 4),
            "precision_interval": _wilson(drawn - false, drawn), "ambiguous": unsure, "ambiguous_marked": marked,
        },
    ]  # fmt: skip


def _wilson(hits: int, n: int, z: float = 1.96) -> list[float]:
    share, denominator = hits / n, 1 + z * z / n
    middle = (share + z * z / (2 * n)) / denominator
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / denominator
    return [round(middle - half, 4), round(min(1.0, middle + half), 4)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--here", action="store_true", help="measure the one size in this process")
    given = parser.parse_args()
    if given.here:
        print(json.dumps(cost(given.nodes[0])))
        return
    lines = []
    for nodes in given.nodes:
        done = subprocess.run(
            [sys.executable, __file__, "--here", "--nodes", str(nodes)], check=True, capture_output=True, text=True
        )
        lines.append(json.loads(done.stdout))
        lines[-1]["against_first"] = round(lines[-1]["cpu_us_a_node"] / lines[0]["cpu_us_a_node"], 2)
        if nodes == 100_000:
            met = lines[-1]["seconds"] <= SECONDS and lines[-1]["peak_mb"] <= MEGABYTES
            lines[-1] |= {"target": [SECONDS, MEGABYTES], "met": met}
        print(json.dumps(lines[-1]), flush=True)
    for line in quality(given.runs):
        print(json.dumps(line))


if __name__ == "__main__":
    main()
