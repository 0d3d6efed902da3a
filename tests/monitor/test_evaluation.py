"""What burns is said of the stage where it began, what nobody knows is said, too, and what is known is told once."""

from __future__ import annotations

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.monitor import Tally
from trail_callbacks.monitor.evaluation import Alert, BurnWindow, History, evaluate
from trail_callbacks.monitor.objectives import BURN_RATES, parse

BOTH = """
lag = 0
[[objective]]
signal = "query_coverage"
objective = 0.95
[[objective]]
signal = "answer_coverage"
objective = 0.95
"""
EACH = (
    BOTH
    + """
[[objective]]
name = "retrieval-of"
signal = "query_coverage"
objective = 0.95
segment = { tenant = "*" }
"""
)


class Recorded:
    """Runs in memory."""

    def __init__(self, runs):
        self.runs = runs

    def tally(self, signal, since, until, segment=None, threshold=None):
        wanted = (segment or {}).items()
        chosen = (run for run in self.runs if since <= run.at < until and all(run.segment(k) == v for k, v in wanted))
        return Tally.of(chosen, signal, threshold)


def said(text, runs, now, segments=None):
    return {each.id: each for each in evaluate(parse(text), Recorded(runs), now, segments)}


def test_nothing_burns(runs, now):
    found = said(BOTH, runs(2000, 72, 0, retrieval=0.01, generation=0.01), now)
    assert [(each.state, each.calls) for each in found.values()] == [("quiet", False)] * 3


@pytest.mark.parametrize("weighted", [1.0, 0.1])
def test_generation_alone_is_generations(runs, now, weighted):
    found = said(BOTH, [*runs(1000, 72, 1), *runs(100, 1, 0, generation=0.5, rate=weighted)], now)
    burns = found["answer_coverage"]
    assert (burns.state, burns.severity, burns.owner, burns.window) == ("firing", "page", "generation", "1h")
    assert burns.burn == pytest.approx(burns.share / 0.05)
    assert 0.3 < burns.low < burns.share
    assert "of 100 runs in 1h are bad" in burns.why
    assert not found["query_coverage"].calls


def test_what_follows_from_retrieval_is_held_back(runs, now):
    found = said(BOTH, [*runs(1000, 72, 1), *runs(100, 1, 0, retrieval=0.5)], now)
    assert (found["query_coverage"].state, found["query_coverage"].severity) == ("firing", "page")
    held = found["answer_coverage"]
    assert (held.state, held.calls, held.cause) == ("held_back", False, "query_coverage")


def test_a_small_trouble_before_is_no_excuse(runs, now):
    """Retrieval burns in a tenth of the runs; more than half of the answers are bad."""
    found = said(BOTH, [*runs(1000, 72, 1), *runs(400, 1, 0, retrieval=0.12, generation=0.6)], now)
    assert (found["answer_coverage"].state, found["answer_coverage"].severity) == ("firing", "page")


def test_a_broken_segment_is_told_apart(runs, now):
    calm = [*runs(1000, 72, 1, tenant="a"), *runs(1000, 72, 1, tenant="b"), *runs(150, 1, 0, tenant="a")]
    broken = [*calm, *runs(100, 1, 0, tenant="b", retrieval=0.99)]
    found = said(EACH, broken, now, {"tenant": ["a", "b"]})
    assert found["retrieval-of[tenant=b]"].severity == "page"
    assert found["retrieval-of[tenant=a]"].state == "quiet"
    assert (found["answer_coverage"].state, found["answer_coverage"].cause) == ("held_back", "query_coverage")


def test_what_words_say_of_coverage_calls_nobody_and_holds_nothing_back(runs, now):
    known = [*runs(1000, 72, 1, by="words", retrieval=0.4), *runs(100, 1, 0, by="words", retrieval=0.4, generation=0.6)]
    found = said(BOTH, known, now)
    assert (found["answer_coverage"].state, found["answer_coverage"].owner) == ("firing", "generation")
    assert found["query_coverage"].owner == "evaluator", "nobody knows"


@pytest.mark.parametrize(
    ("by", "retrieval", "more", "called"),
    [
        ("judge", 0.0, "", {"generation"}),
        ("judge", 0.9, "", {"retrieval"}),
        ("words", 0.0, "", set()),
        ("words", 0.0, 'owner = "us"', {"us"}),
    ],
)
def test_who_is_called_when_an_app_declines_goes_by_retrieval(runs, now, by, retrieval, more, called):  # noqa: PLR0917 - pytest names them
    declined = f'[[objective]]\nsignal = "abstention"\nobjective = 0.95\n{more}'
    declines = runs(100, 1, 0, by=by, retrieval=retrieval, declines=0.9)
    found = said(BOTH + declined, [*runs(1000, 72, 1, by=by), *declines], now)
    assert {each.owner for each in found.values() if each.calls} - {"evaluator"} == called


def test_a_judge_that_fails_is_no_data_and_calls_once(runs, now):
    found = said(BOTH, [*runs(1000, 72, 1), *runs(100, 1, 0, judged=False)], now)
    assert (found["evaluator"].state, found["evaluator"].severity, found["evaluator"].owner) == (
        "firing",
        "page",
        "evaluator",
    )
    for name in ("query_coverage", "answer_coverage"):
        assert (found[name].state, found[name].calls, found[name].cause) == ("no_data", False, "evaluator")


