"""What a file lacks of a run: each reason with the steps in which it was seen, as sentences that say what to do.

That bounds what a report on the run may say (`Trace.lost`): it is `partial` at best. Texts whose writer is not in the
file are another matter, see `assemble`: they are no evidence.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from trail_callbacks.importing.otlp import OtlpSpan
from trail_callbacks.importing.pieces import REDACTED, is_cut
from trail_callbacks.text import forms

if TYPE_CHECKING:
    from trail_callbacks.importing.steps import Step

ELSEWHERE = "trail.elsewhere"
"""Attribute of a record, True if its texts are in another file."""
_NAMED = 3  # steps
_WORKING = frozenset({"model", "retriever", "tool"})
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
_SWITCH = (
    "no texts were recorded: set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY with "
    "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental, or for OpenLLMetry TRACELOOP_TRACE_CONTENT=true, and "
    "unset what hides texts, such as OPENINFERENCE_HIDE_INPUTS or LANGSMITH_HIDE_INPUTS"
)
_JSON = re.compile(
    r"gen_ai\.(?:input\.messages|output\.messages|system_instructions|retrieval\.documents)"
    r"|mlflow\.span(?:Inputs|Outputs)|traceloop\.entity\.(?:in|out)put|llm\.prompt_template\.variables"
)
"""Attributes that are JSON, whatever is in them."""
_INDEXED = re.compile(r"(retrieval\.documents|reranker\.\w+_documents|llm\.(input|output)_messages)\.(\d+)\.")
_ENDS = tuple(".!?}]\":)'\u3002\uff01\uff1f\u201d\u00bb`*")
_LONG = 16  # characters of a text that others do not begin with by chance
_MOST = 0.5  # of the words of an answer
_SEARCHED = 30_000  # characters: more would take long, where all texts are looked for in each other
_END = 24  # characters by which the end of a text is found in another
_WORD = 5
_LONGER = 8  # texts that begin alike
_CUT = 3  # different texts of one length, from which that length is a limit
_LIMITS = frozenset({*(2**n - less for n in range(6, 17) for less in (0, 1)), *range(1_000, 10_001, 1_000),
                     50, 100, 150, 200, 250, 300, 400, 500, 1_500, 2_500, 20_000, 32_000, 50_000, 100_000})  # fmt: skip
"""Lengths to which tracers and vendors cut values."""


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
    if len(end) <= _WORD or len(payload) > _SEARCHED:
        return False
    rests = [payload[match.end() :][:2] for match in re.finditer(re.escape(end), payload)]
    return bool(rests) and all(_goes_on(text, rest) for rest in rests)


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


def missing(steps: Sequence[Step], root: Step | None) -> Iterator[tuple[str, Gap]]:
    """Yields what the steps of a run show beside each other that they lack.

    Args:
        steps: The steps, tidied.
        root: The one around all others, as it was recorded; None if it was not.
    """
    working = [step for step in steps if step.kind in _WORKING]
    for step in steps:
        silent = step.error is None and not step.outputs and not step.gaps and "output" in step.lacks
        if silent and step.kind != "model" and (step in working or step is root):
            yield step.name, Gap("nothing")
        if empty := sum(not piece.text.strip() for piece in step.documents):
            yield step.name, Gap("documents", empty)
        if step.kind == "model" and any(
            piece.form == "message" and piece.role != "assistant" and not piece.text.strip() for piece in step.inputs
        ):
            yield step.name, Gap("empty")
        if step is root and not step.inputs and "input" in step.lacks:
            yield step.name, Gap("unasked")
        if step is root and step.error is None and not _is_written(step, working):
            yield step.name, Gap("unwritten")
        if step.started is None and any(each.started is not None for each in working) and step in working:
            yield step.name, Gap("time")
    yield from _cut(steps, root)


def silent(steps: Sequence[Step]) -> Iterator[str]:
    """Yields what models read or wrote that the file does not hold: somebody switched the recording of texts off."""
    models = [step for step in steps if step.kind == "model" and step.error is None]
    counts = []
    for side, texts in (("prompt", [step.inputs for step in models]), ("output", [step.outputs for step in models])):
        counts.append(sum(not any(piece.text.strip() for piece in each) for each in texts))
        if counts[-1]:
            yield f"the file lacks the {side} of {counts[-1]} of {len(texts)} model calls"
    if models and counts == [len(models)] * 2:
        yield _SWITCH


def _is_written(root: Step, working: Sequence[Step]) -> bool:
    """Whether models wrote most words of a text that an app returned, or it returned nothing of its own."""
    wrote = {form for step in working if step.kind == "model" for piece in step.outputs for form in forms(piece.text)}
    own = {piece.text for piece in root.outputs} - {piece.text for piece in root.inputs}
    return not own or any(len(wrote.intersection(said)) >= len(said) * _MOST for said in map(set, map(forms, own)))


def _cut(steps: Sequence[Step], root: Step | None) -> Iterator[tuple[str, Gap]]:
    """Texts that end in mid-sentence, where others have the rest, or where limits of length are."""
    texts = sorted({piece.text for step in steps for piece in (*step.inputs, *step.outputs)})
    read = "\n".join(piece.text for step in steps if step.kind == "model" for piece in step.inputs)
    answers = {piece.text for piece in root.outputs} if root else set()
    written = answers | {piece.text for step in steps if step.kind == "model" for piece in step.outputs}
    inside = {piece.text for step in steps if step is not root for piece in (*step.inputs, *step.outputs)}
    several = {piece.text for step in steps for piece in step.documents}
    searched = len(read) * len(several) <= _SEARCHED**2
    equal = Counter(len(text) for text in texts)
    longest = max(equal, default=0)
    limit = longest if equal[longest] >= _CUT else None
    for step in steps:
        for piece in (*step.outputs, *(step.inputs if step is root else ())):
            text, is_document = piece.text, piece.form == "document"
            ended = text.endswith(_ENDS)  # an answer may be cut there, too: then no other step has this text
            short = len(text) < (_WORD if step is root else _LONG)
            if short or text.endswith("\n") or (ended and (step is not root or text in inside)):
                continue
            at = read.find(text) if is_document and searched else -1
            goes_on = at >= 0 and _goes_on(text, read[at + len(text) :][:2])
            for after in texts[bisect_right(texts, text) :][:_LONGER]:
                both = {text, after}
                alike = piece.role == "tool" or both <= several or (both <= written and bool(both & answers))
                goes_on |= after.startswith(text) and _goes_on(text, after[len(text) :], alike=alike)
            if goes_on:
                yield step.name, Gap("cut")
            elif not ended and ((len(text) in _LIMITS and not is_document) or len(text) == limit):
                yield step.name, Gap("limit", len(text))


def _goes_on(text: str, rest: str, *, alike: bool = True) -> bool:
    """Whether a longer text goes on in the same word; or, if both are of a kind, on the same line."""
    if alike or text[-1] == " ":
        rest = rest.lstrip(" ")
    return rest[:1].isalnum() and (alike or text[-1] == " " or text[-1].isalnum())
