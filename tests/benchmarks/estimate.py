"""The error of `estimate` compared with what a verification actually reads and writes.

    TRAIL_DATA_DIR=/path/to/data python tests/benchmarks/estimate.py

Each run with planted errors is estimated, and then verified by an oracle that answers from its labels (see
`planted_oracle.py`), with the tokens of all prompts and replies counted by a real tokenizer, cl100k_base. Prints one
JSON line for each run, and one for all runs, for each language, and for the runs in which something was traced back:
median and largest relative error of prompt tokens, of completion tokens and of both together. A negative error means
that the estimate is too low. An estimate cannot know whether claims are unsupported; it assumes a third, so it is too
high if there are intermediate outputs but nothing has to be traced.

The oracle's reasoning is shorter than a model's, so the error of completion tokens says little. `schema_tokens` are the
tokens of the JSON schemas sent along with the prompts, which no estimate includes.
"""

from __future__ import annotations

import argparse
import json
import statistics
from dataclasses import dataclass

from gold_runs import Run, read_runs
from labelled_sets import require, takes_data
from planted_oracle import OracleModel

from trail_callbacks import LLMJudge, VerifyOptions, verify
from trail_callbacks.verify.estimate import Estimate, estimate


@dataclass(frozen=True)
class Cost:
    """Estimated and actual cost of one run. `traced`: the tracing that the estimate assumes did take place."""

    id: str
    language: str
    traced: bool
    expected: Estimate
    calls: int
    prompt: int
    completion: int
    schema: int

    def error(self, part: str) -> float:
        """The relative error of the estimate: `prompt`, `completion` or `total`."""
        expected = {"prompt": self.expected.prompt_tokens, "completion": self.expected.completion_tokens}
        real = {"prompt": self.prompt, "completion": self.completion}
        if part == "total":
            return sum(expected.values()) / sum(real.values()) - 1
        return expected[part] / real[part] - 1


def costs(runs: list[Run], **options) -> list[Cost]:
    """Estimates and verifies every run."""
    found = []
    for run in runs:
        model = OracleModel(run)
        judge, settings = LLMJudge(model), VerifyOptions(concurrency=1, **options)
        expected = estimate(run.graph, judge, settings)
        usage = verify(run.graph, judge, settings).usage
        wrote = any(node.kind == "completion" for node in run.graph.upstream(run.graph.answer.id))
        cost = Cost(
            id=run.id, language=run.language, traced=not wrote or "localize" in model.tallies, expected=expected,
            calls=usage.calls, prompt=usage.prompt_tokens, completion=usage.completion_tokens,
            schema=sum(tally.schema for tally in model.tallies.values()),
        )  # fmt: skip
        found.append(cost)
    return found


def summary(part: list[Cost]) -> dict:
    shown: dict = {"n": len(part), "same_calls": sum(cost.calls == cost.expected.calls for cost in part)}
    for name in ("prompt", "completion", "total"):
        errors = [cost.error(name) for cost in part]
        shown[name] = {
            "median": round(statistics.median(map(abs, errors)), 3),
            "largest": round(max(errors, key=abs), 3),
            "mean": round(statistics.fmean(errors), 3),
        }
    return shown


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares estimated with real tokens.")
    takes_data(parser)
    runs = read_runs(require(parser.parse_args().data) / "planted_dev.jsonl")
    setups = {
        "audit": {}, "audit, not localised": {"localize": False},
    }  # fmt: skip
    for name, options in setups.items():
        done = costs(runs, **options)
        for cost in done if name == "audit" else ():
            line = {"setup": name, "run": cost.id, "language": cost.language, "traced": cost.traced}
            line |= {"calls": cost.calls, "expected_calls": cost.expected.calls, "schema_tokens": cost.schema}
            for part in ("prompt", "completion", "total"):
                line[f"{part}_error"] = round(cost.error(part), 3)
            print(json.dumps(line))
        slices = {"all": done} | {
            f"language={language}": [cost for cost in done if cost.language == language]
            for language in sorted({cost.language for cost in done})
        }
        if name == "audit":
            slices["nothing expected in vain"] = [cost for cost in done if cost.traced]
        for part, chosen in slices.items():
            print(json.dumps({"setup": name, "slice": part, **summary(chosen)}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
