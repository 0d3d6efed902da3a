"""The benchmarks' oracle tells the truth, only from what a prompt shows it; their metrics count what they say."""

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("tiktoken", reason="the oracle counts tokens with tiktoken, which llama-index-core brings")
sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import planted_metrics
from gold_runs import UNSUPPORTED, read_run
from planted_oracle import OracleModel

from trail_callbacks import LLMJudge, verify, veritrail

ROW = json.loads((Path(__file__).parents[1] / "runs" / "planted_harbour.json").read_text(encoding="utf-8"))


@pytest.fixture
def run():
    return read_run(ROW)


def verified(run, claims_per_call=8, find=verify, **settings):
    model = OracleModel(run)
    report = find(run.graph, LLMJudge(model, claims_per_call=claims_per_call), **settings)
    return model, report, planted_metrics.matched(run, report)


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
    _, shared, pairs = verified(run, find=veritrail, q=q)
    _, apart, others = verified(run, claims_per_call=1, find=veritrail, q=q)
    assert audited.usage.calls < shared.usage.calls < apart.usage.calls / 4
    for pair, other in zip(pairs, others, strict=True):
        assert (pair.said in UNSUPPORTED) == (other.said in UNSUPPORTED) == (pair.fact.support in UNSUPPORTED)
