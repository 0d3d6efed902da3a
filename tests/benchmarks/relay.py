"""Measures a judge with a model on samples of planted runs, single claims and RAG answers, against a control.

    python tests/benchmarks/relay.py --base-url http://127.0.0.1:8123/v1 --out FOLDER [--sets planted,claims,ragtruth]
    python tests/benchmarks/relay.py --out FOLDER --score
    python tests/benchmarks/relay.py --out FOLDER --control                   # writes FOLDER/control_tasks.json
    python tests/benchmarks/relay.py --out FOLDER --control --replies FILE    # scores {"t001": {"c1": {"support": ...}}}

The endpoint is any that speaks OpenAI's protocol: a hosted model, a local server, or a relay behind which a reader
answers, who sees the requests and nothing else. Items run on parallel threads, so that such a reader gets them in
batches. Every report is written to FOLDER as it is done; a run that is started again does only what is missing, and
`--score` scores what is there. Prints one JSON line for each set: each measure with n and an interval that holds 95 % of
1,000 resamplings of whole items, and what it cost.

The control is another copy of the same reader, blind to the first, who labels the same items from the whole sources in
one reading. What the pipeline loses against it is the pipeline's; the rest is noise of the labels. `planted` and
`ragtruth` run with the judge's own claims, `claims` with the claim given.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

from labelled_sets import require, takes_data
from relay_sets import SETS, Given, Item, Result, of_control, of_report, score

from trail_callbacks import LLMJudge, Report, VerifyOptions, verify
from trail_callbacks.taxonomy import ERRORS, SUPPORT, table

INSTRUCTIONS = f"""Label each claim of each item from its sources, read whole, and nothing else: not from what you know.
The question is only there to understand the claims. Reply with one JSON object: for each item, by its id, an object
that gives for each claim, by its id, `support` and, unless it is supported or unevaluatable, `error_type`:
{{"t001": {{"c1": {{"support": "contradicted", "error_type": "number"}}}}}}

{table(SUPPORT)}

{table(ERRORS)}
"""


def items(arguments) -> list[Item]:
    sizes = {"planted": arguments.runs, "claims": arguments.claims, "ragtruth": arguments.answers}
    unknown = set(arguments.sets.split(",")) - SETS.keys()
    if unknown:
        raise SystemExit(f"unknown sets: {', '.join(sorted(unknown))}; there are {', '.join(SETS)}")
    return [item for name in arguments.sets.split(",") for item in SETS[name](arguments.data, sizes[name])]


def place(folder: Path, item: Item) -> Path:
    return folder / item.set / f"{sha256(item.id.encode()).hexdigest()[:16]}.json"


def run(item: Item, judge: LLMJudge, options: VerifyOptions, folder: Path) -> None:
    asked = Given(judge, item.facts[0].text) if item.set == "claims" else judge
    report = verify(item.graph, asked, options)
    path = place(folder, item)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(report.to_json(), encoding="utf-8")
    print(json.dumps({"set": item.set, "id": item.id, "state": report.state, "calls": report.usage.calls}), flush=True)


def run_all(todo: Sequence[Item], arguments) -> None:
    judge = LLMJudge(arguments.model, base_url=arguments.base_url, api_key=arguments.api_key, timeout=arguments.timeout)
    options = VerifyOptions(read_tokens=arguments.read_tokens)
    missing = [item for item in todo if not place(arguments.out, item).exists()]
    started = time.perf_counter()
    with ThreadPoolExecutor(arguments.threads) as pool:
        list(pool.map(lambda item: run(item, judge, options, arguments.out), missing))
    print(json.dumps({"items": len(missing), "seconds": round(time.perf_counter() - started, 1)}))


def show(todo: Sequence[Item], folder: Path) -> None:
    for name in dict.fromkeys(item.set for item in todo):
        done = [
            (item, Report.from_json(place(folder, item).read_text(encoding="utf-8")))
            for item in todo
            if item.set == name and place(folder, item).exists()
        ]
        if not done:
            continue
        usages = [report.usage for _, report in done]
        cost = {
            "calls": sum(usage.calls for usage in usages),
            "prompt_tokens": sum(usage.prompt_tokens for usage in usages),
            "completion_tokens": sum(usage.completion_tokens for usage in usages),
            "claims": sum(len(report.claims) for _, report in done),
            "failed_claims": sum(verdict.error is not None for _, report in done for verdict in report.verdicts),
        }
        results = [of_report(item, report) for item, report in done]
        print(json.dumps({"set": name, **score(name, results), **cost, "judge": done[0][1].judge}))


def tasks(todo: Sequence[Item]) -> dict[str, Item]:
    """Items under ids that say nothing about them, in an order that mixes the sets."""
    mixed = sorted(todo, key=lambda item: sha256(f"{item.set} {item.id}".encode()).digest())
    return {f"t{n:03d}": item for n, item in enumerate(mixed, 1)}


def write_tasks(todo: Sequence[Item], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shown = [
        {
            "id": id_,
            "question": item.graph.question.text if item.graph.question else None,
            "sources": item.sources,
            "answer": item.graph.answer.text,
            "claims": [{"id": fact.id, "text": fact.text} for fact in item.facts],
        }
        for id_, item in tasks(todo).items()
    ]
    path = folder / "control_tasks.json"
    path.write_text(json.dumps({"instructions": INSTRUCTIONS, "items": shown}, ensure_ascii=False, indent=1))
    print(json.dumps({"written": str(path), "items": len(shown), "claims": sum(len(i["claims"]) for i in shown)}))


def show_control(todo: Sequence[Item], replies: Path) -> None:
    said = json.loads(replies.read_text(encoding="utf-8"))
    results: dict[str, list[Result]] = {}
    for id_, item in tasks(todo).items():
        if id_ in said:
            results.setdefault(item.set, []).append(of_control(item, said[id_]))
    for name, mine in results.items():
        print(json.dumps({"set": name, "control": True, **score(name, mine)}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    takes_data(parser)
    parser.add_argument("--out", type=Path, help="folder for reports and control tasks")
    parser.add_argument("--base-url", help="the endpoint")
    parser.add_argument("--model", default="openai/relay", help="provider/model")
    parser.add_argument("--api-key", default="x", help="a relay takes any")
    parser.add_argument("--timeout", type=float, default=7000.0, help="seconds for an answer")
    parser.add_argument("--sets", default="planted,claims,ragtruth")
    parser.add_argument("--runs", type=int, default=0, help="sample of planted runs; 0 is all")
    parser.add_argument("--claims", type=int, default=80, help="sample of single claims, stratified by class")
    parser.add_argument(
        "--answers", type=int, default=40, help="sample of RAG answers, stratified by hallucinated or not"
    )
    parser.add_argument("--threads", type=int, default=12)
    parser.add_argument("--read-tokens", type=int, default=VerifyOptions().read_tokens)
    parser.add_argument("--score", action="store_true", help="only score the reports in --out")
    parser.add_argument(
        "--control", action="store_true", help="write the tasks of a control reader, or score --replies"
    )
    parser.add_argument("--replies", type=Path, help="what the control reader said")
    arguments = parser.parse_args()
    require(arguments.data if arguments.out else None, ", and one for reports with --out")
    todo = items(arguments)
    if arguments.control:
        if arguments.replies:
            show_control(todo, arguments.replies)
        else:
            write_tasks(todo, arguments.out)
        return 0
    if not arguments.score:
        if not arguments.base_url and arguments.model == "openai/relay":
            raise SystemExit("name the endpoint with --base-url, or a hosted model with --model")
        run_all(todo, arguments)
    show(todo, arguments.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
