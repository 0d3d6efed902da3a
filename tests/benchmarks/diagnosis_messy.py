"""Measures the diagnosis on messy pipelines in seven languages: 30 for each seed, see `tests/faults/messy.py`.

    python tests/benchmarks/diagnosis_messy.py [--seeds 3] [--judge reader|offline] [--no-retriever] [--wrong]

Prints the share of right signatures, of wrong ones among those that were decided, of undecided ones, and of right first
breaks (stage, and step where it is known), each with n and the 95 % Wilson interval; and how many with certainty `high`
were wrong. `reader` is the planted truth as a judge: it measures the method, no model.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path

from trail_callbacks import LocalJudge
from trail_callbacks.diagnosis import diagnose
from trail_callbacks.statistics.intervals import wilson

sys.path.insert(0, str(Path(__file__).parents[1] / "faults"))

from messy import Reader, cases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--judge", choices=("reader", "offline"), default="reader")
    parser.add_argument("--no-retriever", action="store_true", help="do not let the app's retriever be asked")
    parser.add_argument("--wrong", action="store_true", help="print every case that was diagnosed otherwise")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    counts = dict.fromkeys(("n", "right", "decided", "wrong", "broke", "at", "high", "wrong_high"), 0)
    for case in [case for seed in range(options.seeds) for case in cases(seed)]:
        judge = Reader(case) if options.judge == "reader" else LocalJudge()
        asked = {} if options.no_retriever else {"retriever": case.retriever()}
        found = diagnose(case.played(), judge, **asked)
        broke = found.first_break
        at = f"{broke.stage} {broke.step}" if broke else ""
        right = found.signature == case.truth
        counts["n"] += 1
        counts["right"] += right
        counts["decided"] += found.signature != "undetermined"
        counts["wrong"] += found.signature not in {case.truth, "undetermined"}
        counts["broke"] += bool(case.at and broke)
        counts["at"] += bool(case.at and at.startswith(case.at))
        counts["high"] += bool(broke and broke.certainty == "high")
        counts["wrong_high"] += bool(broke and broke.certainty == "high" and not right)
        if options.wrong and not (right and at.startswith(case.at)):
            print(case.truth, case.at, "/", case.name, "->", found.signature, at, found.reasons)
    for name, part, whole in (
        ("right", "right", "n"), ("wrong of decided", "wrong", "decided"), ("first break right", "at", "broke"),
        ("wrong of certainty high", "wrong_high", "high"),
    ):  # fmt: skip
        hit, n = counts[part], counts[whole]
        interval = [round(x, 3) for x in wilson(hit / n, n)] if n else None
        print(json.dumps({"judge": options.judge, "figure": name, "hit": hit, "n": n, "interval": interval}))
    print(json.dumps({"judge": options.judge, "undecided": counts["n"] - counts["decided"], "n": counts["n"]}))


if __name__ == "__main__":
    main()
