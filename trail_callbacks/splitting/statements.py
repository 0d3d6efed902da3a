"""Statements of an answer: its pieces, cut into clauses, named and told apart from what states nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trail_callbacks.language.detect import is_english, language
from trail_callbacks.language.speech import declines, greets, is_question
from trail_callbacks.splitting.assertions import asserts, is_lead_in, is_title
from trail_callbacks.splitting.clauses import Part, parts
from trail_callbacks.splitting.frames import frame_end, quote_start
from trail_callbacks.splitting.layout import LayoutPiece, pieces
from trail_callbacks.splitting.marks import clean, is_reference, refers, visible
from trail_callbacks.splitting.references import Thread
from trail_callbacks.splitting.words import base, first_verb, tokenize

_WIDE_SEMICOLON = re.compile(r"(?:(?<!\s)\s+)?[\uff1b\u061b]\s*")
_LETTER = re.compile(r"\w")
_ENDED = re.compile(r"[.!?\u3002\uff01\uff1f\u061f\u0964][\W_]*$")
_ENDED_UNSPACED = re.compile(r"[\u3002\uff01]\W*$")
_WHOLE = 6  # characters from which a text that ends in a stop of a script without spaces is a sentence
_SHORT = 4  # words; shorter answers need their question to say something
_SHORT_TEXT = 40  # characters; the same for scripts without spaces
_SENTENCE = 6  # words from which a list item that ends in a full stop is a sentence whatever its verb
_INSTRUCTION = 4  # words; the same for one that begins with a verb in its base form
_LONGEST = 2000  # characters; a longer sentence is not searched for a verb


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim in the making: `answer[start:end]`.

    Attributes:
        start: Offset in the answer.
        end: Offset after it.
        text: What it says, read alone.
        checkable: Whether it says something about the world.
        row: Whether it is a row of a table.
        title: Whether it only names something: it is no claim, unless it is the whole answer to a question.
    """

    start: int
    end: int
    text: str
    checkable: bool
    row: bool = False
    title: bool = False


def statements(answer: str) -> Iterator[Statement]:
    """What an answer states, and what only stands between statements."""
    code = language(visible(answer[:_LONGEST])) or "en"
    thread = Thread()
    before: LayoutPiece | None = None
    for piece in pieces(answer, code):
        if before is not None and before.line != piece.line and (before.item or piece.item):
            thread.turn()
        before = piece
        if piece.row:
            yield Statement(piece.start, piece.end, piece.row, checkable=True, row=True)
            continue
        words = answer[piece.start : piece.end]
        if piece.title and _names(piece, words, code):
            yield Statement(piece.start, piece.end, clean(words), checkable=False, title=True)
        elif code == "en" and is_english(visible(words)):
            yield from _english(piece, words, thread)
        else:
            thread.turn()
            yield from _other(piece, words)


def _names(piece: LayoutPiece, words: str, code: str) -> bool:
    """Whether a heading, lead-in or name of a column states nothing by itself."""
    said = clean(words).lstrip("# ").rstrip(":\uff1a ")
    if piece.title == "lead":
        return is_lead_in(said[frame_end(said) :], code)
    return is_title(said, code, column=piece.title == "column") or not (asserts(said) or declines(said))


def _english(piece: LayoutPiece, words: str, thread: Thread) -> Iterator[Statement]:
    """The clauses of an English sentence behind its frame."""
    quoted = piece.start + quote_start(words)
    framed = frame_end(words)
    first, words = piece.start + framed, words[framed:]
    whole = [Part(0, len(words))]
    cut = whole if is_question(words) or piece.reference else parts(words)
    texts = [_text(words, part) for part in cut]
    if len(cut) > 1 and not all(asserts(text) or declines(text) for text in texts):
        cut, texts = whole, [clean(words)]  # a part that states nothing by itself belongs to what does
    resolved: list[str] = []
    for at, (part, text) in enumerate(zip(cut, texts, strict=True)):
        named = thread.resolve(text)
        if part.pronoun and named == text and resolved:  # `and it was costly` that nothing explains: not cut after all
            cut[at] = Part(cut[at - 1].start, part.end, cut[at - 1].before, cut[at - 1].pronoun)
            named = thread.resolve(_text(words, cut[at]))
            cut[at - 1], resolved[-1] = Part(0, 0), ""
        thread.observe(named)
        resolved.append(named)
    for part, text in zip(cut, resolved, strict=True):
        if not _LETTER.search(text):
            continue
        checkable = asserts(text) and not _only_refers(piece, text)
        full = text
        if piece.lead and checkable and _is_fragment(text) and "?" not in piece.lead:
            lead = piece.lead[frame_end(piece.lead) :].strip(" :,")
            full = f"{lead}: {text}" if lead else text
        start = min(quoted, first) if part.start == 0 else first + part.start
        yield Statement(start, first + part.end, full, checkable)


def _text(words: str, part: Part) -> str:
    said = clean(words[part.start : part.end])
    return f"{part.before} {said}" if part.before else said


def _other(piece: LayoutPiece, words: str) -> Iterator[Statement]:
    """A sentence in another language, cut at the semicolons of scripts where they end a clause."""
    start = 0
    for a, b in [*(gap.span() for gap in _WIDE_SEMICOLON.finditer(words)), (len(words), len(words))]:
        text = clean(words[start + frame_end(words[start:a]) : a])
        if _LETTER.search(text):
            plain = not (is_question(text) or greets(text) or declines(text))  # opinions and offers are not told apart
            checkable = (plain or asserts(text)) and not _only_refers(piece, text)
            if piece.lead and checkable and not _ENDED.search(text):
                text = f"{piece.lead}: {text}"
            yield Statement(piece.start + start, piece.start + a, text, checkable)
        start = b


def _only_refers(piece: LayoutPiece, text: str) -> bool:
    """Whether a piece only names where something was found; `The mill is old` does not, wherever it stands."""
    if not piece.reference or refers(text) or is_reference(text):
        return piece.reference
    return is_title(text, language(text) or "en", column=True)


def _is_fragment(text: str) -> bool:
    """Whether a list item says nothing without its lead-in."""
    words = text.split()
    if len(words) >= _SENTENCE and text.endswith((".", "!")):
        return False
    if len(words) >= _INSTRUCTION and base(words[0].casefold()):
        return False
    return first_verb(tokenize(text[:_LONGEST])) is None


def is_short(text: str) -> bool:
    """Tells whether a text of a few words, such as `42`, says nothing without its question."""
    if _ENDED_UNSPACED.search(text) and len(_LETTER.findall(text)) >= _WHOLE:
        return False
    few = len(text.split()) < _SHORT and len(text) < _SHORT_TEXT
    return few and first_verb(tokenize(text)) is None and not text.endswith(("!", "?"))
