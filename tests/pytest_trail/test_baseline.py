import json

import pytest
from pytest_trail.recorded import AcceptedFinding, baseline_text, read_baseline

pytest_plugins = "pytester"

BAD = 'trail_check("The fleet has {} ships. It sails in May.", ["The fleet has 12 ships. It sails in May."])'
TEXT = f"""
def test_a(trail_check, assert_grounded): assert_grounded({BAD.format(14)})
def test_b(trail_check, assert_grounded): assert_grounded({BAD.format(15)})
"""
FILE = "--trail-baseline=known.json"


@pytest.fixture
def known(pytester):
    """What the file accepts: name of the test, and quote."""

    def found():
        return [(each.test.split("::")[1], each.quote) for each in sorted(read_baseline(pytester.path / "known.json"))]

    return found


HOSTILE = [
    AcceptedFinding("t.py::a", "one\nline \u2028 \u202e \ud800 \U000e0041 \x1b[2J", "absent"),
    AcceptedFinding("t.py::a", 'caf\u00e9 \u6771\u4eac "quoted" \\ back', "undecided"),
    AcceptedFinding("t.py::B", "x", "contradicted"),
]


def test_a_file_is_sorted_one_finding_a_line_and_reads_back(tmp_path):
    text = baseline_text([*HOSTILE, HOSTILE[0]])
    (tmp_path / "f.json").write_text(text, encoding="utf-8")
    assert read_baseline(tmp_path / "f.json") == frozenset(HOSTILE)
    assert text == baseline_text(reversed(HOSTILE))
    lines = text.splitlines()
    assert len(lines) == 5
    assert [json.loads(line.rstrip(","))["quote"] for line in lines[1:-1]] == [each.quote for each in sorted(HOSTILE)]
    assert all(line.isprintable() for line in lines)
    assert "caf\u00e9 \u6771\u4eac" in text


@pytest.mark.parametrize(
    "text",
    [
        '{"version": 2, "findings": []}',
        '{"version": 1, "findings": [{"test": "t", "quote": "q"}]}',
        '{"version": 1, "findings": [{"test": "t", "quote": "q", "outcome": 1}]}',
        "\xff",
        "[" * 100_000,
    ],
)
def test_another_file_is_refused_and_not_overwritten(run, pytester, text):
    path = pytester.path / "known.json"
    path.write_bytes(text.encode("latin-1"))
    result = run(TEXT, FILE, "--trail-update-baseline")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--trail-baseline: *known.json*"])
    assert path.read_bytes() == text.encode("latin-1")


def test_what_is_accepted_passes_and_what_is_new_fails(run, known):
    run(TEXT, FILE, "--trail-update-baseline").assert_outcomes(passed=2)
    assert known() == [("test_a", "The fleet has 14 ships."), ("test_b", "The fleet has 15 ships.")]
    result = run(TEXT, FILE)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["accepted by known.json: 2 findings"])
    result = run(TEXT.replace("15", "16"), FILE)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*16 ships*"])
    assert known() == [("test_a", "The fleet has 14 ships."), ("test_b", "The fleet has 15 ships.")]


def test_what_is_not_found_any_more_is_named_and_dropped_on_purpose(run, known):
    run(TEXT, FILE, "--trail-update-baseline")
    mended = TEXT.replace("14", "12")
    result = run(mended, FILE)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["stale in known.json: *::test_a: 'The fleet has 14 ships.' (contradicted)*"])
    assert len(known()) == 2
    run(mended, FILE, "--trail-update-baseline").stdout.fnmatch_lines(
        ["baseline known.json: 0 findings added, 1 removed"]
    )
    assert known() == [("test_b", "The fleet has 15 ships.")]


def test_a_test_that_did_not_run_keeps_what_is_accepted_and_one_whose_file_is_gone_does_not(run, known, pytester):
    run(TEXT, FILE, "--trail-update-baseline")
    gone = AcceptedFinding("gone.py::test_x", "It is red.", "absent")
    path = pytester.path / "known.json"
    path.write_text(baseline_text([*read_baseline(path), gone]), encoding="utf-8")
    result = run(TEXT, FILE, "-k", "not test_b")
    result.stdout.fnmatch_lines(["stale in known.json: gone.py::test_x: *", "*has findings of 1 test that did not run"])
    run(TEXT, FILE, "-k", "not test_b", "--trail-update-baseline")
    assert known() == [("test_a", "The fleet has 14 ships."), ("test_b", "The fleet has 15 ships.")]
