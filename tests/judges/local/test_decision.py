from itertools import permutations

import pytest

from trail_callbacks import check
from trail_callbacks.judges.local.decision import mismatches
from trail_callbacks.taxonomy import SupportClass

SOURCE = (
    "The orchard of Penwick has 340 trees. Visitors may pick fruit in September, and the council pays the gardeners."
)
ROWS = [
    ("number", "The team has 12 players.", "The team has 21 players.", "The team has twelve players."),
    ("number", "The fee rose to 95 pounds in May.", "The fee rose to 105 pounds in May.", "The fee rose by 15 pounds in May."),
    ("entity", "The director is Petra Lang.", "The director is Petra Meyer.", "The director is Lang."),
    ("entity", "The X200 delivers 26 litres.", "The X100 delivers 26 litres.", "The X200 gives 26 litres."),
    ("other", "MySQL is no longer supported.", "MySQL is supported.", "MySQL is not supported."),
    ("other", "Sales rose in the north.", "Sales fell in the north.", "Sales climbed in the north."),
    ("temporal", "The firm wants to extend the trial.", "The firm will extend the trial.", "The firm is hoping to extend the trial."),
    ("overgeneralization", "Some boats can be visited.", "All boats can be visited.", "Several boats can be visited."),
    ("overgeneralization", "Three boats were sold in May.", "All boats were sold in May.", "The boats were sold in May."),
    ("hyperbole", "The stone was probably cut in Vint.", "The stone was cut in Vint.", "The stone was perhaps cut in Vint."),
    ("attribution_failure", "The manager believes the reserve covers the delay.", "The reserve covers the delay.", "The manager says the reserve covers the delay."),
    ("overgeneralization", "Holders travel free on all lines except the ferry.", "Holders travel free on all lines.", "Holders travel free on lines other than the ferry, when it runs."),
    ("entity", "The lamp was made by the firm in 1932.", "The lamp was made by the Dunmarrow firm in 1932.", "The lamp was made by that firm in 1932."),
    ("number", "The lamp was made in Vint in 1932.", "The lamp was repaired in Vint in 1961.", "The lamp was made in Vint in the 1930s."),
]  # fmt: skip


FORT = "The old fort of Marra was rebuilt in 1543 and is 77 metres tall."


def decided(text, *sources):
    (verdict,) = check(text, list(sources or (SOURCE,))).verdicts
    return verdict


@pytest.mark.parametrize(
    ("text", "support", "error", "detail", "rationale"),
    [
        ("The orchard of Penwick has 340 trees.", "supported", None, None, "nearly word for word"),
        ("The orchard of Penwick has 430 trees.", "contradicted", "number", None, "says '430' where the source says '340'"),
        ("The orchard of Penwick in Dunmarrow has 340 trees.", "absent", "entity", "fabricated addition", "No passage has 'Dunmarrow'"),
        ("Visitors pick fruit in September.", "partially_supported", "hyperbole", None, "states as settled what the source qualifies with 'may'"),
    ],
)  # fmt: skip
def test_class_type_detail_and_rationale(text, support, error, detail, rationale):
    verdict = decided(text)
    assert (str(verdict.support), verdict.error_type and str(verdict.error_type)) == (support, error)
    assert verdict.detail == detail
    assert rationale in verdict.rationale
    assert verdict.undecided is None


@pytest.mark.parametrize(("error", "sentence", "wrong", "right"), ROWS)
def test_the_difference_is_found_and_the_other_wording_left_alone(aligned, error, sentence, wrong, right):
    assert str(decided(wrong, sentence).error_type) == error
    assert decided(right, sentence).error_type is None
    for finding in mismatches(aligned(wrong, sentence)):
        assert wrong[slice(*finding.claim_span)] == finding.claim_words
        assert sentence[slice(*finding.span)] == finding.evidence_words


def test_a_number_that_others_give_is_no_mismatch(aligned):
    computed = aligned(
        "The filter shortened the nightly run by 17 minutes.",
        "The filter cut the nightly run from 48 minutes.",
        "Now it takes 31 minutes.",
    )
    assert list(mismatches(computed)) == []


