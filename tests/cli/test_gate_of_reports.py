"""`trail gate` of two reports, as a user types it and in CI."""

import json

import pytest

from trail_callbacks import Report, check

SOURCE = "The tower was finished in 1874. It is 31 metres high."
TRUE = "The tower was finished in 1874. It is 31 metres high."
FALSE = "The tower was finished in 1847. It is 31 metres high."
SILENT = "I do not know."


@pytest.fixture
def saved(tmp_path):
    def save(name, report):
        path = tmp_path / name
        path.write_text(report if isinstance(report, str) else report.to_json(), encoding="utf-8")
        return str(path)

    return save


@pytest.fixture
def reports(saved):
    return {
        "true": saved("true.json", check(TRUE, [SOURCE])),
        "false": saved("false.json", check(FALSE, [SOURCE])),
        "silent": saved("silent.json", check(SILENT, [SOURCE])),
        "blind": saved("blind.json", check(TRUE, [""])),
    }


def half_judged(report):
    """The same report, had the judge failed on its last claim."""
    data = json.loads(report.to_json())
    data["state"] = "partial"
    data["verdicts"][-1] |= {"support": None, "error_type": None, "error": "unreachable", "evidence": []}
    return Report.from_json(json.dumps(data))


def test_a_change_is_shown_and_no_rise_is_allowed_unless_asked_for(trail, reports):
    assert trail("gate", reports["true"], reports["false"])[0] == 1
    status, out, err = trail("gate", reports["true"], reports["false"], "--margin", "0.5")
    assert (status, err) == (0, "")
    assert out.startswith("hallucination score 0.00 -> 0.50: +0.50")
    assert "contradicted (number), was supported" in out


def test_one_json_object(trail, reports):
    status, out, err = trail("gate", reports["true"], reports["false"], "--margin", "1", "--json")
    data = json.loads(out)
    assert (status, err) == (0, "")
    assert data["score"]["change"] == 0.5
    assert data["changed"][0]["new"]["error_type"] == "number"


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        ("true false 0.5", 0, ""),
        ("true false 0.49", 1, "rose by 0.50 from 0.00, over --margin 0.49"),
        ("false true 0", 0, ""),
        ("true true 0", 0, ""),
        ("true silent 0", 0, ""),  # it states nothing that could be wrong
        ("silent true 0", 0, ""),
        ("silent false 0.4", 1, "rose by 0.50 from 0.00"),
        ("true blind 1", 1, "no source reached the answer"),
        ("blind false 0.4", 1, "rose by 0.50 from 0.00"),
    ],
)
def test_the_gate(trail, reports, args, status, words):
    old, new, limit = args.split()
    found, out, err = trail("gate", reports[old], reports[new], "--margin", limit)
    assert found == status
    assert out
    assert words in err


def test_what_was_not_judged_counts_for_the_old_and_against_the_new_report(trail, saved, reports):
    false = check(FALSE, [SOURCE])
    partial = saved("partial.json", half_judged(false))
    assert half_judged(false).hallucination_score == 1.0
    status, _, err = trail("gate", partial, reports["false"], "--margin", "0")
    assert (status, err) == (0, "")
    worst = saved("worst.json", check("The tower was finished in 1847. It is 13 metres high.", [SOURCE]))
    status, out, err = trail("gate", partial, worst, "--margin", "0.4")
    assert status == 1
    assert "1.00 -> 1.00: no change" in out
    assert "rose by 0.50 from 0.50" in err
    status, _, err = trail("gate", reports["false"], partial, "--margin", "1")
    assert status == 1
    assert "some claims were not judged" in err


def test_rounding_is_no_rise(trail, saved):
    def bad(n):
        years = [f"The tower number {i} was finished in 18{i + 10}." for i in range(10)]
        wrong = [text.replace("18", "17") if i < n else text for i, text in enumerate(years)]
        return check(" ".join(wrong), [" ".join(years)])

    old, new = bad(3), bad(4)
    assert new.hallucination_score - old.hallucination_score > 0.1
    assert trail("gate", saved("o", old), saved("n", new), "--margin", "0.1")[0] == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("true", "missing.json"), "missing.json cannot be read"),
        (("true",), "NEW"),
        (("-", "-"), "only once"),
        (("true", "false", "--margin", "1.5"), "--margin is 1.5"),
        (("true", "false", "--margin", "-1"), "--margin is -1"),
        (("true", "false", "--margin", "nan"), "--margin is nan"),
    ],
)
def test_wrong_use_exits_with_two_and_says_what(trail, reports, args, words):
    status, out, err = trail("gate", *(reports.get(arg, arg) for arg in args))
    assert (status, out) == (2, "")
    assert words in err
