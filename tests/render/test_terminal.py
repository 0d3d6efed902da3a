"""What reports and graphs look like in a terminal, and that no text in them can do more than be read."""

import csv
from io import StringIO

import pytest
from judged import ABSENT, YES, graph_of, node, quoted
from judged import report as judged
from rich.console import Console
from shown import ECHOED, FLEET, HOSTILE, NOTED, one_claim

from trail_callbacks import Report, check
from trail_callbacks.export import to_csv, to_prov_json
from trail_callbacks.render.notebook import to_fragment
from trail_callbacks.render.terminal import graph_to_text, to_text


def test_a_claim_says_everything_about_itself():
    assert to_text(FLEET, 80).splitlines() == [
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
    report = Report(state=state, graph=FLEET.graph, warnings=("the judge was not reached",))
    for shown in (to_text(report), to_fragment(report)):
        assert words in shown
        assert "the judge was not reached" in shown
        assert "0.00 (" not in shown


def test_ascii_only():
    shown = to_text(one_claim("Caf\u00e9 \u2603 is open.", "Das Caf\u00e9 ist zu \U0001f600."), 60, ascii=True)
    assert shown.isascii()
    assert "X c1 contradicted" in shown
    assert "Caf\\xe9 \\u2603 is open." in shown


@pytest.mark.parametrize("width", [1, 40, 200])
def test_no_line_is_wider_than_asked(width):
    report = one_claim("word " * 100 + "x" * 300, "y" * 500, why="z" * 500)
    for shown in (to_text(report, width), graph_to_text(report.graph, width)):
        assert max(map(len, shown.splitlines())) <= max(width, 40)


def test_hostile_text_is_only_read():
    report = one_claim(HOSTILE, HOSTILE, why=HOSTILE, step=HOSTILE)
    for shown in (to_text(report, 80), graph_to_text(report.graph, 80), to_fragment(report)):
        assert not {"\x1b", "\x07", "\x9b", "\x00", "\r", "\u202e", "\u2066"} & set(shown)
    flat = "".join(to_text(report, 80).split())
    assert "[boldred]x[/]" in flat  # rich markup and emoji codes are left as they are written
    assert ":smile:" in flat
    stream = StringIO()
    Console(file=stream, force_terminal=True, color_system="standard", width=80).print(report)
    assert "\x1b[1;31m" in stream.getvalue()
    assert "pwned" in stream.getvalue()
    assert "\x1b]0" not in stream.getvalue()


def many(count):
    said = node("source-1", "document", "Abc")
    held, against = (quoted(said, "Abc", relation) for relation in ("supports", "contradicts"))
    return judged(*(
        (f"Boat {n} was built.", ABSENT if n == 5 else YES, {"evidence": (held, against) if n == 7 else (held,)})
        for n in range(count)
    ), sources=["Abc"])  # fmt: skip


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
    assert lines[0] == "1 of 3 claims checked, 0 unsupported; 2 not checked"
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


# ---------------------------------------------------------------- graphs


def test_a_graph_goes_stage_by_stage():
    assert graph_to_text(FLEET.graph, 80).splitlines() == [
        "stage 0",
        "  question user (q1)",
        '    "Which?"',
        "  document fleet.md (d1), given by the app",
        '    "Some boats may be visited on Sundays. The rest may not."',
        "stage 1",
        "  completion summarise (m2)",
        "    from user (q1), fleet.md (d1)?",
        '    "All boats may be visited."',
        "stage 2",
        "  answer combine (answer)",
        "    from summarise (m2)",
        '    "All boats may be visited."',
        "? only known to have been in reach",
    ]


def test_a_large_graph_stays_readable():
    nodes = [node(f"d{n}", "document", "It is.", "shelf") for n in range(500)]
    graph = graph_of([*nodes, node("answer", "answer", "It is." * 10_000)], *((each.id, "answer") for each in nodes))
    shown = graph_to_text(graph, 80)
    assert "and 488 more at this stage" in shown
    assert "and 492 more" in shown
    assert len(shown.splitlines()) < 60


def test_each_source_says_where_its_words_are_from():
    lines = graph_to_text(ECHOED.graph, 120).splitlines()
    assert "  question user (q1)" in lines
    assert "  instruction prompt (i1), the prompt's wording" in lines
    assert "  tool result note (t1), from a tool, in part written by a model" in lines
    assert f'    written by a model: "{NOTED}"' in lines
    at = lines.index("  tool result memory (t2), written by a model")
    assert lines[at + 1 : at + 3] == [f'    "{NOTED}"', "stage 1"]
