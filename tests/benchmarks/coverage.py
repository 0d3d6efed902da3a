"""Measures the check that claims cover an answer: wrong alarms, omissions that it finds, and its time.

    python tests/benchmarks/coverage.py --data /path/to/data [--reports FOLDER ...]

Prints one JSON line for each set and measure: a share with n and its 95 % Wilson interval. `FOLDER` holds reports of a
judge with a model, as `relay.py` writes them; the other sets are split by the offline judge.

- `alarms`: share of answers in which something is not covered although the judge was to find all claims. For
  `planted_gold` (claims written by hand, not all there are) it is an upper bound.
- `sentences`: of the sentences whose claims are all taken away, the share that is reported, in whole or in part; those
  that only repeat another claim need not be.
- `claims`: of single claims taken away, whatever others say of the same sentence, the share of which something is
  reported. A claim may share all its words with others, so less than all is expected.
- `milliseconds`: mean time for an answer, with `sentences` as the mean number of sentences.

The lists of phrases were written with these sets at hand ("dev"): expect more alarms on unseen texts.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import NamedTuple

from labelled_sets import require, rows, takes_data

from trail_callbacks import Report
from trail_callbacks.claims import Claim, abstains, split
from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.text import sentences
from trail_callbacks.verify.coverage import coverage


class Case(NamedTuple):
    answer: str
    question: str
    claims: tuple[Claim, ...]
    abstained: bool

    def uncovered(self, claims):
        return coverage(self.answer, claims, self.question, abstained=self.abstained).uncovered


def offline(answer: str, question: str) -> Case:
    return Case(answer, question, split(answer, question), abstains(answer))


def gold(row: dict) -> Case:
    answer = next(node["text"] for node in row["nodes"] if node["id"] == row["answer_id"])
    claims = []
    for each in row["claims"]:
        start = answer.index(each["quote"])
        end = start + len(each["quote"])
        claims.append(Claim(id=each["id"], text=each["text"], quote=each["quote"], start=start, end=end))
    return Case(answer, row["question"], tuple(claims), abstained=False)


def recorded(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.glob("*.json")):
        report = Report.from_json(path.read_text(encoding="utf-8"))
        answer, question = report.graph.answer, report.graph.question
        if answer is not None:
            claims = tuple(claim for claim in report.claims if not claim.uncovered)
            yield Case(answer.text, question.text if question else "", claims, report.state == "abstained")


def sets(data: Path, folders: list[Path]) -> Iterator[tuple[str, list[Case]]]:
    yield "natural_dev", [offline(row["answer"], row["question"]) for row in rows(data / "natural_dev.jsonl")]
    joined = ((" ".join(s["text"] for s in row["sentences"]), row) for row in rows(data / "everyday_train.jsonl"))
    yield "everyday_train", [offline(answer, row["question"]) for answer, row in joined]
    yield "ragtruth_dev", [offline(r["response"], r["question"]) for r in rows(data / "ragtruth_dev.jsonl.gz")]
    yield "planted_gold", [gold(row) for row in rows(data / "planted_dev.jsonl")]
    for folder in folders:
        for part in sorted({path.parent for path in folder.glob("**/*.json")}):
            if part.name != "claims" and part != folder:  # there the claim is given, and is the answer
                yield f"{folder.name}/{part.name}", list(recorded(part))


def share(hits: list[bool]) -> dict:
    n = len(hits)
    if not n:
        return {"value": None, "n": 0}
    return {"value": round(sum(hits) / n, 4), "n": n, "interval_95": [round(b, 4) for b in wilson(sum(hits) / n, n)]}


def touches(span, claim) -> bool:
    return claim.start < span.end and claim.end > span.start


def without_sentences(case: Case) -> Iterator[bool]:
    for sentence in sentences(case.answer):
        if any(claim.checkable and touches(sentence, claim) for claim in case.claims):
            kept = [claim for claim in case.claims if not touches(sentence, claim)]
            yield any(start < sentence.end and end > sentence.start for start, end, _ in case.uncovered(kept))


def without_claims(case: Case) -> Iterator[bool]:
    for taken in case.claims:
        if taken.checkable:
            kept = [claim for claim in case.claims if claim is not taken]
            yield any(start < taken.end and end > taken.start for start, end, _ in case.uncovered(kept))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    takes_data(parser)
    parser.add_argument("--reports", type=Path, nargs="*", default=[], help="folders that relay.py wrote")
    parser.add_argument("--show", action="store_true", help="print what is not covered")
    arguments = parser.parse_args()
    for name, cases in sets(require(arguments.data), arguments.reports):
        started = process_time()
        found = [case.uncovered(case.claims) for case in cases]
        took = process_time() - started
        for case, spans in zip(cases, found, strict=True) if arguments.show else ():
            for start, end, said in spans:
                print(json.dumps({"set": name, "not_covered": case.answer[start:end], "in": said}, ensure_ascii=False))
        print(json.dumps({"set": name, "measure": "alarms", **share([bool(spans) for spans in found])}))
        lost = [hit for case in cases for hit in without_sentences(case)]
        print(json.dumps({"set": name, "measure": "sentences", **share(lost)}))
        lost = [hit for case in cases for hit in without_claims(case)]
        print(json.dumps({"set": name, "measure": "claims", **share(lost)}))
        length = sum(len(sentences(case.answer)) for case in cases) / len(cases)
        line = {"value": round(1000 * took / len(cases), 3), "n": len(cases), "sentences": round(length, 1)}
        print(json.dumps({"set": name, "measure": "milliseconds", **line}), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
