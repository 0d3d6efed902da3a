"""Numbers and names that a model adds to a claim, in languages that write them differently."""

import pytest

from trail_callbacks.judges.llm.invention import Shown


def invents(claim, *texts):
    return Shown(*texts).lacks(claim)


BRIDGE = "The Halden Bridge opened in 1932. It carries 12,000 cars a day, and it has two decks."
BRUECKE = "Die Brücke wurde am 16.3.2026 eröffnet und kostete 1,5 Millionen Euro. Sie trägt 12.500 Autos."
PUENTE = "El puente de Halden abrió en 1932 y costó 1.500.000 euros. Lo diseñó Mara Holt."
HASHI = "ハルデン橋は１９３２年に開通し、1日に12,000台の車が通る。設計はマーラ・ホルト。"


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The Halden Bridge carries 12000 cars a day.", BRIDGE),
        ("The bridge has 2 decks.", BRIDGE),
        ("The bridge opened on 16 March 2026.", "It was opened on 2026-03-16."),
        ("The Norwegian bridge is open.", "Norway has a bridge. It is open."),
        ("The World Health Organization was asked.", "WHO was asked."),
        ("Die Brücke wurde am 16. März 2026 eröffnet.", BRUECKE),
        ("Die Haldenbrücke ist die Brücke der Stadt.", "Die Brücke von Halden gehört der Stadt."),
        ("El puente de Halden costó 1500000 euros.", PUENTE),
        ("ハルデン橋は1932年に開通した。", HASHI),
        ("ハルデン橋は別名Halden Bridgeである。", HASHI),
        ("Мост в Осло открыт.", "Мосты Осло открыты."),
        ("Imports covered a fifth of Sandby Bay's peak.", "At its peak Sandby Bay imported a fifth."),
        ("It is the Ellis\u2019 boat.", "The boat of the Ellis family is there."),
    ],
)
def test_what_is_there_in_other_dress_is_no_invention(claim, text):
    assert not invents(claim, text)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The bridge opened in 1923.", BRIDGE),
        ("The bridge carries 120,000 cars a day.", BRIDGE),
        ("The bridge carries 12.5 cars a day.", "The bridge carries 125 cars a day."),
        ("The bridge in Norway is open.", BRIDGE),
        ("The bridge was designed by Jonas Reed.", BRIDGE),
        ("Die Brücke kostete 15 Millionen Euro.", BRUECKE),
        ("Die Brücke wurde von Jonas Reed entworfen.", BRUECKE),
        ("ハルデン橋は1923年に開通した。", HASHI),
    ],
)
def test_what_is_not_there_is_one(claim, text):
    assert invents(claim, text)
