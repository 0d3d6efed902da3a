"""How passages and claims stand in a prompt: one line each, under labels that no text can forge.

A prompt shows every passage once, under the text that it comes from:

    Text A
    ~ Opening hours of the Halden Bridge
    [s3] (row 2) Monday | 7 to 19
    [s4] (row 3) Sunday | closed

A line with an id is a passage that a claim may be checked against; a line with a tilde is there to be understood only.
Whatever comes from outside stands behind one of these marks, on one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Question
from trail_callbacks.judges.prompts import Fence
from trail_callbacks.language.terms import terms
from trail_callbacks.text import IGNORABLE

Keyed = tuple[str, Question]
"""A question under the id that the model answers with."""

NOBODY = Claim(id="", text="", quote="", start=0, end=0)
"""Stands in a question that is about no claim."""

_UNSEEN = f"\\s{IGNORABLE}"
_ID = re.compile(rf"[\[\uff3b\u3010\u3014\u27e6\u2045]([{_UNSEEN}]*[^{_UNSEEN}\d][{_UNSEEN}]*\d)")
_BREAKS = re.compile(r"[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_WORD = re.compile(r"\w")
_LONGEST_ADDRESS = 80  # characters
_AROUND = 600  # characters of an answer shown on either side of its claims
_WHOLE = 24  # characters; a shorter neighbour that a passage holds may say something else there


def line(text: str) -> str:
    """Puts a text on one line, whatever breaks lines in it, in which no bracket opens an id."""
    return _ID.sub("\u2045\\1", " ".join(text.split()))


def bare(id_: str) -> str:
    """Returns an id without the brackets and marks that a model writes around it."""
    return id_.strip(" []\u2045\u2046().:'\"")


def candidates(questions: Sequence[Keyed]) -> dict[str, dict[str, Passage]]:
    """Labels each question's passages for one call: their ids, with a suffix where two passages have the same.

    Questions that share one tuple of passages share one result: sources that are read whole have thousands.
    """
    taken: dict[str, Passage] = {}
    labelled: dict[str, dict[str, Passage]] = {}
    shared: dict[int, dict[str, Passage]] = {}
    for key, question in questions:
        known = shared.get(id(question.passages))
        if known is not None:
            labelled[key] = known
            continue
        mine = labelled[key] = shared[id(question.passages)] = {}
        for passage in question.passages:
            label, n = passage.id, 1
            while taken.setdefault(label, passage) != passage:
                n += 1
                label = f"{passage.id}.{n}"
            mine[label] = passage
    return labelled


def passage_lines(shown: Mapping[str, Passage]) -> str:
    """Lays out passages under their texts, in the order of each text.

    Neighbours are shown once, and not at all where they are passages themselves.
    """
    texts: dict[str, list[tuple[str, Passage]]] = {}
    for label, passage in shown.items():
        texts.setdefault(passage.node_id, []).append((label, passage))
    return "\n\n".join(
        "\n".join([f"Text {letters(n)}", *_text(sorted(group, key=lambda pair: (pair[1].start, pair[1].end)))])
        for n, group in enumerate(texts.values())
    )


def told(questions: Sequence[Question], passages: str) -> dict[str, str]:
    """The slots of a prompt that say what claims mean; of a long answer only the part that makes them is shown."""
    answer = questions[0].answer
    start = max(0, min(question.claim.start for question in questions) - _AROUND)
    end = max(question.claim.end for question in questions) + _AROUND
    shown = {
        "conversation": questions[0].conversation,
        "question": "\n".join(dict.fromkeys(line(each.asked) for each in questions if each.asked.strip())),
        "answer": answer[start : end if questions[0].claim.id else None],
    }
    fence = Fence(passages, *shown.values())
    return {name: fence.block(name.upper(), text) if text.strip() else "" for name, text in shown.items()}


def claim_lines(questions: Sequence[Keyed], labelled: Mapping[str, Mapping[str, Passage]]) -> str:
    """Lays out claims with the ids of their candidates and, on a line of its own, what the sources say instead."""
    distinct = {id(mine): mine for mine in labelled.values()}.values()
    shown = len({label for mine in distinct for label in mine})
    return "\n".join(
        f"[{key}] (candidates: {', '.join(labelled[key]) if len(labelled[key]) < shown else 'all'}) "
        f"{line(question.claim.text)}{_sources(question.departs_from)}"
        for key, question in questions
    )


def _sources(quotes: Sequence[str]) -> str:
    return f"\n  sources: {' ... '.join(map(line, quotes))}" if quotes else ""


def _text(passages: Sequence[tuple[str, Passage]]) -> Iterator[str]:
    """The lines of one text. A sentence that names something stands by itself; others need what comes before them."""
    standing = [line(passage.text) for _, passage in passages]
    shown = set(standing)
    for (label, passage), own in zip(passages, standing, strict=True):
        if passage.before and (passage.address or not any(term.kind == "name" for term in terms(passage.text))):
            yield from _neighbours(passage.before, shown, standing)
        address = line(passage.address)[:_LONGEST_ADDRESS].replace(")", "")
        yield f"[{label}] ({address}) {own}" if address else f"[{label}] {own}"


def _neighbours(context: str, shown: set[str], standing: Sequence[str]) -> Iterator[str]:
    for part in map(line, _BREAKS.split(context)):
        if (
            _WORD.search(part)
            and part not in shown
            and not (len(part) >= _WHOLE and any(part in other for other in standing))
        ):
            shown.add(part)
            yield f"~ {part}"


def letters(n: int) -> str:
    """A, B, ..., Z, AA, AB, ..."""
    return (letters(n // 26 - 1) if n >= 26 else "") + chr(ord("A") + n % 26)  # noqa: PLR2004 - letters there are
