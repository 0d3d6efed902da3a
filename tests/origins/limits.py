"""What is known to go wrong: violations that the tests leave out, and the benchmark counts.

Take an entry out together with the fault that it names.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from story import Violation


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


LIMITS = (
    # A fault of splitting, not of origins
    Limit(
        "known sentence missed",
        ".*",
        "a short Chinese answer is joined with the question as if it were a fragment",
        r"[\u4e00-\u9fff]",
    ),
    # A fault of the offline judge: `Answer from this: Die ...` in a source, `Response 1: Le ...` in an answer
    Limit(
        "known sentence missed",
        r"talk from function.*|documents \(accumulate\)",
        "in languages other than English a sentence behind a label is not recognized as repeated",
        r"(?:Die|Das|Le|La)\b",
    ),
    # In doubt it counts as the model's
    Limit("source lost", "function", "a model was scripted to say it before any prompt showed what code had looked up"),
)


def is_known(violation: Violation) -> bool:
    """True if a violation is one of the known limits."""
    return any(
        each.kind == violation.kind
        and re.fullmatch(each.way, violation.way)
        and re.match(each.sentence, violation.detail[1:])
        for each in LIMITS
    )
