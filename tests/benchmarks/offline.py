"""Measures what the offline judge decides on labelled sets, and how often that is right.

    python tests/benchmarks/offline.py --data /path/to/data [--only everyday,natural,planted,claims,ragtruth] [--every N]

One JSON line for each set and system: the number of claims, the
share that is decided, and two precisions with 95 % Wilson intervals: of flags (contradicted, absent,
partially_supported) the share on claims that are wrong, of "supported" the share on claims that are right. With them, for
each class and error type of the labels, how many of its claims are flagged, supported and left undecided. Systems:

    local judge     as shipped
    word overlap    decides as many claims: flags those that share least words with their source, supports those that
                    share most, as many of each as the judge

In `ragtruth` a claim is wrong if it overlaps an annotated span; lost hedges are not annotated there. These sets were used
while the judge was built: expect less on others. `--every 3` takes every third claim.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log

from labelled_sets import require, takes_data
from offline_data import UNSUPPORTED, Item, claims, everyday, natural, planted, ragtruth

from trail_callbacks.claims import Claim, split
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Judgement, Question
from trail_callbacks.judges.local.judge import LocalJudge
from trail_callbacks.judges.local.wording import Wording
from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.text import sentences

SETS = {
    "everyday": everyday,
    "natural": natural,
    "planted": planted,
    "claims": claims,
    "ragtruth": lambda folder: ragtruth(folder)[1],
}


def judged(items: Sequence[Item]) -> list[str]:
    """`flagged`, `supported` or `undecided` for each claim, by the offline judge."""
    return [_side(_judgement(item)) for item in items]


def _judgement(item: Item) -> Judgement:
    checkable = any(piece.checkable for piece in split(item.claim))
    claim = Claim(id="c1", text=item.claim, quote=item.claim, start=0, end=len(item.claim), checkable=checkable)
    nodes = [Node(id=f"d{i}", kind="document", text=text) for i, text in enumerate(item.sources)]
    try:
        next(LocalJudge().assess([Question(claim=claim, passages=candidates([claim], nodes, 8)["c1"])]))
    except StopIteration as stop:
        return stop.value.judgements[0]
    raise AssertionError("the offline judge asked for a model")


def _side(judgement: Judgement) -> str:
    if str(judgement.support) in UNSUPPORTED:
        return "flagged"
    return "supported" if str(judgement.support) == "supported" else "undecided"


def overlap(items: Sequence[Item], said: Sequence[str]) -> list[str]:
    """As many of each by shared words: the lowest shares are flagged, the highest supported."""
    shares = sorted(range(len(items)), key=lambda i: _share(items[i]))
    counts = Counter(said)
    found = ["undecided"] * len(items)
    for i in shares[: counts["flagged"]]:
        found[i] = "flagged"
    for i in shares[len(shares) - counts["supported"] :]:
        found[i] = "supported"
    return found


def _share(item: Item) -> float:
    """Share of the claim's words in the best window of three sentences, by rarity, minus missing numbers and names."""
    texts = [sentence.text for source in item.sources for sentence in sentences(source)]
    windows = [Wording(" ".join(texts[max(0, i - 1) : i + 2])) for i in range(len(texts))] or [Wording("")]
    counts = Counter(stem for window in windows for stem in {term.stem for term in window.content})
    claim, whole = Wording(item.claim), Wording("\n".join(item.sources))
    weights = [log(1 + (1 + len(windows)) / (1 + counts[term.stem])) for term in claim.content]
    best = max(
        sum(w for w, term in zip(weights, claim.content, strict=True) if window.has(term)) for window in windows
    ) / (sum(weights) or 1)
    have = {quantity.raw for quantity in whole.quantities}
    numbers = sum(quantity.raw not in have for quantity in claim.quantities)
    names = sum(not all(map(whole.has, name)) for name in claim.names)
    return best - 0.15 * numbers - 0.1 * names


def report(name: str, system: str, items: Sequence[Item], said: Sequence[str]) -> None:
    flagged = [item.unsupported for item, side in zip(items, said, strict=True) if side == "flagged"]
    supported = [not item.unsupported for item, side in zip(items, said, strict=True) if side == "supported"]
    line = {"set": name, "system": system, "n": len(items), "wrong": sum(item.unsupported for item in items)}
    line["decided"] = round((len(flagged) + len(supported)) / len(items), 4)
    for key, right in (("flags", flagged), ("supported", supported)):
        line[key] = len(right)
        line[f"{key}_right"] = round(sum(right) / len(right), 4) if right else None
        line[f"{key}_95"] = (
            [round(bound, 3) for bound in wilson(sum(right) / len(right), len(right))] if right else None
        )
    print(json.dumps(line), flush=True)


def by_kind(name: str, items: Sequence[Item], said: Sequence[str]) -> None:
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for item, side in zip(items, said, strict=True):
        kinds[item.error_type or item.support or ("wrong" if item.unsupported else "right")][side] += 1
    for kind, counts in sorted(kinds.items()):
        print(json.dumps({"set": name, "label": kind, "n": counts.total(), **counts}), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    takes_data(parser)
    parser.add_argument("--only", default=",".join(SETS))
    parser.add_argument("--every", type=int, default=1)
    arguments = parser.parse_args()
    data = require(arguments.data)
    for name in re.split(r"\s*,\s*", arguments.only):
        if name not in SETS:
            parser.error(f"--only names {name!r}, expected any of {', '.join(SETS)}")
        everything = [item for item in SETS[name](data) if item.support != "unevaluatable"]
        items = everything[:: arguments.every]
        said = judged(items)
        report(name, "local judge", items, said)
        report(name, "word overlap", items, overlap(items, said))
        by_kind(name, items, said)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
