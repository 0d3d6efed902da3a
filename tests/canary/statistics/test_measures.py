import pytest
from canary_runs import probe, trial

from trail_callbacks.canary import OUTCOMES
from trail_callbacks.canary.statistics.rates import MEASURES, ProbeCase

SWAPPED = probe(1)
REMOVED = probe(2, fictive=None, kind="unanswerable")
DISAGREE = probe(3, also="61 minutes", kind="inconsistent")


def counted(name, outcome, of=SWAPPED, known=None, **fields):
    measure = MEASURES[name]
    return measure.counts(ProbeCase(of, trial(of, measure.arm, outcome, **fields), known))


@pytest.mark.parametrize("name", [name for name in MEASURES if not name.startswith("miss_")])
@pytest.mark.parametrize("outcome", ["unscorable", "retrieval_miss"])
@pytest.mark.parametrize("of", [SWAPPED, REMOVED, DISAGREE], ids=["swapped", "removed", "disagree"])
def test_unscorable_and_retrieval_miss_are_in_no_denominator(name, outcome, of):
    assert counted(name, outcome, of, known=True) is None


@pytest.mark.parametrize(
    ("name", "hit"),
    [
        ("follow", "follows_context"),
        ("leak", "leaks_prior"),
        ("blend", "blends"),
        ("abstain", "abstains"),
        ("follow_real", "follows_context"),
        ("right_empty", "leaks_prior"),
        ("right_closed_book", "leaks_prior"),
    ],
)
def test_each_outcome_is_a_hit_of_its_measure_only(name, hit):
    scored = [each for each in OUTCOMES if each not in ("unscorable", "retrieval_miss")]
    assert {each for each in scored if counted(name, each)} == {hit}


@pytest.mark.parametrize("name", ["follow", "leak", "blend", "abstain", "leak_known"])
@pytest.mark.parametrize("of", [REMOVED, DISAGREE], ids=["removed", "disagree"])
def test_what_has_no_single_other_value_is_not_in_follow_and_leak(name, of):
    assert {counted(name, outcome, of, known=known) for outcome in OUTCOMES for known in (True, False)} == {None}


def test_leaks_are_split_by_what_the_model_knows():
    assert [counted("leak_known", "leaks_prior", known=known) for known in (True, False, None)] == [True, None, None]


def test_what_was_removed_and_what_disagrees_have_their_own():
    assert counted("abstain_unanswerable", "abstains", REMOVED) is True
    assert counted("leak_unanswerable", "leaks_prior", REMOVED) is True
    assert counted("abstain_unanswerable", "abstains", SWAPPED) is None
    assert counted("conflict_told", "blends", DISAGREE, rejects=True) is True
    assert counted("conflict_told", "follows_context", DISAGREE) is False
    assert counted("conflict_told", "follows_context", SWAPPED, rejects=True) is None


def test_a_retrieval_miss_counts_in_its_own_measures_whatever_the_answer():
    assert counted("miss_fictive", "retrieval_miss") is True
    assert counted("miss_fictive", "leaks_prior") is False
    assert counted("miss_fictive", "unscorable") is None
