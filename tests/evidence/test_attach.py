"""Which claims a citation mark belongs to."""

import pytest

from trail_callbacks import ProvenanceGraph
from trail_callbacks.claims import split
from trail_callbacks.evidence.library import attach

SOURCES = ["The ferry takes 40 minutes.", "Tickets cost 12 euros.", "Dogs ride for free."]


def cited(answer, sources=SOURCES):
    """For each mark and claim: what is named, and the start of the claim's quote."""
    claims = split(answer)
    quotes = {claim.id: claim.quote for claim in claims}
    leaves = ProvenanceGraph.from_texts(answer, sources).leaves()
    return [(one.mark.target, " ".join(quotes[one.claim_id].split()[:2])) for one in attach(claims, answer, leaves)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The ferry takes 40 minutes [1]. It is blue.", [("1", "The ferry")]),
        ("The ferry takes 40 minutes. [1] It is blue. [2]", [("1", "The ferry"), ("2", "It is")]),
        ("The ferry takes 40 minutes.\u00b9 It is blue.\u00b2", [("1", "The ferry"), ("2", "It is")]),
        ("The ferry takes 40 minutes [1], and dogs pay 3 euros [3].", [("1", "The ferry"), ("3", "dogs pay")]),
        ("The ferry takes 40 minutes, and dogs pay 3 euros [1][3].", [("1", "The ferry"), ("3", "The ferry"), ("1", "dogs pay"), ("3", "dogs pay")]),
        ("According to [2], tickets cost 12 euros. It is blue.", [("2", "According to")]),
        ("[2] says that tickets cost 12 euros.", [("2", "[2] says")]),
        ("- Dogs ride free [3]\n- Tickets cost 12 euros [2]", [("3", "Dogs ride"), ("2", "Tickets cost")]),
        ("| Item | Price |\n|---|---|\n| Ferry | 12 [2] |\n| Dog | 0 [3] |", [("2", "| Ferry"), ("3", "| Dog")]),
        ("The ferry takes 40 minutes.\n[1]\n\nIt is blue.", [("1", "The ferry")]),
        ("The ferry takes 40 minutes. [times](https://a.example) It is blue.", [("https://a.example", "The ferry")]),
        ("Is it free? [1]", []),
    ],
)  # fmt: skip
def test_a_mark_belongs_to_what_stands_before_it_in_its_sentence(answer, expected):
    checkable = [one for one in cited(answer) if not one[1].startswith("Is it")]
    assert checkable == expected


def test_a_narrative_year_without_a_source_is_left_out():
    assert cited("Lindqvist (2019) timed the ferry.") == []
    assert cited("Lindqvist (2019) timed the ferry.", ["P. Lindqvist, 2019: timing."]) == [
        ("Lindqvist 2019", "Lindqvist (2019)")
    ]


def test_an_answer_without_claims_or_marks_has_none():
    assert cited("") == []
    assert cited("The ferry takes 40 minutes.") == []
