"""Citation marks: `[1]`, `[2, 4-6]`, `[^1]`, `(Source 2)`, `(Smith 2020)`, `[ferry.md]`, links.

Every pattern is linear: bounded repeats, none that begins inside what it can also read through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from trail_callbacks.language.values import quantities

Kind = Literal["number", "name", "link", "work"]

_SOURCE = r"(?:passages?|documents?|docs?|sources?|contexts?|chunks?|refs?\.?|references?|snippets?|excerpts?)"
_NUMBER = r"\d{1,3}(?!\d)"
_NUMBERS = rf"{_NUMBER}(?:(?:\s?[,;&/\u2013-]\s?|,?\sand\s)(?:{_SOURCE}\s?)?{_NUMBER}){{0,20}}"
_YEAR = r"(?:1[5-9]|20)\d\d[a-z]?"
_SURNAME = r"[^\W\d_a-z][\w'\u2019-]{1,30}"
_AUTHORS = (
    rf"{_SURNAME}(?:(?:,?\s(?:and|und|et|y|&)\s{_SURNAME})|\set\sal\.?"
    rf"|(?:,\s{_SURNAME}){{1,3}},?\s(?:and|&)\s{_SURNAME})?"
)
_PAGES = r"(?:,\s(?:pp?|S)\.\s?\d{1,4}(?:[-\u2013]\d{1,4})?)?"
_WORK = rf"(?:see\s|cf\.\s|e\.g\.\s)?{_AUTHORS},?\s{_YEAR}{_PAGES}"
_FILE = r"[\w][\w ./-]{0,120}\.[A-Za-z][A-Za-z0-9]{1,4}"

_MARK = re.compile(
    rf"(?P<image>!\[[^\][]{{0,500}}\]\([^()\s]{{0,2000}}\))"
    rf"|\[(?P<text>[^\][]{{0,500}})\]\((?P<url>[^()\s]{{1,2000}})(?:\s\"[^\"\n]{{0,200}}\")?\)"
    rf"|\[\^(?P<note>[\w-]{{1,40}})\](?!:)"
    rf"|(?<!\W[A-Za-z])\[(?P<numbers>{_NUMBERS})\](?!:)"
    rf"|\u3010(?P<told>\d[\d:]{{0,9}}(?:\u2020[^\u3010\u3011]{{1,200}})?)\u3011"
    rf"|[\[(](?:(?:see|from|in|per|according\sto)\s)?(?i:{_SOURCE}):?\s?\#?(?P<listed>{_NUMBERS})[\])]"
    rf"|[\[(](?i:sources?|quellen?|fuentes?):\s(?P<source>[^\])(\[\n]{{1,200}})[\])]"
    rf"|\[(?P<file>{_FILE})\]"
    r"|\[(?P<label>[^\W\d_][\w /:#-]{1,80})\](?!\()"
    rf"|[\[(](?P<works>{_WORK}(?:;\s{_WORK}){{0,9}})[\])]"
    rf"|(?P<author>(?<!\w){_AUTHORS})\s\((?P<year>{_YEAR}){_PAGES}\)"
    rf"|<sup>\s?\[?(?P<sup>{_NUMBERS})\]?\s?</sup>"
    r"|(?<=[.,;:!?\u201d\"')])(?P<raised>[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3})"
    r"|<?(?P<bare>https?://[^\s<>()\[\]\"]{3,2000})>?"
)
_CODE = re.compile(r"^(```|~~~)[^\n]*\n.*?(?:^\1|\Z)|`[^`\n]{1,500}`", re.DOTALL | re.MULTILINE)
_REFERENCE = re.compile(
    r"^[ \t]{0,8}(?:[-*] )?(?:\[\^?(?P<label>[\w-]{1,40})\][:.]?|(?P<plain>\d{1,3})[.)])[ \t]+"
    r"(?P<entry>\S[^\n]{0,500})$",
    re.MULTILINE,
)
_HEADED = re.compile(
    r"^\W{0,8}(?:references|sources|citations|bibliography|footnotes|quellen|fuentes|fontes|fonti|bronnen|literatur)\W{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
_RAISED = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "0123456789")
_RANGE = re.compile(r"(\d{1,3})\s?[\u2013-]\s?(\d{1,3})|(\d{1,3})")
_PLACE = re.compile(r"(?:source|L\d+(?:-L?\d+)?)?$")
_LONGEST_LIST = 500  # lines
_WIDEST = 30  # sources that one range may name


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One source that a citation mark names; `[1, 2]` is two.

    Attributes:
        start: Offset of the mark in the answer.
        end: Offset after it.
        kind: How the source is named: `number`, `name` (a file, an id, a title), `link`, `work` (author and year).
        target: The name: `2`, `ferry.md`, `https://...`, `Smith 2020`.
        certain: False for what is a citation only if a source has that name, such as `Lindqvist (2019)`.
        bracketed: Whether it is a mark beside a statement, and no word of one.
    """

    start: int
    end: int
    kind: Kind
    target: str
    certain: bool = True
    bracketed: bool = True


