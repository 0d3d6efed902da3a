"""An alert is told once when it begins, when it becomes a page, and when it has ended."""

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.monitor.evaluation import Alert, History


def alert(state="firing", severity="page", id_="a"):
    called = severity if state in ("firing", "no_data") else None
    return Alert(id=id_, objective=id_, stage="generation", owner="team", state=state, severity=called)


def told(history, at, *alerts):
    return [(each.kind, each.id) for each in history.update(alerts, at)]


def test_the_same_is_not_told_again():
    history = History()
    assert told(history, 0, alert()) == [("begins", "a")]
    assert [told(history, at, alert()) for at in range(60, 7200, 60)] == [[]] * 119


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
