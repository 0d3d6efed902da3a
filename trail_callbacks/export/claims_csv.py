"""Claims as CSV (RFC 4180), one row for each claim, for spreadsheets and data frames."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import StringIO
from typing import Any

from trail_callbacks.claims import Claim
from trail_callbacks.graph import named
from trail_callbacks.report import Report
from trail_callbacks.report.evaluations import claim_row
from trail_callbacks.text import encodable

COLUMNS = (
    "claim_id", "claim", "quote", "start", "end", "class", "error_type", "second_type", "detail", "rationale",
    "evidence", "evidence_origins", "introduced_at", "step", "carried_through", "confidence", "judge", "error",
    "undecided", "citations", "path", "uncovered",
)  # fmt: skip
"""The header. `start` and `end` count code points of the answer; `path` is the field of a structured answer; `evidence`
has one passage on each line after what it does (`supports`, `contradicts`, or `nearest`, which decides nothing),
`evidence_origins` the origin of each (`retrieved`, `tool`, `given`, `user`, `template`), `citations` one on each line
after whether it holds; `uncovered` is `true` for a statement that the judge left out."""

_RUNS = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # with the full-width forms, which some spreadsheets take too


def to_csv(reports: Report | Iterable[tuple[str, Report]], *, guard: bool = True) -> str:
    r"""Writes the claims of one report, or of several named ones, as CSV with a header and `\r\n` line ends.

    When a spreadsheet opens the file, it could run a cell of judged text that begins with one of `= + - @`, a tab or a
    line end as a formula. As OWASP recommends against CSV injection, such a cell is prefixed with a single quote, and
    every text cell is in double quotes.

    Args:
        reports: A report, or pairs of a name and a report; with pairs the first column, `report`, is the name.
        guard: Prefix the single quote; without it texts are verbatim, for programs that read the file.

    Returns:
        The text, to be written as UTF-8 with its line ends unchanged (`newline=""`).
    """
    stream = StringIO(newline="")
    writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC)  # its default line end is that of RFC 4180
    several = not isinstance(reports, Report)
    writer.writerow((["report"] if several else []) + list(COLUMNS))
    for name, report in [("", reports)] if isinstance(reports, Report) else reports:
        for claim in report.claims:
            row = _row(report, claim)
            cells = [*([name] if several else []), *(row[column] for column in COLUMNS)]
            writer.writerow([_cell(value, guard=guard) for value in cells])
    return stream.getvalue()


def _row(report: Report, claim: Claim) -> dict[str, Any]:
    found, row = report.verdict(claim.id).evidence, claim_row(report, claim)
    return row | {
        "class": row["support"],
        "evidence": "\n".join(f"{each.relation}: {named(each.node_id, report.graph)}: {each.quote}" for each in found),
        "evidence_origins": "\n".join(report.graph.node(each.node_id).origin or "unknown" for each in found),
        "carried_through": ", ".join(row["carried_through"]),
        "citations": "\n".join(f"{each.status}: {each.target}" for each in claim.citations),
        "uncovered": "true" if claim.uncovered else None,
    }


def _cell(value: str | float | None, *, guard: bool) -> str | float:
    if value is None:
        return ""
    if not isinstance(value, str):
        return value
    value = encodable(value).replace("\0", "\ufffd")  # CSV readers stop at a zero byte or reject it
    return f"'{value}" if guard and value[:1] in _RUNS else value
