import re

import pytest
from canary_runs import probe, run
from rich.console import Group

from trail_callbacks.canary import Run, Skipped
from trail_callbacks.canary.report import assess
from trail_callbacks.canary.report.terminal import views
from trail_callbacks.render.terminal import plain_text

F, L, A, M, U = "follows_context", "leaks_prior", "abstains", "retrieval_miss", "unscorable"


def shown(made, width=160):
    from rich.text import Text

    page = Group(*(Text(each) if isinstance(each, str) else each for each in views(assess(made))))
    return plain_text(page, width)


def test_rates_have_intervals_and_ties_are_called_ties():
    text = shown(run({"a": {"fictive": [F] * 9 + [L]}, "b": {"fictive": [F] * 8 + [L] * 2}}))
    assert "10 probes, 2 strategies, 20 trials: fictive context" in text
    assert "90 [59.6, 98.2]" in text
    assert "By follow rate no two strategies can be told apart (n = 10" in text
    assert "1. a | b" in text
    assert "Precision: 10 probes: without a single leak, the leak rate would be below 27.8 %" in text


@pytest.mark.parametrize(
    "made",
    [
        Run(probes={}, strategies={}, arms=(), trials=()),
        run({"one": {"fictive": []}}),
        run({"one": {"fictive": [U, U]}}),
        run({"one": {"closed_book": [L, A]}}),
        run({"one": {"fictive": [M, M]}}),
    ],
    ids=["empty", "nothing asked", "all unscorable", "one arm", "nothing retrieved"],
)
def test_poor_runs_are_shown(made):
    text = shown(made)
    assert not re.search(r"\bnan\b", text, re.IGNORECASE)
    assert "None" not in text


def test_unscorable_misses_and_skipped_are_said():
    made = run({"one": {"fictive": [U, M, F]}}, skipped=[Skipped("p9", "its passage is gone")], stopped="interrupted")
    text = shown(made)
    assert "Unscorable: 1 trial" in text
    assert "1: TimeoutError: 30 s" in text
    assert "50 [9.5, 90.5]" in text  # not retrieved: 1 of 2
    assert "The run is unfinished: interrupted." in text
    assert "1 left out; the first: p9: its passage is gone" in text


def test_hostile_names_are_spelled_out():
    name = "evil\x1b[31m\u202e name"
    text = shown(run({name: {"fictive": [F]}, "[red]b": {"fictive": [L]}}, [probe(0, subject="\x07")]))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\x07" not in text
    assert "[red]b" in text


def test_a_notebook_shows_the_same_and_text_stays_text():
    bad = "</pre><script>alert(1)</script>\u202e\x1b"
    html = assess(run({"a": {"fictive": [F] * 9 + [L]}, bad: {"fictive": [F] * 10}}))._repr_html_()
    assert "from 0 % [0, 27.8] of 10" in html
    assert "no two strategies" in html
    assert re.findall(r"<(\w+)", html) == ["div", "b", "pre"]
    assert not set("\u202e\x1b") & set(html)
