"""What does not hold when the twin is read again is no edit of it."""

import pytest

from trail_callbacks.canary import Corpus, Document, Edit, Replacement
from trail_callbacks.canary.facts.reading import FactReading
from trail_callbacks.canary.perturbers.perturb import KINDS
from trail_callbacks.canary.perturbers.rereading import Rereading


def refused(text, kind, real, fictive, *changes):
    """Why an edit is refused that changes the first places of some words."""
    places = [Replacement("d", text.index(old), text.index(old) + len(old), old, new) for old, new in changes]
    edit = Edit(id="", kind=kind, real=real, fictive=fictive, replacements=tuple(places))
    return KINDS[kind].accept(edit, Rereading(FactReading(Corpus([Document("d", text)])), [edit], {}))


@pytest.mark.parametrize(
    ("text", "kind", "real", "fictive", "changes", "why"),
    [
        ("The walk takes 40 minutes.", "number", "40 minutes", "53 minutes", [("40", "53")], ""),
        ("The walk takes 40 minutes.", "number", "40 minutes", "53 minutes", [("40", "54")], "read as something else"),
        ("They took 40 minutes, 2400 s.", "number", "40 minutes", "53 minutes", [("40", "53"), ("2400", "3180")], ""),
        ("12 adults, 28 children, 40 in total.", "number", "28 children", "31 children", [("28", "31")], "not be true"),
        ("It lasts 30-40 minutes.", "number", "30 minutes", "53 minutes", [("30", "53")], "out of order"),
        ("We met Ann Skarn. Skarn left.", "name", "Skarn", "Zorvik", [("Skarn", "Zorvik")], "still stand somewhere"),
    ],
)
def test_an_edit_holds_in_the_twin_or_is_refused(text, kind, real, fictive, changes, why):  # noqa: PLR0917 - a row
    found = refused(text, kind, real, fictive, *changes)
    assert why in found if why else not found
