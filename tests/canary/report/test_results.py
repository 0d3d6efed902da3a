import json
from dataclasses import replace

import pytest
from canary_runs import run

from trail_callbacks.canary import Run, Skipped
from trail_callbacks.canary.report import FORMAT, assess
from trail_callbacks.canary.report.words import remarks
from trail_callbacks.errors import InputError

F, L, A, U = "follows_context", "leaks_prior", "abstains", "unscorable"


def test_json_is_versioned_and_holds_figures_comparisons_and_what_is_missing():
    made = run(
        {"Übung": {"fictive": [F] * 30 + [U]}, "b": {"fictive": [L] * 30 + [U]}},
        skipped=[Skipped("p40", "its passage is gone")],
        stopped="the budget is spent",
        settings={"seed": 3},
    )
    data = json.loads(assess(made).to_json())
    assert data["format"] == FORMAT
    assert data["policy"] == "context_is_authoritative"
    assert data["run"]["stopped"] == "the budget is spent"
    assert data["run"]["skipped"] == [{"place": "p40", "why": "its passage is gone"}]
    assert data["strategies"][0]["strategy"] == "Übung"
    assert data["strategies"][0]["rates"]["follow"]["k"] == 30
    assert data["contrasts"]["leak"][0]["verdict"] == "differ"
    assert data["ranking"] == {"follow": [["Übung"], ["b"]], "leak": [["Übung"], ["b"]]}
    assert data["unscorable"] == [{"why": "TimeoutError: 30 s", "trials": 2}]
    assert data["precision"].startswith("30 probes: ")
    assert data["measures"]["leak"]["arm"] == "fictive"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"x": [float("-inf")]}, object()])
def test_json_has_no_nan_whatever_a_matrix_holds(value):
    made = run({"one": {"fictive": [F]}}, parameters={"one": {"odd": value}}, settings={"odd": value})
    text = assess(made).to_json()

    def refuse(constant):
        raise AssertionError(constant)

    json.loads(text, parse_constant=refuse)


def test_a_strategy_without_a_rate_is_not_ranked():
    made = run({"a": {"fictive": [F, F]}, "b": {"fictive": [U, U]}, "c": {"real": [F, F]}})
    assert assess(made).ranking["follow"] == [["a"]]


def test_passages_that_were_not_served_are_counted_by_reason():
    unplaced, removed = "could not be placed in the corpus", "says only what the twin has not"
    left = [
        [Skipped("passage 1 of a.md", unplaced), Skipped("passage 2 of a.md", unplaced)],
        [Skipped("passage 1 of a.md", unplaced), Skipped("passage 3 of b.md", removed)],
        [],
    ]
    made = run({"one": {"fictive": [F, F, F]}})
    made = replace(
        made, trials=[replace(each, dropped=each_left) for each, each_left in zip(made.trials, left, strict=True)]
    )
    assert assess(made).as_data()["dropped"] == [
        {"why": unplaced, "passages": 3, "trials": 2, "example": "passage 1 of a.md"},
        {"why": removed, "passages": 1, "trials": 1, "example": "passage 3 of b.md"},
    ]
    assert list(remarks(assess(made)))[-1] == (
        "4 passages that retrievers found in 2 trials were not served: 3 could not be placed in the corpus, such as "
        "passage 1 of a.md; 1 says only what the twin has not, such as passage 3 of b.md."
    )


def test_a_rate_has_its_n_and_interval_and_is_legible():
    found = assess(run({"one": {"fictive": [F] * 30 + [L] * 10}}))
    assert (found.rate("leak").k, found.rate("leak").n) == (10, 40)
    assert str(found.rate("leak")) == "25 % (10 of 40, 95 % interval 14.2 to 40.2 %)"
    assert str(found.rate("follow_real")) == "not known (the real arm was not asked)"
    assert found.right("fictive").k == 30
    assert assess(found.run, "verify_the_context").right("fictive").k == 10


def test_a_rate_of_several_strategies_names_one():
    found = assess(run({"a": {"fictive": [F] * 3}, "b": {"fictive": [L] * 3}}))
    assert found.rate("leak", "b").k == found.rate("follow", "a").k == 3
    for wrong in ({"measure": "leak"}, {"strategy": "c"}):
        with pytest.raises(InputError, match="expected one of 'a', 'b'"):
            found.rate(**wrong)
    with pytest.raises(InputError, match="expected one of follow, leak"):
        found.rate("leaks", "a")
    with pytest.raises(InputError, match="'real' was not asked, only fictive"):
        found.right("real", "a")
    with pytest.raises(InputError, match="the run has no strategy"):
        assess(Run(probes={}, strategies={}, arms=(), trials=())).rate("leak")


def test_results_show_themselves(tmp_path):
    found = assess(run({"a": {"fictive": [F] * 9 + [L]}}))
    assert "follows what it reads in 90 % [59.6, 98.2] of 10" in " ".join(str(found).split())
    assert len(repr(found)) < 100 > len(repr(found.run))
    page = found.to_html(tmp_path / "page.html", title="Ours")
    assert page.startswith("<!DOCTYPE html>")
    assert '<h1 dir="auto">Ours</h1>' in page
    assert (tmp_path / "page.html").read_text("utf-8") == page
    assert found.to_json(tmp_path / "figures.json") == (tmp_path / "figures.json").read_text("utf-8").rstrip("\n")
    assert found._repr_html_().startswith("<div")
    with pytest.raises(InputError, match="nowhere"):
        found.to_html(tmp_path / "nowhere" / "page.html")
