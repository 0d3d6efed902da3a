# ruff: noqa: RUF001 - signs that look like others are what is tested
"""Odd and hostile input through `check`: no exception, a sensible state, time that grows as the text does."""

import base64
import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trail_callbacks import Node, ProvenanceGraph, check, verify

TOWER = "The tower has 330 steps. It was opened in 1889. Nobody fell."
STATES = {"assessed", "partial", "no_checkable_claims", "unverified", "no_evidence", "abstained"}
WORDS = [
    "tower",
    "bridge",
    "river",
    "council",
    "plan",
    "budget",
    "water",
    "metre",
    "report",
    "minister",
    "opened",
    "closed",
    "large",
    "old",
    "in",
    "of",
    "and",
    "the",
]


def prose(size):
    dice = random.Random(1)  # noqa: S311 - the same text in every run
    out, length = [], 0
    while length < size:
        sentence = " ".join(dice.choices(WORDS, k=dice.randint(5, 18))).capitalize() + f" {dice.randint(1, 3000)}. "
        out.append(sentence)
        length += len(sentence)
    return "".join(out)


SMALL = {
    "empty": "",
    "blanks": " \t\r\n\u3000\u200b ",
    "one word": "tower",
    "a letter": "x",
    "punctuation": "?!.,;:-–—…\"'()[]{}",
    "emoji": "🗼👩‍👩‍👧‍👦🇫🇷 is 330 m high 🎉",
    "right to left": "ارتفاع البرج ٣٣٠ مترًا. \u202eevil\u202c הגשר נפתח בשנת 1932.",
    "mixed": "Der Turm ist 330 m hoch, la tour est belle, 塔高330米, башня 330 м.",
    "zero width": "The to\u200bwer has 3\u200b3\u200d0 steps\ufeff.",
    "homoglyphs": "The tоwer has 33О steps.",
    "code": "def f(x):\n    return x[0] if x else {'a': 1}\n\nprint(f([1, 2]))  # 330",
    "latex": r"\begin{equation} \frac{330}{2} \times 10^{5} = \sum_{i=0}^{n} x_i \end{equation}",
    "html": "<script>alert('330')</script><p>The tower has <b>330</b> steps.</p><!-- 331 -->",
    "base64": base64.b64encode(bytes(range(256)) * 4).decode(),
    "surrogates": "\ud800The tower has 330 steps\udfff.",
    "nul": "The tower\0has\0330 steps.\0",
    "controls": "".join(map(chr, range(32))) + "The tower has 330 steps.",
    "digits": "1" * 5000,
    "a number in parts": "1,000 and 1.000 and 1 000 and 1'000 and 1,00,000 of 150 % and 1/3, IV, 10⁵, ½, −5",
    "dates": "03/04/2020, 2020-03-04, 44 BC, 31/02/2020, 99/99/9999, 0000-00-00, the next day, two years later",
    "json": json.dumps({"tower": {"steps": 330, "é": ["\ud83d\ude00", None, True, 1e400]}}),
    "broken json": '{"tower": {"steps": 330, "x": [1, 2',
    "table": "| tower | steps |\n|--|--|\n| a | 330 |\n| b |\n||||||\n",
    "combining": "T" + "\u0301" * 500 + "he tower has 330 steps.",
    "isolates": "\u2066" * 300 + "The tower has 330 steps.",
    "separators": "The tower\u2028has\u2029330\x0bsteps\x0c.\x85",
}


@pytest.mark.parametrize("text", SMALL.values(), ids=SMALL)
def test_any_text_is_an_answer_and_a_source(text):
    for answer, source in ((text, TOWER), (TOWER, text), (text, text)):
        sound(answer, source)


def sound(answer, source):
    report = check(answer, [source, TOWER], question=answer[:50] or None)
    assert report.state in STATES
    assert all(verdict.error is None for verdict in report.verdicts)
    for verdict in report.verdicts:
        for item in verdict.evidence:
            assert report.graph.node(item.node_id).text[item.start : item.end] == item.quote
    text = report.graph.answer.text  # halves of surrogate pairs are replaced there
    assert all(text[claim.start : claim.end] == claim.quote for claim in report.claims)
    assert len(text) == len(answer)


@pytest.mark.parametrize("name", ["empty", "blanks", "punctuation"])
def test_what_says_nothing_has_no_score(name):
    report = check(SMALL[name], TOWER)
    assert report.state == "no_checkable_claims"
    assert report.hallucination_score is None


@pytest.mark.parametrize("answer", ["The tower has 3\u200b30 steps.", "The tower has ３３０ steps."])
def test_digits_in_disguise_are_the_digits_they_look_like(answer):
    assert [str(verdict.support) for verdict in check(answer, "The tower has 330 steps.").verdicts] == ["supported"]
    wrong = check(answer, "The tower has 340 steps.").verdicts
    assert [(str(v.support), str(v.error_type)) for v in wrong] == [("contradicted", "number")]


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text(answer, source):
    assert check(answer, source).state in STATES


