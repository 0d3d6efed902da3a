import pytest

from trail_callbacks.judges.local.checks import (
    attribution,
    entity,
    hyperbole,
    negation,
    number,
    quantifier,
    role,
    temporal,
)
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.language.quantities import quantities
from trail_callbacks.language.terms import stem, terms


def words(check, claim, passage):
    finding = check.compare(Reading(claim), Reading(passage))
    if finding is None:
        return None
    assert claim[slice(*finding.claim_span)] == finding.claim_words
    assert passage[slice(*finding.span)] == finding.evidence_words
    return finding.claim_words, finding.evidence_words


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("$3.5 million", [(3.5e6, "money:usd")]),
        ("3,500,000 dollars", [(3.5e6, "money:usd")]),
        ("1.234.567,89 €", [(1234567.89, "money:eur")]),
        ("twelve apples", [(12, "count")]),
        ("one hundred and twelve dogs", [(112, "count")]),
        ("330 m, 1 km and 2 miles", [(330, "length"), (1000, "length"), (3218.688, "length")]),
        ("13.5% or fifty-eight per cent", [(13.5, "percent"), (58, "percent")]),
        ("1 in 10 people", [(10, "percent")]),
        ("two thirds of it", [(200 / 3, "percent")]),
        ("one and a half seconds or 1500 ms", [(1.5, "time"), (1.5, "time")]),
        ("16 March 2026", [(16, "day"), (3, "month"), (2026, "year")]),
        ("2026-03-16", [(2026, "year"), (3, "month"), (16, "day")]),
        ("250 to 400 MW", [(2.5e8, "power"), (4e8, "power")]),
        ("EUR 360 to 370 million", [(3.6e8, "money:eur"), (3.7e8, "count")]),
        ("2000 users in 2019", [(2000, "count"), (2019, "year")]),
        ("the third of them at 12:30", [(3, "rank"), (750, "clock")]),
        ("2:30 pm, 12:15 a.m., 12:00PM and 14:30", [(870, "clock"), (15, "clock"), (720, "clock"), (870, "clock")]),
        ("١٢", [(12, "count")]),
        ("塔高330米", [(330, "count")]),
        ("one of the best, version 4.2.0, model FL-7, flat 7b, call 1.800.542.0820", []),
        ("it may march on", []),
    ],
)
def test_quantities_are_read_in_their_base_units(text, values):
    found = quantities(text)
    assert [(pytest.approx(q.value), q.kind) for q in found] == values
    assert all(text[q.start : q.end].strip() for q in found)


@pytest.mark.parametrize(
    ("claim", "passage", "expected"),
    [
        ("Revenue was 60 million.", "Revenue was 50 million.", ("60 million", "50 million")),
        ("It was opened in 1926.", "It was opened in May 1962.", ("1926", "1962")),
        ("It took 9 hours.", "It took 540 minutes.", None),
        ("It took 9 hours.", "It took 500 minutes.", ("9 hours", "500 minutes")),
        ("It carries about 12,000 cars.", "It carries 12,340 cars.", None),
        ("More than 4 metres of water stood.", "4.1 metres of water stood.", None),
        ("More than 5 metres of water stood.", "4.1 metres of water stood.", ("5 metres", "4.1 metres")),
        ("The firm has 65 clerks.", "The firm has 40 clerks in Oslo and 25 clerks in Bergen.", None),  # a sum
        (
            "The firm has 66 clerks.",
            "The firm has 40 clerks in Oslo and 25 clerks in Bergen.",
            ("66", "40"),
        ),
        ("The film came out after 2000.", "The film came out in 2011.", None),
        ("The film came out before 2000.", "The film came out in 2011.", ("2000", "2011")),
        ("It has 3 decks.", "It has 40 lamps.", None),  # another thing is counted
        ("It has 3 decks.", "It has decks.", None),
        ("It has 3 decks.", "Length: 90; Decks: 4.", ("3", "4")),
        ("The lamp has a price of 129.", '{"name": "lamp", "price": 49}', ("129", "49")),
        ("Version 4.2 is out.", "Version 4.2.0 is out.", None),
    ],
)
def test_number(claim, passage, expected):
    assert words(number, claim, passage) == expected


def test_a_number_that_is_only_coarse_is_partial():
    finding = number.compare(Reading("It orbits in 41 days."), Reading("It orbits in 41.6 days."))
    assert str(finding.support) == "partially_supported"
    assert str(number.compare(Reading("It has 12 decks."), Reading("It has 13 decks.")).support) == "contradicted"


@pytest.mark.parametrize(
    ("claim", "passage", "expected"),
    [
        (
            "The bridge was designed by Mara Holt.",
            "The bridge was designed by Jonas Reed.",
            ("Mara Holt", "Jonas Reed"),
        ),
        ("Mara Holt designed the bridge.", "The bridge was designed by Jonas Reed.", ("Mara Holt", "Jonas Reed")),
        ("The bridge was designed by Holt.", "The bridge was designed by Mara Holt.", None),
        ("The request goes to HR.", "The request goes to Human Resources.", None),
        ("The bridge was designed by Mara Holt.", "The bridge was opened in Oslo.", None),
        ("The goal was scored by Mira Stolz.", "The goal was scored by Mia Stolz.", ("Mira Stolz", "Mia Stolz")),
        ("The goal was scored by M. Stolz.", "The goal was scored by Mira Stolz.", None),
        ("The law was signed by President Holt.", "The law was signed by Mara Holt.", None),
        ("We crossed the Halden Bridge.", "We crossed the Kelder Bridge.", ("Halden Bridge", "Kelder Bridge")),
        ("We crossed the Halden Bridge.", "We crossed the bridge.", None),
    ],
)
def test_entity(claim, passage, expected):
    assert words(entity, claim, passage) == expected


