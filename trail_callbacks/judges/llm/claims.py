"""Claims from a language model: what to ask about an answer, and how its reply becomes claims with checked spans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from trail_callbacks.claims import Claim
from trail_callbacks.judges.judge import Extraction
from trail_callbacks.judges.llm.invention import Shown
from trail_callbacks.judges.llm.schema import ClaimItem, ClaimsReply, narrow_claims, own, salvage
from trail_callbacks.models.call import Call, Pipeline, Reply
from trail_callbacks.prompts import Fence, load
from trail_callbacks.text import forms, locate, sentences, words

__all__ = ["extract"]

_WINDOW = 6000  # characters of the answer in one call: longer ones make models skip claims
_BEFORE = 800  # characters shown ahead of a window, to resolve what its pronouns mean
_SPLIT = ("length:", "refused:", "rejected: too long")  # failures that a smaller window may cure
_SPARE = 4  # claims allowed besides one a word: enough for any list, and an end for a model that repeats itself
_ROOM = 512  # tokens for a reply besides what grows with the text
_MOST = 500  # claims of a window at most
_READINGS = 12  # characters that it takes to say which words have which readings
_SHORT = 4  # words; shorter answers need their question to say something
_SHORT_SIGNS = 40  # signs; the same for scripts without spaces
_UNREADABLE = "An earlier answer could not be read."
_NOT_QUOTED = "An earlier answer could not be used: none of its quotes stood in ANSWER. Copy them exactly."

_Placed = tuple[int, int, ClaimItem]
"""A claim and where its quote stands in the answer."""


@dataclass(frozen=True, slots=True)
class _Window:
    """A stretch of the answer still to be read.

    Attributes:
        start: Offset in the answer.
        end: Offset after it.
        again: Whether a reply that cannot be used may be asked for again.
        widened: Whether the reply's room was already doubled.
        note: Why it is read again, told to the model.
    """

    start: int
    end: int
    again: bool = True
    widened: bool = False
    note: str = ""


def extract(answer: str, question: str | None) -> Pipeline[Extraction]:
    """Finds the claims of an answer: one call, or one for each window of a long answer. See `Judge.extract`."""
    found: list[_Placed] = []
    abstained: list[bool] = []
    errors: list[str] = []
    lost = invented = 0
    todo = [_Window(start, end) for start, end in _cut(answer, 0, len(answer), _WINDOW)]
    while todo:
        replies = yield [_call(answer, question, window) for window in todo]
        later: list[_Window] = []
        for window, reply in zip(todo, replies, strict=True):
            items, declined = _items(reply)
            items = own(items, [answer, question or ""], ClaimItem)
            placed = list(_place(items[: _most(answer, window)], answer, window))
            lost += len(items) - len(placed)
            if reply.error is not None and reply.error.startswith("length:"):
                placed = _trusted(placed)
            shown = Shown(_before(answer, window), answer[window.start : window.end], question or "")
            checked = [_checked(place, answer, shown) for place in placed]
            invented += sum(new is not old for new, old in zip(checked, placed, strict=True))
            found += [_joined(place, answer, question) for place in checked]
            further, error = _further(answer, window, reply, items, placed)
            later += further
            if error is not None:
                errors.append(error)
            if declined is not None or placed or error is not None:
                abstained.append(bool(declined))
        todo = later
    warnings = []
    if lost:
        warnings.append(f"{lost} of {lost + len(found)} quotes are not in the answer and were dropped")
    if invented:
        warnings.append(
            f"{invented} of {len(found)} claims named a number or name that the answer does not, and stand as quoted"
        )
    return Extraction(
        claims=_number(found, answer),
        abstained=bool(abstained) and all(abstained),
        error="; ".join(dict.fromkeys(errors)) or None,
        warnings=tuple(warnings),
    )


def _call(answer: str, question: str | None, window: _Window) -> Call:
    text, before = answer[window.start : window.end], _before(answer, window)
    fence = Fence(question or "", before, text)
    messages = load("claims").messages(
        question=fence.block("QUESTION", question) if question else "QUESTION is not known.",
        before=fence.block("BEFORE", before) if before.strip() else "BEFORE is empty.",
        answer=fence.block("ANSWER", text),
        note=window.note,
    )
    room = _ROOM + len(text.encode("utf-8", "replace"))  # quote and claim repeat the text; JSON adds to it
    return Call(
        messages=messages,
        schema=narrow_claims(_most(answer, window)),
        purpose="claims",
        max_tokens=room * 2 if window.widened else room,
    )


def _most(answer: str, window: _Window) -> int:
    """How many claims of a window are read: each of them costs a part of a further call."""
    return min(_MOST, _SPARE + len(words(answer[window.start : window.end])))


def _before(answer: str, window: _Window) -> str:
    return answer[max(0, window.start - _BEFORE) : window.start]


def _items(reply: Reply) -> tuple[list[ClaimItem], bool | None]:
    if isinstance(reply.value, ClaimsReply):
        return reply.value.claims, reply.value.abstained
    return [item for item in salvage(reply.text, ClaimItem) if item.quote or item.claim], None


def _further(
    answer: str, window: _Window, reply: Reply, items: list[ClaimItem], placed: list[_Placed]
) -> tuple[list[_Window], str | None]:
    """Says what must be asked again after a reply, or else why claims of a window may be missing."""
    if reply.error is None and isinstance(reply.value, ClaimsReply) and (placed or not items):
        return [], None
    error = reply.error or "invalid: no quote of the model stands in the answer"
    if error.startswith("invalid:") and window.again and not placed:
        return [replace(window, again=False, note=_UNREADABLE if reply.error else _NOT_QUOTED)], None
    if error.startswith("length:") and placed:
        rest = max(end for _, end, _ in placed)
        return ([replace(window, start=rest)] if answer[rest : window.end].strip() else []), None
    smaller = _smaller(answer, window, error) if error.startswith(_SPLIT) else []
    return smaller, None if smaller else error


def _smaller(answer: str, window: _Window, error: str) -> list[_Window]:
    parts = _cut(answer, window.start, window.end, (window.end - window.start) // 2 + 1)
    if len(parts) > 1:
        return [replace(window, start=start, end=end) for start, end in parts]
    return [replace(window, widened=True)] if error.startswith("length:") and not window.widened else []


def _place(items: list[ClaimItem], answer: str, window: _Window) -> Iterator[_Placed]:
    """Finds each quote in its window, going forward while the model does, so that repeated words keep their order."""
    text, last = answer[window.start : window.end], 0
    for item in items:
        if not item.claim.strip():
            continue
        at = locate(item.quote, text, last) or locate(item.quote, text)
        if at is not None:
            last = at[0]
            yield window.start + at[0], window.start + at[1], item


def _trusted(placed: list[_Placed]) -> list[_Placed]:
    """Returns the claims of a cut reply that are complete, in the order of the text.

    The last quote may have had more claims, so it is read again; but a model that repeats itself was done.
    """
    ordered = sorted(placed, key=lambda place: place[:2])
    if len({(start, item.claim) for start, _, item in placed}) < len(placed):
        return ordered
    return [place for place in ordered if place[0] < ordered[-1][0]]


def _checked(place: _Placed, answer: str, shown: Shown) -> _Placed:
    """A claim that says more than was there to read falls back to its quote."""
    start, end, item = place
    return (start, end, _reworded(item, answer[start:end])) if shown.lacks(item.claim) else place


def _joined(place: _Placed, answer: str, question: str | None) -> _Placed:
    """A short answer that the model left as it is says something only with its question."""
    start, end, item = place
    short = len(answer.split()) < _SHORT and len(answer.strip()) < _SHORT_SIGNS
    if not (short and question and question.strip() and item.checkable) or forms(item.claim) != forms(answer):
        return place
    return start, end, _reworded(item, f"{question} {answer[start:end]}")


def _reworded(item: ClaimItem, claim: str) -> ClaimItem:
    return item.model_copy(update={"claim": claim})


def _number(found: list[_Placed], answer: str) -> tuple[Claim, ...]:
    ordered = sorted(found, key=lambda place: place[:2])
    unique: dict[tuple[int, str], _Placed] = {}
    for place in ordered:
        unique.setdefault((place[0], " ".join(place[2].claim.casefold().split())), place)
    return tuple(
        Claim(
            id=f"c{i}",
            text=" ".join(item.claim.split()),
            quote=answer[start:end],
            start=start,
            end=end,
            checkable=item.checkable and not _open(item),
            unresolved=_open(item),
        )
        for i, (start, end, item) in enumerate(unique.values(), 1)
    )


def _open(item: ClaimItem) -> str:
    """What the model could not resolve; empty if nothing.

    A claim must not go unchecked because "none" was said in another language: what keeps a checkable one from being
    checked names words and their readings, and is not that short.
    """
    said = " ".join(item.unresolved.split())
    if said.casefold().strip(".") in {"none", "n/a", "null"}:
        return ""
    return said if not item.checkable or (len(said) >= _READINGS and len(forms(said)) > 2) else ""  # noqa: PLR2004 - two words name no readings


def _cut(text: str, start: int, end: int, longest: int) -> list[tuple[int, int]]:
    """Cuts a stretch of text into windows at ends of paragraphs, else of sentences; blank stretches are left out.

    A sentence longer than a window stays whole.
    """
    if not text[start:end].strip():
        return []
    if end - start <= longest:
        return [(start, end)]
    ends = [start + sentence.end for sentence in sentences(text[start:end])]
    windows, begin = [], start
    while begin < end:
        fitting = [stop for stop in ends if begin < stop <= begin + longest]
        paragraphs = [stop for stop in fitting if text[stop : stop + 40].lstrip(" \t").startswith(("\n\n", "\r\n\r\n"))]
        late = [stop for stop in paragraphs if stop - begin > longest // 2]
        stop = max(late or fitting or [min((stop for stop in ends if stop > begin), default=end)])
        windows.append((begin, stop if text[stop:end].strip() else end))
        begin = windows[-1][1]
    return [(a, b) for a, b in windows if text[a:b].strip()]