def test_no_runs_for_a_day_where_a_week_ago_there_were_some(runs, now):
    found = said(BOTH, runs(100, 8 * 24, 7 * 24), now)
    assert (found["evaluator"].state, found["evaluator"].severity) == ("no_data", "ticket")
    assert "7d ago, 100 or more came" in found["evaluator"].why
    assert not said(BOTH, runs(100, 7 * 24, 6 * 24), now)["evaluator"].calls
    assert not said(BOTH, [], now)["evaluator"].calls


@pytest.mark.parametrize(("a_day", "window", "hours"), [(50, "16h", 16), (500, "1h", 1), (2_000, "15m", 0.25)])
def test_traffic_that_stops_is_called_as_soon_as_its_rate_allows(runs, now, a_day, window, hours):
    for ago, calls in ((hours * 1.1, True), (hours * 0.9, False)):
        found = said(BOTH, [*runs(a_day, 8 * 24, 7 * 24), *runs(a_day * 2, 48, ago)], now)["evaluator"]
        assert (found.calls, found.window) == (True, window) if calls else not found.calls


def test_windows_end_before_judges_that_are_late(runs, now):
    late = [*runs(1000, 72, 3), *runs(100, 3, 2, generation=0.6), *runs(100, 2, 0, judged=False)]
    assert said(BOTH, late, now)["answer_coverage"].window == "6h"
    assert said(BOTH.replace("lag = 0", 'lag = "2h"'), late, now)["answer_coverage"].window == "1h"


FAST = BURN_RATES[0]


def tally(n, bad, weight=1.0):
    return Tally(runs=n, decided=n, bad=bad, weight=n * weight, bad_weight=bad * weight, squares=n * weight**2)


def test_the_minimum_counts_runs_and_not_what_they_stand_for():
    few = BurnWindow(rate=FAST, long=tally(15, 15, 100.0), short=tally(15, 15, 100.0))
    assert not few.fires(0.02, 20)
    assert few.fires(0.02, 15)


def test_what_is_over_does_not_fire():
    assert not BurnWindow(rate=FAST, long=tally(100, 60), short=tally(20, 0)).fires(0.05, 20)
    assert BurnWindow(rate=FAST, long=tally(100, 60), short=tally(20, 10)).fires(0.05, 20)


def test_a_short_window_grows_until_it_holds_some_runs():
    asked = []

    def one_each_minute(since, until):
        asked.append(until - since)
        return tally(round((until - since) / 60), 0)

    window = BurnWindow.count(FAST, 10_000.0, one_each_minute)
    assert (window.long.decided, window.short.decided) == (60, 10)
    assert asked == [3600, 300, 600]


def alert(state="firing", severity="page", id_="a"):
    called = severity if state in ("firing", "no_data") else None
    return Alert(id=id_, objective=id_, stage="generation", owner="team", state=state, severity=called)


def told(history, at, *alerts):
    return [(each.kind, each.id) for each in history.update(alerts, at)]


def test_the_same_is_not_told_again():
    history = History()
    assert told(history, 0, alert()) == [("begins", "a")]
    assert [told(history, at, alert()) for at in range(60, 7200, 60)] == [[]] * 119


def test_an_incident_is_told_once_whatever_burns_in_it_and_ends_with_the_last():
    history = History()
    assert told(history, 0, alert(), alert(id_="a[t=1]")) == [("begins", "a")]
    assert told(history, 60, alert("quiet"), alert(id_="a[t=1]"), alert(id_="a[t=2]")) == []
    assert told(history, 1900, alert("quiet"), alert(id_="a[t=2]")) == []
    assert told(history, 1900 + 900, alert("quiet"), alert("quiet", id_="a[t=2]")) == [("ends", "a")]


def test_an_end_is_told_after_some_quiet():
    history = History()
    told(history, 0, alert())
    assert told(history, 600, alert("quiet")) == []
    assert told(history, 660, alert()) == []
    assert told(history, 1500, alert("quiet")) == []
    (end,) = history.update([alert("quiet")], 1560)
    assert (end.kind, end.id, end.since, end.alert.state) == ("ends", "a", 0, "quiet")
    assert told(history, 2000, alert("quiet")) == []
    assert told(history, 2060, alert()) == [("begins", "a")]


def test_a_ticket_that_becomes_a_page_is_told_and_the_other_way_is_not():
    history = History()
    assert told(history, 0, alert(severity="ticket")) == [("begins", "a")]
    assert told(history, 60, alert(severity="page")) == [("worse", "a")]
    assert told(history, 120, alert(severity="ticket")) == []
    assert told(history, 180, alert(severity="page")) == []


@pytest.mark.parametrize("state", ["no_data", "too_few"])
def test_what_nobody_can_tell_ends_nothing(state):
    history = History()
    told(history, 0, alert())
    assert told(history, 10**6, alert(state)) == []


def test_a_file_remembers(tmp_path):
    file = str(tmp_path / "state.json")
    history = History.read(file)
    told(history, 5, alert(), alert(id_="b[t=\u00e9]"))
    history.write(file)
    assert History.read(file) == history
    assert told(History.read(file), 65, alert(), alert(id_="b[t=\u00e9]")) == []


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"version": 2, "alerts": {}}',
        '{"version": 1, "alerts": {"a": {"since": NaN, "last": 0, "severity": "page"}}}',
        '{"version": 1, "alerts": {"a": {"since": 0, "last": 0, "severity": "loud"}}}',
        "[" * 100_000,
    ],
)
def test_what_is_no_state_file_is_refused(tmp_path, text):
    file = tmp_path / "state.json"
    file.write_text(text)
    with pytest.raises(InputError, match="is no state file"):
        History.read(str(file))
