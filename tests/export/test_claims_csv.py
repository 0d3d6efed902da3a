"""CSV of claims: read back by the csv module as written, and nothing in it runs in a spreadsheet."""

import csv
import io

import pytest
from any_report import reports
from hypothesis import given, settings
from judged import YES
from judged import report as judged

from trail_callbacks.export import to_csv


def rows(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_one_row_a_claim(report):
    first, second, third = rows(to_csv(report))
    said = "The tower was finished in 1847."
    assert {name: cell for name, cell in first.items() if cell} == {
        "claim_id": "c1", "claim": said, "quote": said, "start": "0", "end": "31", "class": "contradicted",
        "error_type": "number", "rationale": "1847, not 1874", "judge": "local/0", "confidence": "0.9",
        "evidence": "contradicts: tower.md (d1): The tower was finished in 1874.", "evidence_origins": "given",
        "introduced_at": "m1", "step": "summarise", "carried_through": "answer",
    }  # fmt: skip
    assert set(first) - {name for name, cell in first.items() if cell} == {
        "path", "second_type", "detail", "error", "undecided", "citations", "uncovered",
    }  # fmt: skip
    assert second["evidence"].splitlines() == ["supports: shelf (d2): Boats leave at noon."] * 2
    assert (third["class"], third["confidence"], third["step"]) == ("absent", "", "combine")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_no_cell_is_a_formula(start):
    report = judged((f'{start}cmd|" /C calc"!A0', YES))
    assert rows(to_csv(report))[0]["claim"] == "'" + report.claims[0].text
    assert rows(to_csv(report, guard=False))[0]["claim"] == report.claims[0].text


@given(reports())
@settings(max_examples=50)
def test_any_report_round_trips(report):
    text = to_csv(report, guard=False)
    text.encode()
    found = rows(text)
    assert [row["claim_id"] for row in found] == [claim.id.replace("\0", "\ufffd") for claim in report.claims]
    for row, claim in zip(found, report.claims, strict=True):
        verdict = report.verdict(claim.id)
        assert row["claim"] == claim.text.replace("\0", "\ufffd")
        assert row["class"] == (verdict.support or "")
        assert row["introduced_at"] == (verdict.introduced_at or "").replace("\0", "\ufffd")
        assert row["confidence"] == ("" if verdict.confidence is None else str(verdict.confidence))
    for row in rows(to_csv(report)):
        assert not any(cell[:1] in set("=+-@\t\r\n") and cell[:1] for cell in row.values())
