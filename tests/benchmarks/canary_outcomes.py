"""Measures how well outcomes of answers are told by code, and by code and a model, against labels given by reading.

    python tests/benchmarks/canary_outcomes.py [--show] [--answers NAME.tsv] [--model NAME --base-url URL]

Prints one JSON line for each set and method, all with n and a 95 % Wilson interval:
    accuracy: share of all answers with the right outcome; what is left undecided counts as wrong, unless that is right;
    decided: the same, of the answers that are decided;
    undecided: share that is left undecided;
    rejects: share for which it is told rightly whether the answer rejects the documents (not of the baseline);
    confusion: how often each outcome was taken for another one.
Sets, with what they gave when they were scored for the first time; the code was then mended:
    answers: written by the author of the code, before it (.976 of all, .986 of those decided);
    fifth: by a language model that had not seen the code (.742 of all, .826 of those decided);
    sixth: by a second author of the code, who looked for what it must get wrong, in four parts, each scored before the
        code was mended for it (.784 of all, .902 of those decided);
    unseen: by three language models that had not seen the code, which was not mended for it: what to expect elsewhere.
Methods:
    code: `classify`, which asks no model;
    code and model: what code is in doubt of is read by the model (`--model`, as for `trail canary run --judge`);
        `asked` is the accuracy on these answers alone;
    substring: the check of the published method: which of the values does the answer contain, word by word?
`--show` prints what is told wrong. `--answers` scores another set alone: NAME_probes.json is beside it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from trail_callbacks.canary import Finding, Outcome
from trail_callbacks.canary.outcomes import Scored, classify, decide_all
from trail_callbacks.models import Model
from trail_callbacks.models.drive import drive
from trail_callbacks.models.instructor import InstructorModel
from trail_callbacks.statistics.intervals import wilson

sys.path.insert(0, str(Path(__file__).parents[1] / "canary" / "outcomes"))
from labelled import Labelled, labelled

SETS = {
    "answers": "probes.json",
    "fifth": "fifth_probes.json",
    "sixth": "sixth_probes.json",
    "unseen": "unseen_probes.json",
}


def by_code(rows: Sequence[Labelled]) -> list[Finding]:
    return [classify(row.probe, row.arm, row.answer, served=row.served) for row in rows]


def by_code_and(model: Model, rows: Sequence[Labelled]) -> list[Finding]:
    """Code first, and the model where code is in doubt."""
    scored = [Scored(probe=row.probe, arm=row.arm, answer=row.answer, served=row.served) for row in rows]
    return drive(decide_all(scored), model)[0]


def by_substring(rows: Sequence[Labelled]) -> list[Finding]:
    """Whether the value of the context stands in the answer, else whether the real one does."""

    def outcome(row: Labelled) -> Outcome:
        answer, probe = row.answer.casefold(), row.probe
        if not answer.strip():
            return "unscorable"
        context = probe.real if row.arm == "real" else probe.fictive if row.arm == "fictive" else None
        if context is not None and context.casefold() in answer:
            return "follows_context"
        return "leaks_prior" if probe.real.casefold() in answer else "other_wrong"

    return [Finding(outcome=outcome(row), how="words") for row in rows]


def rate(hits: Sequence[bool]) -> dict[str, object]:
    n = len(hits)
    if not n:
        return {"value": None, "n": 0}
    low, high = wilson(sum(hits) / n, n)
    return {"value": round(sum(hits) / n, 4), "n": n, "interval": [round(low, 4), round(high, 4)]}


def measured(rows: Sequence[Labelled], found: Sequence[Finding], *, show: bool = False) -> dict[str, object]:
    open_ = [each.how == "undecided" for each in found]
    hits = [each.outcome == row.outcome for each, row in zip(found, rows, strict=True)]
    rejects = [each.rejects == row.rejects for each, row in zip(found, rows, strict=True)]
    confusion = Counter(
        f"{row.outcome} -> {'undecided' if left else each.outcome}"
        for each, row, hit, left in zip(found, rows, hits, open_, strict=True)
        if not hit
    )
    if show:
        for each, row, hit, same in zip(found, rows, hits, rejects, strict=True):
            if not hit or not same:
                print(f"{row.probe.id}, {row.arm}: {row.outcome}, not {each.outcome} ({each.how}): {row.answer!r}")
    return {
        "accuracy": rate(hits),
        "decided": rate([hit for hit, left in zip(hits, open_, strict=True) if not left]),
        "undecided": rate(open_),
        "rejects": rate(rejects),
        "confusion": dict(confusion.most_common()),
    }


def asked(rows: Sequence[Labelled], code: Sequence[Finding], found: Sequence[Finding]) -> dict[str, object]:
    """Accuracy where code is in doubt and the model reads; answers that it leaves open count as wrong."""
    return rate(
        [each.outcome == row.outcome for row, before, each in zip(rows, code, found, strict=True) if before.is_doubtful]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print what is told wrong")
    parser.add_argument(
        "--answers", type=Path, help="a set to score instead: NAME.tsv, with NAME_probes.json beside it"
    )
    parser.add_argument("--model", help="provider/name of a model for what code is in doubt of")
    parser.add_argument("--base-url", help="its endpoint, if it is not the provider's own")
    parser.add_argument("--api-key", help="its key; without --base-url the provider's usual variable counts")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for an answer of the model")
    options = parser.parse_args()
    model = None
    if options.model:
        model = InstructorModel(
            options.model, base_url=options.base_url, api_key=options.api_key, timeout=options.timeout
        )
    sets = {name: (f"{name}.tsv", probes) for name, probes in SETS.items()}
    if options.answers:
        path = options.answers.resolve()
        sets = {path.stem: (str(path), str(path.with_name(f"{path.stem}_probes.json")))}
    for name, (answers, probes) in sets.items():
        rows = labelled(answers, probes)
        code = by_code(rows)
        lines = {"code": measured(rows, code, show=options.show), "substring": measured(rows, by_substring(rows))}
        if model is not None:
            both = by_code_and(model, rows)
            lines["code and model"] = {**measured(rows, both, show=options.show), "asked": asked(rows, code, both)}
        for method, line in lines.items():
            print(json.dumps({"set": name, "method": method, **line}), flush=True)


if __name__ == "__main__":
    main()
