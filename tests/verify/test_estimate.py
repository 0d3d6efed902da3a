import json
from pathlib import Path

import pytest

from trail_callbacks import CascadeJudge, LLMJudge, Node, ProvenanceGraph, VerifyOptions, verify
from trail_callbacks.graph import Edge
from trail_callbacks.models.tokens import count
from trail_callbacks.testing import ScriptedModel
from trail_callbacks.verify.estimate import Estimate, estimate

FACTS = [f"The {name} barn was raised in {year}." for name, year in zip("ABCDEFGH", range(1871, 1879), strict=True)]
ANSWER = " ".join(FACTS)
MODEL = "openai/nobody"


def chain(*texts):
    """A source, outputs that follow each other, and the answer."""
    kinds = ["document", *["completion"] * (len(texts) - 1), "answer"]
    nodes = tuple(
        Node(id=f"n{i}", kind=kind, text=text)
        for i, (kind, text) in enumerate(zip(kinds, (*texts, ANSWER), strict=True))
    )
    return ProvenanceGraph(
        nodes=nodes, edges=tuple(Edge(source=f"n{i}", target=f"n{i + 1}") for i in range(len(nodes) - 1))
    )


FLAT = ProvenanceGraph.from_texts(ANSWER, FACTS, "When were the barns raised?")


def right(call):
    """Lists the sentences as claims and says that the passage with its words supports each."""
    import re

    lines = call.messages[-1].content.splitlines()
    passages = {m[2]: m[1] for row in lines if (m := re.fullmatch(r"\[(s\d+)\] (.*)", row))}
    if call.purpose == "claims":
        return {"claims": [{"quote": fact, "claim": fact, "checkable": True} for fact in FACTS], "abstained": False}
    if call.purpose == "onepass":
        judged = [{"quote": fact, "supporting": [passages[fact]], "support": "supported"} for fact in FACTS]
        return {"claims": judged, "abstained": False}
    claims = {m[1]: m[2] for row in lines if (m := re.fullmatch(r"\[(c\d+)\] \(candidates: [^)]*\) (.*)", row))}
    return {"verdicts": [{"claim": c, "supporting": [passages[t]], "support": "supported"} for c, t in claims.items()]}


@pytest.mark.parametrize(("claims_per_call", "calls"), [(None, 1), (8, 2)])
def test_an_answer_whose_sources_are_read_directly_costs_what_was_said(claims_per_call, calls):
    model = ScriptedModel(right)
    judge = LLMJudge(model, claims_per_call=claims_per_call)
    expected = estimate(FLAT, judge)
    assert model.calls == []
    report = verify(FLAT, judge)
    sent = sum(count(message.content) for call in model.calls for message in call.messages)
    assert report.state == "assessed"
    assert (expected.calls, expected.more_calls, expected.claims) == (calls, 0, 8)
    assert expected.calls == len(model.calls)
    assert expected.prompt_tokens == sent
    assert 300 < expected.completion_tokens < 3000


def test_tracing_back_is_expected_where_models_wrote_in_between():
    flat, deep = estimate(FLAT, MODEL), estimate(chain(ANSWER, ANSWER, ANSWER), MODEL)
    assert deep.calls == flat.calls + 1
    assert deep.prompt_tokens > flat.prompt_tokens
    off = estimate(chain(ANSWER, ANSWER, ANSWER), MODEL, VerifyOptions(localize=False))
    assert off.calls == 1


def test_a_long_answer_is_read_in_windows():
    answer = "\n\n".join(f"Paragraph {n} says that barn {n} has {n} doors. " * 8 for n in range(60))
    expected = estimate(ProvenanceGraph.from_texts(answer, [answer]), MODEL)
    assert expected.calls > 4
    assert expected.prompt_tokens > count(answer)


def test_a_cascade_asks_only_about_what_the_first_is_unsure_of(by_colour):
    cascade = CascadeJudge(by_colour, LLMJudge(ScriptedModel([])))
    unsure = ProvenanceGraph.from_texts("The A barn is blue.", FACTS)
    assert (estimate(FLAT, cascade).calls, estimate(unsure, cascade).calls) == (1, 2)


def test_what_a_cache_knows_is_free(tmp_path):
    options = VerifyOptions(cache=tmp_path)
    assert estimate(FLAT, LLMJudge(ScriptedModel([])), options).calls == 1
    verify(FLAT, LLMJudge(ScriptedModel(right)), options)
    model = ScriptedModel([])
    known = estimate(FLAT, LLMJudge(model), options)
    assert (known.calls, known.prompt_tokens, known.completion_tokens, known.claims) == (0, 0, 0, 8)
    assert verify(FLAT, LLMJudge(model), options).usage.cache_hits == 1
    assert model.calls == []
    assert estimate(FLAT, LLMJudge(ScriptedModel([], name="another")), options).calls == 1


def test_what_cannot_cost_anything_costs_nothing():
    nothing = Estimate(calls=0, prompt_tokens=0, completion_tokens=0, claims=0, more_calls=0)
    assert estimate(ProvenanceGraph(nodes=(), edges=()), MODEL) == nothing
    assert estimate(ProvenanceGraph.from_texts("  ", ["x"]), MODEL) == nothing
    assert estimate(FLAT) == Estimate(calls=0, prompt_tokens=0, completion_tokens=0, claims=8, more_calls=0)
    assert estimate(ProvenanceGraph.from_texts("Hello! How are you?", ["x"]), MODEL).calls == 1


@pytest.fixture
def benchmark(monkeypatch):
    """The benchmark's modules, with the tokenizer they need."""
    pytest.importorskip("tiktoken")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    import estimate as benchmark
    import planted_prompts

    try:
        planted_prompts.tokenizer()
    except RuntimeError as error:
        pytest.skip(str(error))
    return benchmark


def within(costs, limit=0.15):
    """Holds wherever there was something to trace back, if models wrote in between; nobody can know that before."""
    return [
        (abs(cost.error("prompt")) < limit, abs(cost.error("total")) < limit, cost.calls == cost.expected.calls)
        for cost in costs
        if cost.traced
    ]


def test_a_run_with_planted_faults_costs_what_was_estimated(benchmark):
    from gold_runs import read_run

    run = read_run(json.loads((Path(__file__).parents[1] / "runs" / "planted_harbour.json").read_text("utf-8")))
    costs = benchmark.costs([run])
    assert within(costs) == [(True, True, True)]


def test_the_fields_of_a_structured_answer_cost_no_call_to_find():
    answer = '{"boat": {"length": 41, "name": "Aurora"}}'
    expected = estimate(ProvenanceGraph.from_texts(answer, ["The boat is long."]), MODEL, VerifyOptions(localize=False))
    assert (expected.claims, expected.calls) == (2, 1)
