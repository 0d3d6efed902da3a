"""What of an answer is code or a formula, and what of these states something all the same.

A fence, the name of a language, `$$` or a comment mark say how words are shown and not that they state nothing. Lines
of words, comments and strings are therefore read as prose wherever they stand; only the rest is code, which is no
claim. In doubt a line is prose: a claim too many can be looked at, a statement that nobody reads cannot.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from trail_callbacks.splitting.marks import clean, lines_of, may_hold_code

_Range = tuple[int, int]

_FENCE = re.compile(r"[ \t]{0,100}(?:>[ \t]{0,100}){0,20}(?:(`{3,})([^`\r\n]*)|(~~~)([^\r\n]*))")
_PLAIN = re.compile(r"(?:plain\w*|te?xt|md|markdown)?\s*$", re.IGNORECASE)  # what a fence says that holds words
_KEYWORD = re.compile(
    r"(?:import|from|def|class|return|if|elif|else|for|while|try|except|with|lambda|print|raise|assert|"
    r"del|pass|break|"
    r"continue|yield|async|await|function|const|let|var|new|export|public|private|protected|static|void|"
    r"int|float|double|"
    r"string|bool|struct|enum|interface|package|namespace|using|include|require|select|insert|update|"
    r"delete|create|alter|drop|"
    r"SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|FROM|WHERE|JOIN|LEFT|GROUP|ORDER|HAVING|LIMIT|SET|"
    r"VALUES|sudo|apt|apt-get|"
    r"pip3?|uv|npm|npx|yarn|git|docker|curl|wget|cd|ls|mkdir|rm|cp|mv|echo|kubectl|helm|make|python3?|"
    r"node|go|cargo|brew|conda)\b"
)
_SYNTAX = re.compile(  # what hardly stands in a line of prose
    r"[\w)\]][(\[]|[{}\\]|[=!<>+*-]=|[=-]>|\s=\s|\w=[\w\"']|[;{]\s*$|::|</?\w|&&|\|\||^\s{0,100}[@$]\s?\w|"
    r"\w_\w|\s--\w|^\s{0,100}\W{1,5}\s{0,100}$"
)
_QUOTED = r"\"([^\"\r\n]*)\"|'([^'\r\n]*)'|`([^`\r\n]*)`"
_COMMENT = r"(?:(?<!\S)\#|(?<![\w:])//|(?<!\S)--(?=\s)|/\*|<!--|(?<!\S)[%;](?=\s))([^\r\n]*)"
_INSIDE = re.compile(rf"{_QUOTED}|{_COMMENT}")
_DRESS = re.compile(r"^[\s#/*%;!>\"'`-]+|[\s*/\"'`>-]+$")  # comment marks around the words of a line
_WORD = re.compile(r"[^\W_]+(?:['\u2019.,:-][^\W_]+)*")
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_PROSE = 3  # words; two where one is a number
_CHARACTERS = 4  # the same for scripts without spaces
_ENDED = re.compile("[.!?\u3002\uff01\uff1f\u061f\u0964][\"'\u201d\u2019)]?$")
_FORMULA = re.compile(r"^[ \t]*(?:\$\$(.{0,2000}?)\$\$|\\\[(.{0,2000}?)\\\])[ \t]*$", re.DOTALL | re.MULTILINE)
_VALUE = re.compile(r"\s*[\d.,\s%\u00b0\u20ac\u00a3$]{1,100}$")  # a number by itself is an answer
_COMMAND = re.compile(r"\\[A-Za-z]{1,40}")
_WORDED = re.compile(r"\\(?:text|textbf|textit|textrm|mbox|mathrm|mathbf|emph)\s?\{[^{}]*[^\W\d_]{2}")


class _Fence(NamedTuple):
    """A line that opens or closes a block: its number, the mark, and the words behind it from `start`."""

    line: int
    mark: str
    start: int
    words: str


def code_spans(text: str) -> tuple[_Range, ...]:
    """Finds what of an answer is truly code: lines of code in fences, without their comments and strings, and formulas.

    No claim is made of these, so whoever says what was checked has to say that they were not. JSON is read by its
    fields and is no code; nor is what a fence or formula holds in words.

    Args:
        text: An answer.

    Returns:
        Offsets `(start, end)` in order; they do not overlap, begin and end with no blank, and each lies in one line. A
        fence with the name of a language is one of them. Time is linear in the text.
    """
    lines = list(lines_of(text))
    code = prose_in_code(text, lines)
    data = _data(text) if code else []
    found: list[_Range] = []
    for number, prose in sorted(code.items()):
        at, line = lines[number]
        end = at + len(line)
        for a, b in [*prose, (end, end)]:
            said = text[at:a].strip()
            within = data[max(0, bisect_right(data, (at, a)) - 1) :][:2]
            if any(map(str.isalnum, said)) and not any(start <= at and a <= end for start, end in within):
                first = text.index(said, at)
                found.append((first, first + len(said)))
            at = b
    return tuple(found)


def prose_in_code(text: str, lines: Sequence[tuple[int, str]]) -> Mapping[int, tuple[_Range, ...]]:
    """Finds the lines of code, fences and formulas, and what they say in words.

    Args:
        text: An answer.
        lines: Its lines with their offsets, as `marks.lines_of` returns them.

    Returns:
        By the number of each such line the spans in `text` that are prose, none for pure code. Lines of a block that
        are prose as a whole are not in it: they are read like any other. A fence that is never closed makes no code.
    """
    if not may_hold_code(text):
        return {}
    found: dict[int, tuple[_Range, ...]] = {}
    opened: _Fence | None = None
    for fence in _fences(lines):
        found[fence.line] = ((fence.start, fence.start + len(fence.words)),) if _says(fence.words, _PROSE) else ()
        if opened is None:
            opened = fence
        elif fence.mark == opened.mark and not fence.words:
            for number in range(opened.line + 1, fence.line):
                if not _is_prose(lines[number][1], code=_PLAIN.match(opened.words) is None):
                    found[number] = tuple(_words_in(lines[number][1], lines[number][0]))
            opened = None
    starts = [start for start, _ in lines]
    for formula in _FORMULA.finditer(text):
        if not _in_words(formula[1] or formula[2] or ""):
            for number in range(bisect_right(starts, formula.start()) - 1, bisect_right(starts, formula.end() - 1)):
                found.setdefault(number, ())
    return found


def _fences(lines: Sequence[tuple[int, str]]) -> Iterator[_Fence]:
    for number, (start, line) in enumerate(lines):
        found = _FENCE.match(line)
        if found and not line[found.end() :].strip():  # a fence of backticks has none behind it
            group = 2 if found[1] else 4
            words = found[group].strip("~ \t")
            yield _Fence(number, found[group - 1][0], start + line.index(words, found.start(group)), words)


def _is_prose(line: str, *, code: bool) -> bool:
    """Whether a line of a block is to be read as a whole; of a block that names a language it has to look so."""
    said = _DRESS.sub("", clean(line) if "<" in line else line)
    if not said:
        return True  # nothing to read
    if _SYNTAX.search(said):
        return False
    if _KEYWORD.match(said):
        return _says(said, _PROSE) and _ENDED.search(said) is not None
    return not code or _says(said, _PROSE)


def _words_in(line: str, start: int) -> Iterator[_Range]:
    """The comments and strings of a line of code that say something."""
    for found in _INSIDE.finditer(line):
        group = found.lastindex or 0
        said = _DRESS.sub("", found[group])
        comment = group == 4  # noqa: PLR2004 - the groups before it are quotations
        if not said or (_SYNTAX.search(said) and not _ENDED.search(said)) or not _says(said, 2 if comment else _PROSE):
            continue
        at = start + found.start(group) + found[group].index(said)
        yield at, at + len(said)


def _says(said: str, least: int) -> bool:
    words = _WORD.findall(said)
    letters = [word for word in words if any(sign.isalpha() for sign in word)]
    number = any(any(sign.isdigit() for sign in word) for word in words)
    if len(_UNSPACED.findall(said)) >= _CHARACTERS:
        return True
    return len(words) >= least - number and bool(letters)


def _in_words(formula: str) -> bool:
    r"""Whether a formula says something in words, as `\text{...}` or without any such mark."""
    if _VALUE.match(formula):
        return True
    plain = [word for word in _WORD.findall(_COMMAND.sub(" ", formula)) if len(word) > 1 and not word.isdigit()]
    return _WORDED.search(formula) is not None or len(plain) >= _PROSE or len(_UNSPACED.findall(formula)) >= _CHARACTERS


def _data(text: str) -> list[_Range]:
    """Where JSON is, whose fields are read."""
    if "{" not in text and "[" not in text:
        return []
    from trail_callbacks.splitting.json_fields import blocks  # noqa: PLC0415 - most answers hold none

    return [(block.start, block.end) for block in blocks(text)]
