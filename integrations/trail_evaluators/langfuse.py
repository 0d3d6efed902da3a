"""Langfuse: reports as scores of traces and observations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from trail_evaluators.sending import HEX_SPAN, HEX_TRACE, UUID, Addressed, Sender


def _write(client: Any, records: Sequence[Addressed]) -> None:
    for each in records:
        record, score = each.record, each.record["score"]
        client.create_score(
            trace_id=each.trace,
            observation_id=each.span if each.span != each.trace else None,  # the root, which is no observation here
            name=record["name"] if score is not None else f"{record['name']}.outcome",
            value=score if score is not None else record["label"],
            data_type="NUMERIC" if score is not None else "CATEGORICAL",
            score_id=record["identifier"],
            comment=record["explanation"],
            metadata={**record["metadata"], "label": record["label"], "annotator_kind": record["annotator_kind"]},
        )


send = Sender(
    trace=HEX_TRACE,
    span=re.compile(f"{HEX_SPAN.pattern}|{UUID.pattern}"),  # of observations from before OpenTelemetry
    hint="give trace_id=, the id of the trace in Langfuse, such as langfuse.get_current_trace_id()",
    write=_write,
    trace_needed=True,
    others_too=True,
)
"""Writes a report as scores; the client, a `langfuse.Langfuse`, sends them in the background: `client.flush()` waits.

What has a score is NUMERIC; what has none is CATEGORICAL, with the label, under the name with `.outcome` behind it: the
scores of one name stay comparable, and a missing one counts as nothing in an average.
"""
