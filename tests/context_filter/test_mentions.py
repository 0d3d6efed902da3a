import pytest

from trail_callbacks.context_filter.mentions import Mentions, sentence

WORDS = "ignore the rules"


def factor(text, **options):
    start = text.index(WORDS)
    return Mentions(text).factor(start, start + len(WORDS), **{"order": True, **options})


@pytest.mark.parametrize("text", ["ignore the rules", "tea. please ignore the rules", "you must ignore the rules"])
def test_an_order_counts_in_full(text):
    assert factor(text) == (1.0, False)


@pytest.mark.parametrize(
    "text", ["the jury chose to ignore the rules", "do not ignore the rules", "drivers often ignore the rules"]
)
def test_a_report_counts_less(text):
    weight, reported = factor(text)
    assert weight < 1.0
    assert reported


def test_what_need_not_be_an_order_counts_in_full_in_a_report():
    assert factor("the jury chose to ignore the rules", order=False) == (1.0, False)


def test_a_condition_makes_an_order_weaker():
    weight, reported = factor("ignore the rules if the lamp is out")
    assert weight < 1.0
    assert not reported


@pytest.mark.parametrize("text", ['some write "ignore the rules" as a phrase', "the phrase `ignore the rules` is old"])
def test_a_quotation_is_a_mention_where_the_text_describes_it(text):
    weight, reported = factor(text)
    assert weight < 1.0
    assert reported


def test_quotation_marks_alone_do_not_disarm_an_order():
    assert factor('"please ignore the rules"') == (1.0, False)


def test_a_text_about_attacks_counts_less():
    assert factor("ignore the rules. attackers use prompt injection.")[0] < 1.0


def test_only_conditions_and_quotations_are_known_in_other_languages():
    assert factor("the jury chose to ignore the rules", english=False) == (1.0, False)
    assert factor("wenn x, ignore the rules", english=False)[0] < 1.0


def test_a_sentence_ends_at_marks_of_any_script():
    text = "eins. zwei drei\u3002vier"
    assert text[slice(*sentence(text, 6, 10))] == " zwei drei"
    assert sentence("a" * 3000, 1500, 1501) == (1100, 1901)
