"""What LocalJudge says of a claim stays what it is when other sources come along, in whatever order."""

import random

import pytest

from trail_callbacks import check

TOPICS = {
    "bridge": "Halden Bridge, a short guide. The Halden Bridge crosses the Orra at Vint. It opened in 1932. The bridge was designed by Mara Holt. It carries 12,000 cars a day. The city plans to repaint the bridge in 2027.",
    "lamp": '{"products": [{"sku": "FL-7", "name": "Lumen floor lamp", "price": 129, "in_stock": 0}, {"sku": "DL-2", "name": "Lumen desk lamp", "price": 49, "in_stock": 14}]}',
    "league": "Vell League, final table\n| Team | Won | Points |\n| --- | --- | --- |\n| Halm United | 18 | 37 |\n| Torsby | 15 | 33 |\n",
    "drug": "Velrin tablets, leaflet. Adults take one tablet of Velrin twice a day. Do not take more than three tablets in 24 hours. Velrin may cause headaches. According to the maker, Velrin is the best tablet of its kind.",
    "council": "Council of Penhall, minutes of 2 April. The council of Penhall did not approve the parking plan. The council of Penhall approved the library budget of 1.2 million euros. Some councillors asked for a second reading.",
}
CASES = [
    ("bridge", "The Halden Bridge opened in 1932.", "supported"),
    ("bridge", "The Halden Bridge opened in 1923.", "contradicted"),
    ("bridge", "The Halden Bridge was designed by Mara Holt.", "undecided"),
    ("bridge", "The Halden Bridge was designed by Jonas Reed.", "absent"),
    ("bridge", "The city repainted the Halden Bridge.", "contradicted"),
    ("bridge", "The Halden Bridge carries 12,000 cars a day.", "undecided"),
    ("bridge", "The Halden Bridge appears in three films.", "undecided"),
    ("lamp", "The Lumen floor lamp has a price of 129.", "supported"),
    ("lamp", "The Lumen desk lamp has a price of 129.", "undecided"),
    ("lamp", "The Lumen desk lamp has a price of 49.", "supported"),
    ("lamp", "The Lumen floor lamp comes with a warranty of five years.", "undecided"),
    ("league", "Halm United won 18 games and has 37 points.", "undecided"),
    ("league", "Torsby has 37 points.", "undecided"),
    ("league", "Torsby has 33 points.", "undecided"),
    ("league", "Torsby will build a new stadium.", "undecided"),
    ("drug", "Adults take one tablet of Velrin twice a day.", "supported"),
    ("drug", "Adults take three tablets of Velrin twice a day.", "contradicted"),
    ("drug", "Velrin causes headaches.", "partially_supported"),
    ("drug", "Velrin is the best tablet of its kind.", "partially_supported"),
    ("drug", "Velrin must be kept in the refrigerator.", "undecided"),
    ("council", "The council of Penhall approved the parking plan.", "contradicted"),
    ("council", "The council of Penhall did not approve the parking plan.", "supported"),
    ("council", "The council of Penhall approved the library budget of 1.2 million euros.", "supported"),
    ("council", "All councillors asked for a second reading.", "partially_supported"),
    ("council", "The council of Penhall hired a new lawyer from Dover.", "undecided"),
    ("council", "Would you like to know more?", "unevaluatable"),
]
NAMES = ["Kelder", "Marsk", "Ostby", "Runa", "Tolm", "Varde", "Wyke", "Zell", "Brom", "Calder"]


def near_duplicates():
    """Fifty sources that say of others what the topics say, with other numbers."""
    for i, name in enumerate(NAMES):
        yield f"{name} Bridge, a short guide. The {name} Bridge crosses the Lim. It opened in {1900 + i}. The bridge was designed by Ada {name}son. It carries {2000 + i * 10} cars a day."
        yield f'{{"products": [{{"sku": "{name[:2]}-{i}", "name": "{name} floor lamp", "price": {60 + i}, "in_stock": {i}}}]}}'
        yield f"{name} League, final table\n| Team | Won | Points |\n| --- | --- | --- |\n| {name} United | {i} | {i * 2} |\n| {name} Rovers | 9 | 37 |\n"
        yield (
            f"{name}ol tablets, leaflet. Adults take two tablets of {name}ol four times a day. Do not take more than {5 + i} tablets of {name}ol in 24 hours. {name}ol must be kept in the refrigerator. "
            * (1 + i)
        )
        yield f"Council of {name}, minutes of {i + 3} May. The council of {name} approved the parking plan. The council of {name} did not approve the library budget of {i + 2}.5 million euros. All councillors went home."


def unrelated():
    for i in range(50):
        yield f"Item {i} speaks of {i * 7} ships which Captain Foo{i} saw in {1700 + i}. The weather was {i} degrees."


MORE = list(near_duplicates())
SETTINGS = {
    "alone": lambda own: [own],
    "other topics": lambda own: list(TOPICS.values()),
    "unrelated": lambda own: [own, *unrelated()],
    "near-duplicates ahead": lambda own: [*MORE, own],
    "shuffled and doubled": lambda own: random.Random(1).sample([own, *MORE] * 2, 2 * len(MORE) + 2),  # noqa: S311
}  # fmt: skip


def said(verdict):
    return str(verdict.support or "undecided")


@pytest.mark.parametrize("setting", SETTINGS)
def test_verdicts_stay(setting):
    given = {text: said(check(text, SETTINGS[setting](TOPICS[topic])).verdicts[0]) for topic, text, _ in CASES}
    assert given == {text: support for _, text, support in CASES}


def verdict(text, *sources):
    return check(text, list(sources)).verdicts[0]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("The Halden Bridge opened in 1932.", "The Halden Bridge opened in 1934."),
        ("The Halden Bridge opened in 1932.", "The council met. The Halden Bridge did not open in 1932."),
        ("The council approved the plan.", "The council did not approve the plan."),
        ("The tower was designed by Mara Holt.", "The tower was designed by Jonas Reed."),
        ("Sales rose by 12% in May.", "Sales fell by 12% in May."),
        ("Flow Control revenue was 31.5 million euros.", "| Segment | Revenue |\n| Flow Control | 29 million euros |"),
    ],
)
def test_sources_that_disagree_are_both_named_in_whatever_order(text, other):
    for sources in ([text, other], [other, text], [other, *unrelated(), text]):
        found = verdict(text, *sources)
        assert str(found.support) == "supported"
        assert found.conflicting
        relations = {item.relation: item.quote for item in found.evidence}
        assert relations["supports"] == text
        assert relations["contradicts"] in other