@pytest.mark.parametrize(
    ("claim", "passage", "expected"),
    [
        ("The council approved the plan.", "The council did not approve the plan.", ("approved", "not approve")),
        ("The council never approved the plan.", "The council approved the plan.", ("never approved", "approved")),
        (
            "The council approved the plan.",
            "The council refused to approve the plan.",
            ("approved", "refused to approve"),
        ),
        ("The council approved the plan.", "It is not true that nobody met, but the council approved the plan.", None),
        ("The council approved the plan.", "Not only the council approved the plan.", None),
        ("It snows in winter.", "We know that it snows in winter.", None),
        ("The policy covers bicycles.", "Bicycles without a motor are covered by the policy.", None),
        ("The drug does not cause headaches.", "No headaches were caused by the drug.", None),
        ("No side effects were reported.", "Side effects were not reported.", None),
        ("There is no evidence of a link.", "There is no clear evidence of a link.", None),
        ("The treaty was not signed in London.", "The treaty was signed in Paris, not in London.", None),
        ("The drug does not cause pain.", "The drug causes pain but no nausea.", ("not cause", "causes")),
        ("The dose was increased.", "The dose was decreased.", ("increased", "decreased")),
        ("The claim is supported.", "The claim is unsupported.", ("supported", "unsupported")),
        ("Prices fell in May.", "Prices rose in May.", ("fell", "rose")),
    ],
)
def test_negation(claim, passage, expected):
    assert words(negation, claim, passage) == expected


@pytest.mark.parametrize(
    ("claim", "passage", "expected"),
    [
        ("The city repainted the bridge.", "The city plans to repaint the bridge.", ("repainted", "plans to repaint")),
        ("The city will repaint the bridge.", "The city may repaint the bridge.", ("repaint", "may repaint")),
        ("The city will repaint the bridge.", "The city plans to repaint the bridge.", None),
        ("The city may repaint the bridge.", "The city may repaint the bridge.", None),
        ("The city repainted the bridge.", "The city repainted the bridge and will repaint it again.", None),
        ("The academy stands.", "He will run the academy.", None),
    ],
)
def test_temporal(claim, passage, expected):
    assert words(temporal, claim, passage) == expected


def test_quantifier():
    assert words(quantifier, "All lorries use it.", "Some lorries use it.") == ("All", "Some")
    assert words(quantifier, "All lorries use it.", "All lorries and some cars use it.") is None
    assert words(quantifier, "Lorries use it.", "Some lorries use it.") is None


def test_attribution():
    view = "According to the builder, the bridge will last a century."
    assert words(attribution, "The bridge will last a century.", view) == (
        "The bridge will last a century.",
        "According to",
    )
    assert words(attribution, "The builder says the bridge will last a century.", view) is None
    assert words(attribution, "The river is deep.", view) is None


def test_hyperbole():
    assert words(hyperbole, "It dramatically cut costs.", "It cut costs.") == ("dramatically", "")
    assert words(hyperbole, "It dramatically cut costs.", "It cut costs in dramatic fashion.") is None


def test_role():
    assert words(role, "Ares bought Boreas.", "Boreas bought Ares.") == ("Ares bought Boreas", "Boreas bought Ares")
    assert words(role, "Ares bought Boreas.", "Boreas was bought by Ares.") is None
    assert words(role, "Ares was bought by Boreas.", "Ares bought Boreas.") is not None
    assert words(role, "Ares met Boreas.", "Boreas bought Ares.") is None
    assert words(role, "Ares married Boreas.", "Boreas married Ares.") is None


def test_stems_join_forms_and_keep_words_apart():
    for forms in (
        ["complete", "completed", "completes", "completing"],
        ["company", "companies"],
        ["rise", "rose", "risen"],
        ["stop", "stopped"],
    ):
        assert len({stem(form) for form in forms}) == 1
    assert stem("news") != stem("new") or stem("bus") != stem("bu")
    assert stem("是") == "是"


def test_names_are_capitalised_words_inside_a_sentence():
    assert [t.form for t in terms("The tower of Gustave Eiffel's firm.") if t.kind == "name"] == ["gustave", "eiffel"]
    assert [t.form for t in terms("The Halden Bridge was designed by Jo Reed.") if t.kind == "name"] == [
        "halden",
        "bridge",
        "jo",
        "reed",
    ]
    assert [t.form for t in terms("Halden Bridge Opens After Long Delays") if t.kind == "name"] == []
    assert [t.form for t in terms("THE ANNUAL REPORT OF THE GROUP") if t.kind == "name"] == []
    assert [t.form for t in terms("Towers are tall.") if t.kind == "name"] == []