@pytest.mark.parametrize("label", ["[1] ", "Source 1: ", "\u30103\u3011"])
@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("The ferry takes 40 minutes.", "The ferry takes 45 minutes."),
        ("Die F\u00e4hre braucht 40 Minuten.", "Die F\u00e4hre braucht 45 Minuten."),
    ],
)
def test_the_number_of_a_source_hides_nothing(label, claim, other):
    assert check(claim, [f"{label}{claim}"]).verdicts[0].support == "supported"
    assert check(claim, [f"{label}{other}"]).verdicts[0].support == "contradicted"


@pytest.mark.parametrize(
    ("claim", "source", "support"),
    [
        ("The ferry is red.", "The ferry is red and costs 12 euros.", "supported"),
        ("The ferry costs 12 euros.", "The ferry was praised and the bus costs 12 euros.", None),
        ("The ferry opens at nine.", "The ferry sank and the museum opens at nine.", None),
        ("The ferry is red.", "The ferry is red or blue.", None),
        ("Tickets cost 12 euros.", "Tickets cost 12 euros or more.", None),
        ("The council funded the road.", "The council opposed the plan and never funded the road.", None),
    ],
)
def test_a_clause_of_a_sentence_is_not_stated_by_another_subject_or_as_one_of_two(claim, source, support):
    assert check(claim, [source]).verdicts[0].support == support


@pytest.mark.parametrize(
    ("claim", "source", "error", "rationale"),
    [
        ("All boats were sold in the spring.", "Some boats were sold in the spring.", "overgeneralization", "It says 'All' where the source says 'Some'."),
        ("All boats were sold in the spring.", "The boats were sold in the spring.", "overgeneralization", "It says 'All', which the nearest sentence does not."),
        ("The dose is for adults over 60.", "The dose is for adults under 60.", "number", "It says 'over 60' where the source says 'under 60'."),
        ("The dose is for at most 60 adults.", "The dose is for at least 60 adults.", "number", "It says 'most 60' where the source says 'least 60'."),
        ("Petra Meyer directs the old museum.", "Anna Lang directs the old museum.", "entity", "It says 'Petra Meyer' where the source says 'Anna Lang'."),
        ("The reserve covers the whole delay.", "The manager believes the reserve covers the whole delay.", "attribution_failure", "It states as a fact what the source gives as a view or a report, with 'believes'."),
        ("The form can be sent by post.", "The form can be sent by post, unless it is signed.", "overgeneralization", "It leaves out the condition or exception that the source states with 'unless'."),
        ("The city repainted the old bridge.", "The city hopes to repaint the old bridge.", "temporal", "It states as settled what the source qualifies with 'hopes'."),
        ("The leak wasted half the water.", "We estimate that the leak wasted half the water.", "hyperbole", "It states as settled what the source qualifies with 'estimate'."),
    ],
)  # fmt: skip
def test_a_rationale_says_in_plain_words_what_the_source_has_instead(claim, source, error, rationale):
    verdict = decided(claim, source)
    assert (str(verdict.error_type), verdict.rationale) == (error, rationale)


