"""The benchmarks' oracle tells the truth, only from what a prompt shows it; their metrics count what they say."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("tiktoken", reason="the oracle counts tokens with tiktoken, which llama-index-core brings")
sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import cost_table
import localisation_shapes
import planted
import planted_metrics
from gold_runs import UNSUPPORTED, Fact, Run, read_run
from planted import GoldClaims
from planted_oracle import OracleModel
from planted_prompts import tokens

from trail_callbacks import Edge, LLMJudge, LocalJudge, Node, ProvenanceGraph, Report, Verdict, VerifyOptions, verify
from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Question
from trail_callbacks.models.drive import Limits, drive

ROW = json.loads((Path(__file__).parents[1] / "runs" / "planted_harbour.json").read_text(encoding="utf-8"))


@pytest.fixture
def run():
    return read_run(ROW)


def verified(run, claims_per_call=8, **options):
    model = OracleModel(run)
    report = verify(run.graph, LLMJudge(model, claims_per_call=claims_per_call), VerifyOptions(**options))
    return model, report, planted_metrics.matched(run, report)


def ask(run, claim_id, places, purpose="verdicts"):
    """Judges one gold claim by the passages at some places of the run: `(node, words)`."""
    fact = next(fact for fact in run.facts if fact.id == claim_id)
    passages = []
    for node, words in places:
        start = run.graph.node(node).text.index(words)
        id_ = f"s{len(passages) + 1}"
        passages.append(Passage(id=id_, node_id=node, start=start, end=start + len(words), text=words))
    claim = Claim(id="c1", text=fact.text, quote=fact.quote, start=0, end=0)
    model = OracleModel(run)
    question = Question(claim=claim, passages=tuple(passages))
    assessment, _ = drive(LLMJudge(model).assess([question], purpose), model, Limits())
    return assessment.judgements[0], model


def test_an_audit_by_the_oracle_loses_nothing(run):
    model, _, pairs = verified(run)
    for pair in pairs:
        assert (pair.said, pair.error_type) == (pair.fact.support, pair.fact.error_type), pair.fact.id
        assert planted_metrics.path(pair), pair.fact.id
    assert model.misses == []
    assert set(model.tallies) == {"claims", "verdicts", "localize"}


@pytest.mark.parametrize("q", [1, 3])
def test_the_published_walk_by_the_oracle_gives_equal_verdicts_at_more_calls(run, q):
    _, audited, _ = verified(run)
    _, shared, pairs = verified(run, strategy="veritrail", q=q)
    _, apart, others = verified(run, claims_per_call=1, strategy="veritrail", q=q)
    assert audited.usage.calls < shared.usage.calls < apart.usage.calls / 4
    for pair, other in zip(pairs, others, strict=True):
        assert (pair.said in UNSUPPORTED) == (other.said in UNSUPPORTED) == (pair.fact.support in UNSUPPORTED)


def test_a_claim_is_supported_only_by_evidence_that_is_shown(run):
    silent, model = ask(run, "c2", [("d1", "The harbour was dredged in 2014."), ("d3", "The old sauna burnt down.")])
    assert str(silent.support) == "absent"
    assert model.misses == [("no evidence was shown for a claim that is supported", "c2")]
    shown, model = ask(
        run, "c2", [("d3", "The old sauna burnt down."), ("d1", "Skarvik harbour has 42 berths for guests.")]
    )
    assert [item.node_id for item in shown.evidence] == ["d1"]
    assert model.misses == []


def test_evidence_that_is_shown_in_part_is_counted(run):
    shown, model = ask(run, "c5", [("d2", "It is open from 8 to 18 in summer.")])
    assert str(shown.support) == "supported"
    assert model.misses == [("part of the evidence was not shown", "c5")]


def test_an_output_states_a_claim_by_words_that_only_stating_outputs_have(run):
    shared = "The fee is paid at the kiosk."  # n4 states the price, but not here: n5 and d2 have these words, too
    verdict, _ = ask(run, "c3", [("n4", shared), ("n5", shared)], "localize")
    assert str(verdict.support) == "absent"
    price = "Skarvik has 42 guest berths at 52 crowns a night."
    verdict, _ = ask(run, "c3", [("n5", shared), ("n4", shared), ("n4", price)], "localize")
    assert {item.node_id for item in verdict.evidence} == {"n4"}
    assert [item.quote for item in verdict.evidence] == [price]


def test_an_output_states_a_claim_only_by_the_sentence_that_says_most_of_it(run):
    verdict, model = ask(run, "c9", [("n7", "A sauna may be built next year.")], "localize")
    assert str(verdict.support) == "absent"
    assert model.misses == [("of n7 no sentence that states it was shown", "Showers at Skarvik are free of charge.")]
    verdict, model = ask(run, "c9", [("n7", "Showers are free of charge.")], "localize")
    assert [item.node_id for item in verdict.evidence] == ["n7"]
    assert model.misses == []


def test_each_text_that_states_a_claim_is_named(run):
    places = [
        ("n6", "Two ferries call every day."),
        ("n7", "42 guest berths, 52 crowns a night; the fee is paid at the kiosk."),
        ("n4", "Skarvik has 42 guest berths at 52 crowns a night."),
    ]
    for shown in (places, places[::-1]):
        verdict, _ = ask(run, "c3", shown, "localize")
        assert {item.node_id for item in verdict.evidence} == {"n4", "n7"}


def test_a_question_is_answered_by_gold_evidence(run):
    shown, _ = ask(
        run, "c2", [("d3", "The old sauna burnt down."), ("d2", "It is open from 8 to 18 in summer.")], "answerable"
    )
    assert [item.node_id for item in shown.evidence] == ["d2"]


def test_tokens_are_counted_as_the_driver_reports_them(run):
    model, report, _ = verified(run)
    assert report.usage.prompt_tokens == model.total("prompt") > model.total("system") + model.total("context")
    assert report.usage.completion_tokens == model.total("completion") > 0
    assert model.total("schema") > 0
    assert tokens("hello world <|endoftext|>") > 3  # text under judgement is no control token


def test_a_judge_with_gold_claims_finds_no_others(run):
    _, report, _ = verified(run)
    given = verify(run.graph, GoldClaims(LocalJudge(), run))
    assert (
        [claim.text for claim in given.claims] == [fact.text for fact in run.facts] == [c.text for c in report.claims]
    )
    assert not given.claims[0].checkable


def test_claims_of_a_judge_are_matched_by_their_place(run):
    report = verify(run.graph, LocalJudge())
    pairs = planted_metrics.matched(run, report)
    assert planted_metrics.METRICS["coverage"](pairs) == (1.0, 9)
    by_id = {pair.fact.id: pair for pair in pairs}
    night = next(claim for claim in report.claims if "52 crowns" in claim.quote)
    assert (
        by_id["c3"].said == by_id["c4"].said == str(report.verdict(night.id).support or "undecided")
    )  # one sentence, two gold claims
    without = replace(
        report,
        claims=tuple(claim for claim in report.claims if claim is not night),
        verdicts=tuple(verdict for verdict in report.verdicts if verdict.claim_id != night.id),
    )
    unmatched = [pair.fact.id for pair in planted_metrics.matched(run, without) if pair.said is None]
    assert unmatched == ["c3", "c4"]


def split(run, *pieces):
    """A report whose claims are pieces of the answer, given with their class, error type and entry step."""
    claims, verdicts = [], []
    for n, (words, support, error_type, entry) in enumerate(pieces):
        start = run.graph.answer.text.index(words)
        span = {"quote": words, "start": start, "end": start + len(words)}
        claims.append(Claim(id=f"k{n}", text=words, **span))
        verdicts.append(Verdict(claim_id=f"k{n}", support=support, error_type=error_type, introduced_at=entry))
    return Report(state="assessed", graph=run.graph, claims=tuple(claims), verdicts=tuple(verdicts))


SPLIT = Fact(
    id="g1", text="The kiosk, which is blue, sells 5 maps.", quote="The blue kiosk sells 5 maps",
    support="contradicted", error_type="number", introduced_at="m",
)  # fmt: skip
OTHER = Fact(id="g2", text="The kiosk closes at noon.", quote="and closes at noon", support="supported")


def of_kiosk(*pieces):
    """How pieces of one answer are matched with two gold claims about it."""
    nodes = [
        Node(id="d", kind="document", text="The blue kiosk sells 3 maps and closes at noon."),
        Node(id="m", kind="completion", text="5 maps."),
        Node(id="a", kind="answer", text="The blue kiosk sells 5 maps and closes at noon."),
    ]
    edges = (Edge(source="d", target="m"), Edge(source="m", target="a"))
    run = Run(id="kiosk", graph=ProvenanceGraph(nodes=tuple(nodes), edges=edges), facts=(SPLIT, OTHER))
    pairs = planted_metrics.matched(run, split(run, *pieces))
    return [(pair.said, pair.error_type, pair.introduced_at) for pair in pairs]


BLUE, MAPS, NOON = "The blue kiosk sells", "5 maps", "and closes at noon"


def test_a_gold_claim_that_was_split_is_as_wrong_as_its_worst_part():
    right, wrong = ("supported", None, None), ("contradicted", "number", "m")
    assert of_kiosk((BLUE, *right), (MAPS, *wrong), (NOON, *right)) == [wrong, right]
    assert of_kiosk((BLUE, "absent", "other", "a"), (MAPS, *wrong), (NOON, *right)) == [wrong, right]
    assert of_kiosk((BLUE, "unevaluatable", None, None), (MAPS, *right), (NOON, *right))[0][0] == "unevaluatable"
    assert of_kiosk((BLUE, *right), (MAPS, *right), (NOON, *wrong)) == [right, wrong]  # a false alarm stays one


def test_a_part_counts_for_one_gold_claim_only():
    right, wrong = ("supported", None, None), ("absent", "other", "a")
    whole = "sells 5 maps and closes at noon"  # touches both, and has most of the second
    assert of_kiosk(("The blue kiosk sells 5 maps", *right), (whole, *wrong), (NOON, *right))[0] == right


def pair(support, said, introduced_at=None, carried_through=()):
    wrong = support in UNSUPPORTED
    fact = Fact(
        id="c", text="", quote="", support=support, introduced_at="n1" if wrong else None, carried_through=("n2",)
    )
    return planted_metrics.Pair(fact, said, None, introduced_at, carried_through, wrong)


def test_metrics_count_what_their_names_say():
    pairs = [
        pair("supported", "supported"),
        pair("supported", "absent"),
        pair("contradicted", "absent", "n1", ("n2",)),
        pair("absent", "absent", "n1"),
        pair("absent", "supported"),
        pair("absent", "absent"),
        pair("unevaluatable", "supported"),
        pair("absent", None),
    ]
    value = {name: metric(pairs) for name, metric in planted_metrics.METRICS.items()}
    assert value["class_accuracy"] == (3 / 7, 7)
    assert value["macro_f1"] == (pytest.approx((2 / 5 + 0 + 4 / 7 + 0) / 4), 7)
    assert value["supported_f1"] == (2 * 1 / 4, 6)
    assert value["unsupported_f1"] == (2 * 3 / 8, 6)
    assert value["introduced_at"] == (2 / 4, 4)
    assert value["introduced_at_of_found"] == (2 / 3, 3)
    assert value["path"] == (1 / 4, 4)
    assert value["undetermined_of_found"] == (1 / 3, 3)
    assert value["coverage"] == (7 / 8, 8)


def test_intervals_come_from_whole_runs(run):
    right, wrong = pair("supported", "supported"), pair("supported", "absent")
    runs = [planted.Outcome(run, None, (each,) * 50, 0.0) for each in (right, wrong, right, right)]
    metric = planted_metrics.METRICS["class_accuracy"]
    low, high = planted_metrics.interval(metric, runs)
    assert (low, high) == tuple(planted_metrics.interval(metric, runs))
    assert low < 0.5  # 200 claims, but four runs: resampling claims would give 0.69
    assert high == 1.0


def test_the_benchmark_runs_from_a_folder(tmp_path, monkeypatch, capsys):
    (tmp_path / "planted_dev.jsonl").write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    monkeypatch.setattr(
        sys, "argv", ["planted.py", "--data", str(tmp_path), "--rows", "local,oracle,published-q1", "--misses"]
    )
    assert planted.main() == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    whole = {line["row"]: line for line in lines if line.get("slice") == "all"}
    assert whole["oracle"]["path"]["value"] == 1.0
    assert whole["oracle"]["calls"] < whole["published-q1"]["calls"] / 10
    assert {line["slice"] for line in lines if "slice" in line} == {"all", "shape=map_reduce", "language=en"}
    assert all(line["pass"] for line in lines if "target" in line)


def test_without_data_the_benchmark_says_so(monkeypatch, capsys):
    monkeypatch.delenv("TRAIL_DATA_DIR", raising=False)
    monkeypatch.setattr(sys, "argv", ["planted.py"])
    assert planted.main() == 0
    assert "TRAIL_DATA_DIR" in capsys.readouterr().err


@pytest.mark.parametrize("shape", ["chain", "reworded", "two faults", "map-reduce", "fused", "diamond", "tangle"])
def test_made_up_graphs_have_a_fault_that_can_be_followed(shape):
    run = {
        "chain": lambda: localisation_shapes.chain(1, 6, [2]),
        "reworded": lambda: localisation_shapes.chain(1, 6, [0], reworded=True),
        "two faults": lambda: localisation_shapes.two_faults(1, 6, 1, 4),
        "map-reduce": lambda: localisation_shapes.map_reduce(1, 5, 3),
        "fused": lambda: localisation_shapes.map_reduce(1, 5, 3, fuse=True),
        "diamond": lambda: localisation_shapes.diamond(1, both=True),
        "tangle": lambda: localisation_shapes.tangle(1, 12),
    }[shape]()
    (fact,) = run.facts
    assert fact.quote in run.graph.answer.text
    assert fact.carried_through[-1:] == ("answer",)
    above = {node.id for node in run.graph.upstream("answer")}
    assert {fact.introduced_at, *fact.carried_through} <= above | {"answer"}
    inputs = {node.id for node in run.graph.inputs(fact.introduced_at)}
    assert not inputs & fact.states
    assert localisation_shapes.linear(run) >= 1


def test_the_cost_table_measures_answers_that_are_supported():
    run = cost_table.a_run(9, 4)
    assert {node for fact in run.facts for node, _ in fact.evidence} == {f"source-{i}" for i in range(1, 5)}
    assert all(quote in run.graph.node(node).text for fact in run.facts for node, quote in fact.evidence)
    assert {len(leaf.text) for leaf in run.graph.leaves() if leaf.kind == "document"} == {cost_table.SIGNS}
    measured = cost_table.measured(run, 8, {})
    assert (measured["supported"], measured["calls"]) == ("9/9", 3)
