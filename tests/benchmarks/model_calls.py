"""Model calls and tokens of a report: `python tests/benchmarks/model_calls.py`.

An answer of eight claims over ten passages, all supported, is judged with several claims per call as shipped; the
baseline, in the same process, judges one claim per call, as HalluMeasure's best set-up does. The model is scripted (it
replies with the right ids), so calls and prompt sizes are exact and verdicts mean nothing. Prints one JSON line for each
set-up, with the result of `estimate`.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict

from trail_callbacks import LLMJudge, ProvenanceGraph, verify
from trail_callbacks.models.call import Call
from trail_callbacks.testing import ScriptedModel
from trail_callbacks.verify.estimate import estimate

FACTS = [
    f"The {name} barn was raised in {year} by the {family} family and holds {n} bales of hay."
    for name, year, family, n in (
        ("north", 1871, "Moe", 300), ("south", 1880, "Lund", 410), ("long", 1884, "Friis", 260), ("red", 1893, "Vik", 90),
        ("old", 1899, "Berg", 120), ("low", 1902, "Dahl", 75), ("mill", 1911, "Holm", 510), ("lake", 1920, "Ness", 45),
        ("hill", 1925, "Strand", 65), ("fen", 1931, "Hauge", 205),
    )
]  # fmt: skip
PASSAGES = [
    f"{fact} It was painted twice and its roof was mended after the storm. Nobody lives there." for fact in FACTS
]
ANSWER = " ".join(FACTS[:8])


def reply(call: Call) -> dict:
    """Lists the sentences as claims; judges every claim supported by the passage with its words."""
    if call.purpose == "claims":
        return {"claims": [{"quote": fact, "claim": fact, "checkable": True} for fact in FACTS[:8]], "abstained": False}
    lines = call.messages[-1].content.splitlines()
    passages = {m[2]: m[1] for line in lines if (m := re.fullmatch(r"\[(s\d+)\] (.*)", line))}
    claims = {m[1]: m[2] for line in lines if (m := re.fullmatch(r"\[(c\d+)\] \(candidates: [^)]*\) (.*)", line))}
    return {
        "verdicts": [
            {"claim": claim, "supporting": [passage], "comparison": "The passage says so.", "support": "supported",
             "analysis": "none", "error_type": "none", "second_type": "none", "detail": "none"}
            for claim, passage in ((id_, passages[text]) for id_, text in claims.items())
        ]
    }  # fmt: skip


def main() -> None:
    graph = ProvenanceGraph.from_texts(ANSWER, PASSAGES, question="What is known about the barns?")
    for setup, claims_per_call in (("shipped", 8), ("one claim a call", 1)):
        model = ScriptedModel(reply)
        judge = LLMJudge(model, claims_per_call=claims_per_call)
        expected = estimate(graph, judge)
        report = verify(graph, judge)
        letters = sum(len(message.content) for call in model.calls for message in call.messages)
        line = {
            "benchmark": "model_calls", "setup": setup, "claims": len(report.claims), "passages": len(PASSAGES),
            "state": report.state, "supported": report.class_counts["supported"], "calls": len(model.calls),
            "prompt_letters": letters, "estimate": asdict(expected),
        }  # fmt: skip
        print(json.dumps(line))


if __name__ == "__main__":
    main()
