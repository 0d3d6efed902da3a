"""Whether a clause declines to answer, as apps with retrieval do.

`language.speech.declines` has the grammar of whole sentences; short and partial forms, such as `Not mentioned in the
provided context`, are in `wording.txt`.
"""

from __future__ import annotations

import re

from trail_callbacks.canary.outcomes.wording import pattern
from trail_callbacks.language.speech import declines

__all__ = ["refuses"]

_SPEAKER = re.compile(
    r"(?<!\w)(?:i|we|my)(?!\w)|^\W*(?:no|not|unknown|n/a)\s(?!allowed|permitted)|(?:\bnot|n't)\s(?:\w+ly\s)?(?:mentioned|stated|specified|addressed|disclosed|indicated|clear|known)\b",
    re.IGNORECASE,
)
_LONGEST = 600  # characters of a clause that are read


def refuses(clause: str, *, rule: bool = False) -> bool:
    """Tells whether a clause says that the speaker or the documents do not tell.

    Args:
        clause: A clause or sentence; its first 600 characters count.
        rule: It may state a rule (`cannot be borrowed`, `is not included`): only one that speaks of the speaker or of
            the documents declines.
    """
    said = clause[:_LONGEST].replace("\u2019", "'")
    if pattern("no refusal").search(said):
        return False
    if declines(said):
        return True
    if rule and not (_SPEAKER.search(said) or pattern("source", words=True).search(said)):
        return False
    return pattern("refusal").search(said) is not None
