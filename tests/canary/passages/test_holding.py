"""Whether a passage states the fact that a probe asks for."""

import pytest

from trail_callbacks.canary import Probe
from trail_callbacks.canary.passages.holding import holds

FERRY = Probe(
    id="p",
    question="How long does the ferry to the island take?",
    real="40 minutes",
    fictive="53 minutes",
    real_quote="The ferry to Lorne takes 40 minutes to cross the bay in winter.",
    fictive_quote="The ferry to Garvane takes 53 minutes to cross the bay in winter.",
)
DOGS = Probe(
    id="d",
    question="May dogs come?",
    real="yes",
    fictive="no",
    real_quote="Dogs are allowed on the lower deck of the ferry.",
    fictive_quote="Dogs are not allowed on the lower deck of the ferry.",
)
GONE = Probe(
    id="g", question="What does it cost?", real="12 euros", fictive=None, real_quote="It costs 12 euros a day."
)
GIVEN = Probe(id="w", question="When did the museum open?", real="1968", fictive="1975")


@pytest.mark.parametrize(
    ("probe", "arm", "passage", "told"),
    [
        (FERRY, "real", "Timetable. The ferry to Lorne takes\n40   minutes to cross the bay in winter. Bring a coat.", True),
        (FERRY, "real", "the ferry to Lorne takes 40 minutes", True),  # cut behind the value
        (FERRY, "real", "40 minutes to cross the bay in winter.", True),  # cut before it
        (FERRY, "real", "The ferry to Lorne takes 40", False),  # cut through it
        (FERRY, "real", "minutes to cross the bay in winter.", False),
        (FERRY, "real", "40 minutes", False),  # of what?
        (FERRY, "real", "The bus to the airport takes 40 minutes on weekdays, and leaves every hour.", False),
        (FERRY, "real", "The ferry to Garvane takes 53 minutes to cross the bay in winter.", False),
        (FERRY, "fictive", "The ferry to Garvane takes 53 minutes to cross the bay in winter.", True),
        (FERRY, "fictive", "<p>The ferry to <b>Garvane</b> takes 53&nbsp;minutes to cross the bay", True),
        (FERRY, "fictive", "The ferry to Lorne takes 40 minutes to cross the bay in winter.", False),
        (FERRY, "fictive", "", False),
        (DOGS, "real", "Dogs are allowed on the lower deck.", True),
        (DOGS, "real", "Dogs are not allowed on the lower deck of the ferry.", False),
        (DOGS, "fictive", "Dogs are not allowed on the lower deck.", True),
        (DOGS, "fictive", "Dogs are allowed on the lower deck of the ferry.", False),
        (GIVEN, "real", "The museum is old: it did open in 1968 already.", True),
        (GIVEN, "real", "Rainfall in 1968 was low.", None),
        (GIVEN, "real", "The museum opened in sixty-eight.", None),  # cannot be told without a sentence
    ],
)  # fmt: skip
def test_a_passage_states_the_fact_or_does_not(probe, arm, passage, told):
    assert holds(probe, [passage], arm) is told
    assert holds(probe, ["Whales breathe air.", passage], arm) is told


def test_nothing_holds_what_is_not_there():
    assert holds(GONE, ["It costs nothing."], "fictive") is None
    assert holds(GONE, ["It costs 12 euros a day."], "real") is True
    assert holds(FERRY, [], "empty") is None
    assert holds(FERRY, ["takes 40 minutes"], "closed_book") is None
    assert holds(FERRY, [], "real") is False


@pytest.mark.parametrize(("real", "fictive"), [("$75.00", "€75.00"), ("30 %", "30 ‰"), ("12 €", "12 £"), ("£5", "£9")])
def test_the_sign_of_a_currency_is_a_part_of_the_value(real, fictive):
    quote = "A fee of {} has to be paid for a transfer of shares."
    probe = Probe(id="f", question="What is the fee?", real=real, fictive=fictive,
                  real_quote=quote.format(real), fictive_quote=quote.format(fictive))  # fmt: skip
    for arm, own, other in (("real", real, fictive), ("fictive", fictive, real)):
        assert holds(probe, [quote.format(own)], arm) is True
        assert holds(probe, [f"a fee  of {own.replace(' ', '')} has to\nbe paid"], arm) is True
        assert holds(probe, [quote.format(other)], arm) is False
