"""The answer with its claims marked; colour, underline and symbol show the class."""

from __future__ import annotations

from collections.abc import Iterator

from trail_callbacks.render.marks import WORST_FIRST, mark
from trail_callbacks.render.page.escape import block, gap, line
from trail_callbacks.render.page.view import View, class_name
from trail_callbacks.render.spans import Segment, segments, visible_ranges

__all__ = ["answer"]

_LIMIT = 100_000  # characters; browsers take a minute to break megabytes of one paragraph into lines


def answer(view: View) -> Iterator[str]:
    """Renders the answer; each segment that belongs to claims is a `mark` that names them."""
    node = view.answer
    if node is None:
        yield '<p class="missing">The app gave no answer.</p>'
        return
    if not node.text.strip():
        yield '<p class="missing">The answer is empty.</p>'
    spans = [span for span in view.claim_spans if span is not None]
    yield f'<div class="prose" dir="auto" data-node-text="{line(node.id)}" data-number="{view.numbers[node.id]}">'
    at = 0
    for start, end in visible_ranges(len(node.text), spans, _LIMIT):
        yield from gap(start - at)
        for segment in segments(start, end, spans):
            text = block(node.text[segment.start : segment.end])
            yield _marked(view, segment, text) if segment.spans else text
        at = end
    yield from gap(len(node.text) - at)
    yield "</div>"
    lost = sum(span is None for span in view.claim_spans)
    if lost:
        which = "1 claim is" if lost == 1 else f"{lost:,} claims are"
        yield f'<p class="missing">{which} not found verbatim in the answer.</p>'


def _marked(view: View, segment: Segment, text: str) -> str:
    worst = min((view.pairs[span.owner][1].support for span in segment.spans), key=WORST_FIRST.index)
    keys = " ".join(view.keys[span.owner] for span in segment.spans)
    symbols = dict.fromkeys(mark(view.pairs[span.owner][1].support).symbol for span in segment.opens)
    sign = f' data-sign="{"".join(symbols)}"' if symbols else ""
    title = ", ".join(
        f"{view.keys[span.owner]} {mark(view.pairs[span.owner][1].support).word}" for span in segment.spans[:4]
    )
    return f'<mark data-claim="{line(keys)}" data-class="{class_name(worst)}"{sign} title="{title}">{text}</mark>'
