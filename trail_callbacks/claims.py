"""Claims: the smallest statements of an answer that evidence can confirm or deny; a splitter without a model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trail_callbacks.speech import declines, is_question, is_statement
from trail_callbacks.text import sentences

__all__ = ["Claim", "abstains", "split"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement of the answer.

    Attributes:
        id: Unique in its report: `c1`, `c2`, ...
        text: The statement, self-contained: pronouns and references resolved.
        quote: The words of the answer that make it, verbatim: `answer[start:end]`.
        start: Offset of the quote in the answer's text.
        end: Offset after the quote.
        checkable: False for what is no statement about the world (a greeting, a question, an offer); such a claim
            is `unevaluatable` without asking a judge.
        unresolved: What keeps a statement from being understood on its own: words that neither the answer nor the
            question settles, e.g. "'it' may be the bridge or the ferry". Such a claim is not checkable.
    """

    id: str
    text: str
    quote: str
    start: int
    end: int
    checkable: bool = True
    unresolved: str = ""


_FENCE = re.compile(r"\s*(```|~~~)")
_PROSE = frozenset({"markdown", "md", "text", "txt"})  # what a fenced text may call itself
_RULE = re.compile(r"[\s|:*_=+-]*$")
_HEADING = re.compile(r"\s*#{1,6}\s")
_MARKER = re.compile(
    r"\s*(?:>\s*)*(?:(?:[-*+\u2022\u2023\u25e6\u2013]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+)?(?:\[[ xX]\]\s+)?(?:>\s*)*"
)
# `(?<!\s)` and the bounds keep a wall of blanks or of open brackets from being read again at each of its signs.
_CITATION = re.compile(r"(?:(?<!\s)\s+)?(?:\[\^?[\d,\s\u2013-]+\]|\u3010[^\u3010\u3011]*\u3011)")
_LINK = re.compile(r"!?\[([^\][]*)\]\([^)\s]{0,2000}\)")
_EMPHASIS = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_CELL = re.compile(r"(?<!\\)\|")
_LETTER = re.compile(r"\w")
_FINITE = (
    r"(?:is|are|was|were|has|have|had|will|would|can|could|may|might|must|should|does|do|did|remains?|became|includes?)"
)
_VERB = re.compile(rf"\b{_FINITE}\b|\b[a-z]{{3,}}ed\b")
_COORDINATE = re.compile(
    rf",\s+(?:and|but)\s+(?=(?:the\s+|a\s+|an\s+|[A-Z])[\w'\u2019-]*(?:\s+[\w'\u2019-]+){{0,3}}?\s+{_FINITE}\b)"
)
_SCOPED = re.compile(
    r"^\W*(?:if|when|while|although|because|since|unless|before|after|once|until|according|under|in case|both|either|"
    r"as|during|for|given|assuming|whether|by|with|without|from|between|among|in|on|at)\b"
    r"|\b(?:said|says|say|that|whether|believes?|claims?|reports?|reported|argues?|according|if|unless|because|which|who|not|no)\b",
    re.IGNORECASE,
)
_WIDE_SEMICOLON = re.compile(r"(?:(?<!\s)\s+)?[\uff1b\u061b]\s*")
_SEMICOLON = re.compile(r"(?:(?<!\s)\s+)?;\s+")
_SHORT = 4  # words; shorter answers need their question to say something
_SHORT_SIGNS = 40  # signs; the same for scripts without spaces
_CLAUSE = 3  # words a clause has at least


def split(answer: str, question: str | None = None) -> tuple[Claim, ...]:
    """Splits an answer into claims by rules, without a model.

    A sentence, list item or table row is a claim; independent clauses behind a semicolon or `, and` are claims of
    their own where that is safe. Headings, lead-ins that end in a colon, rules and code blocks are none. What states
    nothing about the world is kept with `checkable=False`; that is told apart by English rules, in other languages
    only questions are (by their marks). Pronouns stay as they are: a wrong guess would be worse. An answer of a few
    words is joined with its question.

    Instructions to the reader that carry content ("Take two tablets a day") stay checkable: sources give instructions
    too, and a wrong one is the most harmful kind of error. Only those about the talk itself ("See the manual") do not.

    Args:
        answer: The text to split; may be empty.
        question: The user's request, for short answers.

    Returns:
        Claims in order, spans exact: `claim.quote == answer[claim.start:claim.end]`.
    """
    pieces = [part for piece in _pieces(answer) for part in _clauses(answer, piece)]
    claims = []
    for n, piece in enumerate(pieces, 1):
        quote = answer[piece.start : piece.end]
        text = piece.text or _clean(quote)
        if question and (n == 1 or len(pieces) == 1) and _is_short(text):
            text = _joined(question, text)
            checkable = True
        else:
            checkable = bool(piece.text) or is_statement(_clean(quote))
            if piece.lead and checkable and not _VERB.search(text) and "?" not in piece.lead:
                text = f"{piece.lead}: {text}"
        claims.append(Claim(id=f"c{n}", text=text, quote=quote, start=piece.start, end=piece.end, checkable=checkable))
    return tuple(claims)


def abstains(answer: str) -> bool:
    """Tells whether an answer as a whole declines to answer. English only: in other languages always False.

    True if at least one sentence says that the speaker or the sources do not know, say or contain it, and no other
    sentence states anything. Questions, offers and pleasantries beside it change nothing.
    """
    texts = [_clean(answer[piece.start : piece.end]) for piece in _pieces(answer)]
    declined = [declines(text) for text in texts]
    return any(declined) and not any(is_statement(text) for text, no in zip(texts, declined, strict=True) if not no)


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    text: str = ""  # what it says, where that is not its own words: a table row with its column names
    lead: str = ""  # the line with a colon that the list item stands under


