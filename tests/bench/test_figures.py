import pytest
from benches import bench, judged

from trail_callbacks.bench.figures import SHARES, figures, merged, paired, side_by_side
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Budget, Usage

FORTY = ["wr"] * 40


def counts(found, *names):
    return {name: (found.shares[name].k, found.shares[name].n) for name in names}


def test_undecided_stays_in_the_denominator_and_each_silence_is_counted():
    (found,) = figures(bench(["ww", "wr", "rr"], judged("a", ["cu", "jr", "sa"])))
    assert counts(found, "wrong_found", "right_flagged", "precision", "not_decided") == {
        "wrong_found": (1, 3), "right_flagged": (1, 3), "precision": (1, 2), "not_decided": (3, 6),
    }  # fmt: skip
    assert counts(found, "wrong_undecided", "wrong_not_judged", "right_not_read") == {
        "wrong_undecided": (1, 3), "wrong_not_judged": (1, 3), "right_not_read": (1, 3),
    }  # fmt: skip
    assert counts(found, "answers_found", "answers_flagged") == {"answers_found": (1, 2), "answers_flagged": (1, 1)}


def test_class_type_and_entry_are_of_all_that_have_one_and_of_those_found():
    (found,) = figures(bench(["w", "w", "w"], judged("a", ["c", "a", "s"])))
    assert counts(found, "class", "class_of_found", "type", "type_of_found", "entry", "entry_of_found") == {
        "class": (1, 3), "class_of_found": (1, 2),
        "type": (1, 3), "type_of_found": (1, 2),
        "entry": (2, 3), "entry_of_found": (2, 2),
    }  # fmt: skip


def test_what_failed_is_in_no_share_but_its_own_and_is_paid_for():
    usage = Usage(calls=1, prompt_tokens=500_000, completion_tokens=100_000, seconds=2.0)
    prices = Budget(price_in=2.0, price_out=10.0)
    (found,) = figures(bench(["w", "w"], judged("a", ["c", "j"], failed=[1], usage=usage, prices=prices)))
    assert counts(found, "wrong_found", "failed") == {"wrong_found": (1, 1), "failed": (1, 2)}
    assert (found.usage.calls, found.money) == (2, 4.0)


def test_without_prices_there_is_no_money_and_it_is_said_why():
    asked, offline = figures(bench(["w"], judged("a", ["c"], usage=Usage(calls=1)), judged("b", ["c"])))
    assert (asked.money, asked.why) == (None, "no prices were given")
    assert (offline.money, offline.why) == (None, "it made no call that was counted")


def test_seconds_are_the_median_and_the_ninth_in_ten():
    (found,) = figures(bench(["w"] * 11, judged("a", ["c"] * 11)))
    assert found.seconds == (6.0, 10.0)


def test_rounds_are_no_further_trials_where_few_answers_hold_any():
    made = bench(["w"] * 9, judged("1", ["c"] * 2 + ["s"] * 7), judged("5", *[["c"] * 2 + ["s"] * 7] * 5))
    once, often = (each.shares["precision"] for each in figures(made))
    assert (often.n, often.low, often.high) == (10, once.low, once.high)


@pytest.mark.parametrize("found", [0, 20])
def test_rounds_are_no_further_trials(found):
    said = ["cs"] * found + ["ss"] * (40 - found)
    made = bench(FORTY, *(judged(f"{n} rounds", *[said] * n) for n in (1, 3)), judged("other", *[["as"] * 40] * 3))
    once, thrice = (each.shares["wrong_found"] for each in figures(made)[:2])
    assert (thrice.k, thrice.n) == (3 * once.k, 3 * once.n)
    assert thrice.high - thrice.low == pytest.approx(once.high - once.low, rel=0.1)
    assert {each.pairs.n for each in paired(made)} == {40}


def test_spread_is_over_every_two_rounds():
    said = ["cs"] * 40
    once, thrice = figures(bench(FORTY, judged("a", said), judged("b", said, said, ["as", *said[1:]])))
    assert counts(thrice, "same_flag", "same_outcome") == {"same_flag": (240, 240), "same_outcome": (238, 240)}
    assert once.shares["same_flag"].value is None


def test_figures_are_also_by_language_and_tag():
    (found,) = figures(bench(["w", "w", "w"], judged("a", ["c", "s", "c"])))
    assert {name: each["wrong_found"].k for name, each in found.by["language"].items()} == {"de": 0, "en": 2}
    assert {name: each["wrong_found"].n for name, each in found.by["tag"].items()} == {"table": 1}


def test_nothing_to_count_is_no_figure():
    (found,) = figures(bench(["r"], judged("a")))
    assert set(found.shares) == set(SHARES)
    assert {name: each.why for name, each in found.shares.items()} == SHARES
    assert found.seconds is None


def test_two_judges_are_compared_on_what_both_read():
    made = bench(FORTY, judged("a", ["cs"] * 40), judged("b", ["ss"] * 40), judged("c", ["cs"] * 20))
    found = {(each.measure, each.a, each.b): each for each in paired(made)}
    assert (found["wrong_found", "a", "b"].verdict, found["wrong_found", "a", "b"].pairs.difference) == ("differ", -1.0)
    assert found["right_flagged", "a", "b"].verdict == "tie"
    assert found["wrong_found", "a", "c"].pairs.n == 20
    assert "c was asked about 20 of 40 answers: it is compared on these." in side_by_side(made).remarks()


def test_a_judge_that_failed_on_a_third_is_not_compared():
    made = bench(FORTY, judged("a", ["cs"] * 40), judged("b", ["jj"] * 40, failed=range(14)))
    assert paired(made) == ()
    (said,) = side_by_side(made).remarks()
    assert said == "b failed on 14 of 40: do not trust its figures; the first time: busy: too many requests"


def test_few_answers_and_cached_replies_are_said():
    said = " ".join(side_by_side(bench(["w"], judged("a", ["c"], usage=Usage(cache_hits=3)))).remarks())
    assert "fewer than 5 answers" in said
    assert "a had 3 replies from a cache" in said


def test_files_of_the_same_data_are_one_and_a_judge_of_both_is_named_with_its_file():
    old = bench(["w"], judged("a", ["s"]), judged("b", ["c"]), machine="one")
    new = bench(["w"], judged("a", ["c"]), machine="two")
    same, other = merged({"old": old, "new": new, "x": bench(["r"], digest="other")})
    assert [each.judge for each in same.judges] == ["a (old)", "b", "a (new)"]
    assert "their seconds cannot be compared" in same.left_out[-1]
    assert (other.digest, other.judges) == ("other", ())


def test_what_cannot_be_told_apart_or_joined_is_refused():
    with pytest.raises(
        InputError, match="old and new are of the same data, and their answers have other ids or labels"
    ):
        merged({"old": bench(["w"]), "new": bench(["r"])})
