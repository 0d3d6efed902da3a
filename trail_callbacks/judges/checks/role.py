"""Roles: who did it to whom is turned round."""

from __future__ import annotations

from collections.abc import Iterator

from trail_callbacks.judges.checks.reading import Finding, Reading
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.terms import Term, stem, vocabulary

__all__ = ["compare"]

_REACH = 5  # words between the two names
_MUTUAL = frozenset(
    stem(form) for form in vocabulary("marry meet divorce border resemble equal adjoin touch intersect")
)


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds two names around one verb whose roles are exchanged; `was ... by` counts as an exchange itself."""
    given = list(_acts(passage))
    for agent, verb, patient, span in _acts(claim):
        for other, act, target, place in given:
            if verb == act and agent != patient and agent in target and patient in other and agent not in other:
                return Finding(
                    error_type=ErrorType.OTHER,
                    support=SupportClass.CONTRADICTED,
                    claim_words=claim.text[span[0] : span[1]],
                    evidence_words=passage.text[place[0] : place[1]],
                    claim_span=span,
                    span=place,
                    detail="role swap",
                )
    return None


def _acts(reading: Reading) -> Iterator[tuple[str, str, str, tuple[int, int]]]:
    """Agent, verb, patient and span: two names around a single verb; behind `by` stands the agent."""
    words = reading.terms
    for left, right in zip(_subjects(reading), _subjects(reading)[1:], strict=False):
        i, j = words.index(left[-1]), words.index(right[0])
        between = words[i + 1 : j]
        verbs = [t for t in between if t.kind == "word"]
        if (
            len(between) > _REACH
            or len(verbs) != 1
            or verbs[0].stem in _MUTUAL
            or any(t.form in {"and", "or", "with"} for t in between)
        ):
            continue
        names = (" ".join(t.form for t in left), " ".join(t.form for t in right))
        agent, patient = names[::-1] if between[-1].form == "by" else names
        yield agent, verbs[0].stem, patient, (left[0].start, right[-1].end)


def _subjects(reading: Reading) -> list[tuple[Term, ...]]:
    """Names, and the capitalised word that opens the sentence, which may be one."""
    names = list(reading.names)
    first = next((t for t in reading.terms if t.kind == "word" and reading.text[t.start].isupper()), None)
    if first is not None and (not names or first.start < names[0][0].start) and first is reading.terms[0]:
        names.insert(0, (first,))
    return names
