"""What the steps of a run show beside each other that the file lacks, see `gaps`."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from trail_callbacks.importing.gaps import SEARCHED, WORD, Gap, goes_on
from trail_callbacks.importing.steps import Step
from trail_callbacks.text import forms

_WORKING = frozenset({"model", "retriever", "tool"})
_SWITCH = (
    "no texts were recorded: set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY with "
    "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental, or for OpenLLMetry TRACELOOP_TRACE_CONTENT=true, and "
    "unset what hides texts, such as OPENINFERENCE_HIDE_INPUTS or LANGSMITH_HIDE_INPUTS"
)
_ENDS = tuple(".!?}]\":)'\u3002\uff01\uff1f\u201d\u00bb`*")
_LONG = 16  # characters of a text that others do not begin with by chance
_MOST = 0.5  # of the words of an answer
_LONGER = 8  # texts that begin alike
_CUT = 3  # different texts of one length, from which that length is a limit
_LIMITS = frozenset({*(2**n - less for n in range(6, 17) for less in (0, 1)), *range(1_000, 10_001, 1_000),
                     50, 100, 150, 200, 250, 300, 400, 500, 1_500, 2_500, 20_000, 32_000, 50_000, 100_000})  # fmt: skip
"""Lengths to which tracers and vendors cut values."""


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
    searched = len(read) * len(several) <= SEARCHED**2
    equal = Counter(len(text) for text in texts)
    longest = max(equal, default=0)
    limit = longest if equal[longest] >= _CUT else None
    for step in steps:
        for piece in (*step.outputs, *(step.inputs if step is root else ())):
            text, is_document = piece.text, piece.form == "document"
            ended = text.endswith(_ENDS)  # an answer may be cut there, too: then no other step has this text
            short = len(text) < (WORD if step is root else _LONG)
            if short or text.endswith("\n") or (ended and (step is not root or text in inside)):
                continue
            at = read.find(text) if is_document and searched else -1
            more = at >= 0 and goes_on(text, read[at + len(text) :][:2])
            for after in texts[bisect_right(texts, text) :][:_LONGER]:
                both = {text, after}
                alike = piece.role == "tool" or both <= several or (both <= written and bool(both & answers))
                more |= after.startswith(text) and goes_on(text, after[len(text) :], alike=alike)
            if more:
                yield step.name, Gap("cut")
            elif not ended and ((len(text) in _LIMITS and not is_document) or len(text) == limit):
                yield step.name, Gap("limit", len(text))
