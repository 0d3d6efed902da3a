"""Measures how much of the known evidence is among the candidate passages of a claim.

    python tests/benchmarks/evidence_recall.py --data /path/to/data

Prints one JSON line for each set and limit. planted_dev ("dev": weights were chosen on it): share of quotes of which
passages of the right leaf cover 95 % of the characters, and share of claims with all their quotes. The same for what a
judge with a model reads first of sources that are too long: a share of the leaves of all runs, for all claims of one.
multistep_entailmentbank (used only to choose the factor for repeated words): share of the premises of a conclusion that
are found among its 25 or so sentences.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict

from labelled_sets import require, rows, takes_data

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import candidates, whole
from trail_callbacks.graph import Node
from trail_callbacks.models.tokens import count
from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.verify.sources import Sources

LIMITS = (4, 8, 12)
SHARES = (0.05, 0.1, 0.2)
TOGETHER = 16  # runs whose leaves are read together, because those of one are short


def claim(id_, text):
    return Claim(id=id_, text=text, quote=text, start=0, end=len(text))


def covered(passages, node, quote):
    start = node["text"].index(quote)
    characters = {i for i in range(start, start + len(quote)) if node["text"][i].isalnum()}
    seen = {i for p in passages if p.node_id == node["id"] for i in range(p.start, p.end)}
    return len(characters & seen) >= 0.95 * len(characters)


def planted(path):
    """For each claim and limit, whether each quote was found."""
    for line in path.read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        by_id = {node["id"]: node for node in run["nodes"]}
        leaves = [node for node in run["nodes"] if node["kind"] in {"document", "tool_result"}]
        nodes = [Node(id=node["id"], kind=node["kind"], text=node["text"]) for node in leaves]
        known = [item for item in run["claims"] if item["evidence"] and item["support"] != "unevaluatable"]
        for limit in LIMITS:
            found = candidates([claim(item["id"], item["text"]) for item in known], nodes, limit)
            for item in known:
                yield limit, [covered(found[item["id"]], by_id[e["node"]], e["quote"]) for e in item["evidence"]]


def turns(path):
    """For each share of the leaves that a judge reads first, whether each quote is there: all claims of a run at once.

    The leaves of several runs stand together, as they would if one retriever had found them.
    """
    runs = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for first in range(0, len(runs), TOGETHER):
        group = runs[first : first + TOGETHER]
        by_id = {f"{run['id']}/{node['id']}": node for run in group for node in run["nodes"]}
        nodes = [
            Node(id=id_, kind=node["kind"], text=node["text"])
            for id_, node in by_id.items()
            if node["kind"] in {"document", "tool_result"}
        ]
        tokens = sum(count(passage.text) + 4 for passage in whole(nodes))
        for run in group:
            known = [item for item in run["claims"] if item["evidence"] and item["support"] != "unevaluatable"]
            asked = [claim(item["id"], item["text"]) for item in known]
            for share in SHARES:
                read = Sources(asked, nodes, int(share * tokens)).next(asked, ())
                for item in known:
                    homes = [(f"{run['id']}/{e['node']}", e["quote"]) for e in item["evidence"]]
                    yield share, [covered(read, {**by_id[id_], "id": id_}, quote) for id_, quote in homes]


def premises(path):
    for row in rows(path):
        nodes = [Node(id=id_, kind="document", text=text) for id_, text in row["sources"].items()]
        gold = {id_ for step in row["steps"] for id_ in step["inputs"] if id_ in row["sources"]}
        for limit in LIMITS:
            found = {p.node_id for p in candidates([claim("c", row["final"])], nodes, limit)["c"]}
            yield limit, [id_ in found for id_ in sorted(gold)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    takes_data(parser)
    data = require(parser.parse_args().data)
    sets = {
        "planted_dev": planted(data / "planted_dev.jsonl"),
        "planted_dev, share read in the first turn": turns(data / "planted_dev.jsonl"),
        "multistep_entailmentbank": premises(data / "multistep_entailmentbank.jsonl.gz"),
    }
    for name, results in sets.items():
        by_limit = defaultdict(list)
        for limit, hits in results:
            by_limit[limit].append(hits)
        for limit, claims in by_limit.items():
            hits = [hit for quotes in claims for hit in quotes]
            share, whole = sum(hits) / len(hits), sum(map(all, claims)) / len(claims)
            line = {"set": name, "limit": limit, "recall": round(share, 3), "n": len(hits)}
            line["interval_95"] = [round(bound, 3) for bound in wilson(share, len(hits))]
            print(json.dumps({**line, "all_of_a_claim": round(whole, 3), "claims": len(claims)}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
