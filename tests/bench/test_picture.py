import re
from xml.etree import ElementTree as ET

from benches import bench, judged

from trail_callbacks.bench.figures import side_by_side
from trail_callbacks.bench.picture import to_svg
from trail_callbacks.models.call import Budget, Usage

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script>\u202e"
ASKED = Usage(calls=1, prompt_tokens=1_000, seconds=2.0)


def drawn(*judges):
    return to_svg([side_by_side(bench(["wr"] * 40, *judges))])


def root(svg):
    return ET.fromstring(svg)  # noqa: S314 - ours


def texts(svg):
    return ["".join(each.itertext()) for each in root(svg).iter(f"{SVG}text")]


def test_every_judge_is_listed_and_numbers_of_equal_judges_do_not_overlap():
    svg = drawn(*(judged(f"j{n}", ["cs"] * 36 + ["sc"] * 4) for n in range(8)), judged("silent", ["us"] * 40))
    assert [each for each in texts(svg) if re.match(r"\d [js]", each)] == [
        *(f"{n + 1} j{n}" for n in range(8)), "9 silent",
    ]  # fmt: skip
    assert "finds 0 of 40 (0 %), right not known" in texts(svg)
    places = [
        (float(each.get("x")), float(each.get("y"))) for each in root(svg).iter(f"{SVG}text") if each.get("paint-order")
    ]
    assert len(places) == 8
    assert all(max(abs(a - c), abs(b - d)) >= 9 for n, (a, b) in enumerate(places) for c, d in places[:n])


def test_beside_it_is_what_an_answer_costs_with_bars_of_seconds():
    priced = judged("p", ["cs"] * 40, usage=ASKED, prices=Budget(price_in=1.0, price_out=1.0))
    svg = drawn(judged("o", ["cs"] * 40, usage=Usage(seconds=1.0)), priced)
    assert {"1 s", "2 s, 0.001 paid, 1,000 tokens, 1.0 calls"} <= set(texts(svg))
    slow, fast = [float(each.get("width")) for each in root(svg).iter(f"{SVG}rect") if each.get("height") == "7"][::-1]
    assert slow == 2 * fast


def test_names_are_escaped_and_nothing_runs_or_loads():
    found = side_by_side(bench(["wr"], judged(HOSTILE, ["cs"])))
    page = to_svg([found, found])
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)" in page
    assert not re.search(r"<script|\u202e|<style|href|url\(", page)


def test_it_says_in_words_what_it_shows():
    top = root(drawn(judged("local", ["cs"] * 40)))
    named = top.get("aria-labelledby").split()
    said = {each.get("id"): each.text for each in top if each.get("id")}
    assert list(said) == named
    assert "1 local: wrong sentences found 100 % (40 of 40, 95 % interval" in said["words"]
