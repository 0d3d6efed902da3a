"""Measures how well answers are split into claims without a model, compared with plain sentences.

    python tests/benchmarks/claim_splitting.py --data /path/to/data

Prints one JSON line for each set, method and metric: the value, n, and a 95 % bootstrap interval over runs or answers.
Both sets were used while the rules were written ("dev"): expect less on unseen texts.

planted_dev, against hand-written claims with their quotes:
- `found`: share of gold claims that have a character F1 of at least 0.5 with exactly one of our claims;
- `one_to_one`: the same, where that claim matches no other gold claim;
- `boundaries`: share of the starts and ends of gold quotes that are a start or end of ours, within three characters;
- `unevaluatable`: share of unevaluatable gold claims that are split off as not checkable;
- `wrongly_unevaluatable`: share of the other gold claims that are split off as not checkable.
ragtruth_dev, answers of six models with the spans that a person marked as unsupported:
- `in_one_claim`: share of marked spans that lie in one claim (spans over several sentences cannot);
- `excess`: of the claim that covers most of a span, the mean share outside the span (smaller is better);
- `per_sentence`: claims for each sentence; `uncheckable`: share of claims that are not checkable;
- `wrongly_abstained`: share of answers with marked spans that count as an abstention as a whole;
- `milliseconds`: mean processor time for an answer.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from time import process_time
from typing import NamedTuple

from labelled_sets import require, rows, takes_data

from trail_callbacks.claims import abstains, split
from trail_callbacks.text import locate, sentences

ROUNDS = 1000
HALF = 0.5
NEAR = 3  # characters; a full stop or a quotation mark more or less is the same boundary


class Span(NamedTuple):
    start: int
    end: int
    checkable: bool = True


def ours(answer, question):
    return [Span(claim.start, claim.end, claim.checkable) for claim in split(answer, question)]


def plain(answer, _question):
    return [Span(sentence.start, sentence.end) for sentence in sentences(answer)]


def shared(a, b):
    return max(0, min(a.end, b.end) - max(a.start, b.start))


def likeness(a, b):
    return 2 * shared(a, b) / (a.end - a.start + b.end - b.start)


def gold(run, answer):
    at = 0
    for claim in run["claims"]:
        start, end = locate(claim["quote"], answer, at) or locate(claim["quote"], answer)
        at = start
        yield Span(start, end, claim["support"] != "unevaluatable")


def planted(path, method):
    """For each run and metric, one value for each gold claim."""
    for line in path.read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        answer = next(node["text"] for node in run["nodes"] if node["id"] == run["answer_id"])
        found = method(answer, run["question"])
        edges = [edge for span in found for edge in span[:2]]
        values = defaultdict(list)
        facts = list(gold(run, answer))
        for fact in facts:
            alike = [span for span in found if likeness(fact, span) >= HALF]
            rivals = [other for span in alike for other in facts if likeness(other, span) >= HALF]
            values["one_to_one"].append(len(alike) == 1 and len(rivals) == 1)
            values["found"].append(len(alike) == 1)
            values["boundaries"].extend(any(abs(edge - own) <= NEAR for edge in edges) for own in fact[:2])
            best = max(found, key=lambda span: likeness(fact, span), default=Span(0, 0))
            name = "wrongly_unevaluatable" if fact.checkable else "unevaluatable"
            values[name].append(shared(fact, best) > 0 and not best.checkable)
        yield values


def ragtruth(path, method):
    """For each answer and metric, its values."""
    for row in rows(path):
        answer = row["response"]
        started = process_time()
        found = method(answer, row["question"])
        values = {"milliseconds": [1000 * (process_time() - started)]}
        values["per_sentence"] = [len(found) / max(1, len(sentences(answer)))]
        values["uncheckable"] = [not span.checkable for span in found]
        marked = [Span(span["start"], span["end"]) for span in row["spans"]]
        if marked:
            values["wrongly_abstained"] = [abstains(answer)]
        values["in_one_claim"], values["excess"] = [], []
        for span in marked:
            best = max(found, key=lambda own: shared(span, own), default=Span(0, 0))
            values["in_one_claim"].append(best.start - NEAR <= span.start and span.end <= best.end + NEAR)
            size = best.end - best.start
            values["excess"].append(1 - shared(span, best) / size if size else 1.0)
        yield values


def mean(groups):
    values = [value for group in groups for value in group]
    return sum(values) / len(values) if values else None


def interval(groups):
    draw = random.Random(0)  # noqa: S311 - a bootstrap, no secret
    means = [mean(draw.choices(groups, k=len(groups))) for _ in range(ROUNDS)]
    known = sorted(value for value in means if value is not None)
    return [round(known[round(share * (len(known) - 1))], 3) for share in (0.025, 0.975)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    takes_data(parser)
    data = require(parser.parse_args().data)
    for name, read, file in (
        ("planted_dev", planted, "planted_dev.jsonl"),
        ("ragtruth_dev", ragtruth, "ragtruth_dev.jsonl.gz"),
    ):
        for method in (ours, plain):
            by_metric = defaultdict(list)
            for values in read(data / file, method):
                for metric, own in values.items():
                    by_metric[metric].append(own)
            for metric, groups in by_metric.items():
                value, n = mean(groups), sum(map(len, groups))
                row = {"set": name, "method": method.__name__, "metric": metric, "value": round(value, 3), "n": n}
                print(json.dumps(row | {"interval": interval(groups)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
