"""Measures how well outcomes of answers are told by code, against hand-made answers with the outcome that a person gave.

    python tests/benchmarks/canary_outcomes.py [--show]

Prints one JSON line for each set and method, all with n and a 95 % Wilson interval:
    accuracy: share of all answers with the right outcome; what is left to the model counts as wrong;
    decided: the same, of the answers that are decided;
    undecided: share that is left to the model;
    rejects: share for which it is told rightly whether the answer rejects the documents (not of the baseline);
    confusion: how often each outcome was taken for another one.
Sets, all written by the author of the code, who fitted it to each of them after it was scored for the first time:
    answers: written before the code (first figure: .976 of all, .986 of those decided);
    second: when the code was finished, in another style (first: .835 of all, .878 of those decided);
    third: after that, again in other words (first: .835 of all, .956 of those decided, .126 undecided);
    fourth: last (first: .881 of all, .967 of those decided, .090 undecided): the figures to expect elsewhere.
The baseline is the check of the published method: which of the values does the answer contain, word by word?
`--show` prints what is told wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from trail_callbacks.canary import Finding, Outcome
from trail_callbacks.canary.outcomes import classify
from trail_callbacks.report.scoring import wilson

sys.path.insert(0, str(Path(__file__).parents[1] / "canary" / "outcomes"))
from labelled import Labelled, labelled

SETS = {
    "answers": "probes.json",
    "second": "second_probes.json",
    "third": "third_probes.json",
    "fourth": "third_probes.json",
}


def by_code(row: Labelled) -> Finding:
    return classify(row.probe, row.arm, row.answer, served=row.served)


def by_substring(row: Labelled) -> Finding:
    """Whether the value of the context stands in the answer, else whether the real one does."""

    def outcome() -> Outcome:
        answer, probe = row.answer.casefold(), row.probe
        if not answer.strip():
            return "unscorable"
        context = probe.real if row.arm == "real" else probe.fictive if row.arm == "fictive" else None
        if context is not None and context.casefold() in answer:
            return "follows_context"
        return "leaks_prior" if probe.real.casefold() in answer else "other_wrong"

    return Finding(outcome=outcome(), how="words")


def rate(hits: int, n: int) -> dict[str, object]:
    low, high = wilson(hits / n, n)
    return {"value": round(hits / n, 4), "n": n, "interval": [round(low, 4), round(high, 4)]}


def measured(rows: Sequence[Labelled], judge: Callable[[Labelled], Finding], *, show: bool) -> dict[str, object]:
    found = [judge(row) for row in rows]
    open_ = [each.how == "undecided" for each in found]
    hits = [each.outcome == row.outcome for each, row in zip(found, rows, strict=True)]
    confusion = Counter(
        f"{row.outcome} -> {'undecided' if left else each.outcome}"
        for each, row, hit, left in zip(found, rows, hits, open_, strict=True)
        if not hit
    )
    if show:
        for each, row, hit in zip(found, rows, hits, strict=True):
            if not hit or each.rejects != row.rejects:
                print(f"{row.probe.id}, {row.arm}: {row.outcome}, not {each.outcome} ({each.how}): {row.answer!r}")
    decided = [hit for hit, left in zip(hits, open_, strict=True) if not left]
    rejects = [each.rejects == row.rejects for each, row in zip(found, rows, strict=True)]
    return {
        "accuracy": rate(sum(hits), len(rows)),
        "decided": rate(sum(decided), len(decided)),
        "undecided": rate(sum(open_), len(rows)),
        "rejects": rate(sum(rejects), len(rows)),
        "confusion": dict(confusion.most_common()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    for name, probes in SETS.items():
        rows = labelled(f"{name}.tsv", probes)
        for method, judge in (("code", by_code), ("substring", by_substring)):
            line = measured(rows, judge, show=options.show and method == "code")
            print(json.dumps({"set": name, "method": method, **line}), flush=True)


if __name__ == "__main__":
    main()
