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


def test_numbers_and_names_outweigh_common_words():
    source = "The old town hall in the old town was old. Torsby won 33 points in the old town."
    assert found("In the old town Torsby got 33.", source) == ["Torsby won 33 points in the old town."]


def test_other_scripts_are_ranked_too():
    assert found("埃菲尔铁塔有多高", "天气很好。埃菲尔铁塔高330米。") == ["埃菲尔铁塔高330米。"]
    assert found("ارتفاع البرج", "الطقس جميل. ارتفاع البرج 330 مترا.") == ["ارتفاع البرج 330 مترا."]
    assert found("मीनार की ऊँचाई", "मौसम अच्छा है। मीनार की ऊँचाई 330 मीटर है।") == ["मीनार की ऊँचाई 330 मीटर है।"]


def test_passages_fill_up_with_openings_when_no_word_is_shared():
    assert found("Der Turm ist hoch", "First. Second.", "Third. Fourth.", limit=3) == ["First.", "Third.", "Second."]


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


def test_a_passage_has_one_id_for_all_claims():
    result = candidates(
        [claim("The tower was completed.", 1), claim("A tower, completed in 1889.", 2)], [node(SOURCE)], 1
    )
    assert result["c1"] == result["c2"]


def test_copies_do_not_crowd_out_what_differs():
    copies = ["The tower was completed in 1889."] * 20
    assert found("The tower was completed in 1889.", *copies, "The tower is tall.", limit=2) == [
        "The tower was completed in 1889.",
        "The tower is tall.",
    ]
    both = candidates([claim("tower")], [node(copies[0], "a"), node(copies[0] + " " + copies[0], "b")], 8)["c1"]
    assert [passage.node_id for passage in both] == ["a", "b"]


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


def test_long_runs_without_punctuation_are_cut_at_word_bounds():
    text = "".join(f"word{i} " for i in range(1000))
    passages = candidates([claim("word777")], [node(text)], 1)["c1"]
    assert "word777" in passages[0].text.split()
    assert len(passages[0].text) <= 600
    assert candidates([claim("x")], [node("y" * 2000)], 1)["c1"][0].end <= 600


@pytest.mark.parametrize("text", ["", "   ", "!!! ... ---", "\n\n"])
def test_texts_without_a_word_have_no_passages(text):
    assert candidates([claim("The tower is tall.")], [node(text)], 3) == {"c1": ()}
    assert candidates([claim(text)], [node("The tower is tall.")], 3)["c1"][0].text == "The tower is tall."


def test_no_claims_or_no_nodes_is_fine_and_no_passages_is_not():
    assert candidates([], [node(SOURCE)], 3) == {}
    assert candidates([claim("x")], [], 3) == {"c1": ()}
    with pytest.raises(InputError, match="limit is 0"):
        candidates([claim("x")], [node(SOURCE)], 0)


def test_large_sources_and_many_claims_are_ranked_in_linear_time(capfd, limited):
    big = " ".join(f"Sentence {i} tells of thing{i * 7919 % 10007} and thing{i % 997}." for i in range(25_000))
    assert len(big) > 1_000_000
    nodes = [node(f"Sentence {i} tells of thing{i}.", f"d{i}") for i in range(10)]
    with limited(30):
        assert "thing4242" in candidates([claim("What of thing4242?")], [node(big)], 8)["c1"][0].text
        assert len(candidates([claim(f"thing{n % 10} it is", n) for n in range(2_000)], nodes, 8)) == 2_000
    assert capfd.readouterr() == ("", "")  # no progress bars


def test_quoted_takes_over_span_and_words():
    passage = candidates([claim("tower")], [node(SOURCE)], 1)["c1"][0]
    evidence = quoted(passage, "contradicts")
    assert (evidence.node_id, evidence.quote, evidence.relation) == (
        "d1",
        SOURCE[evidence.start : evidence.end],
        "contradicts",
    )


BRIDGE = "Halden Bridge, a short guide. The Halden Bridge crosses the Orra at Vint. It opened in 1932. It is grey."


def test_a_passage_comes_with_what_stands_around_it_and_that_is_no_evidence():
    passages = {p.text: p for p in candidates([claim("The Halden Bridge opened in 1932.")], [node(BRIDGE)], 8)["c1"]}
    opened = passages["It opened in 1932."]
    assert opened.before == "Halden Bridge, a short guide.\nThe Halden Bridge crosses the Orra at Vint."
    assert opened.after == "It is grey."
    assert opened.address == ""
    assert (passages["Halden Bridge, a short guide."].before, passages["It is grey."].after) == ("", "")
    assert quoted(opened, "supports").quote == "It opened in 1932."


def test_neighbours_are_cut_at_words():
    text = "First. " + "long " * 100 + "end. The tower stands here. " + "wide " * 100 + "end."
    (tower,) = (p for p in candidates([claim("tower")], [node(text)], 8)["c1"] if "tower" in p.text)
    assert tower.before.endswith("long end.")
    assert tower.after.startswith("wide wide")
    assert all(len(line) <= 200 for line in [*tower.before.splitlines(), tower.after])
    assert {*tower.before.split(), *tower.after.split()} <= {"First.", "long", "end.", "wide"}


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


def test_headings_with_the_name_do_not_crowd_out_the_sentence_that_has_the_rest():
    sources = [f"Halden Bridge, chapter {i}." for i in range(20)]
    sources[7] += " Lorries must use the lower deck."
    assert "Lorries must use the lower deck." in found(
        "On the Halden Bridge lorries use the lower deck.", *sources, limit=3
    )


def test_what_is_shared_with_a_claim_does_not_depend_on_other_texts():
    texts = ["The tower was built in 1889.", "The city built a wall.", "A tower of sand."]
    order = found("The tower was built in the city.", *texts, limit=3)
    more = found("The tower was built in the city.", *texts, *(f"City {i} has a wall." for i in range(300)), limit=303)
    assert [text for text in more if text in texts] == order


def crowd(n):
    """Texts on other things, in other words and in the same."""
    names = ["Kelder", "Marsk", "Ostby", "Runa", "Tolm", "Varde", "Wyke", "Zell", "Brom", "Calden"]
    kinds = (
        "{0} Bridge, a guide. The {0} Bridge crosses the Lim. It opened in {1}. It was designed by Ada {0}son.",
        "| Town | Bridges |\n| {0} | {1} |\n| Upper {0} | 3 |",
        '{{"town": "{0}", "opened": {1}}}',
        "Ferries of {0} were late in {1}, as ever; nobody complained, and the town hall stayed open all night long.",
        "In {1} the mayor of {0} opened a school. " + "It is a fine school with many rooms. " * 20,
    )
    return [kinds[i % len(kinds)].format(f"{names[i % 10]}{i // 50 or ''}", 1900 + i % 97) for i in range(n)]


@pytest.mark.parametrize("n", [50, 500])
@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("The Halden Bridge opened in 1932.", "It opened in 1932."),
        ("The Halden Bridge opened in 1954.", "It opened in 1932."),  # what contradicts is found, too
        ("The Halden Bridge crosses the Orra.", "The Halden Bridge crosses the Orra at Vint."),
        ("The Halden Bridge is grey.", "It is grey."),
    ],
)
def test_evidence_is_found_among_any_number_of_other_texts(n, text, evidence):
    nodes = [node(other, f"x{i}") for i, other in enumerate(crowd(n))]
    nodes.insert(n // 2, node(BRIDGE, "bridge"))
    passages = candidates([claim(text)], nodes, 8)["c1"]
    assert ("bridge", evidence) in {(p.node_id, p.text) for p in passages}
