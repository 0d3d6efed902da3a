"""Export: reports for other programs, as W3C PROV-JSON, Mermaid, CSV, OpenTelemetry (OTLP) or a test.

One module for each format, each with one function from a `Report` to text; start with any of them. `evaluations` makes
the records behind `Report.to_evaluations`, `otlp` and `open_span` write them as OpenTelemetry. What a person reads is
in `render`; the report's own JSON is in `report`.
"""

from trail_callbacks.export.claims_csv import to_csv
from trail_callbacks.export.mermaid import to_mermaid
from trail_callbacks.export.otlp import annotate_span, to_otlp
from trail_callbacks.export.prov_json import to_prov_json
from trail_callbacks.report.evaluations import to_evaluation_lines
from trail_callbacks.report.pytest_file import to_test

__all__ = [
    "annotate_span",
    "to_csv",
    "to_evaluation_lines",
    "to_mermaid",
    "to_otlp",
    "to_prov_json",
    "to_test",
]
