"""Measures how many edits of a twin become probes, by kind, what is refused and why, and how they are asked.

    TRAIL_DATA_DIR=/path/to/data python tests/benchmarks/canary_probes.py
    python tests/benchmarks/canary_probes.py --data /path/to/data --seed 1 --most 1000 --show 60 > read.txt

The corpus is all passages of the data: of RAGTruth, the everyday documents, the natural answers, the planted runs and
the contexts that contradict a model's memory; with `--town`, the invented town of the demo.
`--show N` prints N probes drawn at random, with the sentence that answers each: for a person who judges whether the
question is natural, answerable and unambiguous. Without it, prints one JSON line for all and one for each kind.

`yes or no`; `gap`: what is missing in the sentence or table. The more edits a twin has, the fewer sentences are left that a question can
name: see `--most`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from labelled_sets import require, rows, takes_data

from trail_callbacks.canary import Corpus, Document, Probe, Skipped, Twin
from trail_callbacks.canary.perturbers.perturb import perturb
from trail_callbacks.canary.questions.cloze import GAP
from trail_callbacks.canary.questions.making import make_probes
from trail_callbacks.demo.town import town

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|: .*")
_PASSAGE = re.compile(r"\n*passage \d+:")


def corpus(data: Path) -> Corpus:
    """All passages of the data, each once."""
    texts: dict[str, str] = {}
    for place, text in _passages(data):
        if text.strip():
            texts.setdefault(text.strip(), f"{place}-{len(texts)}")
    return Corpus(tuple(Document(id_, text) for text, id_ in texts.items()))


def _passages(data: Path) -> Iterator[tuple[str, str]]:
    for row in rows(data / "ragtruth_dev.jsonl.gz"):
        for text in _PASSAGE.split(row["source"]):
            yield f"ragtruth/{row['source_id']}", text
    for name, key in (("everyday_train", "passages"), ("natural_dev", "sources")):
        for row in rows(data / f"{name}.jsonl"):
            for each in row[key]:
                yield f"{name}/{row['id']}", each if isinstance(each, str) else each["text"]
    for row in rows(data / "knowledge_conflict.jsonl.gz"):
        yield f"conflict/{row['id']}", row["context"]
    for row in rows(data / "planted_dev.jsonl"):
        for node in row["nodes"]:
            if node["kind"] in {"document", "tool_result"}:
                yield f"planted/{row['id']}", node["text"]


def how(probe: Probe) -> str:
    """How a probe asks."""
    return "gap" if GAP in probe.question else "yes or no"


def figures(twin: Twin, probes: Sequence[Probe], skipped: Sequence[Skipped]) -> Iterator[dict[str, Any]]:
    """A row for all edits, and one for each kind."""
    kinds = {edit.id: edit.kind for edit in twin.edits}
    for kind in ("all", *dict.fromkeys(kinds.values())):
        made = [each for each in probes if kind in {"all", each.kind}]
        lost = [each for each in skipped if kind in {"all", kinds[each.place]}]
        n = len(made) + len(lost)
        yield {
            "kind": kind,
            "edits": n,
            "probes": len(made),
            "share": round(len(made) / n, 3) if n else None,
            "asked": dict(Counter(map(how, made)).most_common()),
            "refused": dict(Counter(_QUOTED.sub("", each.why).strip() for each in lost).most_common(8)),
        }


def main() -> None:
    """Runs the measurement."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    takes_data(parser)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, help="edits of the twin; all by default")
    parser.add_argument("--town", action="store_true", help="the pages of the demo's town instead of the data")
    parser.add_argument("--show", type=int, default=0, help="print so many probes instead")
    asked = parser.parse_args()
    texts = town() if asked.town else corpus(require(asked.data, ", or take --town"))
    started = time.perf_counter()
    twin = perturb(texts, seed=asked.seed, most=asked.most)
    made_twin = time.perf_counter()
    probes, skipped = make_probes(twin)
    made_probes = time.perf_counter()
    if asked.show:
        drawn = random.Random(asked.seed).sample(probes, min(asked.show, len(probes)))  # noqa: S311 - no secret
        for number, each in enumerate(drawn, 1):
            print(
                f"\n{number} [{each.id}] {each.question}\n   {each.real!r} / {each.fictive!r}\n   << {each.real_quote}"
            )
        return
    megabytes = sum(len(each.text.encode()) for each in texts) / 1e6
    for row in figures(twin, probes, skipped):
        print(json.dumps(row))
    print(
        json.dumps(
            {
                "documents": len(texts),
                "megabytes": round(megabytes, 2),
                "seconds_perturb": round(made_twin - started, 1),
                "seconds_probes": round(made_probes - made_twin, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
