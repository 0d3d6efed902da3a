"""Facets of questions by rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.diagnosis import facets_of
from trail_callbacks.diagnosis.facets import survey_by_rules
from trail_callbacks.evidence import whole
from trail_callbacks.graph import Node


@pytest.mark.parametrize(
    ("question", "kind", "text"),
    [
        ("How long is the Halden Bridge?", "entity", "Halden Bridge"),
        ("What did the Bank of Orvik lend in 2019?", "entity", "Bank of Orvik"),
        ("What did the Bank of Orvik lend in 2019?", "time", "2019"),
        ("Who sailed on 3 May 1931?", "time", "3 May 1931"),
        ("Does release v2.4.1 support Windows?", "version", "v2.4.1"),
        ("Is a load of 40 tonnes allowed?", "quantity", "40 tonnes"),
        ("Who pays if the tenant leaves early?", "condition", "the tenant leaves early"),
        ("Was kostet die Fähre nach Orvik?", "entity", "Orvik"),
    ],
)
def test_facets_are_found(question, kind, text):
    assert (kind, text) in [(each.kind, each.text) for each in facets_of(question)]


def test_the_topic_counts_half():
    (topic,) = facets_of("how much does it cost?")
    assert topic.kind == "topic"
    assert topic.weight == 0.5


@pytest.mark.parametrize("question", ["", "  ", "?", "what is it"])
def test_a_question_without_content_has_none(question):
    assert facets_of(question) == ()


@given(st.text(max_size=200))
def test_any_text_is_a_question(text):
    facets = facets_of(text)
    assert [each.id for each in facets] == [f"f{n}" for n in range(1, len(facets) + 1)]
    assert all(each.weight > 0 and each.text.strip() for each in facets)


def surveyed(question, *texts, queries=()):
    nodes = [Node(id=f"d{n}", kind="document", text=text) for n, text in enumerate(texts)]
    found = survey_by_rules(question, queries, whole(nodes))
    return {each.text: [line.node_id for line in found.met[each.id]] for each in found.facets}, found


@pytest.mark.parametrize(
    ("question", "text", "facet", "met"),
    [
        ("How long is the Halden Bridge?", "The Halden Bridge spans the river.", "Halden Bridge", True),
        ("How long is the Halden Bridge?", "The Orvik Bridge spans the river.", "Halden Bridge", False),
        ("Sales in 2019 at Orvik?", "In 2019 Orvik sold boats.", "2019", True),
        ("Sales in 2019 at Orvik?", "In 2018 Orvik sold boats.", "2019", False),
        ("Is a load of 2 tonnes allowed in Orvik?", "Orvik allows 2,000 kg.", "2 tonnes", True),
        ("Is a load of 2 tonnes allowed in Orvik?", "Orvik allows 3,000 kg.", "2 tonnes", False),
        ("What is new in Parsel v2.4?", "Parsel 2.4 has a new parser.", "v2.4", True),
        ("What is new in Parsel v2.4?", "Parsel 2.5 has a new parser.", "v2.4", False),
    ],
)
def test_names_numbers_and_dates_decide(question, text, facet, met):
    found, _ = surveyed(question, text)
    assert bool(found[facet]) is met


def test_titles_name_what_lines_are_about():
    node = Node(id="d1", kind="document", text="It is 200 m long.")
    found = survey_by_rules(
        "How long is the Halden Bridge?", (), whole([node]), titles=lambda _: "halden_bridge.md Halden Bridge"
    )
    assert found.met["f1"]
