"""Measures whether the diagnosis names the stage that broke: pipelines with one planted fault each.

    python tests/benchmarks/diagnosis.py [--each 20] [--seed 0] [--judge oracle|offline] [--only langchain]
    python tests/benchmarks/diagnosis.py --judge model --base-url http://127.0.0.1:8123/v1 --each 4 --only langchain

The pipelines are real (LangChain, LlamaIndex; rewriter, vector store, reranker, packer), the model is scripted, and the
subjects are made up, so that code knows the truth. `oracle` is a judge that reads it there: it measures the diagnosis.
`offline` is what a user without a model gets, `model` asks an OpenAI-compatible endpoint. Prints a line for each signature with its share of right signatures, n and
the 95 % Wilson interval, then the confusion, and beside it which half of the pipeline RAGChecker's categories would
blame: it has a retriever and a generator, and needs the right answer.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from trail_callbacks import LLMJudge, LocalJudge
from trail_callbacks.diagnosis import diagnose
from trail_callbacks.report.diagnosis import Diagnosis, Signature
from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.trace import Trace

sys.path.insert(0, str(Path(__file__).parents[1] / "faults"))

import langchain_faults
import llama_index_faults
from cases import Plan, cases
from oracle import Oracle

FRAMEWORKS = {"langchain": langchain_faults, "llama_index": llama_index_faults}
RETRIEVER: frozenset[Signature] = frozenset(
    {"rewrite_loss", "recall_failure", "selection_failure", "truncation", "right_by_memory", "should_have_abstained"}
)
"""Signatures under which the prompt lacks the right answer."""


class Blind(Oracle):
    """An oracle that decides nothing about answers, and surveys nothing."""

    def _judged(self, question, purpose):  # type: ignore[no-untyped-def]
        from trail_callbacks.judges.judge import Judgement

        return Judgement(claim_id=question.claim.id, undecided="it is blind")

    survey = None  # type: ignore[assignment]


def diagnosis_of(plan: Plan, trace: Trace, retriever: object, judge: str, model: LLMJudge | None) -> Diagnosis:
    """Diagnoses one run, with what the caller knows by plan."""
    oracle = Blind if plan.blind else Oracle
    asked = {"offline": LocalJudge, "model": lambda: model}.get(judge, lambda: oracle(plan.world, plan.asked))()
    return diagnose(trace, asked, gold=plan.gold, reference=plan.reference, retriever=retriever)


def ragchecker(plan: Plan, trace: Trace) -> str:
    """What RAGChecker's two modules come to: no claim of the right answer in the prompt blames the retriever."""
    right = plan.world.sentence(plan.asked)
    if plan.answer == right:
        return "none"
    graph = trace.graph
    prompts = "\n".join(node.text for node in graph.nodes if node.kind == "instruction")
    shown = right in prompts or any(
        right in node.text
        and any(p.node_id == node.id and p.arrived > 0.99 for each in trace.packings for p in each.pieces)
        for node in graph.nodes
    )
    return "generator" if shown else "retriever"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--judge", choices=("oracle", "offline", "model"), default="oracle")
    parser.add_argument("--base-url", help="with --judge model: the endpoint")
    parser.add_argument("--model", default="openai/relay")
    parser.add_argument("--threads", type=int, default=16, help="cases diagnosed at once with --judge model")
    parser.add_argument("--only", choices=FRAMEWORKS)
    parser.add_argument("--wrong", action="store_true", help="print every case that was diagnosed otherwise")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    model = None
    if options.judge == "model":
        model = LLMJudge(options.model, base_url=options.base_url, api_key="none", timeout=7000.0)
    for name, module in FRAMEWORKS.items():
        if options.only in {None, name}:
            confusion: dict[str, Counter[str]] = defaultdict(Counter)
            other: dict[str, Counter[str]] = defaultdict(Counter)
            plans = [
                plan for plan in cases(options.each, options.seed) if not (plan.blind and options.judge == "model")
            ]
            traces = [module.played(plan) for plan in plans]
            asked = [module.index(plan) if plan.asks else None for plan in plans]
            work = partial(diagnosis_of, judge=options.judge, model=model)
            with ThreadPoolExecutor(options.threads if model else 1) as pool:
                diagnoses = list(pool.map(work, plans, traces, asked))
            for plan, trace, found in zip(plans, traces, diagnoses, strict=True):
                confusion[plan.signature][found.signature] += 1
                other[plan.signature][ragchecker(plan, trace)] += 1
                if options.wrong and found.signature != plan.signature:
                    print(plan.signature, "/", plan.variant, "->", found.signature, found.reasons, plan.question)
            right = sum(row[planted] for planted, row in confusion.items())
            n = sum(row.total() for row in confusion.values())
            for planted, row in confusion.items():
                hit = row[planted]
                line = {"framework": name, "judge": options.judge, "planted": planted, "right": hit, "n": row.total()}
                line["interval"] = [round(x, 3) for x in wilson(hit / row.total(), row.total())]
                line |= {"found": dict(row.most_common()), "ragchecker": dict(other[planted].most_common())}
                print(json.dumps(line))
            line = {"framework": name, "judge": options.judge, "accuracy": round(right / n, 3), "n": n}
            print(json.dumps(line | {"interval": [round(x, 3) for x in wilson(right / n, n)]}))


if __name__ == "__main__":
    main()
