"""The cost of a report compared with other tools: calls, and how often the context is read.

    python tests/benchmarks/cost_table.py
    python tests/benchmarks/cost_table.py --price "cheap=0.25,0.025,2" --price "dear=3,0.3,15"

Ours is measured: `verify` runs on a synthetic answer of n claims, one sentence each, and k passages of 1,000 characters,
with a model that knows the truth (see `planted_oracle.py`). The others are formulas taken from their code and papers as
of November 2026; none of them runs here. A context read is the whole context once; parts count as fractions. Prints a
Markdown table, the same as JSON lines, and then one line for each target. With price lists (dollars for a million tokens
read, read from the provider's prompt cache, and written) it prints what a thousand of these answers cost; the system
prompt and the schema are the same in all calls and come first, so they are what a cache holds.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable
from math import ceil
from typing import NamedTuple

from gold_runs import Fact, Run
from planted_oracle import OracleModel
from planted_prompts import tokens

from trail_callbacks import LLMJudge, ProvenanceGraph, Report, verify, veritrail

SIGNS = 1000  # of a passage
SIZES = ((8, 10), (30, 10), (8, 50))  # claims, passages

PLACES = (
    "Abbey", "Beacon", "Castle", "Depot", "Estate", "Ferry", "Grove", "Harbour", "Inn", "Jetty", "Kiln", "Lodge",
    "Market", "Nursery", "Orchard", "Pavilion", "Quarry", "Rectory", "Smithy", "Tower", "Upland", "Viaduct", "Wharf",
)  # fmt: skip
REGIONS = ("North", "South", "East", "West", "Upper", "Lower")
FAMILIES = ("Moe", "Lund", "Friis", "Vik", "Berg", "Dahl", "Holm", "Ness", "Strand", "Hauge", "Sund", "Lie")
FILLING = (
    "{name} was painted in {year} and its roof was mended after the storm, at some expense to the {family} family.",
    "The path to {name} floods in spring, and visitors then take the longer way over the hill, {count} steps in all.",
    "A list of {count} tools that {name} held in {year} is in the archive, in a hand that few people can read today.",
    "The keys of {name} were held by the {family} family, who lit the stove in winter when guests were expected.",
    "Photographs of {name} from {year} show a low wall and two lime trees, raised from seed by a gardener.",
    "In {year} the {family} family sold {count} barrels to {name}, which were never paid for.",
)


class Peer(NamedTuple):
    """Calls and context reads of another tool, by n claims, s sentences and k passages."""

    name: str
    calls: str
    count: object
    reads: str
    read: object


PEERS = (
    Peer("RAGAS Faithfulness", "2", lambda n, s, k: 2, "1", lambda n, s, k: 1),
    Peer("DeepEval Faithfulness", "4", lambda n, s, k: 4, "1", lambda n, s, k: 1),
    Peer("TruLens groundedness", "1 + s", lambda n, s, k: 1 + s, "s", lambda n, s, k: s),
    Peer("RefChecker, joint", "1 + k*ceil(n/5)", lambda n, s, k: 1 + k * ceil(n / 5), "ceil(n/5)", lambda n, s, k: ceil(n / 5)),
    Peer("RefChecker, one by one", "1 + n*k", lambda n, s, k: 1 + n * k, "n", lambda n, s, k: n),
    Peer("HalluMeasure, one claim a call", "1 + n", lambda n, s, k: 1 + n, "n", lambda n, s, k: n),
    Peer("HalluMeasure, all claims in one", "2", lambda n, s, k: 2, "1", lambda n, s, k: 1),
)  # fmt: skip
OURS = {
    "ours": (None, verify),
    "ours, claims found first": (32, verify),
    "ours, one claim a call": (1, verify),
    "ours, veritrail q=1": (8, veritrail),
    "veritrail as published, one claim a call": (1, veritrail),
}


def a_run(claims: int, passages: int, seed: int = 3) -> Run:
    """An answer of supported claims, each supported by one passage in other words."""
    chance = random.Random(seed)  # noqa: S311 - made-up text, no secret
    names = [f"{region} {place}" for region in REGIONS for place in PLACES]
    chance.shuffle(names)
    rows: list[list[str]] = [[] for _ in range(passages)]
    facts, answer = [], []
    for i in range(claims):
        name, family = names[i], chance.choice(FAMILIES)
        year, count = chance.randint(1750, 1950), chance.randint(20, 900)
        evidence = f"{name} was raised in {year} by the {family} family and holds {count} barrels of salted herring."
        said = f"{name}, which the {family} family raised in {year}, holds {count} barrels."
        rows[i * passages // claims if claims > passages else i].append(evidence)
        answer.append(said)
        facts.append(
            Fact(
                id=f"c{i + 1}",
                text=said,
                quote=said,
                support="supported",
                evidence=((f"source-{len(facts)}", evidence),),
            )
        )
    texts = []
    for i, row in enumerate(rows):
        own = [*row, f"{names[claims + i % (len(names) - claims)]} is not far from here, number {i + 1} on the map."]
        while len(" ".join(own)) < SIGNS:
            known = {
                "family": chance.choice(FAMILIES),
                "year": chance.randint(1750, 1950),
                "count": chance.randint(20, 900),
            }
            own.insert(chance.randint(1, len(own)), chance.choice(FILLING).format(name=chance.choice(names), **known))
        texts.append(" ".join(own)[:SIGNS])
    graph = ProvenanceGraph.from_texts(" ".join(answer), texts, "What is known about these places?")
    homes = {fact.id: next(n.id for n in graph.nodes if fact.evidence[0][1] in n.text) for fact in facts}
    placed = tuple(
        Fact(id=f.id, text=f.text, quote=f.quote, support=f.support, evidence=((homes[f.id], f.evidence[0][1]),))
        for f in facts
    )
    return Run(id=f"{claims}x{passages}", graph=graph, facts=placed)


def measured(run: Run, claims_per_call: int | None, find: Callable[..., Report]) -> dict:
    model = OracleModel(run)
    report = find(run.graph, LLMJudge(model, claims_per_call=claims_per_call))
    leaves = sum(tokens(leaf.text) for leaf in run.graph.leaves())
    prompt, system = model.total("prompt"), model.total("system")
    needed = leaves + tokens(run.graph.answer.text) + system
    return {
        "calls": report.usage.calls,
        "context_reads": round(model.total("context") / leaves, 2),
        "supported": f"{report.class_counts['supported']}/{len(run.facts)}",
        "leaf_tokens": leaves,
        "prompt_tokens": prompt,
        "system_tokens": system,
        "schema_tokens": model.total("schema"),
        "completion_tokens": model.total("completion"),
        "prompt_by_leaves": round(prompt / leaves, 2),
        "prompt_by_what_is_needed": round(prompt / needed, 2),
        "prompt_by_leaves_without_system": round((prompt - system) / leaves, 2),
    }


def prices(given: str) -> tuple[str, list[float]]:
    name, _, numbers = given.partition("=")
    read, cached, written = (float(number) for number in numbers.split(","))
    return name, [read, cached, written]


def for_a_thousand(row: dict, price: list[float], *, cached: bool) -> float:
    """Dollars for a thousand answers."""
    same = row["system_tokens"] + row["schema_tokens"]
    fresh = row["prompt_tokens"] + row["schema_tokens"] - (same if cached else 0)
    kept = same if cached else 0
    return (fresh * price[0] + kept * price[1] + row["completion_tokens"] * price[2]) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description="The cost of a report compared with other tools.")
    parser.add_argument("--price", action="append", type=prices, default=[], help="NAME=READ,CACHED,WRITTEN")
    lists = parser.parse_args().price
    runs = {size: a_run(*size) for size in SIZES}
    ours = {
        name: {size: measured(run, per_call, find) for size, run in runs.items()}
        for name, (per_call, find) in OURS.items()
    }
    print(f"| tool | from | {' | '.join(f'{n} claims, {k} passages: calls / reads' for n, k in SIZES)} |")
    print(f"| --- | --- |{' --- |' * len(SIZES)}")
    for name, row in ours.items():
        cells = (f"{row[size]['calls']} / {row[size]['context_reads']:.2f}" for size in SIZES)
        print(f"| {name} | measured | {' | '.join(cells)} |")
    for peer in PEERS:
        cells = (f"{peer.count(n, n, k)} / {peer.read(n, n, k)}" for n, k in SIZES)
        print(f"| {peer.name} | formula {peer.calls} / {peer.reads} | {' | '.join(cells)} |")
    print()
    for n, k in SIZES:
        size = {"benchmark": "cost_table", "claims": n, "sentences": n, "passages": k, "signs_a_passage": SIGNS}
        for name, row in ours.items():
            print(json.dumps({**size, "tool": name, "source": "measured", **row[n, k]}))
        for peer in PEERS:
            counted = {"calls": peer.count(n, n, k), "context_reads": peer.read(n, n, k)}
            print(json.dumps({**size, "tool": peer.name, "source": "formula", **counted}))
    for name, price in lists:
        for tool, row in ours.items():
            for (n, k), cost in row.items():
                dollars = {f"cached {c}": round(for_a_thousand(cost, price, cached=c), 2) for c in (False, True)}
                print(json.dumps({"price": name, "tool": tool, "claims": n, "passages": k, "a_thousand": dollars}))
    small = ours["ours"][8, 10]
    beside = small["prompt_tokens"] - small["leaf_tokens"] - tokens(runs[8, 10].graph.answer.text)
    for target, value, limit in (
        ("calls for 8 claims over 10 passages", small["calls"], 1),
        ("prompt tokens besides those of leaves and answer", beside, 2000),
        ("completion tokens a claim, with no reasoning to write", small["completion_tokens"] / 8, 60),
        ("prompt tokens by those of leaves, answer and system prompts", small["prompt_by_what_is_needed"], 1.3),
        ("prompt tokens without system prompts, by leaf tokens", small["prompt_by_leaves_without_system"], 1.5),
    ):
        print(json.dumps({"target": target, "value": value, "limit": limit, "pass": value <= limit}))


if __name__ == "__main__":
    main()
