"""Whatever a report holds, every format of it can be written, and a saved one is read back."""

import json

import pytest
from any_report import PARTS, with_half_characters

from trail_callbacks import Report, export

FORMATS = {
    "csv": export.to_csv,
    "mermaid": export.to_mermaid,
    "otlp": export.to_otlp,
    "prov-json": export.to_prov_json,
    "evaluations": lambda report: json.dumps(report.to_evaluations(), ensure_ascii=False),
    "json": Report.to_json,
    "page": Report.to_html,
    "terminal": str,
    "notebook": lambda report: report._repr_html_(),
}


@pytest.mark.parametrize("part", PARTS)
def test_half_a_character_is_replaced_in_every_format(part):
    report = with_half_characters(part)
    for written in FORMATS.values():
        assert written(report).encode()
    again = Report.from_json(report.to_json())
    assert again.to_json() == report.to_json()
    assert (again == report) == (part in {"none", "text"})  # a graph replaces those in texts when it is made
    assert ("\ufffd" in again.to_json()) == (part != "none")
