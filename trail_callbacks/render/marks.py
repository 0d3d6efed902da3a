"""What all renderings share: a mark and a colour a class, harmless text, shortened text, names of steps."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.report import Layer, Report, Verdict
from trail_callbacks.taxonomy import SupportClass

__all__ = [
    "WORST_FIRST",
    "Mark",
    "around",
    "carriers",
    "counted",
    "entered",
    "error_words",
    "flowing",
    "headline",
    "mark",
    "named",
    "plain",
    "shorten",
]


@dataclass(frozen=True, slots=True)
class Mark:
    """How a class is shown; colour never stands alone.

    Attributes:
        sign: One character, one column wide.
        ascii: The same for streams that cannot show it.
        style: Terminal style, as rich names it.
        colour: CSS colour, dark enough to read on white.
        word: The class in words.
    """

    sign: str
    ascii: str
    style: str
    colour: str
    word: str


_MARKS = {
    SupportClass.SUPPORTED: Mark("\u2713", "+", "green", "#1a7f37", "supported"),
    SupportClass.CONTRADICTED: Mark("\u2717", "X", "bold red", "#b42318", "contradicted"),
    SupportClass.ABSENT: Mark("\u2205", "?", "bold magenta", "#8e24aa", "absent"),
    SupportClass.PARTIALLY_SUPPORTED: Mark("\u25d0", "~", "yellow", "#9a6700", "partially supported"),
    SupportClass.UNEVALUATABLE: Mark("\u00b7", "-", "dim", "#59636e", "unevaluatable"),
}
WORST_FIRST = (
    SupportClass.CONTRADICTED,
    SupportClass.ABSENT,
    SupportClass.PARTIALLY_SUPPORTED,
    None,
    SupportClass.SUPPORTED,
    SupportClass.UNEVALUATABLE,
)
"""Where claims overlap, the first of these gives the colour; None is a claim whose judge failed."""

_FAILED = Mark("!", "!", "bold yellow", "#9a6700", "not judged")

_STATES = {
    "abstained": "no score: the answer declines to answer",
    "no_checkable_claims": "no score: the answer states nothing that could be checked",
    "no_evidence": "no score: no source reached the answer",
    "error": "no score: the verification failed",
}
_NAME = 80  # characters of the name of a step, of an id and of an error's detail; models choose some of these
_CARRIERS = 12
_TITLES = ("source", "file_name", "title")  # as loaders of both frameworks name them
_BLANKS = re.compile(r"\s+")
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_TYPED = {  # as keyboards without them have it; letters are never replaced
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u2032"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u2033"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-"),
    ord("\u2022"): "*",
    ord("\u2026"): "...",
}
_JOINERS = "\u200c\u200d"  # format characters that Indic scripts, Persian and emoji are spelled with


def mark(support: SupportClass | None) -> Mark:
    """Returns the mark of a class; None is a claim whose judge failed."""
    return _FAILED if support is None else _MARKS[support]


def plain(text: str, *, ascii: bool = False) -> str:  # noqa: A002 - as Python's own function of that name
    r"""Makes text from outside harmless to show on one line.

    Blanks and line ends become single spaces; control characters, terminal escapes, bidirectional overrides and lone
    surrogates are spelled out (`\x1b`), so that judged text can neither move the cursor nor hide words.

    Args:
        text: Any text.
        ascii: Spell out all that is not ASCII; curly quotation marks, dashes and the like become plain ones.
    """
    text = _BLANKS.sub(" ", text).strip()
    if not text.isascii() or not text.isprintable():
        text = "".join(_shown(character) for character in text)
    return text.translate(_TYPED).encode("ascii", "backslashreplace").decode() if ascii else text


def flowing(text: str) -> str:
    """Makes text from outside harmless as `plain` does, but keeps paragraphs, lines and a blank at either end."""
    parts = re.split(r"(\s+)", text)
    return "".join("\n" * min(part.count("\n"), 2) or " " if part.isspace() else plain(part) for part in parts)


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _UNSAFE or character in _JOINERS:
        return character
    return character.encode("unicode_escape").decode()


def shorten(text: str, limit: int) -> str:
    """Cuts text to at most `limit` characters, at a blank where one is near, and says so with three dots."""
    if len(text) <= limit:
        return text
    cut = text[: max(limit - 4, 0)]
    blank = cut.rfind(" ")
    return f"{cut[:blank] if blank > limit // 2 else cut} ..."


def around(item: Evidence, graph: ProvenanceGraph, room: int = 48) -> tuple[str, str]:
    """Returns what stands before and after a piece of evidence in its node, up to `room` characters each."""
    text = graph.node(item.node_id).text
    # More than is shown is looked at, so that a wall of blanks does not cost the context.
    before = _BLANKS.sub(" ", text[max(0, item.start - 4 * room) : item.start])
    after = _BLANKS.sub(" ", text[item.end : item.end + 4 * room])
    if len(before) > room:
        cut = before[-room:]
        before = "... " + cut[cut.find(" ") + 1 :]
    return before, shorten(after, room) if len(after) > room else after


def named(node_id: str, graph: ProvenanceGraph) -> str:
    """Names a node for a reader: `history.md (d1)` for a document, `summarise (m2)` for what a step wrote.

    A document is named by its source, file name or title, other nodes by their step, and a node that has none of
    these by its kind.
    """
    node = graph.node(node_id)
    titles = (node.attributes.get(key) for key in _TITLES) if node.kind == "document" else ()
    title = next((value for value in titles if isinstance(value, str) and value.strip()), None)
    step = (title or node.step or node.kind.replace("_", " ")).strip()
    id_ = shorten(node_id, _NAME)
    return id_ if step == node_id else f"{shorten(step, _NAME)} ({id_})"


def carriers(verdict: Verdict, graph: ProvenanceGraph) -> str:
    """Names the nodes that repeat a claim, in order; of very many the first."""
    names = [named(node, graph) for node in verdict.carried_through[:_CARRIERS]]
    more = len(verdict.carried_through) - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more else "")


def headline(report: Report) -> str:
    """The score with its interval, or in words why there is none."""
    value, interval = report.hallucination_score, report.interval
    if value is None and report.graph.answer is None:
        return "no score: the app gave no answer"
    if value is None:
        return _STATES.get(report.state, f"no score: nothing could be checked ({report.state})")
    spread = f" (95 % interval {interval[0]:.2f} to {interval[1]:.2f})" if interval else ""
    part = ", of the claims that were judged" if report.state == "partial" else ""
    return f"hallucination score {value:.2f}{spread}{part}"


def counted(report: Report) -> str:
    """How many claims there are of each class, in words."""
    n = len(report.claims)
    parts = [f"{count} {mark(support).word}" for support, count in report.class_counts.items() if count]
    failed = sum(verdict.support is None for verdict in report.verdicts)
    parts += [f"{failed} {_FAILED.word}"] if failed else []
    return f"{n} claim{'' if n == 1 else 's'}" + (": " + ", ".join(parts) if parts else "")


def entered(verdict: Verdict, graph: ProvenanceGraph) -> list[str]:
    """Says where a claim came in: one line, or one for each part of it that was followed by itself."""
    if not verdict.history:
        return [named(verdict.introduced_at, graph)] if verdict.introduced_at else []
    followed: dict[str, list[Layer]] = {}
    for layer in verdict.history:
        followed.setdefault(layer.statement, []).append(layer)
    if len(followed) == 1 and verdict.introduced_at:
        return [named(verdict.introduced_at, graph)]
    lines = []
    for statement, layers in followed.items():
        stating = [graph.node(id_) for layer in layers for id_ in layer.stated_by]
        first = min(stating, key=lambda node: node.stage or 0, default=graph.answer)
        where = named(first.id, graph) if first else "the answer"
        if verdict.introduced_at is None or layers[-1].note.startswith("undetermined"):
            where = layers[-1].note if layers[-1].note.startswith("undetermined") else "undetermined"
        lines.append(f'{where}: "{statement}"' if statement else where)
    return lines if verdict.error_type else []


def error_words(verdict: Verdict) -> str:
    """The error type of a verdict with its detail: `number`, `other: fabricated addition`; empty if it has none."""
    if verdict.conflicting:
        return "sources disagree"
    if verdict.error_type is None:
        return ""
    words = verdict.error_type.value.replace("_", " ")
    words += f" or {verdict.second_type.value.replace('_', ' ')}" if verdict.second_type else ""
    return f"{words}: {plain(shorten(verdict.detail, _NAME))}" if verdict.detail else words
