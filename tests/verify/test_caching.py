"""The cache folder of a verification, with whole verifications."""

import json
import re
from functools import partial
from pathlib import Path

import pytest

from trail_callbacks import (
    CascadeJudge,
    LLMJudge,
    LocalJudge,
    Node,
    ProvenanceGraph,
    VerifyOptions,
    check,
    verify,
    veritrail,
)
from trail_callbacks.errors import InputError
from trail_callbacks.graph import Edge
from trail_callbacks.judges import Assessment, Judgement
from trail_callbacks.models.call import Budget
from trail_callbacks.session import CaptureSettings, Session
from trail_callbacks.testing import ScriptedModel

FACTS = ["The bridge opened in 1887.", "It is 200 m long.", "It was painted red."]
ANSWER = " ".join(FACTS[:2])


def asked_claims(call):
    lines = call.messages[-1].content.splitlines()
    return {m[1]: m[2] for row in lines if (m := re.fullmatch(r"\[(c\d+)\] \(candidates: [^)]*\) (.*)", row))}


def right(call):
    """Lists the facts that the answer states, and points at a passage with the words of each claim."""
    prompt = call.messages[-1].content
    passages = {m[2]: m[1] for row in prompt.splitlines() if (m := re.fullmatch(r"\[(s\d+)\] (.*)", row))}
    if call.purpose in {"claims", "onepass"}:
        stated = [fact for fact in FACTS if fact in prompt.split("<<<ANSWER")[1]]
        if call.purpose == "claims":
            return {"claims": [{"quote": fact, "claim": fact} for fact in stated]}
        return {"claims": [{"quote": t, "supporting": [passages[t]], "support": "supported"} for t in stated]}
    claims = asked_claims(call).items()
    return {"verdicts": [{"claim": c, "supporting": [passages[t]], "support": "supported"} for c, t in claims]}


def run(folder, answer=ANSWER, script=right, judge=LLMJudge, **options):
    model = ScriptedModel(script)
    report = check(answer, FACTS, "When?", judge(model), VerifyOptions(cache=folder, **options))
    return report, model.calls


def test_the_same_verification_costs_nothing_the_second_time(tmp_path):
    first, asked = run(tmp_path)
    assert (len(asked), first.usage.calls, first.usage.cache_hits) == (1, 1, 0)
    second, asked = run(tmp_path, budget=Budget(calls=0))
    assert (len(asked), second.usage.calls, second.usage.cache_hits) == (0, 0, 1)
    assert second.verdicts == first.verdicts
    assert (second.claims, second.state, second.warnings) == (first.claims, first.state, first.warnings)


def test_a_changed_answer_is_judged_anew_because_a_claim_means_what_it_means_in_its_answer(tmp_path):
    run(tmp_path, judge=lambda model: LLMJudge(model, claims_per_call=1))
    report, asked = run(tmp_path, f"{ANSWER} {FACTS[2]}", judge=lambda model: LLMJudge(model, claims_per_call=1))
    assert report.usage.cache_hits == 0
    judged = [fact for call in asked if call.purpose == "verdicts" for fact in asked_claims(call).values()]
    assert sorted(judged) == sorted(FACTS)


def traced(prefix):
    """A run of an app, in which every node has an id of its own."""
    texts = {
        "question": "When did the bridge open?",
        "document": "The bridge opened in 1887. It is 200 m long.",
        "completion": "The bridge opened in 1887. It was painted red.",
        "answer": "The bridge opened in 1887. It was painted red.",
    }
    nodes = tuple(Node(id=f"{prefix}-{kind}", kind=kind, text=text) for kind, text in texts.items())
    pairs = [("question", "completion"), ("document", "completion"), ("completion", "answer"), ("document", "answer")]
    return ProvenanceGraph(
        nodes=nodes, edges=tuple(Edge(source=f"{prefix}-{a}", target=f"{prefix}-{b}") for a, b in pairs)
    )


