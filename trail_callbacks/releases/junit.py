"""A decision as JUnit XML: a test case for each segment, as continuous integration shows it."""

from __future__ import annotations

from typing import Literal, TypeAlias
from xml.etree import ElementTree as ET

from trail_callbacks.releases.decision import Decision
from trail_callbacks.releases.rows import COLUMNS, measure_rows
from trail_callbacks.render.safe_text import plain

__all__ = ["OnNotEnough", "to_junit"]

OnNotEnough: TypeAlias = Literal["pass", "fail"]


def to_junit(decision: Decision, on_not_enough: OnNotEnough | None = None) -> str:
    """Writes a decision down.

    Args:
        decision: The decision.
        on_not_enough: Whether a segment without enough data has passed or failed; None: it was skipped.
    """
    undecided = {"pass": None, "fail": "failure", None: "skipped"}[on_not_enough]
    kinds = {"passes": None, "worse": "failure", "not_enough_data": undecided}
    found = [kinds[segment.outcome] for segment in decision.segments]
    counts = {"failures": found.count("failure"), "skipped": found.count("skipped"), "errors": 0}
    suites = ET.Element("testsuites")
    totals = {name: str(n) for name, n in {"tests": len(found), **counts}.items()}
    suite = ET.SubElement(suites, "testsuite", {"name": "trail gate", **totals})
    for segment, kind in zip(decision.segments, found, strict=True):
        case = ET.SubElement(suite, "testcase", classname="trail.gate", name=plain(segment.name), time="0")
        if kind is not None:
            ET.SubElement(case, kind, message="; ".join(segment.reasons))
        lines = [
            ", ".join(f"{name} {cell}" for name, cell in zip(COLUMNS, row, strict=True))
            for row in measure_rows([segment], plain)
        ]
        ET.SubElement(case, "system-out").text = "\n".join([*segment.reasons, *lines])
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode") + "\n"
