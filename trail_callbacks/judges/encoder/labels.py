"""What the outputs of a classifier mean: read by the names of its labels, never by their order.

Orders conflict: entailment is 0, 1 or 2, and of two grounding models one has 1 for grounded and one 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from trail_callbacks.errors import JudgeError
from trail_callbacks.taxonomy import SupportClass

__all__ = ["LABELS", "checked", "read"]

LABELS = (SupportClass.SUPPORTED, SupportClass.CONTRADICTED, SupportClass.ABSENT)
"""What an output can mean."""

_SEPARATORS = re.compile(r"[\s_-]+")
_MEANINGS = (  # the first pattern that a name begins with; denials before what they deny
    (
        SupportClass.ABSENT,
        r"neutral|(un|not |no )(support|ground|faithful|consistent)|inconsistent|hallucinat|not enough|nei\b|absent",
    ),
    (SupportClass.CONTRADICTED, r"contradict|refut"),
    (SupportClass.SUPPORTED, r"entail|support|ground|consistent|faithful|factual"),
)
_HOW = (
    'say what its outputs mean, by index: labels=("supported", "absent", "contradicted") in its order; or, for a copy '
    'of a known model, profile="its/hub-id"'
)


def read(model: str, names: Mapping[int, str]) -> tuple[SupportClass, ...]:
    """Reads the labels of a model's configuration.

    Args:
        model: The model, for messages.
        names: Names by index, `id2label`.

    Returns:
        Meanings, by index.

    Raises:
        JudgeError: If a name says nothing (`LABEL_0`), or the names do not tell support from its absence.
    """
    ordered = [str(names[index]) for index in sorted(names)]
    plain = [_SEPARATORS.sub(" ", name).strip().casefold() for name in ordered]
    if any(name.startswith(("not entail", "non entail")) for name in plain):
        raise JudgeError(
            f"{model} knows {', '.join(ordered)} only: such models answer whether a text is on a topic; if this one is "
            f"about evidence, {_HOW}"
        )
    meanings = [next((m for m, pattern in _MEANINGS if re.match(pattern, name)), None) for name in plain]
    known = [meaning for meaning in meanings if meaning is not None]
    if len(known) < len(meanings) or len(set(known)) < len(known):
        raise JudgeError(f"the labels of {model} are {', '.join(ordered)}, which does not say what they mean: {_HOW}")
    return checked(model, known, len(ordered))


def checked(model: str, labels: Sequence[str], outputs: int | None = None) -> tuple[SupportClass, ...]:
    """Returns labels that somebody gave, if they can be used.

    Args:
        model: The model, for messages.
        labels: Meanings, by index.
        outputs: How many the model has; None if that is not known yet.

    Raises:
        JudgeError: If one is unknown, or their number is wrong, or there is no support or nothing else.
    """
    wrong = [label for label in labels if label not in LABELS]
    if isinstance(labels, str) or wrong:
        raise JudgeError(f"labels is {labels!r}, expected by index any of {', '.join(LABELS)}")
    meanings = tuple(SupportClass(label) for label in labels)
    if outputs is not None and len(meanings) != outputs:
        raise JudgeError(f"{model} has {outputs} outputs, and {len(meanings)} labels were given: {', '.join(meanings)}")
    if meanings.count(SupportClass.SUPPORTED) != 1 or len(set(meanings)) < 2:  # noqa: PLR2004 - support and its absence
        raise JudgeError(f"the labels of {model} are {', '.join(meanings)}: expected supported once, and another")
    return meanings
