"""Measures verification on runs with planted errors: classes, error types, localisation and cost.

    TRAIL_DATA_DIR=/path/to/data python tests/benchmarks/planted.py
    python tests/benchmarks/planted.py --data /path/to/data --judge openai/gpt-5-mini --rows judge,judge+gold

Prints one JSON line for each row and slice (all runs, each shape, each language), then one for each target. Intervals
contain 95 % of 1,000 resamplings of whole runs, because claims of one run are not independent.

Rows:

- `local`, `local+gold`: `LocalJudge`; with its own claims, and with the gold claims, which measures judging alone.
- `oracle`: `LLMJudge` over a model that knows the labels, see `planted_oracle.py`. It must reach 1.0: any loss is due to
  the pipeline. `oracle-veritrail-q1` and `-q3` walk back as published, but share the reading of texts; `published-q1`
  asks about one claim per call, as published. A walk maps classes to three verdicts, so their error types and the class
  of unsupported claims are by-products.
- `judge`, `judge+gold`, `judge-veritrail`: the model named by `--judge`.

Claims that a judge extracted itself are matched with gold claims by position, see `planted_metrics.py`. `coverage` is the
share of gold claims with a match; the others are left out of all other metrics. A claim that a judge leaves undecided
counts as a miss in `class_accuracy`, the F1 of classes, `introduced_at` and `path`: `offline.py` says how often
`LocalJudge` decides, and how often it is right.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from gold_runs import UNSUPPORTED, Fact, Run, read_runs
from labelled_sets import require, takes_data
from planted_metrics import METRICS, Pair, interval, matched, path
from planted_oracle import OracleModel
from planted_prompts import tokens

from trail_callbacks import LLMJudge, LocalJudge, Report, VerifyOptions, verify, veritrail
from trail_callbacks.claims import Claim, split
from trail_callbacks.judges.judge import Extraction
from trail_callbacks.text import locate


@dataclass(frozen=True)
class Outcome:
    """The result of one run."""

    run: Run
    report: Report
    pairs: tuple[Pair, ...]
    seconds: float
    model: OracleModel | None = None


def summary(outcomes, *, intervals: bool) -> dict:
    pairs = [pair for outcome in outcomes for pair in outcome.pairs]
    shown: dict = {"runs": len(outcomes), "claims": len(pairs)}
    for name, metric in METRICS.items():
        value = metric(pairs)
        if value is None:
            continue
        shown[name] = {"value": round(value[0], 3), "n": value[1]}
        if intervals:
            shown[name]["interval_95"] = interval(metric, outcomes)
    usages = [outcome.report.usage for outcome in outcomes]
    shown["states"] = dict(Counter(outcome.report.state for outcome in outcomes))
    return shown | {
        "calls": sum(usage.calls for usage in usages),
        "prompt_tokens": sum(usage.prompt_tokens for usage in usages),
        "schema_tokens": sum(outcome.model.total("schema") for outcome in outcomes if outcome.model),
        "completion_tokens": sum(usage.completion_tokens for usage in usages),
        "seconds": round(sum(outcome.seconds for outcome in outcomes), 2),
    }


# Rows.


class GoldClaims:
    """A judge that gets the gold claims, so that judging is measured separately from extraction.

    Whether a claim is checkable is still decided by the rule-based splitter.
    """

    def __init__(self, judge, run: Run) -> None:
        self._judge, self._run = judge, run
        self.name, self.model, self.assess = f"{judge.name} with gold claims", judge.model, judge.assess
        for ability in ("decompose", "select"):
            if hasattr(judge, ability):
                setattr(self, ability, getattr(judge, ability))

    def extract(self, answer: str, question: str | None):
        yield from ()
        return Extraction(claims=tuple(self._claim(fact, answer) for fact in self._run.facts))

    def _claim(self, fact: Fact, answer: str) -> Claim:
        start, end = locate(fact.quote, answer) or (0, 0)
        checkable = any(piece.checkable for piece in split(fact.text))
        return Claim(id=fact.id, text=fact.text, quote=answer[start:end], start=start, end=end, checkable=checkable)


def outcome(run: Run, judge, find: Callable[..., Report], model: OracleModel | None = None) -> Outcome:
    started = time.perf_counter()
    report = find(run.graph, judge, VerifyOptions(concurrency=1) if model else None)
    seconds = time.perf_counter() - started
    return Outcome(run, report, matched(run, report), seconds, model)


def oracle(claims_per_call: int | None = None, find: Callable[..., Report] = verify):
    def measure(run: Run) -> Outcome:
        model = OracleModel(run)
        judge = LLMJudge(model, claims_per_call=claims_per_call)
        return outcome(run, judge, find, model)

    return measure


def asked(judge, *, gold: bool = False, find: Callable[..., Report] = verify):
    return lambda run: outcome(run, GoldClaims(judge, run) if gold else judge, find)


def rows(arguments) -> dict[str, Callable[[Run], Outcome]]:
    known = {
        "local": asked(LocalJudge()),
        "local+gold": asked(LocalJudge(), gold=True),
        "oracle": oracle(),
        "oracle-veritrail-q1": oracle(find=veritrail),
        "oracle-veritrail-q3": oracle(find=partial(veritrail, q=3)),
        "published-q1": oracle(claims_per_call=1, find=veritrail),
    }
    if arguments.judge:
        judge = LLMJudge(arguments.judge, base_url=arguments.base_url)
        known |= {
            "judge": asked(judge),
            "judge+gold": asked(judge, gold=True),
            "judge-veritrail": asked(judge, find=veritrail),
        }
    wanted = arguments.rows.split(",") if arguments.rows else [name for name in known if name != "judge-veritrail"]
    if arguments.gold_claims:
        wanted = [f"{name}+gold" if f"{name}+gold" in known else name for name in wanted]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SystemExit(f"unknown rows: {', '.join(unknown)}; there are {', '.join(known)}")
    return {name: known[name] for name in dict.fromkeys(wanted)}


def targets(done: dict[str, list[Outcome]]):
    """The targets of the oracle."""
    if "oracle" in done:
        outcomes = done["oracle"]
        pairs = [pair for each in outcomes for pair in each.pairs]
        for name in ("class_accuracy", "error_type_of_found", "introduced_at", "path", "coverage"):
            value, n = METRICS[name](pairs)
            yield {"target": f"oracle: {name}", "value": round(value, 4), "n": n, "limit": 1.0, "pass": value == 1.0}
        for each in outcomes:
            if not any(fact.support in UNSUPPORTED for fact in each.run.facts):
                leaves = sum(tokens(leaf.text) for leaf in each.run.graph.leaves())
                prompt, system = each.model.total("prompt"), each.model.total("system")
                needed = leaves + tokens(each.run.graph.answer.text) + system
                yield {
                    "target": "prompt tokens of a supported answer, by those of leaves, answer and system prompts",
                    "run": each.run.id, "leaf_tokens": leaves, "value": round(prompt / needed, 2),
                    "without_system_prompts": round((prompt - system) / leaves, 2), "limit": 1.3,
                    "pass": prompt <= 1.3 * needed,
                }  # fmt: skip
    if {"oracle", "published-q1"} <= done.keys():
        both = list(zip(done["oracle"], done["published-q1"], strict=True))
        deep = [(ours, theirs) for ours, theirs in both if any(n.kind == "completion" for n in ours.run.graph.nodes)]
        ratios = [ours.report.usage.calls / theirs.report.usage.calls for ours, theirs in deep]
        ratio = sum(o.report.usage.calls for o, _ in deep) / sum(t.report.usage.calls for _, t in deep)
        same = [
            (a.said in UNSUPPORTED) == (b.said in UNSUPPORTED)
            for ours, theirs in deep
            for a, b in zip(ours.pairs, theirs.pairs, strict=True)
        ]
        yield {
            "target": "calls on multi-step runs, as a share of the per-claim published algorithm's",
            "value": round(ratio, 4), "worst_run": round(max(ratios), 4), "runs": len(deep), "limit": 0.1,
            "equal_verdicts": f"{sum(same)}/{len(same)}", "pass": ratio <= 0.1 and all(same),
        }  # fmt: skip


def show_misses(row: str, outcomes: list[Outcome]) -> None:
    for each in outcomes:
        for what, claim in dict.fromkeys(each.model.misses if each.model else ()):
            print(json.dumps({"row": row, "run": each.run.id, "miss": what, "claim": claim}))
        for pair in each.pairs:
            if pair.fact.support != pair.said or not path(pair):
                gold = (pair.fact.support, pair.fact.error_type, pair.fact.introduced_at, pair.fact.carried_through)
                line = {"row": row, "run": each.run.id, "wrong": pair.fact.id, "claim": pair.fact.text}
                print(json.dumps({**line, "gold": gold, "said": pair[1:-1]}))


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures verification on runs with planted faults.")
    takes_data(parser)
    parser.add_argument("--judge", help="provider/model of an OpenAI-compatible endpoint, e.g. openai/gpt-5-mini")
    parser.add_argument("--base-url", help="the endpoint, if it is not the provider's own")
    parser.add_argument("--rows", help="comma-separated; by default all but judge-veritrail")
    parser.add_argument("--gold-claims", action="store_true", help="give LocalJudge and --judge the gold claims")
    parser.add_argument("--limit", type=int, help="only the first runs")
    parser.add_argument("--misses", action="store_true", help="also print what the oracle knew and could not say")
    arguments = parser.parse_args()
    runs = read_runs(require(arguments.data) / "planted_dev.jsonl")[: arguments.limit]
    done: dict[str, list[Outcome]] = {}
    for name, measure in rows(arguments).items():
        outcomes = done[name] = [measure(run) for run in runs]
        print(json.dumps({"row": name, "slice": "all", **summary(outcomes, intervals=True)}), flush=True)
        for kind in ("shape", "language"):
            for value in sorted({getattr(run, kind) for run in runs}):
                part = [each for each in outcomes if getattr(each.run, kind) == value]
                print(json.dumps({"row": name, "slice": f"{kind}={value}", **summary(part, intervals=False)}))
        if arguments.misses:
            show_misses(name, outcomes)
    for target in targets(done):
        print(json.dumps(target))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
