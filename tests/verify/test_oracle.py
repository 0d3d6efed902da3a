"""The benchmarks' oracle tells the truth, only from what a prompt shows it; their metrics count what they say."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("tiktoken", reason="the oracle counts tokens with tiktoken, which llama-index-core brings")
sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import planted
import planted_metrics
from gold_runs import UNSUPPORTED, Fact, read_run
from planted_oracle import OracleModel

from trail_callbacks import LLMJudge, LocalJudge, VerifyOptions, verify
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


BLUE, MAPS, NOON = "The blue kiosk sells", "5 maps", "and closes at noon"


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