GROWING = {
    "prose": (TOWER, lambda n: prose(60 * n)),
    "deep arrays": (TOWER, lambda n: "[" * (20 * n) + "1" + "]" * (20 * n)),
    "digits": (TOWER, lambda n: "1" * (100 * n)),
    "a table": (TOWER, lambda n: "|tower|steps|\n|--|--|\n" + "".join(f"|t{i}|{i}|\n" for i in range(3 * n))),
    "blanks": (TOWER, lambda n: "The tower" + " " * (200 * n) + "has 330 steps."),
}


def seconds(answer, source):
    """CPU time of one check: other processes may not count."""
    at = time.process_time()
    check(answer, source)
    return time.process_time() - at


def grows(small, large):
    """How many times as long four times the text takes, at its best of three tries."""
    check(*small)
    ratio = float("inf")
    for _ in range(3):
        ratio = min(ratio, seconds(*large) / max(seconds(*small), 5e-3))
        if ratio < 8:
            break
    return ratio


@pytest.mark.parametrize(("answer", "make"), GROWING.values(), ids=GROWING)
def test_four_times_the_source_takes_about_four_times_as_long(answer, make):
    assert grows((answer, make(300)), (answer, make(1200))) < 8  # 16 were it quadratic


ANSWERS = {
    "no full stop": lambda n: "tower steps " * (10 * n),
    "brackets": lambda n: "[(" * (50 * n),
    "names": lambda n: "Mara Holt " * (10 * n),
    "quotes": lambda n: '"' * (50 * n),
}


@pytest.mark.parametrize("make", ANSWERS.values(), ids=ANSWERS)
def test_four_times_the_answer_takes_about_four_times_as_long(make):
    assert grows((make(60), TOWER), (make(240), TOWER)) < 8


def test_a_hundred_thousand_characters_without_a_full_stop():
    text = "the tower of the city has many steps " * 2700
    report = check(text, "The tower has 330 steps.")
    assert report.state in STATES
    assert check("The tower has 330 steps.", text).state in STATES


def test_the_one_sentence_in_half_a_megabyte_is_found():
    half = prose(250_000)
    report = check(
        "The Kelder lighthouse was painted in 1904.", f"{half} The Kelder lighthouse was painted in 1905. {half}"
    )
    (verdict,) = report.verdicts
    assert str(verdict.support) == "contradicted"
    assert [item.quote for item in verdict.evidence] == ["The Kelder lighthouse was painted in 1905."]


SCRIPT = """
import json, sys
from trail_callbacks import check
sources = json.loads(sys.stdin.read())
report = check(sources[0], sources[1:], question="How high is the tower?")
sys.stdout.write(json.dumps(report.to_json(), sort_keys=True) if not isinstance(report.to_json(), str) else report.to_json())
"""
STORY = [
    (
        "The tower is 330 m tall and was designed by Mara Holt. It opened in 1932; the following year it closed. Every visitor likes it. "
        "Der Turm hat 1.000 Stufen. Revenue was 60 million euros, according to the WHO."
    ),
    "The tower, 330 m tall, was designed by Jonas Reed. It opened in 1932. Some visitors like it.",
    "The World Health Organization put the revenue at 50 million euros. It closed in 1933.",
    '{"tower": {"steps": 1000, "visitors": [1, 2, 3]}}',
    prose(20_000),
]


def stable(text):
    """A report without what says when and how long."""
    data = json.loads(text)

    def clean(value):
        if isinstance(value, dict):
            return {key: clean(each) for key, each in value.items() if key not in {"seconds", "created", "created_at"}}
        return [clean(each) for each in value] if isinstance(value, list) else value

    return clean(data)


def test_hash_seeds_change_nothing():
    outs = []
    for seed in ("0", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            input=json.dumps(STORY),
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        outs.append(stable(done.stdout))
    assert outs[0]["verdicts"]
    assert outs[0] == outs[1]


def told(report):
    """What a report says, with sources by their text rather than by id."""
    text = {node.id: node.text for node in report.graph.nodes}
    return [
        (
            str(v.support),
            v.error_type,
            v.detail,
            v.confidence,
            sorted((text[e.node_id], e.start, e.relation) for e in v.evidence),
        )
        for v in report.verdicts
    ]


def test_threads_change_nothing():
    alone = told(check(STORY[0], STORY[1:]))
    with ThreadPoolExecutor(8) as pool:
        assert all(told(each) == alone for each in pool.map(lambda _: check(STORY[0], STORY[1:]), range(8)))


def test_the_order_of_nodes_and_edges_changes_nothing():
    graph = ProvenanceGraph.from_texts(
        STORY[0], [Node(id=f"d{i}", kind="document", text=t) for i, t in enumerate(STORY[1:])]
    )
    turned = ProvenanceGraph(nodes=tuple(reversed(graph.nodes)), edges=tuple(reversed(graph.edges)))
    assert [row[:4] for row in told(verify(graph))] == [row[:4] for row in told(verify(turned))]