def tracing(call):
    """A judge that finds no source for the paint, and finds it in the completion."""
    if call.purpose == "decompose":
        return {"claims": []}
    prompt = call.messages[-1].content
    shown = dict(re.findall(r"^\[(s\d+)\] (.*)$", prompt, re.MULTILINE))
    paint = [id_ for id_, text in shown.items() if "painted" in text]
    opened = [id_ for id_, text in shown.items() if "1887" in text]
    if call.purpose == "select":
        found = [("c1", opened), ("c2", paint)]
        return {"found": [{"claim": c, "text": "A", "sentences": ids, "summary": ""} for c, ids in found if ids]}
    if call.purpose == "localize":
        return {"verdicts": [{"claim": c, "evidence": paint, "stated": bool(paint)} for c in asked_claims(call)]}
    if call.purpose == "claims":
        return right(call)
    sides = {FACTS[0]: opened, FACTS[2]: paint}
    return {
        "verdicts": [
            {"claim": c, "supporting": sides[text], "support": "supported" if sides[text] else "absent"}
            for c, text in asked_claims(call).items()
        ]
    }


@pytest.mark.parametrize("find", [verify, veritrail])
def test_another_run_with_the_same_texts_costs_nothing_whatever_its_ids(tmp_path, find):
    options = VerifyOptions(cache=tmp_path)
    model = ScriptedModel(tracing)
    first = find(traced("z9"), LLMJudge(model, claims_per_call=8), options)
    paid = len(model.calls)
    second = find(traced("a1"), LLMJudge(model, claims_per_call=8), options)
    assert first.verdict("c2").introduced_at == "z9-completion"
    assert second.verdict("c2").introduced_at == "a1-completion"
    assert [item.node_id for item in second.verdict("c1").evidence] == ["a1-document"]
    assert paid >= 3
    assert (len(model.calls) - paid, second.usage.cache_hits) == (0, paid)


@pytest.mark.parametrize("find", [verify, veritrail, partial(veritrail, q=3)])
def test_a_whole_walk_costs_nothing_the_second_time(tmp_path, monkeypatch, find):
    pytest.importorskip("tiktoken")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    from gold_runs import read_run
    from planted_oracle import OracleModel

    planted = read_run(json.loads((Path(__file__).parents[1] / "runs" / "planted_harbour.json").read_text("utf-8")))
    settings = VerifyOptions(cache=tmp_path)
    first, second = (find(planted.graph, LLMJudge(OracleModel(planted), claims_per_call=8), settings) for _ in range(2))
    assert (first.usage.calls > 1, second.usage.calls) == (True, 0)
    assert second.verdicts == first.verdicts
    assert (second.claims, second.state) == (first.claims, first.state)


def test_a_claim_that_the_model_left_out_twice_is_asked_again_in_the_next_run(tmp_path):
    def careless(call):
        if call.purpose == "claims":
            return right(call)
        return {"verdicts": [one for one in right(call)["verdicts"] if one["claim"] != "c2"]}

    def two_calls(model):
        return LLMJudge(model, claims_per_call=8)

    first, asked = run(tmp_path, script=careless, judge=two_calls)
    assert [verdict.error for verdict in first.verdicts] == [None, "invalid: the model skipped this claim"]
    assert len(asked) == 3
    second, asked = run(tmp_path, judge=two_calls)
    assert [verdict.error for verdict in second.verdicts] == [None, None]
    assert [list(asked_claims(call)) for call in asked] == [["c2"]]
    third, asked = run(tmp_path, judge=two_calls)
    assert asked == []
    assert third.verdicts == second.verdicts


def test_of_a_cascade_local_decides_anew_and_the_model_does_not(tmp_path):
    class Local(LocalJudge):
        asked = 0

        def assess(self, questions, purpose="verdicts"):
            yield from ()
            Local.asked += 1
            return Assessment(judgements=tuple(Judgement(claim_id=q.claim.id, undecided="unsure") for q in questions))

    def cascade(model):
        return CascadeJudge(Local(), model)

    first, _ = run(tmp_path, judge=cascade)
    second, asked = run(tmp_path, judge=cascade)
    assert (Local.asked, len(asked), second.usage.cache_hits) == (2, 0, 2)
    assert second.verdicts == first.verdicts


def test_a_folder_that_cannot_be_used_is_refused_before_anything_is_asked(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file")
    for attempt in (lambda: run(taken), lambda: Session(CaptureSettings(options=VerifyOptions(cache=taken)))):
        with pytest.raises(InputError, match="the cache folder"):
            attempt()


def test_a_folder_that_breaks_costs_no_report(tmp_path):
    folder = tmp_path / "cache"
    run(folder, answer=FACTS[0])
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()
    folder.write_text("a file now")
    report, asked = run(folder)
    assert (report.state, len(asked)) == ("assessed", 1)
    assert any("could not be kept in the cache: Not a directory" in warning for warning in report.warnings)