def _pieces(answer: str) -> Iterator[_Piece]:
    """Sentences, list items and table rows; no headings, lead-ins, rules, code."""
    header: list[str] = []
    lead = ""
    lines = list(_lines(answer))
    code = _code([line for _, line in lines])
    for number, (start, line) in enumerate(lines):
        if number in code or _FENCE.match(line):
            continue
        if _HEADING.match(line):
            lead, header = "", []
        elif not line.strip():
            header = []
        elif not _LETTER.search(line):
            continue
        elif line.lstrip().startswith("|") and line.count("|") > 1:
            row = _cells(line)
            if header:
                yield _stripped(line, start, _row(header, row))
            header = header or row
        else:
            header = []
            pieces, ending = _of_line(line, start, lead)
            yield from pieces
            item = bool(pieces and pieces[0].lead) or _is_item(line)
            lead = ending or (lead if item else "")


def _reads_as_prose(line: str) -> bool:
    return line.rstrip().endswith((".", "!", "?")) and len(line.split()) > 3  # noqa: PLR2004 - fewer may be code


def _code(lines: Sequence[str]) -> set[int]:
    """Numbers of the lines between fences; a fence that is never closed, or holds a whole text, hides nothing."""
    fences = [number for number, line in enumerate(lines) if _FENCE.match(line)]
    written = [number for number, line in enumerate(lines) if line.strip()]
    code: set[int] = set()
    for first, last in zip(fences[::2], fences[1::2], strict=False):
        language = lines[first].strip().strip("`~").strip().casefold()
        prose = language in _PROSE or (not language and any(map(_reads_as_prose, lines[first + 1 : last])))
        if (first, last) != (written[0], written[-1]) or not prose:
            code.update(range(first, last + 1))
    return code


def _of_line(line: str, start: int, lead: str) -> tuple[list[_Piece], str]:
    """The sentences of a line, and its last one instead, without its colon, where that leads into what follows."""
    marker = _MARKER.match(line)
    skip = marker.end() if marker else 0
    under = lead if _is_item(line) else ""
    found = [
        _Piece(start + skip + sentence.start, start + skip + sentence.end, "", under)
        for sentence in sentences(line[skip:])
        if _LETTER.search(sentence.text)
    ]
    closing = _clean(line)
    if found and closing.endswith((":", "\uff1a")):
        last = found.pop()
        ending = _clean(line[last.start - start : last.end - start])[:-1].strip()
        return found, "" if under else ending
    return found, ""


def _is_item(line: str) -> bool:
    marker = _MARKER.match(line)
    return marker is not None and bool(marker[0].strip())


def _stripped(line: str, start: int, text: str) -> _Piece:
    stripped = line.strip()
    at = start + line.index(stripped)
    return _Piece(at, at + len(stripped), text)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, line
        start += len(line)


def _cells(line: str) -> list[str]:
    return [_clean(cell.strip()) for cell in _CELL.split(line.strip().strip("|"))]


def _row(header: list[str], row: list[str]) -> str:
    names = header + [""] * len(row)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, row, strict=False) if cell)


def _clauses(answer: str, piece: _Piece) -> Iterator[_Piece]:
    """Cuts a sentence into independent clauses where nothing before the cut can reach over it."""
    text = answer[piece.start : piece.end]
    if piece.text or is_question(text):
        yield piece
        return
    cuts = [gap.span() for gap in _WIDE_SEMICOLON.finditer(text)] + _semicolons(text)
    start = 0
    for a, b in [*sorted(cuts or _coordinations(text)), (len(text), len(text))]:
        if _LETTER.search(text, start, a):
            yield _Piece(piece.start + start, piece.start + a, "", piece.lead)
        start = b


def _semicolons(text: str) -> list[tuple[int, int]]:
    """Where semicolons part whole clauses; in a list (`Paris; Rome`) they do not."""
    if ":" in text or "(" in text:
        return []
    gaps = [gap.span() for gap in _SEMICOLON.finditer(text)]
    starts = [0, *(end for _, end in gaps)]
    ends = [*(start for start, _ in gaps), len(text)]
    for a, b in zip(starts, ends, strict=True):
        if not _VERB.search(text, a, b) or len(text[a:b].split()) < _CLAUSE:
            return []
    return gaps


def _coordinations(text: str) -> list[tuple[int, int]]:
    """Where `, and` or `, but` joins a clause with its own subject to one that has no condition, report or denial."""
    if '"' in text or "\u201c" in text:
        return []
    cuts: list[tuple[int, int]] = []
    at = 0
    for gap in _COORDINATE.finditer(text):
        if not _VERB.search(text, at, gap.start()) or _SCOPED.search(text[at : gap.start()]):
            break
        cuts.append(gap.span())
        at = gap.end()
    return cuts


def _clean(text: str) -> str:
    """Takes Markdown and citation marks out of a piece."""
    text = _CITATION.sub("", text)
    text = _LINK.sub(r"\1", text)
    return _EMPHASIS.sub("", text).strip()


def _is_short(text: str) -> bool:
    few = len(text.split()) < _SHORT and len(text) < _SHORT_SIGNS
    return few and not _VERB.search(text) and not text.endswith(("!", "?"))


def _joined(question: str, text: str) -> str:
    return f"{' '.join(question.split())} {text}"
