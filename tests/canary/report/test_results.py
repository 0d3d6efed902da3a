"""What a run shows: as figures, in a sentence, in a terminal, in a notebook, as JSON."""

import json
import re
from dataclasses import replace

import pytest
from canary_runs import probe, run

from trail_callbacks.canary import Run, Skipped
from trail_callbacks.canary.report.results import FORMAT, assess
from trail_callbacks.canary.report.sections import answer, remarks
from trail_callbacks.errors import InputError

F, L, A, M, U = "follows_context", "leaks_prior", "abstains", "retrieval_miss", "unscorable"
EMPTY = Run(probes={}, strategies={}, arms=(), trials=())


def flat(made):
    return " ".join(str(assess(made)).split())


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


@pytest.mark.parametrize("value", [float("nan"), {"x": [float("-inf")]}, object()])
def test_json_has_no_nan_whatever_a_matrix_holds(value):
    made = run({"one": {"fictive": [F]}}, parameters={"one": {"odd": value}}, settings={"odd": value})

    def refuse(constant):
        raise AssertionError(constant)

    json.loads(assess(made).to_json(), parse_constant=refuse)


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
    made = replace(made, trials=[replace(each, dropped=some) for each, some in zip(made.trials, left, strict=True)])
    assert assess(made).as_data()["dropped"] == [
        {"why": unplaced, "passages": 3, "trials": 2, "example": "passage 1 of a.md"},
        {"why": removed, "passages": 1, "trials": 1, "example": "passage 3 of b.md"},
    ]
    assert list(remarks(assess(made)))[-1] == (
        "4 passages that retrievers found in 2 trials were not served: 3 could not be placed in the corpus, such as "
        "passage 1 of a.md; 1 says only what the twin has not, such as passage 3 of b.md."
    )


def test_an_app_that_tells_nothing_of_what_it_served_is_told_so_but_not_of_removed_facts():
    made = run({"one": {"fictive": [F, "abstains"]}}, [probe(0), probe(1, fictive=None)])
    blind = replace(made, trials=[replace(each, served=None) for each in made.trials])
    assert any("Of 1 trial it is not known whether" in each for each in remarks(assess(blind)))
    told = replace(made, trials=[made.trials[0], replace(made.trials[1], served=None)])
    assert not [each for each in remarks(assess(told)) if "not known" in each]


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
        assess(EMPTY).rate("leak")


def test_one_strategy_is_summed_up_with_n_and_intervals():
    made = run({"one": {"closed_book": [L] * 4 + [F] * 6, "fictive": [L] * 2 + [F] * 8}})
    assert answer(assess(made)) == (
        "With the fictive context it follows what it reads in 80 % [49, 94.3] of 10, and leaks the real value in "
        "20 % [5.7, 51] of 10. Of what the model knows by itself it leaks 50 % [15, 85] of 4."
    )


def test_a_leak_is_no_fault_where_contexts_are_to_be_verified():
    made = run({"one": {"fictive": [L] * 8 + [F] * 2}, "two": {"fictive": [F] * 10}})
    said = answer(assess(made, "verify_the_context"))
    assert "leak" not in said
    assert "right answers goes from 0 % [0, 27.8] of 10 (two) to 80 % [49, 94.3] of 10 (one)" in said
    single = answer(assess(run({"one": {"fictive": [L] * 8 + [F] * 2}}), "verify_the_context"))
    assert "80 % [49, 94.3] of 10 are right" in single


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (EMPTY, "could be scored."),
        (run({"one": {"real": [F]}}), "the fictive arm was not asked."),
        (run({"one": {"fictive": [U]}}), "all 1 trials of the fictive arm are unscorable."),
    ],
)
@pytest.mark.parametrize("policy", ["context_is_authoritative", "verify_the_context"])
def test_what_could_not_be_scored_is_said(made, why, policy):
    assert answer(assess(made, policy)).endswith(why)


def test_in_a_terminal_rates_have_intervals_and_ties_are_called_ties():
    text = flat(run({"a": {"fictive": [F] * 9 + [L]}, "b": {"fictive": [F] * 8 + [L] * 2}}))
    assert "10 probes, 2 strategies, 20 trials: fictive context" in text
    assert "90 [59.6, 98.2]" in text
    assert "By follow rate no two strategies can be told apart (n = 10" in text
    assert "1. a | b" in text
    assert "Precision: 10 probes: without a single leak, the leak rate would be below 27.8 %" in text


@pytest.mark.parametrize(
    "made",
    [EMPTY, *(run({"one": each}) for each in ({"fictive": [U, U]}, {"closed_book": [L, A]}, {"fictive": [M, M]}))],
    ids=["empty", "all unscorable", "one arm", "nothing retrieved"],
)
def test_poor_runs_are_shown(made):
    assert not re.search(r"\b(nan|NaN|None)\b", flat(made))


def test_unscorable_misses_and_skipped_are_said():
    made = run({"one": {"fictive": [U, M, F]}}, skipped=[Skipped("p9", "its passage is gone")], stopped="interrupted")
    text = flat(made)
    assert "Unscorable: 1 trial 1: TimeoutError: 30 s" in text
    assert "50 [9.5, 90.5]" in text  # not retrieved: 1 of 2
    assert "The run is unfinished: interrupted." in text
    assert "Left out: 1 p9: its passage is gone" in text


def test_hostile_names_are_spelled_out():
    text = flat(run({"evil\x1b[31m\u202e": {"fictive": [F]}, "[red]b": {"fictive": [L]}}, [probe(0, subject="\x07")]))
    assert not set("\x1b\u202e\x07") & set(text)
    assert "[red]b" in text


def test_a_notebook_shows_the_same_and_text_stays_text():
    bad = "</pre><script>alert(1)</script>\u202e\x1b"
    html = assess(run({"a": {"fictive": [F] * 9 + [L]}, bad: {"fictive": [F] * 10}}))._repr_html_()
    assert "from 0 % [0, 27.8] of 10" in html
    assert "no two strategies" in html
    assert re.findall(r"<(\w+)", html) == ["div", "b", "pre"]
    assert not set("\u202e\x1b") & set(html)


def test_results_write_themselves(tmp_path):
    found = assess(run({"a": {"fictive": [F] * 9 + [L]}}))
    assert len(repr(found)) < 100 > len(repr(found.run))
    page = found.to_html(tmp_path / "page.html", title="Ours")
    assert '<h1 dir="auto">Ours</h1>' in page
    assert (tmp_path / "page.html").read_text("utf-8") == page
    assert found.to_json(tmp_path / "figures.json") == (tmp_path / "figures.json").read_text("utf-8").rstrip("\n")
    with pytest.raises(InputError, match="nowhere"):
        found.to_html(tmp_path / "nowhere" / "page.html")
