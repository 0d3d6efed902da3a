"""A judge compared with people's marks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trail_callbacks.bench import JudgedClaim, calibrated, failures, read_marks
from trail_callbacks.errors import InputError
from trail_callbacks.statistics.intervals import wilson


def marks(outcome, label, n, **more):
    """Verdicts of as many answers, with the class that people say."""
    more = {"judge": "j/1", "right": outcome == label, **more}
    return [JudgedClaim(run=f"{outcome}{label}{i}{more}", outcome=outcome, label=label, **more) for i in range(n)]


COHEN = [  # 1960: 20 + 15 of 50 agree, marginals 25/25 and 30/20
    *marks("supported", "supported", 20),
    *marks("supported", "absent", 5),
    *marks("absent", "supported", 10),
    *marks("absent", "absent", 15),
]


def test_agreement_kappa_precision_and_recall_are_those_of_the_table():
    found = calibrated(COHEN)
    assert (found.agreement.k, found.agreement.n) == (35, 50)
    assert (found.agreement.low, found.agreement.high) == pytest.approx(wilson(0.7, 50))
    assert found.kappa == pytest.approx(0.4)
    low, high = found.kappa_interval
    assert (low, high) == pytest.approx((0.15, 0.65), abs=0.05)  # by the formula of its variance 0.4 +- 0.25
    assert (found.precision.k, found.precision.n, found.recall.k, found.recall.n) == (15, 25, 15, 20)
    assert {name for name, (said, _) in found.classes.items() if said.n} == {"supported", "absent"}
    assert found.table["absent"]["supported"] == 10
    assert found.error is None
    assert found.threshold is None


def test_what_cannot_be_computed_is_none_and_says_why():
    found = calibrated(
        [JudgedClaim(run="r", outcome="supported", right=False, judge="j/1"), *marks("absent", "absent", 1)]
    )
    assert found.kappa is None  # one class
    assert found.kappa_interval is None
    assert found.recall.value == 1.0
    assert "name no class that would be right" in found.left_out[0]
    assert "people called none" in str(found.classes["supported"][1])
    with pytest.raises(InputError, match="no marks"):
        calibrated([])
    with pytest.raises(InputError, match="only of j/1"):
        calibrated(COHEN, "another")


def test_confidences_are_compared_with_shares_and_a_threshold_reaches_what_was_wanted():
    sure = [*marks("absent", "absent", 95, confidence=0.9), *marks("absent", "supported", 5, confidence=0.9)]
    unsure = [*marks("absent", "absent", 30, confidence=0.5), *marks("absent", "supported", 70, confidence=0.5)]
    found = calibrated([*sure, *unsure], wanted=0.9)
    assert [(each.low, each.high, each.right.value) for each in found.bins] == [(0.4, 0.5, 0.3), (0.8, 0.9, 0.95)]
    assert found.error == pytest.approx((0.2 + 0.05) / 2)
    assert found.error_interval[0] < found.error < found.error_interval[1]
    assert (found.threshold.confidence, found.threshold.kept) == (0.9, 0.5)
    assert not found.threshold.reaches(0.9)  # 95 of 100: the interval begins at .89
    assert calibrated([*sure, *unsure], wanted=0.96).threshold is None


def test_claims_of_one_answer_are_not_as_many_trials():
    alone = calibrated(COHEN).agreement
    together = [
        JudgedClaim(run=str(i // 10), outcome="absent", label="absent", right=i // 10 % 2 == 0) for i in range(100)
    ]
    found = calibrated(together).agreement
    assert found.high - found.low > 0.4 > alone.high - alone.low


def test_what_is_required_is_missed_met_or_not_to_be_told():
    missed, undecided = failures(calibrated(COHEN), {"agreement": 0.5, "kappa": 0.9, "precision": 0.7})
    assert missed == ["kappa is 0.40 (0.15 to 0.64), 0.9 is required"]
    assert [each.split()[0] for each in undecided] == ["precision"]
    with pytest.raises(InputError, match="cannot be required"):
        failures(calibrated(COHEN), {"beauty": 1.0})


@pytest.fixture
def saved(tmp_path):
    rows = [
        {"run": each.run, "outcome": each.outcome, "label": each.label, "right": each.right, "judge": each.judge}
        for each in COHEN
    ]
    path = tmp_path / "marks.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def test_the_command_reads_marks_writes_a_file_and_says_what_changed(trail, saved, tmp_path):
    out, bad = str(tmp_path / "was.json"), tmp_path / "other.json"
    assert trail("calibrate", saved, "-o", out, "--rule", "agreement=0.5")[0] == 0
    assert trail("calibrate", saved, "--rule", "recall=0.99")[0] == 1
    assert trail("calibrate", saved, "--rule", "precision=0.7")[0] == 3
    changed = json.loads(trail("calibrate", saved, "--against", out, "--json")[1])
    assert changed["drift"]["agreement"][0] == 0.0
    assert changed["kappa"] == pytest.approx(0.4)
    assert "recall of flags: 75 % (15 of 20" in trail("calibrate", saved)[1]
    bad.write_text("{}")
    status, _, complaint = trail("calibrate", saved, "--against", str(bad))
    assert (status, "not a calibration" in complaint) == (2, True)


def test_broken_lines_are_named_and_the_others_count(trail, saved):
    file = Path(saved)
    with file.open("a") as out:
        out.write('{broken\n{"run": "r", "outcome": "odd", "right": true}\n[]\n')
    errors = []
    assert len(list(read_marks(file.read_text().splitlines(), errors.append))) == len(COHEN)
    assert [str(each).split(" is ")[0] for each in errors] == ["line 51", "line 52", "line 53"]
    status, printed, complaints = trail("calibrate", saved)
    assert (status, "line 52" in complaints, "35 of 50" in printed) == (2, True, True)
