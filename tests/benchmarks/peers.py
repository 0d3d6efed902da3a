"""Puts this library beside other tools' faithfulness metrics, over labelled answers, through one endpoint.

    python tests/benchmarks/peers.py --base-url http://127.0.0.1:8123/v1 --save FILE [--tools trail,ragas] [--limit 4]
    python tests/benchmarks/peers.py --load FILE [FILE ...]

Tools: this library's `LLMJudge`, RAGAS Faithfulness, DeepEval Faithfulness, LlamaIndex's FaithfulnessEvaluator, each with
its own prompts and defaults; one that is not installed is skipped. They do not fit into one environment with all that
our tests need, so they get one of their own:

    python3 -m venv .venv/peers
    .venv/peers/bin/pip install "ragas==0.4.3" "langchain-community<0.4" "deepeval>=4.3.1,<5" \\
        llama-index-llms-openai-like --editable ".[llm,llama-index]"

Sets, from the folder TRAIL_DATA_DIR: natural (everyday answers), ragtruth (16 hallucinated answers and 24 others), planted
(the answers of multi-step runs). The endpoint is any that speaks OpenAI's protocol, and nothing else is contacted. Cases of
a tool run on parallel threads. `--save` appends each result as a JSON line; a run that is started again asks only for what
is not there, or failed. `--load` prints results again, and asks nothing.

Prints a table: wrong answers flagged of all wrong ones and right answers flagged of all right ones, with 95 % intervals
(Wilson); the area under the ROC curve of the score (interval: 1,000 resamplings within the wrong and the right); and per
answer the calls and the tokens of messages, of schemas beside them and of replies, counted alike for all tools. An answer is flagged
if a tool's score says that anything is unsupported: below 1, or `passing` is false. An answer without a score (`none`: NaN,
abstained) or whose tool raised (`failed`) is in none of the other counts. Of this library also sentences of natural: one is
flagged if an unsupported claim overlaps it.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from statistics import mean
from threading import Lock

from labelled_sets import require, takes_data
from peer_meter import Meter
from peer_sets import SETS, Case, cases
from peer_tools import DISTRIBUTIONS, NEEDS, TOOLS, At
from planted_metrics import ROUNDS

from trail_callbacks.statistics.intervals import wilson

COST = ("calls", "prompt_tokens", "schema_tokens", "completion_tokens")
HEAD = (
    "set", "tool", "n", "wrong found", "right flagged", "AUROC", "none", "failed", "calls", "prompt", "schema", "reply",
)  # fmt: skip


def installed(tool: str) -> bool:
    try:
        for name in NEEDS[tool]:
            import_module(name)
    except ImportError as error:
        print(f"skipped {tool}: {error}; see the head of {__file__} for what to install", file=sys.stderr)
        return False
    return True


def judged(tool: str, case: Case, at: At) -> dict:
    """One line of results; of the case only its labels."""
    row = {"set": case.set, "tool": tool, "version": version(DISTRIBUTIONS[tool]), "id": case.id, "wrong": case.wrong}
    try:
        said = TOOLS[tool](case, at)
    except Exception as error:  # noqa: BLE001 - what a tool raises is a result
        return row | {"score": None, "error": repr(error)[:300]}
    if tool == "trail" and case.sentences:
        row["sentences"] = [
            [wrong, any(a < end and start < b for a, b in said.flagged)] for start, end, wrong in case.sentences
        ]
    return row | {"score": said.score, "error": None}


def run(tool: str, todo: Sequence[Case], arguments: argparse.Namespace, meter: Meter) -> Iterator[dict]:
    """Asks a tool about cases, and gives each result once it is there and saved."""
    saving = Lock()

    def one(numbered: tuple[int, Case]) -> dict:
        number, case = numbered
        key = f"{tool}-{number}"
        row = judged(tool, case, At(meter.url(key), arguments.model, arguments.api_key, arguments.timeout))
        row |= {name: meter.counts[key][name] for name in COST}
        with saving:
            print(json.dumps(row), file=sys.stderr)
            if arguments.save:
                with arguments.save.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
        return row

    with ThreadPoolExecutor(arguments.threads) as pool:
        yield from pool.map(one, enumerate(todo))


def read(paths: Sequence[Path]) -> dict[tuple, dict]:
    """Saved results by set, tool and case: the latest of each."""
    rows = (json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines())
    return {(row["set"], row["tool"], row["id"]): row for row in rows}


def part(hits: Sequence[bool]) -> str:
    """`11/12 .92 [.65, .99]`."""
    if not hits:
        return "-"
    share = mean(hits)
    low, high = wilson(share, len(hits))
    return f"{sum(hits)}/{len(hits)} {share:.2f} [{low:.2f}, {high:.2f}]"


def auroc(wrong: Sequence[float], right: Sequence[float]) -> float:
    """How often a wrong answer scores higher than a right one; a tie is half."""
    return mean((a > b) + (a == b) / 2 for a in wrong for b in right)


def ranked(wrong: Sequence[float], right: Sequence[float]) -> str:
    if not wrong or not right:
        return "-"
    chance = random.Random(0)  # noqa: S311 - resampling, no secret
    again = sorted(
        auroc(chance.choices(wrong, k=len(wrong)), chance.choices(right, k=len(right))) for _ in range(ROUNDS)
    )
    low, high = (again[int(ROUNDS * share)] for share in (0.025, 0.975))
    return f"{auroc(wrong, right):.2f} [{low:.2f}, {high:.2f}]"


def line(rows: Sequence[dict]) -> tuple:
    done = [row for row in rows if row["error"] is None]
    scored = [row for row in done if row["score"] is not None]
    sides = [[row["score"] for row in scored if row["wrong"] is wrong] for wrong in (True, False)]
    flagged = (part([score > 0 for score in side]) for side in sides)
    costs = (mean(row[name] for row in done) if done else 0 for name in COST)
    return (
        len(rows), *flagged, ranked(*sides), len(done) - len(scored), len(rows) - len(done),
        *(f"{cost:,.{0 if cost >= 100 else 1}f}" for cost in costs),
    )  # fmt: skip


def by_sentence(rows: Sequence[dict]) -> tuple:
    known = [pair for row in rows if row["score"] is not None for pair in row["sentences"]]
    sides = (part([flagged for wrong, flagged in known if wrong is side]) for side in (True, False))
    return (len(known), *sides, *[""] * (len(HEAD) - 5))


def show(rows: Sequence[dict]) -> None:
    """Prints the table, in the order of sets and tools."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["set"], row["tool"], row["version"]].append(row)
    lines = [HEAD, ["---"] * len(HEAD)]
    for (name, tool, number), mine in sorted(groups.items(), key=lambda item: _place(*item[0])):
        lines.append((name, f"{tool} {number}", *line(mine)))
        if any("sentences" in row for row in mine):
            lines.append((f"{name}, sentences", f"{tool} {number}", *by_sentence(mine)))
    for cells in lines:
        print("| " + " | ".join(map(str, cells)) + " |")


