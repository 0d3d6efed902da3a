import pytest

from trail_callbacks.context_filter.relevance import outliers

QUESTION = "Why does bread rise with yeast?"
ON_TOPIC = ["Yeast makes bread rise because it gives off gas.", "Bread dough with yeast rises in an hour."]
STRAY = "Football clubs signed nine strikers before Tuesday's transfer deadline passed."


def test_a_passage_without_any_word_in_common_is_an_outlier():
    assert outliers(QUESTION, {0: ON_TOPIC[0], 4: STRAY, 5: ON_TOPIC[1]}) == {4: 1.0}


@pytest.mark.parametrize(
    ("passages", "question"),
    [
        ([*ON_TOPIC, STRAY], "Why?"),
        ([ON_TOPIC[0], STRAY], QUESTION),
        ([*ON_TOPIC, "Teig geht auf, weil die Hefe ein Gas bildet und der Kleber es festhält."], QUESTION),
        ([*ON_TOPIC, "パンが膨らむのは、酵母がガスを出すからです。生地がそれを保ちます。"], QUESTION),
        ([*ON_TOPIC, "Carbon dioxide bubbles are trapped by gluten while dough ferments."], QUESTION),
        ([*ON_TOPIC, "Table 3"], QUESTION),
    ],
)
def test_in_doubt_nothing_is_off_topic(passages, question):
    assert outliers(question, dict(enumerate(passages))) == {}
