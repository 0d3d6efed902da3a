"""The values that answer a question, and other ways to write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.edit import Edit
from trail_callbacks.canary.questions.facts import Fact
from trail_callbacks.language.values import quantities

__all__ = ["NAMES", "Answers", "answers"]

NAMES: Final = frozenset({"name", "nonce"})
"""Kinds of edits that change a name everywhere."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What answers a question.

    Attributes:
        real: The answer of the corpus.
        fictive: That of the twin; None if it has none.
        real_forms: Other ways to say the first.
        fictive_forms: Other ways to say the second.
    """

    real: str
    fictive: str | None
    real_forms: tuple[str, ...] = ()
    fictive_forms: tuple[str, ...] = ()


def answers(fact: Fact) -> Answers:
    """The values as the edit has them, or as the sentence does where it has only a part of them."""
    edit, real, fictive = fact.edit, fact.edit.real, fact.edit.fictive
    part = edit.kind in NAMES or real not in fact.text
    if edit.kind != "inconsistent" and part and all(fact.said) and len(fact.said[0]) <= len(real):
        real, fictive = fact.said
    return Answers(real, fictive, _forms(edit, real, 0), _forms(edit, fictive, 1))


def _forms(edit: Edit, value: str | None, side: int) -> tuple[str, ...]:
    """Other ways to write one value of an edit, without those that may stand for another one as well."""
    if value is None:
        return ()
    own = [pair[side] for pair in edit.forms] if edit.fictive is not None else []
    whole = (edit.real, edit.fictive or "")[side]
    found = [*_shorter(value, edit), *(form for form in (whole, *own) if _same(form, value))]
    foreign = {pair[1 - side] for pair in edit.forms} | {value}
    for other in {edit.real, edit.fictive, edit.also} - {whole, None}:
        foreign |= {str(other), *_shorter(str(other), edit)}
    return tuple(dict.fromkeys(form for form in found if form and form not in foreign))


def _shorter(value: str, edit: Edit) -> list[str]:
    """The surname of a person, and the number that answers `how many minutes`."""
    words = value.split()
    if edit.kind in NAMES:
        person = 2 <= len(words) <= 3 and all(word[:1].isupper() for word in words)  # noqa: PLR2004 - first, middle, last
        surname = [words[-1]] if person and len(words[-1]) > 2 else []  # noqa: PLR2004 - no initial
        return [value.removeprefix("the ").removeprefix("The "), *surname]
    found = quantities(value)
    return words[:1] if len(words) > 1 and len(found) == 1 and words[0][:1].isdigit() else []


def _same(form: str, value: str) -> bool:
    """Whether a written form is of the same value: not the same number of another thing, nor another part of a name."""
    if wanted := {(each.kind, each.value) for each in quantities(value)}:
        return any((each.kind, each.value) in wanted for each in quantities(form))
    words, others = set(form.casefold().split()), set(value.casefold().split())
    return words <= others or others <= words or len(words) == 1 == len(others)
