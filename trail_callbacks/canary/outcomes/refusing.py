"""Whether a clause declines to answer, as apps with retrieval do.

`language.speech.declines` has the grammar of whole sentences; short and partial forms, such as `Not mentioned in the
provided context`, are in `wording.txt`.
"""

from __future__ import annotations

from trail_callbacks.canary.outcomes.wording import pattern
from trail_callbacks.language.speech import declines

__all__ = ["refuses"]

_LONGEST = 600  # characters of a clause that are read


def refuses(clause: str) -> bool:
    """Tells whether a clause says that the speaker or the documents do not tell.

    Args:
        clause: A clause or sentence; its first 600 characters count.
    """
    said = clause[:_LONGEST].replace("\u2019", "'")
    if pattern("no refusal").search(said):
        return False
    return declines(said) or pattern("refusal").search(said) is not None
