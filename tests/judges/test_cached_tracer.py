import json
from pathlib import Path

import pytest

from trail_callbacks import LLMJudge, VerifyOptions, verify
from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.cached import CachedJudge, cached
from trail_callbacks.judges.judge import Judge
from trail_callbacks.judges.tracer import Search, Tracer
from trail_callbacks.models.call import Reply
from trail_callbacks.models.drive import drive
from trail_callbacks.models.store import Store
from trail_callbacks.testing import ScriptedModel

TEXT = "Ann built the mill. Bo sold it."


def claim(id_="c1", text="Ann built the mill and Bo sold it."):
    return Claim(id=id_, text=text, quote=text, start=0, end=len(text))


def search(prefix="s", node="doc", parts=("Ann built the mill.",), texts=("Ann built the mill.", "Bo sold it.")):
    passages = tuple(
        Passage(id=f"{prefix}{n}", node_id=f"{node}{n}", start=0, end=len(text), text=text)
        for n, text in enumerate(texts, 1)
    )
    return Search(claim=claim(id_=f"{prefix}c"), parts=parts, passages=passages)


def answer(call):
    """Takes every claim apart in two, and finds the second sentence."""
    prompt = call.messages[-1].content
    if call.purpose == "decompose":
        return {"claims": [{"claim": "c1", "parts": ["Ann built the mill.", "Bo sold it."]}]}
    ids = [row[1 : row.index("]")] for row in prompt.splitlines() if row.endswith("] Bo sold it.")]
    return {"found": [{"claim": "c1", "text": "", "sentences": ids, "summary": "Bo sold it."}]}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def judge(store, script=answer):
    model = ScriptedModel(script)
    made = cached(LLMJudge(model), store)
    assert isinstance(made, CachedJudge)
    assert isinstance(made, Judge)
    assert isinstance(made, Tracer)
    return model, made


def run(made, pipeline):
    return drive(pipeline, made.model)[0]


def test_a_claim_is_taken_apart_once(store):
    model, made = judge(store)
    first = run(made, made.decompose([claim()]))
    assert first == (("Ann built the mill.", "Bo sold it."),)
    other, again = judge(store)
    assert run(again, again.decompose([claim("c9")])) == first
    assert (len(model.calls), len(other.calls)) == (1, 0)


def test_a_claim_that_stays_whole_is_kept_and_one_that_was_not_answered_is_not(store):
    failing, made = judge(store, lambda call: Reply(error="unreachable: down"))
    assert run(made, made.decompose([claim()])) == ((claim().text,),)
    whole, made = judge(store, lambda call: {"claims": [{"claim": "c1", "parts": [claim().text]}]})
    for _ in range(2):
        assert run(made, made.decompose([claim()])) == ((claim().text,),)
    assert (len(failing.calls), len(whole.calls)) == (1, 1)


def test_what_was_found_is_read_into_the_ids_of_today(store):
    model, made = judge(store)
    first = run(made, made.select([search()]))
    assert [passage.id for passage in first[0].passages] == ["s2"]
    assert dict(first[0].summaries) == {"doc2": "Bo sold it."}
    other, again = judge(store)
    second = run(again, again.select([search(prefix="p", node="chunk")]))
    assert [passage.id for passage in second[0].passages] == ["p2"]
    assert dict(second[0].summaries) == {"chunk2": "Bo sold it."}
    assert (len(model.calls), len(other.calls)) == (1, 0)


@pytest.mark.parametrize(
    "other",
    [search(parts=()), search(texts=("Ann built the mill.", "Bo sold it", "Bo sold it."))],
    ids=["other parts", "other texts"],
)
def test_another_search_is_made(store, other):
    model, made = judge(store)
    run(made, made.select([search()]))
    run(made, made.select([other]))
    assert len(model.calls) == 2


def test_a_failed_search_is_not_kept(store):
    model, made = judge(store, lambda call: Reply(error="refused: no"))
    for _ in range(2):
        assert run(made, made.select([search()]))[0].error
    assert len(model.calls) >= 2


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {"passages": [2], "summaries": []},
        {"passages": [-1], "summaries": []},
        {"passages": ["0"], "summaries": []},
        {"passages": [0], "summaries": [[5, "x"]]},
        {"passages": [0], "summaries": [[0, 7]]},
        {"passages": [0]},
        {"passages": 3, "summaries": []},
    ],
)
def test_a_search_that_does_not_fit_is_made_again(store, tmp_path, value):
    model, made = judge(store)
    first = run(made, made.select([search()]))
    (path,) = tmp_path.rglob("*.json")
    store.put(path.parent.name + path.stem, value)
    assert run(made, made.select([search()])) == first
    assert len(model.calls) == 2


@pytest.mark.parametrize("value", [[], [""], [3], "text", {"a": 1}, None])
def test_parts_that_do_not_fit_are_asked_again(store, tmp_path, value):
    model, made = judge(store)
    first = run(made, made.decompose([claim()]))
    (path,) = tmp_path.rglob("*.json")
    store.put(path.parent.name + path.stem, value)
    assert run(made, made.decompose([claim()])) == first
    assert len(model.calls) == 2


@pytest.mark.parametrize("options", [{}, {"strategy": "veritrail"}, {"strategy": "veritrail", "q": 3}])
def test_a_whole_walk_costs_nothing_the_second_time(tmp_path, monkeypatch, options):
    pytest.importorskip("tiktoken")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    from gold_runs import read_run
    from planted_oracle import OracleModel

    row = json.loads((Path(__file__).parents[1] / "runs" / "planted_harbour.json").read_text("utf-8"))
    planted = read_run(row)
    settings = VerifyOptions(cache=tmp_path, **options)
    first = verify(planted.graph, LLMJudge(OracleModel(planted)), settings)
    second = verify(planted.graph, LLMJudge(OracleModel(planted)), settings)
    assert (first.usage.calls > 1, second.usage.calls) == (True, 0)
    assert second.verdicts == first.verdicts
    assert (second.claims, second.state) == (first.claims, first.state)
