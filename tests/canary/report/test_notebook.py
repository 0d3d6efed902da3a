from html.parser import HTMLParser

import pytest
from canary_runs import run

from trail_callbacks.canary import Skipped
from trail_callbacks.canary.report import assess

F, L, U = "follows_context", "leaks_prior", "unscorable"
BAD = ["<script>alert(1)</script>", "\" onmouseover='x'", "\u202eevil\x1b[2J\ud800", "</div></td><plaintext>"]


class Tags(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, [name for name, _ in attributes]))


def test_it_has_the_answer_the_main_rates_ties_and_remarks():
    html = assess(
        run({"a": {"fictive": [F] * 9 + [L]}, "b": {"fictive": [F] * 10}}, skipped=[Skipped("p9", "gone")])
    )._repr_html_()
    for words in (
        "from 0 % [0, 27.8] of 10 (b)", "<b>90</b>", "[59.6, 98.2] of 10", "no two strategies", "p9: gone",
        "context is authoritative", "10 probes",
    ):  # fmt: skip
        assert words in html, words
    assert html.count("<tr>") == 6  # rates, and what is right


@pytest.mark.parametrize("bad", BAD)
def test_hostile_names_stay_text(bad):
    def made(said):
        return assess(
            run({f"s {said}": {"fictive": [F, U]}}, skipped=[Skipped(said, said)], stopped=said)
        )._repr_html_()

    assert Tags(made(bad)).found == Tags(made("harmless")).found
    assert not set("\u202e\x1b\ud800") & set(made(bad))


def test_many_strategies_are_cut():
    html = assess(run({f"s{n}": {"fictive": [F]} for n in range(70)}))._repr_html_()
    assert "and 10 more strategies" in html
