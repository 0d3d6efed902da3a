"""What is known to go wrong: violations that the tests leave out, and the benchmark counts.

Take an entry out together with the fault that it names.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from story import Violation

__all__ = ["LIMITS", "Limit", "is_known"]


class Limit(NamedTuple):
    """A known fault.

    Attributes:
        kind: The kind of its violations.
        way: Pattern of the ways in which their sentences got about.
        why: The fault.
        sentence: Pattern of the beginning of the sentences.
    """

    kind: str
    way: str
    why: str
    sentence: str = ""


_LOST, _OWN = "source lost", "invention supported"
_CHINESE = r"[\u4e00-\u9fff]"
_AGENT = r"\((agent|function agent|ReAct agent|workflow of agents)\)"

LIMITS = (
    # Faults of the judge and of splitting, not of origins
    Limit("known sentence missed", ".*", "a short Chinese answer is joined with the question as if it were a fragment"),
    Limit("invention taken for something else", ".*", "an unmarked rest of an echo is taken for the sentence"),
    # One run
    Limit(_OWN, rf"argument that a fact tool echoes {_AGENT}", "an echo of four words behind others of its clause"),
    Limit(_LOST, ".*", "characters that source and question share are cut out of the source", _CHINESE),
    Limit(_LOST, "function|talk from function", "a value of plain code with fewer than four words of its own"),
    Limit(
        _LOST,
        rf"fact tool( that echoes)? {_AGENT}",
        "a call with letters beyond ASCII counts as an earlier run's; ReAct's own words read as instructions",
    ),
    Limit(_LOST, r"documents \((context|condense_question|condense_plus_context)\)", "streams linked by shared words"),
    Limit(_LOST, r"documents \((accumulate|refine)\)", "of two identical replies only the last is linked"),
    # Several turns
    Limit(_LOST, ".*, before an interrupt", "after an interrupt the messages from before it are not read"),
    Limit(_LOST, r".*, a turn before \(.*\)", "words of a source that a model has repeated since count as the model's"),
    Limit(_OWN, rf".* {_AGENT}, a turn before {_AGENT}", "what a tool echoed in an earlier turn counts as held then"),
    Limit(
        _OWN,
        r"(talk|answer \(.*\)), a turn before \(.*\)",
        "an earlier answer, as text, in a prompt that was recalled as evidence or joined with others",
    ),
)


def is_known(violation: Violation) -> bool:
    """True if a violation is one of the known limits."""
    return any(
        each.kind == violation.kind
        and re.fullmatch(each.way, violation.way)
        and re.match(each.sentence, violation.detail[1:])
        for each in LIMITS
    )
