"""What reports and graphs look like, and that no text in them can do more than be read."""

import csv
from dataclasses import replace
from io import StringIO

import pytest
from one_claim import HOSTILE, REPORT, build
from rich.console import Console

from trail_callbacks import Claim, ErrorType, Evidence, ProvenanceGraph, Report, SupportClass, Verdict, check
from trail_callbacks.export import to_csv, to_prov_json
from trail_callbacks.render.notebook import to_fragment
from trail_callbacks.render.terminal import graph_to_text, to_text


def test_a_claim_says_everything_about_itself():
    assert to_text(REPORT, 80).splitlines() == [
        "hallucination score 1.00 (95 % interval 0.21 to 1.00)",
        "1 claim: 1 contradicted",
        "error types: 1 false concatenation",
        "judge test; 0 model calls; 0.00 s",
        "",
        "\u2717 c1 contradicted (false concatenation)",
        '  "All boats may be visited."',
        '  against:    fleet.md (d1): "Some boats may be visited on Sundays." The rest',
        "              may not.",
        "  why:        all against some",
        "  entry step: summarise (m2)",
        "  carried by: combine (answer)",
        "",
        'next: Check the prompt of the step summarise (m2): it wrote "All boats may be',
        '      visited.", but fleet.md (d1) says "Some boats may be visited on Sundays.",',
        "      which it read.",
    ]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("abstained", "no score: the answer declines to answer"),
        ("no_checkable_claims", "no score: the answer makes no checkable claim"),
        ("unverified", "no score: nothing that the answer states could be checked"),
        ("no_evidence", "no score: no source reached the answer"),
        ("error", "no score: the verification failed"),
    ],
)
def test_without_a_score_the_state_is_said_in_words(state, words):
    report = Report(state=state, graph=REPORT.graph, warnings=("the judge was not reached",))
    for text in (to_text(report), to_fragment(report)):
        assert words in text
        assert "the judge was not reached" in text
        assert "0.00 (" not in text


def test_ascii_only():
    text = to_text(build("Caf\u00e9 \u2603 is open.", "Das Caf\u00e9 ist zu \U0001f600."), 60, ascii=True)
    assert text.isascii()
    assert "X c1 contradicted" in text
    assert "Caf\\xe9 \\u2603 is open." in text


@pytest.mark.parametrize("width", [1, 40, 60, 80, 200])
def test_no_line_is_wider_than_asked(width):
    report = build("word " * 100 + "x" * 300, "y" * 500, why="z" * 500)
    for text in (to_text(report, width), graph_to_text(report.graph, width)):
        assert max(map(len, text.splitlines())) <= max(width, 40)


def test_hostile_text_is_only_read():
    report = build(HOSTILE, HOSTILE, why=HOSTILE, step=HOSTILE)
    for text in (to_text(report, 80), graph_to_text(report.graph, 80), to_fragment(report)):
        for sign in ("\x1b", "\x07", "\x9b", "\x00", "\r", "\u202e", "\u2066"):
            assert sign not in text
    flat = "".join(to_text(report, 80).split())
    assert "[boldred]x[/]" in flat  # rich markup and emoji codes are left as they are written
    assert ":smile:" in flat
    stream = StringIO()
    Console(file=stream, force_terminal=True, color_system="standard", width=80).print(report)
    assert "\x1b[1;31m" in stream.getvalue()
    assert "\x1b" not in to_text(report)
    assert "pwned" in stream.getvalue()
    assert "\x1b]0" not in stream.getvalue()


def many(count):
    answer = " ".join(f"Boat {n} was built." for n in range(count))
    claims, verdicts = [], []
    for n in range(count):
        quote = f"Boat {n} was built."
        start = answer.index(quote)
        claims.append(Claim(id=f"c{n + 1}", text=quote, quote=quote, start=start, end=start + len(quote)))
        item = Evidence(node_id="source-1", start=0, end=3, quote="Abc", relation="supports")
        against = replace(item, relation="contradicts")
        support = SupportClass.ABSENT if n == 5 else SupportClass.SUPPORTED
        verdicts.append(
            Verdict(
                claim_id=f"c{n + 1}",
                support=support,
                error_type=ErrorType.OTHER if n == 5 else None,
                evidence=(item, against) if n == 7 else (item,),
            )
        )
    graph = ProvenanceGraph.from_texts(answer, ["Abc"])
    return Report(state="assessed", graph=graph, claims=tuple(claims), verdicts=tuple(verdicts))


def test_among_many_claims_those_that_hold_take_a_line_each():
    lines = to_text(many(200), 80).splitlines()
    assert len(lines) < 230
    assert '\u2713 c1 "Boat 0 was built."' in lines
    assert "\u2205 c6 absent (other)" in lines
    assert "\u2713 c8 supported (sources disagree)" in lines
    assert "supported and undecided claims are listed without their evidence" in lines
    assert "listed" not in to_text(many(30), 80)


HARBOUR = "The boat in the harbour is old."


def test_an_undecided_claim_says_why_and_what_comes_nearest(by_colour):
    report = check("The boat is old. The boat is blue. The boat is black.", [HARBOUR], judge=by_colour)
    lines = to_text(report, 110).splitlines()
    assert lines[0].endswith("over 1 of 3 claims; 1 undecided; 1 not judged")
    assert lines[1] == "3 claims: 1 supported, 1 undecided, 1 not judged"
    at = lines.index("\u25cb c2 undecided")
    assert lines[at + 1 : at + 4] == [
        '  "The boat is blue."',
        "  undecided:  no sentence is about its colour",
        f'  nearest:    source (source-1): "{HARBOUR}"',
    ]
    assert "o c2 undecided" in to_text(report, 80, ascii=True).splitlines()
    alone = to_text(check("The boat is blue.", [HARBOUR], judge=by_colour), 80)
    assert alone.splitlines()[0] == "no score: no claim could be decided; 1 undecided"


def test_the_field_of_a_structured_answer_is_named_everywhere():
    report = check('{"boats": [{"name": "Aurora", "length": 41}]}', ['{"boats": [{"name": "Aurora", "length": 12}]}'])
    for shown in (str(report), report.to_html(), report._repr_html_()):
        assert "boats[0].length" in shown
    assert "boats[0].length" in [entry["path"] for entry in report.summary()["unsupported"]]
    assert Report.from_json(report.to_json()) == report
    read = next(row for row in csv.DictReader(to_csv(report).splitlines()) if row["quote"] == "41")
    assert read["path"] == "boats[0].length"
    assert '"trail:path": "boats[0].length"' in to_prov_json(report)
