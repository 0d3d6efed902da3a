import os
from html.parser import HTMLParser

import pytest
from pytest_trail.gathered import literal, markdown

pytest_plugins = "pytester"
markdown_it = pytest.importorskip("markdown_it")


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.elements, self.code, self.attributes, self.inside = [], [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += attrs
        if tag == "code":
            self.code.append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "code"

    def handle_data(self, data):
        if self.inside:
            self.code[-1] += data


def page(text):
    return Page(markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</code></td></table><script>alert(1)</script>",
    "a | b || c",
    "[click](https://example.org) ![x](https://example.org/a.png) <https://example.org>",
    "https://example.org www.example.org a@example.org @team #12 GH-3",
    "`code` ```fence``` ~~~ **bold** _it_ ~~no~~ $x$ :tada:",
    "&lt;b&gt; &#60;b&#62; &amp;",
    "\\| \\` \\<",
    "# head - [ ] task > quote --- 1. one",
    "caf\u00e9 \u6771\u4eac \U0001f600 \u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_shown_as_it_is_and_is_nothing_else(text):
    for before, after in (("", ""), ("| x |\n| --- |\n| ", " |\n"), ("- ", "\n")):
        plain = page(f"{before}<code>x</code>{after}")
        found = page(f"{before}{literal(text)}{after}")
        assert (found.elements, found.attributes) == (plain.elements, [])
        assert found.code == [text]


def test_no_line_control_or_hidden_character_gets_through():
    found = literal("one\n\n| two\r\x1b[2J \u202e \ud800 \U000e0041\x00" + "x" * 1000)
    assert found.isprintable()
    assert len(page(found).code[0]) == 160


def recorded(quotes, outcome="failed"):
    check = {"findings": [[quote, "absent"] for quote in quotes], "score": 0.5, "state": "assessed", "claims": 2}
    return {"outcome": outcome, "checks": [check]}


def test_the_table_keeps_its_shape_and_stays_below_what_is_shown():
    tests = {f"t.py::t[{n} | <b>]": recorded(["\U0001f600|" * 500] * 20) for n in range(500)}
    text = markdown(tests, ["a note with <b> | pipes"])
    assert len(text.encode()) < 1_000_000
    found = page(text)
    assert found.elements.count("tr") == 51
    assert found.elements.count("td") == 50 * 7
    assert "b" not in found.elements
    assert "450 more are not shown." in text
    assert "and 15 more" in text


TEXT = 'def test_a(trail_check, assert_grounded): assert_grounded(trail_check("It has <b>14</b> ships.", ["It has 12 ships."]))'


def test_a_step_is_told_once_and_what_it_said_before_stays(run, pytester, monkeypatch):
    path = pytester.path / "step.md"
    path.write_text("before\n", encoding="utf-8")
    run("def test_it(): pass")
    run(TEXT)
    assert path.read_text(encoding="utf-8") == "before\n"  # not set
    result = None
    for n, text in ((0, "def test_it(): pass"), (1, TEXT), (2, TEXT)):
        with monkeypatch.context() as patch:
            patch.setattr("os.environ", {**os.environ, "GITHUB_STEP_SUMMARY": str(path)})
            result = run(text)
        assert path.read_text(encoding="utf-8").count("### Grounding of answers") == n
    assert path.read_text(encoding="utf-8").startswith("before\n")
    assert "<b>" not in path.read_text(encoding="utf-8")
    result.assert_outcomes(failed=1)
