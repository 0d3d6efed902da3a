"""Statements of an answer: its pieces, cut into clauses, named and told apart from what states nothing.

What only introduces, asks or greets is no claim, and an answer must not be able to hide a statement behind such words:
`Sorry, the ferry sank.`, `Did you know that the ferry sank?`, `## The ferry sank`. So what stands behind them is looked
at as well. In doubt words are a statement: one too many is undecided, one that is missing is never checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from trail_callbacks.language.detect import is_english, language
from trail_callbacks.language.speech import declines, greets, is_question, is_statement, refuses
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting.clauses import Part, parts
from trail_callbacks.splitting.layout import LayoutPiece, pieces
from trail_callbacks.splitting.marks import clean, frame_end, is_reference, quote_start, refers, visible
from trail_callbacks.splitting.words import PREPOSITIONS, Thread, base, first_verb, is_finite, tokenize

_LONGEST = 2000  # characters; nobody greets or asks at such length
_TRIED = 4  # clauses that may be stated behind `I think` or `that`
_FEW = 3  # words a statement has at least
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_CHARACTERS = 6  # of a script without spaces that a statement has at least
_TITLE = 3  # words of a title in another language than English
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_NUMBER = re.compile(
    r"^\W*(?:(?:step|part|chapter|section|phase|day|week|method|option|level|stage|figure|table|schritt|"
    r"teil|kapitel|\u00e9tape|"
    r"partie|chapitre|paso|parte|cap\u00edtulo|passo|fase|stap|\u7b2c)\s?)?(?:\d{1,3}(?:\.\d{1,3}){0,4}|"
    r"[ivxIVX]{1,5}|[a-zA-Z])\s?[.):\uff1a\u3001\u7ae0\u6b65-]\s*(?=\D)",
    re.IGNORECASE,
)
_MARKS = r"[:;,\uff1a\uff1b\uff0c\u060c\u2014\u2013\u2026]|\s-\s|[.!?\u3002\uff01\uff1f](?=\s)|\b(?:but|which)\b"
_JOINT = re.compile(_MARKS)  # no `that`: `I cannot confirm that ...`
_BORDER = re.compile(rf"{_MARKS}|\bthat\b")
_HELD = re.compile(  # opinions and courtesies that take a statement without `that`
    r"\b(?:i|we)\s(?:\w+ly\s)?(?:(?:would|do)\s)?(?:think|believe|guess|suppose|hope|trust|understand|"
    r"suggest|feel|know|say)\s(?!(?:that|it|this|so)\b)",
    re.IGNORECASE,
)
_TALK = re.compile(  # what speaks to the reader or about the answer
    r"\W*(?:(?:and|or|so|then|if|please|kindly|just|also|as|because|since|to|for|nor|unless)\s){0,4}(?:i|"
    r"we|you|your|my|our|me|please|let|feel|just|ask|"
    r"here|this|that|what|how|who|whom|whose|when|where|why|whether|thanks?|sorry)(?:['\u2019](?:ll|d|ve|re|m|s))?\b",
    re.IGNORECASE,
)
_ABOUT_TALK = re.compile(
    r"\b(?:you|yours?|questions?|answers?|response|helps?|helpful|helped|clarif\w+|further|anything)\b", re.IGNORECASE
)
_ASKS = vocabulary(
    """who whom whose what which when where why how whether is are was were am do does did has have had can could will
    would shall should may might must isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't
    couldn't won't wouldn't shouldn't mustn't ain't anything any more want need ready"""
)
_TAG = re.compile(
    r"[,;\uff0c\u060c\u2013\u2014-]\s?(?:right|correct|ok|okay|yes|no|eh|huh|true|agreed|see|you know|"
    r"innit|oder(?: nicht)?|nicht wahr|stimmt['\u2019]?s|"
    r"n['\u2019]est-ce pas|non|hein|\u00bf?verdad|\u00bf?no|vero|giusto|n\u00e9|certo|toch|prawda|"
    r"\u043d\u0435 \u0442\u0430\u043a \u043b\u0438|\u0432\u0435\u0440\u043d\u043e|de\u011fil mi|"
    r"\u5bf9\u5417|\u5bf9\u5427|\u662f\u5427|\u662f\u5417|(?:is|are|was|were|do|does|did|has|have|had|"
    r"will|would|can|could|should)(?:n['\u2019]?t)?(?: not)? "
    r"(?:it|he|she|they|there|this|that|we|you|i)(?: not)?)\s?[?\uff1f\u061f][\s\"'\u201d\u2019)*_]*$",
    re.IGNORECASE,
)
_KNOWN = re.compile(  # `Did you know the ferry sank?`: what follows is stated; other languages say `that`
    r"^\W*(?:(?:and|but|so|by the way|fun fact)\W{1,3})?(?:(?:did|do)(?:n['\u2019]t)? you (?:not |also |already |all )?"
    r"(?:know|reali[sz]e)|(?:have|had) you (?:not |ever |already )?(?:heard|known|noticed|reali[sz]ed)"
    r"|(?:are|were) you (?:not )?aware(?: of the fact)? that)(?: that)?\s?(?=\S)|^\u4f60\u77e5\u9053\u5417?[\uff0c,]?",
    re.IGNORECASE,
)
_OPEN = re.compile(  # these ask whether something is so
    r"\b(?:is|was|isn['\u2019]t) it (?:true|possible|correct|likely|right|the case)\b|\bmeans? that\b|"
    r"\b(?:saying|sure|suggesting|asking|say|want|like) that\b",
    re.IGNORECASE,
)
_THAT = re.compile(r"\b(?:(?:that|dass|que|che|dat|\u017ce|\u0447\u0442\u043e)\s|qu['\u2019])", re.IGNORECASE)
_ASKING = re.compile(
    "[\u5417\u5462\u4ec0\u8c01\u54ea\u51e0\u591a\u600e\u4f55\u8bf0]|\u662f\u5426|\u662f\u4e0d\u662f|"
    "\u6709\u6ca1\u6709|\u4e3a\u4ec0\u4e48|\u5c11|[\u304b\u306e][?\uff1f]"
)
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_POINTS = re.compile(
    r"\b(?:these|those|following|follows?|such|below|several|various|many|some|few|two|three|four|five|"
    r"six|more|including|include[sd]?|"
    r"steps?|ways?|things|items|examples?|reasons?|tips?|features?|options?|factors?|points?|details?|"
    r"aspects?|types?|kinds?)\b",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"^\W*(?:here|below|there|these|those|this|the following|follow|following|to|if|for)\b", re.IGNORECASE
)


def asserts(text: str) -> bool:
    """Tells whether a sentence states something about the world, whatever words it begins or ends with.

    A question does if it ends in a tag (`..., right?`), takes something for known (`Did you know that ...?`) or is
    worded as a statement; a greeting, an opinion, an offer or a refusal does if a statement stands behind it. Other
    languages than English are known by a few such words only.
    """
    if len(text) > _LONGEST:
        return True
    if is_question(text):
        return _asks_for_nothing(text)
    if is_statement(text) and not greets(text):
        return True
    refusal = declines(text)
    if refusal and refuses(text):
        return False  # the whole sentence is a refusal, in a language whose words are not known here
    if any(_holds(text[found.end() :], held=True) for found in islice(_HELD.finditer(text), _TRIED)):
        return True
    return any(map(_holds, (_JOINT if refusal else _BORDER).split(text)[1:]))


def is_title(text: str, language: str, *, column: bool = False) -> bool:
    """Tells whether a heading only names what follows: no verb, no number, and few words where verbs are not known.

    Args:
        text: The words of a heading, without its marks.
        language: ISO 639-1 code of the answer; verbs are known in English.
        column: Whether it is the name of a column, which may hold a number (`Sales 2024`).
    """
    text = text[:_LONGEST]
    named = _NUMBER.sub("", text, count=1)
    if any(sign.isnumeric() for sign in named) and not column:
        return False
    words = _WORD.findall(named)
    unspaced = len(_UNSPACED.findall(named))
    if unspaced:
        return unspaced < _CHARACTERS
    if language == "en" and named.isascii():
        return len(words) < _FEW or not _has_verb(named)
    return len(words) <= _TITLE or (is_english(named) and not _has_verb(named))


def is_lead_in(text: str, language: str) -> bool:
    """Tells whether a line before a list only introduces it: `The hotel has`, not `The hotel burnt down in 1990`."""
    if _ANNOUNCES.match(text) or is_title(text, language):
        return True
    if any(sign.isnumeric() for sign in _NUMBER.sub("", text, count=1)):
        return language == "en" and not _has_verb(text)
    words = tokenize(text.lower())
    verb = first_verb(words)
    if language != "en" or _POINTS.search(text) or verb is None:
        return True
    return words[-1].form in PREPOSITIONS or len(words) - verb <= _FEW - 1 or is_finite(words, len(words) - 1)


def _asks_for_nothing(text: str) -> bool:
    """Whether a question is a statement with a question mark."""
    if not _WORD.search(text):
        return False
    tag, known = _TAG.search(text), _KNOWN.match(text)
    if tag or known:
        return _holds(text[: tag.start()] if tag else text[known.end() if known else 0 :], held=True)
    if not _OPEN.search(text) and any(_holds(text[found.end() :]) for found in islice(_THAT.finditer(text), _TRIED)):
        return True
    bare = text.rstrip(" ?\uff1f\u061f\"'*_)")
    if _HAN.search(text):
        return len(_UNSPACED.findall(bare)) >= _CHARACTERS and _ASKING.search(text) is None
    if not is_english(text):
        return False
    plain = bare.casefold().replace("\u2019", "'")
    heads = [words[0] for part in _JOINT.split(plain) if (words := _WORD.findall(part))]
    return not _ASKS.intersection(heads) and _TALK.match(text) is None and _holds(bare) and _has_verb(bare)


def _holds(part: str, *, held: bool = False) -> bool:
    """Whether a part of a sentence states something by itself; `held`: it is known to be a clause."""
    part = part.strip()
    words = _WORD.findall(part)
    unspaced = len(_UNSPACED.findall(part))
    if unspaced:
        return unspaced >= _CHARACTERS - 2
    if len(words) < _FEW or _TALK.match(part) or declines(part) or _ABOUT_TALK.search(part):
        return False
    if any(sign.isnumeric() for sign in part) or not is_english(part):
        return True
    if not (held or is_statement(part.rstrip(" ?"))):
        return False
    verb = first_verb(tokenize(part[:1] + part[1:].lower()))
    return verb is not None and (verb > 0 or part[:1].isupper())


def _has_verb(text: str) -> bool:
    """Whether an English text has a finite verb, in whatever letters."""
    return first_verb(tokenize(text.lower())) is not None


_WIDE_SEMICOLON = re.compile(r"(?:(?<!\s)\s+)?[\uff1b\u061b]\s*")
_LETTER = re.compile(r"\w")
_ENDED = re.compile(r"[.!?\u3002\uff01\uff1f\u061f\u0964][\W_]*$")
_ENDED_UNSPACED = re.compile(r"[\u3002\uff01]\W*$")
_WHOLE = 6  # characters from which a text that ends in a stop of a script without spaces is a sentence
_SHORT = 4  # words; shorter answers need their question to say something
_SHORT_TEXT = 40  # characters; the same for scripts without spaces
_SENTENCE = 6  # words from which a list item that ends in a full stop is a sentence whatever its verb
_INSTRUCTION = 4  # words; the same for one that begins with a verb in its base form
# characters; a longer sentence is not searched for a verb


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
    code = _code(answer)
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


def stated(answer: str) -> Iterator[tuple[int, int]]:
    """Yields where the sentences, list items and table rows of prose are, in order, without titles and references."""
    code = _code(answer)
    for piece in pieces(answer, code):
        words = answer[piece.start : piece.end]
        if _LETTER.search(words) and not piece.reference and not (piece.title and _names(piece, words, code)):
            yield piece.start, piece.end


def _code(answer: str) -> str:
    return language(visible(answer[:_LONGEST])) or "en"


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


def commands(text: str) -> bool:
    """Tells whether a text is an English sentence that begins with its verb, as `Write to us.` does."""
    words = text.split()
    return len(words) > 1 and text.endswith((".", "!")) and base(words[0].casefold())


def is_short(text: str) -> bool:
    """Tells whether a text of a few words, such as `42`, says nothing without its question."""
    if _ENDED_UNSPACED.search(text) and len(_LETTER.findall(text)) >= _WHOLE:
        return False
    few = len(text.split()) < _SHORT and len(text) < _SHORT_TEXT
    return few and first_verb(tokenize(text)) is None and not text.endswith(("!", "?"))
