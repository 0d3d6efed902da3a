"""Burn rates: when an excess is beyond doubt, and still there."""

from trail_callbacks.monitor import BURN_RATES, Tally
from trail_callbacks.monitor.evaluation import BurnWindow

FAST = BURN_RATES[0]


def tally(n, bad, weight=1.0):
    return Tally(runs=n, decided=n, bad=bad, weight=n * weight, bad_weight=bad * weight, squares=n * weight**2)


def test_the_minimum_counts_runs_and_not_what_they_stand_for():
    few = BurnWindow(rate=FAST, long=tally(15, 15, 100.0), short=tally(15, 15, 100.0), recent=300)
    assert not few.fires(0.02, 20)
    assert few.fires(0.02, 15)


def test_what_is_over_does_not_fire():
    assert not BurnWindow(rate=FAST, long=tally(100, 60), short=tally(20, 0), recent=300).fires(0.05, 20)
    assert BurnWindow(rate=FAST, long=tally(100, 60), short=tally(20, 10), recent=300).fires(0.05, 20)


def test_a_short_window_grows_until_it_holds_some_runs():
    asked = []

    def one_each_minute(since, until):
        asked.append(until - since)
        return tally(round((until - since) / 60), 0)

    window = BurnWindow.count(FAST, 10_000.0, one_each_minute)
    assert (window.long.decided, window.short.decided, window.recent) == (60, 10, 600)
    assert asked == [3600, 300, 600]
