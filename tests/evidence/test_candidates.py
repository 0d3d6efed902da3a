import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trail_callbacks.claims import Claim
from trail_callbacks.errors import InputError
from trail_callbacks.evidence import candidates, quoted
from trail_callbacks.graph import Node


def claim(text, n=1):
    return Claim(id=f"c{n}", text=text, quote=text, start=0, end=len(text))


def node(text, name="d1"):
    return Node(id=name, kind="document", text=text)


def found(text, *sources, limit=1):
    nodes = [node(source, f"d{i}") for i, source in enumerate(sources, 1)]
    return [passage.text for passage in candidates([claim(text)], nodes, limit)["c1"]]


SOURCE = "The weather was fine. The tower was completed in 1889. Visitors like the view. It cost 3.5 million francs."


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("When was the tower completed?", "The tower was completed in 1889."),
        ("The price was 3,500,000.", "It cost 3.5 million francs."),
        ("Completing the towers took years.", "The tower was completed in 1889."),
    ],
)
def test_the_sentence_that_shares_most_comes_first(text, best):
    assert found(text, SOURCE) == [best]


def test_rows_and_lines_are_passages_of_their_own():
    assert found("Optics made 48.2.", "| Segment | Revenue |\n| Optics | 48.2 |\n| Services | 12.3 |") == [
        "| Optics | 48.2 |"
    ]
    assert found("lamp quantity", '{"name": "chair"}\n{"name": "lamp", "qty": 4}') == ['{"name": "lamp", "qty": 4}']


@given(st.lists(st.text(max_size=200), max_size=5), st.text(max_size=60), st.integers(1, 5))
@settings(max_examples=60)
def test_passages_are_verbatim_unique_and_repeatable(sources, text, limit):
    nodes = [node(source, f"d{i}") for i, source in enumerate(sources)]
    claims = [claim(text, 1), claim(text[::-1], 2)]
    first = candidates(claims, nodes, limit)
    assert first == candidates(claims, nodes, limit)
    assert set(first) == {"c1", "c2"}
    by_id = {}
    for passages in first.values():
        assert len(passages) <= limit
        assert len({passage.id for passage in passages}) == len(passages)
        for passage in passages:
            whole = next(n.text for n in nodes if n.id == passage.node_id)
            assert whole[passage.start : passage.end] == passage.text
            assert by_id.setdefault(passage.id, passage) == passage


def test_every_node_gets_its_share_even_beyond_the_limit():
    nodes = [
        node("The tower was completed in 1889. The tower is tall. The tower is old.", "a"),
        node("The tower was completed in 1889.", "b"),  # a copy
        node("Snow fell. Nobody saw it. A tower stood there.", "c"),
        node("!!!", "d"),
    ]
    (passages,) = candidates([claim("The tower was completed in 1889.")], nodes, 1, per_node=2).values()
    by_node = {name: [p.text for p in passages if p.node_id == name] for name in "abcd"}
    assert passages[0].text == "The tower was completed in 1889."
    assert [len(texts) for texts in by_node.values()] == [2, 1, 2, 0]
    assert by_node["c"] == ["A tower stood there.", "Snow fell."]
    (plain,) = candidates([claim("The tower was completed in 1889.")], nodes, 4).values()
    (more,) = candidates([claim("The tower was completed in 1889.")], nodes, 4, per_node=1).values()
    assert [p.text for p in more[:4]] == [p.text for p in plain]
    with pytest.raises(InputError, match="per_node is -1"):
        candidates([claim("x")], nodes, 1, per_node=-1)


BRIDGE = "Halden Bridge, a short guide. The Halden Bridge crosses the Orra at Vint. It opened in 1932. It is grey."


def test_a_passage_comes_with_what_stands_around_it_and_that_is_no_evidence():
    passages = {p.text: p for p in candidates([claim("The Halden Bridge opened in 1932.")], [node(BRIDGE)], 8)["c1"]}
    opened = passages["It opened in 1932."]
    assert opened.before == "Halden Bridge, a short guide.\nThe Halden Bridge crosses the Orra at Vint."
    assert opened.after == "It is grey."
    assert opened.address == ""
    assert (passages["Halden Bridge, a short guide."].before, passages["It is grey."].after) == ("", "")
    assert quoted(opened, "supports").quote == "It opened in 1932."


def test_a_row_comes_with_its_head_and_a_field_with_its_record():
    table = "Prices in euros\n| Lamp | Price |\n| --- | --- |\n| floor | 129 |\n| desk | 49 |"
    row = candidates([claim("The desk lamp costs 49.")], [node(table)], 1)["c1"][0]
    assert (row.text, row.address, row.before) == ("| desk | 49 |", "row 2", "Prices in euros\n| Lamp | Price |")
    stock = '{"city": "Oslo", "rows": [{"lamp": "floor", "left": 0}, {"lamp": "desk", "left": 14}]}'
    found = candidates([claim("In Oslo 14 desk lamps are left.")], [node(stock)], 1)["c1"][0]
    assert (found.text, found.address) == ('{"lamp": "desk", "left": 14}', "$.rows[1]")
    assert '"city": "Oslo"' in found.before


def test_a_sentence_is_found_by_the_name_before_it():
    other = "Kelder Bridge, a short guide. The Kelder Bridge crosses the Lim. It opened in 1954. It is red."
    found_ = candidates([claim("The Halden Bridge opened in spring.")], [node(other, "a"), node(BRIDGE, "b")], 3)["c1"]
    ranks = {(p.node_id, p.text): i for i, p in enumerate(found_)}
    assert ("b", "It opened in 1932.") in ranks
