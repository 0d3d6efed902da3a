import pytest
from canary_runs import probe, run

from trail_callbacks.canary import Run
from trail_callbacks.canary.report import assess
from trail_callbacks.canary.report.words import answer, remarks

F, L, U = "follows_context", "leaks_prior", "unscorable"


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
        (Run(probes={}, strategies={}, arms=(), trials=()), "could be scored."),
        (run({"one": {"real": [F]}}), "the fictive arm was not asked."),
        (run({"one": {"fictive": [U]}}), "all 1 trials of the fictive arm are unscorable."),
    ],
)
@pytest.mark.parametrize("policy", ["context_is_authoritative", "verify_the_context"])
def test_what_could_not_be_scored_is_said(made, why, policy):
    assert answer(assess(made, policy)).endswith(why)


def test_an_app_that_tells_nothing_of_what_it_served_is_told_so_but_not_of_removed_facts():
    from dataclasses import replace

    made = run({"one": {"fictive": [F, "abstains"]}}, [probe(0), probe(1, fictive=None)])
    blind = replace(made, trials=[replace(each, served=None) for each in made.trials])
    assert any("Of 1 trial it is not known whether" in each for each in remarks(assess(blind)))
    told = replace(made, trials=[made.trials[0], replace(made.trials[1], served=None)])
    assert not [each for each in remarks(assess(told)) if "not known" in each]