@pytest.mark.parametrize("modal", ["may", "could"])
@pytest.mark.parametrize(
    ("claim", "source", "error"),
    [
        ("The council closes the northern road.", "The council {} close the northern road.", "hyperbole"),
        ("The northern road is closed by the council.", "The northern road {} be closed by the council.", "hyperbole"),
        ("The council closed the northern road.", "The council {} have closed the northern road.", "hyperbole"),
        ("The council will close the northern road.", "The council {} close the northern road.", "temporal"),
        ("The council closed the northern road.", "The council {} close the northern road.", "temporal"),
        ("The northern road was closed by the council.", "The northern road {} be closed by the council.", "temporal"),
    ],
)
def test_a_lost_possibility_is_of_time_if_the_claim_has_it_done_or_to_come(modal, claim, source, error):
    verdict = decided(claim, source.format(modal))
    assert (str(verdict.support), str(verdict.error_type)) == ("partially_supported", error)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("All staff get a yearly bonus.", "All staff in Oslo get a yearly bonus."),
        ("All staff get a yearly bonus.", "In Oslo, all staff get a yearly bonus."),
        ("All staff get a yearly bonus.", "Not all staff get a yearly bonus."),
        ("No dogs are allowed in the garden.", "No large dogs are allowed in the garden."),
        ("None of the ferries carry cars.", "None of the old ferries carry cars."),
        ("The shop is not open to visitors.", "The shop is not open to visitors on Sundays."),
        ("Only members may use the pool.", "Members may use the pool."),
        ("Only members may use the pool.", "Only members may use the pool before noon."),
    ],
)
def test_what_holds_of_some_does_not_support_a_claim_about_all_none_or_only_some(claim, source):
    assert str(decided(claim, source).support) != "supported"
    assert str(decided(claim, claim).support) == "supported"
    assert str(decided(claim, f"[1] {claim}").support) == "supported"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The ferry does not cost 6 euros.", "The ferry costs 5 euros."),
        ("The ferry costs 6 euros.", "The ferry does not cost 5 euros."),
        ("The CEO is not Petra Lang.", "The CEO is Petra Meyer."),
        ("No ferry costs 6 euros.", "The ferry costs 5 euros."),
        ("It is not true that the ferry costs 6 euros.", "The ferry costs 5 euros."),
        ("The rate is not over 4 %.", "The rate is under 4 %."),
    ],
)
def test_what_a_claim_denies_is_not_contradicted_by_another_value(claim, source):
    assert check(claim, [source]).verdicts[0].outcome == "undecided"


def test_a_row_of_the_same_value_is_no_conflict():
    rows = ["Bus 5 leaves at 9:10 from the market.", "Bus 8 leaves at 9:10 from the market."]
    assert not check(rows[0], rows).verdicts[0].conflicting


@pytest.mark.parametrize(
    "claim", ["Delivery on Sunday wasn't made in winter.", "Delivery on Sunday was not made in winter."]
)
def test_what_could_not_be_is_no_doubt(claim):
    (verdict,) = check(claim, ["Delivery on Sunday could not be made in winter."]).verdicts
    assert verdict.error_type is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The ferry does not cost 5 euros.", "The ferry costs 5 euros."),
        ("MySQL is supported.", "MySQL is no longer supported."),
        (
            "The ferry, which does not run on Sundays in the winter months, costs 6 euros.",
            "The ferry, which does not run on Sundays in the winter months, costs 5 euros.",
        ),
    ],
)
def test_a_denial_elsewhere_hides_no_contradiction(claim, source):
    assert check(claim, [source]).verdicts[0].support is SupportClass.CONTRADICTED


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The pier number 77 of Orvik was built in 1999.", "The pier number 12 of Orvik was built in 1805."),
        ("Room 12 costs 90 euros.", "Room 11 costs 80 euros."),
        ("Article 5 limits the fee to 40 euros.", "Article 6 limits the fee to 60 euros."),
        *permutations(("Bus 5 leaves at 9:10 from the market.", "Bus 8 leaves at 10:15 from the market."), 2),
        *permutations(("The Basic plan costs 9 euros a month.", "The Pro plan costs 29 euros a month."), 2),
        *permutations(("Flight LH12 departs at 9:10 from gate B3.", "Flight LH14 departs at 10:40 from gate B3."), 2),
        *permutations(("Adults pay 12 euros for a day ticket.", "Children pay 6 euros for a day ticket."), 2),
    ],
)
def test_another_one_of_a_numbered_series_contradicts_nothing(claim, source):
    assert check(claim, [source]).verdicts[0].outcome in {"undecided", "absent"}
    (verdict,) = check(claim, [source, claim]).verdicts
    assert not verdict.conflicting


@pytest.mark.parametrize(
    ("claim", "support"),
    [
        ("The old fort of Marra is 77 metres tall.", "supported"),
        ("The old fort of Marra is 97 metres tall.", "contradicted"),
        ("The old fort of Marra was rebuilt in 1543.", "supported"),
    ],
)
def test_statements_that_one_subject_joins_are_read_apart(claim, support):
    assert decided(claim, FORT).support == support


@pytest.mark.parametrize(
    "source",
    [
        "Marra denied it was rebuilt and is 77 metres tall.",
        "The hall burnt down and the old fort of Marra is not 77 metres tall.",
    ],
)
def test_what_takes_a_joined_statement_back_is_not_read_past(source):
    assert decided("The old fort of Marra is 77 metres tall.", source).support != "supported"
