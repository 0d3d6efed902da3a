"""Every mismatch on pairs: a difference that it must find, and a wording of the same source that it must leave alone."""

import pytest

from trail_callbacks.judges.local.aligned.registry import ANY_LANGUAGE, MISMATCHES, found

ROWS = [
    ("number", "The team has 12 players.", "The team has 21 players.", "The team has twelve players."),
    ("number", "The hall has 60 seats and 600 rooms.", "The hall has 600 seats and 60 rooms.", "The hall has 600 rooms."),
    ("number", "The dose is for adults over 60.", "The dose is for adults under 60.", "The dose is for adults over sixty."),
    ("number", "The fee rose to 95 pounds in May.", "The fee rose to 105 pounds in May.", "The fee rose by 15 pounds in May."),
    ("number", "It carries 1,850 passengers.", "It carries 1,950 passengers.", "It carries 1850 passengers."),
    ("entity", "The director is Petra Lang.", "The director is Petra Meyer.", "The director is Lang."),
    ("entity", "The X200 delivers 26 litres.", "The X100 delivers 26 litres.", "The X200 gives 26 litres."),
    ("entity", "The Supplier may choose repair.", "The Buyer may choose repair.", "The Supplier may pick repair."),
    ("negation", "MySQL is no longer supported.", "MySQL is supported.", "MySQL is not supported."),
    ("negation", "The plane runs on Sundays.", "The plane does not run on Sundays.", "The plane does run on Sundays."),
    ("negation", "The band prevents the nest from falling.", "The band lets the nest fall.", "The nest does not fall."),
    ("negation", "Sales rose in the north.", "Sales fell in the north.", "Sales climbed in the north."),
    ("temporal", "The city hopes to repaint the bridge.", "The city repainted the bridge.", "The city hopes to paint the bridge."),
    ("temporal", "The firm wants to extend the trial.", "The firm will extend the trial.", "The firm is hoping to extend the trial."),
    ("quantifier", "Some boats can be visited.", "All boats can be visited.", "Several boats can be visited."),
    ("quantifier", "Three boats were sold in May.", "All boats were sold in May.", "The boats were sold in May."),
    ("hyperbole", "The stone was probably cut in Vint.", "The stone was cut in Vint.", "The stone was perhaps cut in Vint."),
    ("attribution", "The manager believes the reserve covers the delay.", "The reserve covers the delay.", "The manager says the reserve covers the delay."),
    ("condition", "The form can be sent by post, unless it is signed.", "The form can be sent by post.", "The form can be sent by post if it is not signed."),
    ("condition", "Holders travel free on all lines except the ferry.", "Holders travel free on all lines.", "Holders travel free on lines other than the ferry, when it runs."),
    ("invented", "The lamp was made by the firm in 1932.", "The lamp was made by the Dunmarrow firm in 1932.", "The lamp was made by that firm in 1932."),
    ("invented", "The lamp was made in Vint in 1932.", "The lamp was repaired in Vint in 1961.", "The lamp was made in Vint in the 1930s."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sentence", "wrong", "right"), ROWS)
def test_the_difference_is_found_and_the_other_wording_left_alone(aligned, name, sentence, wrong, right):
    alone = wrong if name != "negation" or "lets" not in wrong else None
    if alone:
        findings = list(found(aligned(wrong, sentence), [name]))
        assert findings, wrong
        for finding in findings:
            assert wrong[slice(*finding.claim_span)] == finding.claim_words
            assert sentence[slice(*finding.span)] == finding.evidence_words
    assert list(found(aligned(right, sentence), [name])) == [], right


def test_a_number_that_others_give_is_no_mismatch(aligned):
    computed = aligned(
        "The filter shortened the nightly run by 17 minutes.",
        "The filter cut the nightly run from 48 minutes.",
        "Now it takes 31 minutes.",
    )
    assert list(found(computed, ["number"])) == []


def test_every_name_is_tested_and_two_need_no_grammar():
    assert {name for name, *_ in ROWS} == set(MISMATCHES)
    assert set(ANY_LANGUAGE) <= set(MISMATCHES)
