"""Roles: who did it to whom is turned round."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.language.terms import Term, stem, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_REACH = 6  # words between the two names
_MUTUAL = frozenset(
    stem(form) for form in vocabulary(
        """marry meet divorce border resemble equal adjoin touch intersect talk speak negotiate agree compare differ
        trade fight
    play face compete collaborate cooperate merge join team album song film book"""
    )
)  # fmt: skip
# Verbs that tell one act from its two ends: `A sold X to B` and `B bought X from A`.
_CONVERSE = {
    stem(form): (act, turned)
    for act, ends in {
        "beat": ("beat defeat outscore overcome", "lose"),
        "buy": ("buy acquire purchase", "sell"),
        "employ": ("employ hire", "work"),
        "own": ("own", "belong"),
        "precede": ("precede", "follow succeed"),
        "teach": ("teach tutor", "learn"),
        "lend": ("lend", "borrow"),
        "give": ("give hand", "receive"),
    }.items()
    for turned, forms in enumerate(ends)
    for form in forms.split()
}
_BARRIERS = vocabulary("and or with not never but")


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds two names around one verb whose roles are exchanged; `was ... by` counts as an exchange itself.

    `A bought B`, `B was bought by A`, `A beat B` and `B lost to A` are one. Verbs of what is mutual are left alone.
    """
    given = list(_acts(passage))
    for agent, verb, patient, span in _acts(claim):
        if any(verb == act and agent in other and patient in target for other, act, target, _ in given):
            continue  # stated the same way, too
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
    subjects = _subjects(reading)
    for left, right in pairwise(subjects):
        i, j = words.index(left[-1]), words.index(right[0])
        between = words[i + 1 : j]
        verbs = [t for t in between if t.kind == "word"]
        if not verbs or len(between) > _REACH or any(t.form in _BARRIERS for t in between):
            continue
        verb = verbs[0]
        converse = _CONVERSE.get(verb.stem)
        if verb.stem in _MUTUAL or (len(verbs) > 1 and converse is None) or not _plain(reading, left, right):
            continue
        names = (" ".join(t.form for t in left), " ".join(t.form for t in right))
        last = between[-1].form
        if last == "from" and converse is None:
            continue
        agent, patient = names[::-1] if last == "by" else names
        act, turned = converse or (verb.stem, 0)
        if act == "buy" and last not in {"to", "from"}:
            act, turned = f"{act} {verb.stem if turned else ''}", 0  # `A bought B`: B is what is sold, not who sells
        if turned:
            agent, patient = patient, agent
        yield agent, act, patient, (left[0].start, right[-1].end)


def _plain(reading: Reading, left: tuple[Term, ...], right: tuple[Term, ...]) -> bool:
    """Whether no clause ends between two names."""
    gap = reading.text[left[-1].end : right[0].start]
    return not any(sign in gap for sign in ".;:!?()")


def _subjects(reading: Reading) -> list[tuple[Term, ...]]:
    """Names, and the capitalised word that opens the sentence, which may be one."""
    names = list(reading.names)
    first = next((t for t in reading.terms if t.kind == "word" and reading.text[t.start].isupper()), None)
    if first is not None and (not names or first.start < names[0][0].start) and first is reading.terms[0]:
        names.insert(0, (first,))
    return names
