"""What a file lacks of a run: each reason with the steps in which it was seen, as sentences that say what to do.

That bounds what a report on the run may say (`Trace.lost`): it is `partial` at best. Texts whose writer is not in the
file are another matter, see `assemble`: they are no evidence.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from trail_callbacks.importing.otlp import OtlpSpan
from trail_callbacks.importing.pieces import REDACTED, is_cut

ELSEWHERE = "trail.elsewhere"
"""Attribute of a record, True if its texts are in another file."""
_NAMED = 3  # steps
_SAID = {
    "dropped": "the tracer dropped {n} attributes of {steps}, texts perhaps: record with a higher "
    "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT (10000)",
    "hidden": f"texts of {{steps}} were hidden when they were recorded ({REDACTED})",
    "json": "the recorded JSON of {steps} is cut off, its texts are missing: record without a limit of length",
    "documents": "{n} documents of {steps} are not in the file, or have no text in it, as in OpenTelemetry's GenAI "
    "conventions: where none has, the answer is checked against the text of the prompts",
    "empty": "messages that {steps} read have no text in the file",
    "elsewhere": "inputs or outputs of {steps} are stored elsewhere (inputs_s3_urls, outputs_s3_urls): add them",
    "nothing": "the file lacks what {steps} returned",
    "cut": "texts of {steps} end where others of the file go on: record without a limit of length",
    "limit": "texts of {steps} end after {n} characters: unset OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT and "
    "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT, or your vendor's limit, to record them whole",
    "unasked": "the file lacks what {steps} was asked",
    "unwritten": "the file has no model call that wrote the answer, so what that call read is not known",
    "time": "the file does not say when {steps} began",
}
"""Reasons, with what is said of them."""
_JSON = re.compile(
    r"gen_ai\.(?:input\.messages|output\.messages|system_instructions|retrieval\.documents)"
    r"|mlflow\.span(?:Inputs|Outputs)|traceloop\.entity\.(?:in|out)put|llm\.prompt_template\.variables"
)
"""Attributes that are JSON, whatever is in them."""
_INDEXED = re.compile(r"(retrieval\.documents|reranker\.\w+_documents|llm\.(input|output)_messages)\.(\d+)\.")
SEARCHED = 30_000  # characters: more would take long, where all texts are looked for in each other
_END = 24  # characters by which the end of a text is found in another
WORD = 5


class Gap(NamedTuple):
    """Something that one step is known to lack: why, and how much of it."""

    reason: str
    number: int = 1


def seen_in(span: OtlpSpan) -> Iterator[Gap]:
    """Yields what the attributes of a span show that it lacks, whatever its dialect."""
    known = span.attributes
    if span.dropped:
        yield Gap("dropped", span.dropped)
    if known.get(ELSEWHERE):
        yield Gap("elsewhere")
    if REDACTED in known.values():
        yield Gap("hidden")
    if any(not _parses(value) if _is_json(known, key) else is_cut(value) for key, value in known.items()):
        yield Gap("json")
    found: dict[str, set[int]] = defaultdict(set)
    for key, value in known.items():
        if match := _INDEXED.match(key):
            found[match[1]].add(int(match[3]))
            if match[2] and key.endswith("content") and _is_longer(str(known.get(f"{match[2]}.value", "")), str(value)):
                yield Gap("cut")
    if missing := sum(max(each) + 1 - len(each) for each in found.values()):
        yield Gap("documents", missing)


def _is_longer(payload: str, text: str) -> bool:
    """Whether a payload, as JSON or as Python prints it, goes on wherever it has the end of a text."""
    end = re.split(r"[\"'\\\n]", text)[-1][-_END:]
    if len(end) <= WORD or len(payload) > SEARCHED:
        return False
    rests = [payload[match.end() :][:2] for match in re.finditer(re.escape(end), payload)]
    return bool(rests) and all(goes_on(text, rest) for rest in rests)


def _is_json(known: Mapping[str, object], key: str) -> bool:
    of_type = str(known.get(key.replace(".value", ".mime_type")) if key.endswith(".value") else "")
    return _JSON.fullmatch(key) is not None or (of_type.endswith("json") and known[key] != REDACTED)


def _parses(value: object) -> bool:
    try:
        json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return False
    return True


def said(found: Iterable[tuple[str, Gap]]) -> Iterator[str]:
    """Yields a sentence for each reason, with the names of the steps that have it."""
    by_reason: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for name, gap in found:
        by_reason[gap.reason].append((name, gap.number))
    for reason, seen in by_reason.items():
        names = list(dict.fromkeys(name for name, _ in seen))
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        n = (max if reason == "limit" else sum)(count for _, count in seen)
        yield _SAID[reason].format(steps=", ".join(names[:_NAMED]) + more, n=n)


def goes_on(text: str, rest: str, *, alike: bool = True) -> bool:
    """Whether a longer text goes on in the same word; or, if both are of a kind, on the same line."""
    if alike or text[-1] == " ":
        rest = rest.lstrip(" ")
    return rest[:1].isalnum() and (alike or text[-1] == " " or text[-1].isalnum())
