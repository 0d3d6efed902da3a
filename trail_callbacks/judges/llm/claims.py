"""Claims from a language model: what to ask about an answer, and how its reply becomes claims with checked spans.

`judge_answer` asks for claims and verdicts at once; each is checked as if it had been asked for alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from trail_callbacks.claims import Claim, split
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Extraction, Opinion, Question
from trail_callbacks.judges.llm.asking import Heard, ask, unread
from trail_callbacks.judges.llm.invention import Shown
from trail_callbacks.judges.llm.layout import NOBODY, passage_lines, told
from trail_callbacks.judges.llm.schema import (
    ClaimItem,
    ClaimsReply,
    OnePassItem,
    OnePassReply,
    VerdictsReply,
    own,
    salvage,
)
from trail_callbacks.judges.llm.verdicts import dropped, read, shown_texts
from trail_callbacks.judges.prompts import Fence, load
from trail_callbacks.models.call import Call, Failure, Pipeline, Reply
from trail_callbacks.models.tokens import count
from trail_callbacks.text import forms, locate, sentences, words

_BLANK_LINE = ("\n\n", "\r\n\r\n")
_NEAR = 40  # characters after a sentence in which a paragraph must end
_LONGEST = 6000  # characters of the answer in one call: longer ones make models skip claims
_BEFORE = 800  # characters shown ahead of a window, to resolve what its pronouns mean
_SPARE = 4  # claims allowed besides one a word: enough for any list, and an end for a model that repeats itself
_ROOM = 512  # tokens for a reply besides what grows with the text
_MOST = 500  # claims of a window at most
_SCREEN = 800  # tokens of an answer that is judged at once; of a longer one models skip claims
_ROWS = 64  # claims that the schema has room for
_VERDICT = 160  # tokens of a reply for each verdict
_HOPELESS = frozenset({"unreachable", "unauthorised", "busy", "budget", "failed"})  # asking otherwise changes nothing
_SHORT = 4  # words; shorter answers need their question to say something
_SHORT_CHARACTERS = 40  # the same for scripts without spaces
_UNREADABLE = "An earlier answer could not be read."
_NOT_QUOTED = "An earlier answer could not be used: none of its quotes stood in ANSWER. Copy them exactly."

_Placed = tuple[int, int, ClaimItem]
"""A claim and where its quote stands in the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What a reply says about a window: its claims, and how many were lost or fell back to their quote.

    `abstained` is None if the reply does not say; `failure` is why claims of the window may be missing.
    """

    placed: tuple[_Placed, ...] = ()
    lost: int = 0
    invented: int = 0
    abstained: bool | None = None
    failure: Failure | None = None


def extract(answer: str, question: str | None) -> Pipeline[Extraction]:
    """Finds the claims of an answer: one call, or one for each window of a long answer. See `Judge.extract`."""
    windows = [_Window(answer, question, start, end) for start, end in cut(answer, 0, len(answer), _LONGEST)]
    return gathered((yield from ask(windows)), answer)


def gathered(results: Sequence[Claims], answer: str) -> Extraction:
    """Makes one extraction of what replies about an answer say."""
    placed = [place for result in results for place in result.placed]
    lost, invented = sum(result.lost for result in results), sum(result.invented for result in results)
    failures = [result.failure for result in results if result.failure is not None]
    abstained = [
        bool(result.abstained) for result in results if result.abstained is not None or result.placed or result.failure
    ]
    warnings = []
    if lost:
        warnings.append(f"{lost} of {lost + len(placed)} quotes are not in the answer and were dropped")
    if invented:
        warnings.append(f"{invented} of {len(placed)} claims said what the answer does not, and stand as quoted")
    return Extraction(
        claims=tuple(claim for claim, _ in numbered(placed, answer)),
        abstained=bool(abstained) and all(abstained),
        error="; ".join(dict.fromkeys(map(str, failures))) or None,
        warnings=tuple(warnings),
    )


@dataclass(frozen=True, slots=True)
class _Window:
    """A stretch of the answer to be read in one call; an `Inquiry`."""

    answer: str
    question: str | None
    start: int
    end: int
    conversation: str = ""
    named: str = ""

    @property
    def text(self) -> str:
        return self.answer[self.start : self.end]

    @property
    def before(self) -> str:
        return self.answer[max(0, self.start - _BEFORE) : self.start]

    def call(self, note: str) -> Call:
        fence = Fence(self.question or "", self.before, self.text)
        messages = load("claims").messages(
            question=fence.block("QUESTION", self.question) if self.question else "QUESTION is not known.",
            before=fence.block("BEFORE", self.before) if self.before.strip() else "BEFORE is empty.",
            answer=fence.block("ANSWER", self.text),
            note=note,
        )
        room = _ROOM + len(self.text.encode("utf-8", "replace"))  # quote and claim repeat the text; JSON adds to it
        return Call(messages=messages, schema=ClaimsReply, purpose="claims", max_tokens=room)

    def read(self, reply: Reply) -> Heard[Claims]:
        items, abstained = _items(reply)
        items = own(items, [self.answer, self.question or ""], ClaimItem)
        most = min(_MOST, _SPARE + len(words(self.text)))  # each costs a part of a further call
        placed = list(self._place(items[:most]))
        lost = len(items) - len(placed)
        failure = reply.failure
        if failure is None and (not isinstance(reply.value, ClaimsReply) or (items and not placed)):
            failure = Failure("invalid", "no quote of the model stands in the answer")
        cut_off = failure is not None and failure.kind == "length"
        placed = _trusted(placed) if cut_off else placed
        shown = Shown(self.conversation, self.before, self.text, self.question or "", names=self.named)
        checked = [self._checked(place, shown, placed) for place in placed]
        result = Claims(
            placed=tuple(self._joined(place) for place in checked),
            lost=lost,
            invented=sum(new is not old for new, old in zip(checked, placed, strict=True)),
            abstained=abstained,
        )
        if failure is None:
            return Heard(result)
        if placed and failure.kind == "invalid":
            return Heard(replace(result, failure=failure))  # nobody knows which claims are missing
        window = replace(self, start=max(end for _, end, _ in placed)) if placed and cut_off else self
        if not window.text.strip():
            return Heard(result)
        note = _UNREADABLE if reply.failure else _NOT_QUOTED
        return Heard(result, window, failure, Claims(failure=failure), note)

    def smaller(self, _: Failure) -> Sequence[_Window]:
        parts = cut(self.answer, self.start, self.end, (self.end - self.start) // 2 + 1)
        return [replace(self, start=start, end=end) for start, end in parts] if len(parts) > 1 else []

    def _place(self, items: Sequence[ClaimItem]) -> Iterator[_Placed]:
        """Finds each quote, going forward while the model does, so that repeated words keep their order."""
        text, last = self.text, 0
        for item in items:
            at = locate(item.quote, text, last) or locate(item.quote, text)
            if at is not None:
                last, start, end = at[0], self.start + at[0], self.start + at[1]
                yield start, end, item if item.claim.strip() else _reworded(item, self.answer[start:end])

    def _checked(self, place: _Placed, shown: Shown, placed: Sequence[_Placed]) -> _Placed:
        """A claim that says more than was there to read falls back to its quote.

        A name of the evidence may tell what a claim is about, as long as no word of its quote is lost for it.
        """
        start, end, item = place
        quote = self.answer[start:end]
        beside = (other.claim for first, last, other in placed if first < end and start < last)
        if shown.lacks(item.claim) or (self.named and shown.exchanges(item.claim, quote, "\n".join(beside))):
            return start, end, _reworded(item, quote)
        return place

    def _joined(self, place: _Placed) -> _Placed:
        """A short answer that the model left as it is says something only with its question."""
        start, end, item = place
        answer, question = self.answer, self.question
        short = len(answer.split()) < _SHORT and len(answer.strip()) < _SHORT_CHARACTERS
        if not (short and question and question.strip() and item.checkable) or forms(item.claim) != forms(answer):
            return place
        return start, end, _reworded(item, f"{question} {answer[start:end]}")


def _items(reply: Reply) -> tuple[list[ClaimItem], bool | None]:
    if isinstance(reply.value, ClaimsReply):
        return reply.value.claims, reply.value.abstained
    return [item for item in salvage(reply.text, ClaimItem) if item.quote or item.claim], None


def _trusted(placed: list[_Placed]) -> list[_Placed]:
    """Returns the claims of a cut reply that are complete, in the order of the text.

    The last quote may have had more claims, so it is read again; but a model that repeats itself was done.
    """
    ordered = sorted(placed, key=lambda place: place[:2])
    if len({(start, item.claim) for start, _, item in placed}) < len(placed):
        return ordered
    return [place for place in ordered if place[0] < ordered[-1][0]]


def _reworded(item: ClaimItem, claim: str) -> ClaimItem:
    return item.model_copy(update={"claim": claim})


def numbered(placed: Sequence[_Placed], answer: str) -> list[tuple[Claim, ClaimItem]]:
    """Returns the claims in the order of the answer, each once, with the items that they were made of."""
    ordered = sorted(placed, key=lambda place: place[:2])
    unique: dict[tuple[int, str], _Placed] = {}
    for place in ordered:
        unique.setdefault((place[0], " ".join(place[2].claim.casefold().split())), place)
    return [
        (
            Claim(
                id=f"c{i}",
                text=" ".join(item.claim.split()),
                quote=answer[start:end],
                start=start,
                end=end,
                checkable=item.checkable,
            ),
            item,
        )
        for i, (start, end, item) in enumerate(unique.values(), 1)
    ]


def cut(text: str, start: int, end: int, longest: int) -> list[tuple[int, int]]:
    """Cuts a stretch of text into windows of so many characters at most, at ends of paragraphs, else of sentences.

    Blank stretches are left out; a sentence that is longer stays whole.
    """
    if not text[start:end].strip():
        return []
    if end - start <= longest:
        return [(start, end)]
    ends = [start + sentence.end for sentence in sentences(text[start:end])]
    last = start + len(text[start:end].rstrip())  # behind it all is blank
    windows, begin = [], start
    while begin < end:
        first = bisect_right(ends, begin)
        fitting = ends[first : bisect_right(ends, begin + longest)]
        paragraphs = [stop for stop in fitting if text[stop : stop + _NEAR].lstrip(" \t").startswith(_BLANK_LINE)]
        late = [stop for stop in paragraphs if stop - begin > longest // 2]
        stop = max(late or fitting or ends[first : first + 1] or [end])
        windows.append((begin, stop if stop < last else end))
        begin = windows[-1][1]
    return [(a, b) for a, b in windows if text[a:b].strip()]


def judge_answer(
    answer: str, question: str | None, passages: tuple[Passage, ...], conversation: str
) -> Pipeline[Opinion | None]:
    """Finds and judges the claims of an answer in one call. See `OnePass.judge_answer`."""
    if count(answer) > _SCREEN or len(split(answer)) > _ROWS:
        return None
    blank = Question(claim=NOBODY, passages=passages, asked=question or "", answer=answer, conversation=conversation)
    call = _call(blank)
    (reply,) = yield [call]
    cut = tuple(filter(None, [unread(call, reply)]))
    if reply.failure is not None and reply.failure.kind in _HOPELESS:
        return Opinion(extraction=Extraction(claims=(), error=str(reply.failure)), warnings=cut)
    if reply.failure is not None or not isinstance(reply.value, OnePassReply) or len(reply.value.claims) == _ROWS:
        return None
    return _opinion(blank, reply.value, cut)


def _call(asked: Question) -> Call:
    evidence = passage_lines({passage.id: passage for passage in asked.passages})
    return Call(
        messages=load("onepass").messages(
            passages=Fence(evidence).block("PASSAGES", evidence), **told([asked], evidence)
        ),
        schema=OnePassReply,
        purpose="onepass",
        max_tokens=_ROOM + len(asked.answer.encode("utf-8", "replace")) + _VERDICT * max(8, len(split(asked.answer))),
    )


def _opinion(blank: Question, reply: OnePassReply, cut: tuple[str, ...]) -> Opinion | None:
    answer = blank.answer
    genuine = own(reply.claims, shown_texts([("", blank)]), OnePassItem)
    items = [item if item.claim.strip() else item.model_copy(update={"claim": item.quote}) for item in genuine]
    named = "\n".join(passage.text for passage in blank.passages)
    whole = _Window(answer, blank.asked, 0, len(answer), conversation=blank.conversation, named=named)
    heard = whole.read(Reply(value=ClaimsReply.model_construct(abstained=reply.abstained, claims=items)))
    listed = heard.result
    if heard.rest is not None or listed.failure is not None:
        return None
    claims = numbered(listed.placed, answer)
    # A claim that was reworded since says something else than what was judged.
    written = {id(item) for item in items}
    judged = [claim for claim, item in claims if claim.checkable and id(item) in written]
    keys = {(claim.start, claim.text.casefold()): claim.id for claim in judged}
    said = [
        (keys.get((start, " ".join(item.claim.split()).casefold())), item)
        for start, _, item in listed.placed
        if id(item) in written
    ]
    verdicts = read(
        [(claim.id, replace(blank, claim=claim)) for claim in judged],
        Reply(
            value=VerdictsReply.model_construct(
                verdicts=[item.verdict(key) for key, item in said if key and isinstance(item, OnePassItem)]
            )
        ),
        "verdicts",
    )
    verdicts.dropped["echoed"] += len(reply.claims) - len(items)
    return Opinion(
        extraction=gathered([listed], answer),
        judged=verdicts.judged,
        warnings=(*cut, *dropped(verdicts.dropped)),
    )