def marks(answer: str) -> Iterator[Mark]:
    """Finds the citation marks of an answer, in order; those in code and in its list of references are left out."""
    hidden = [found.span() for found in _CODE.finditer(answer)]
    hidden += [span for span, _, _ in _entries(answer)]
    hidden.sort()
    at = 0
    for found in _MARK.finditer(answer):
        while at < len(hidden) and hidden[at][1] <= found.start():
            at += 1
        if at == len(hidden) or found.start() < hidden[at][0]:
            yield from _read(found)


def references(answer: str) -> dict[str, str]:
    """Returns the entries of the answer's own list of references or footnotes, by label."""
    return {label: entry for _, label, entry in _entries(answer)}


def _entries(answer: str) -> Iterator[tuple[tuple[int, int], str, str]]:
    headed = _HEADED.search(answer)
    listed = headed.start() if headed else _list_start(answer)
    for found in _REFERENCE.finditer(answer):
        if found.start() >= listed or "[^" in found[0][:12]:
            yield found.span(), found["label"] or found["plain"], found["entry"].strip()


def _list_start(answer: str) -> int:
    """Where the lines at the end begin that all start with a label the text above them cites."""
    start = len(answer)
    for line in reversed(answer.splitlines(keepends=True)[-_LONGEST_LIST:]):
        found = _REFERENCE.match(line.rstrip("\r\n"))
        if line.strip() and not (found and found["label"] and answer.find(f"[{found['label']}]") < start - len(line)):
            break
        start -= len(line)
    return start


def _read(found: re.Match[str]) -> Iterator[Mark]:
    start, end = found.span()
    kind, targets, certain = _named(found)
    for target in targets:
        bracketed = kind != "link" and found.lastgroup != "year"
        yield Mark(start=start, end=end, kind=kind, target=target, certain=certain, bracketed=bracketed)


def _named(found: re.Match[str]) -> tuple[Kind, list[str], bool]:  # noqa: PLR0911 - one a notation
    group = found.lastgroup
    text = found[group] if group else ""
    if group in {"numbers", "listed", "sup"}:
        return "number", _numbers(text), True
    if group == "raised":
        return "number", [text.translate(_RAISED)], True
    if group == "note":
        return "number" if text.isdigit() else "name", [text], True
    if group == "told":  # `3:1`, `3` and `3\u2020source` name a source, `3:1\u2020ferry.md` its file
        number, _, name = text.partition("\u2020")
        return ("number", _numbers(number.partition(":")[0]), True) if _PLACE.match(name) else ("name", [name], True)
    if group in {"url", "bare"}:
        return "link", [found["url"] or found["bare"].rstrip(".,;:!?")], True
    if group in {"source", "file"}:
        return "name", [part.strip() for part in text.split(";") if part.strip()], True
    if group == "label":
        return "name", [text], False
    if group == "works":
        works = (work.strip() for work in text.split(";"))
        return "work", [work for work in works if not any(q.kind == "month" for q in quantities(work))], True
    if group == "year":
        return "work", [f"{found['author']} {text}"], "et al" in found["author"]
    return "name", [], True


def _numbers(text: str) -> list[str]:
    listed: dict[str, None] = {}
    for first, last, single in _RANGE.findall(text):
        if single:
            listed[str(int(single))] = None
        elif int(first) <= int(last) <= int(first) + _WIDEST:
            listed.update(dict.fromkeys(str(n) for n in range(int(first), int(last) + 1)))
        else:
            listed.update({str(int(first)): None, str(int(last)): None})
    return list(listed)
