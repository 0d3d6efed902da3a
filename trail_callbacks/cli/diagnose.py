"""`trail diagnose`: where the evidence path of saved runs broke first."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from trail_callbacks import diagnosis
from trail_callbacks.cli.inputs import traces_in
from trail_callbacks.cli.options import BaseUrl, Cache, Json, Judge, Output, TracesFile, Words, option
from trail_callbacks.cli.output import deliver, progress, skipped
from trail_callbacks.errors import InputError
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.render.evidence_path import figures, to_text, verdict_line
from trail_callbacks.render.safe_text import line, plain
from trail_callbacks.render.terminal import fits
from trail_callbacks.trace import Trace
from trail_callbacks.verify.options import VerifyOptions

__all__ = ["diagnose"]


def diagnose(
    *,
    trace: TracesFile,
    gold: Annotated[
        Words, option("ID", "Id, document id or hash of a passage that ought to be retrieved; may be repeated.")
    ] = None,
    unanswerable: Annotated[
        bool, option(None, "Nothing in the corpus answers the question.", "--unanswerable")
    ] = False,
    reference: Annotated[
        Words, option("TEXT", "A text known to be true, such as the right answer; may be repeated.")
    ] = None,
    facet: Annotated[
        Words, option("TEXT", "What the question asks for, instead of what is found; may be repeated.")
    ] = None,
    judge: Judge = None,
    base_url: BaseUrl = None,
    cache: Cache = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Says where the evidence path of a recorded run broke first: query, retrieval, selection, packing or generation.

    Of several traces each gets a line, and the last line counts the signatures. Lines that are no trace are skipped
    with a message, and the exit status is 2.
    """
    if gold and unanswerable:
        raise InputError("--gold names passages that answer, --unanswerable says that there are none: give one of them")
    traces, errors = traces_in(trace)
    if len(traces) > 1 and (gold or reference or facet):
        raise InputError("--gold, --reference and --facet are about one run: give a file with one trace")
    asked = resolve(judge, base_url=base_url)
    found = []
    with progress(f"diagnosing with {asked.name}", total=len(traces)) as bar:
        for each in traces:
            found.append(
                diagnosis.diagnose(
                    each,
                    asked,
                    gold=() if unanswerable else gold,
                    reference=reference or (),
                    facets=facet or (),
                    options=VerifyOptions(cache=cache),
                )
            )
            bar.advance(bar.task_ids[0])
    data: Any = [{"trace_id": run.id, **each.to_dict()} for run, each in zip(traces, found, strict=True)]
    if len(traces) == 1 and not errors:
        deliver(data[0], map(_with_figures, found), as_json=as_json, output=output)
    else:
        data = {"diagnoses": data, "errors": [str(error) for error in errors]}
        deliver(data, _rows(traces, found), as_json=as_json, output=output)
    skipped(errors)


def _rows(traces: Sequence[Trace], found: Sequence[diagnosis.Diagnosis]) -> Iterator[str]:
    for run, one in zip(traces, found, strict=True):
        yield f"{plain(run.id)}  {verdict_line(one)}  {line(run.question or '')}"
    counts = Counter(one.signature for one in found)
    yield ", ".join(f"{n} {signature.replace('_', ' ')}" for signature, n in counts.most_common())


def _with_figures(found: diagnosis.Diagnosis) -> str:
    rows = list(figures(found))
    width = max(len(label) for label, _ in rows)
    lines = (f"{label:<{width}}  {value}" for label, value in rows)
    return "\n".join([to_text(found, ascii=not fits(sys.stdout)), "", *lines])