def _place(name: str, tool: str, number: str) -> tuple:
    return [*SETS].index(name), [*TOOLS].index(tool), number


def chosen(said: str, known: Sequence[str]) -> list[str]:
    names = said.split(",")
    if unknown := set(names) - set(known):
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return names


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    takes_data(parser)
    parser.add_argument("--base-url", help="the endpoint")
    parser.add_argument("--model", default="relay", help="its name at the endpoint")
    parser.add_argument("--api-key", default="x", help="a server on this machine takes any")
    parser.add_argument("--timeout", type=float, default=7000.0, help="seconds for a reply")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--limit", type=int, default=0, help="cases of each set; 0 is all")
    parser.add_argument("--threads", type=int, default=12)
    parser.add_argument("--save", type=Path, help="file to which results are appended, as they come")
    parser.add_argument("--load", type=Path, nargs="+", help="files of results to print, without asking")
    arguments = parser.parse_args()
    if arguments.load:
        show(read(arguments.load).values())
        return 0
    data = require(arguments.data if arguments.base_url else None, ", and the endpoint with --base-url")
    tools = [tool for tool in chosen(arguments.tools, [*TOOLS]) if installed(tool)]
    todo = [case for name in chosen(arguments.sets, [*SETS]) for case in cases(name, data, arguments.limit)]
    found = read([arguments.save]) if arguments.save and arguments.save.exists() else {}
    had = {key for key, row in found.items() if row["error"] is None}
    with Meter(arguments.base_url, arguments.timeout) as meter:
        for tool in tools:
            missing = [case for case in todo if (case.set, tool, case.id) not in had]
            found |= {(row["set"], tool, row["id"]): row for row in run(tool, missing, arguments, meter)}
    show([row for (name, tool, _), row in found.items() if tool in tools])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
