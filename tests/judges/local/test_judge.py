import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Judge, Question
from trail_callbacks.judges.local.judge import LocalJudge
from trail_callbacks.taxonomy import UNSUPPORTED


def result(pipeline):
    with pytest.raises(StopIteration) as stop:
        next(pipeline)
    return stop.value.value


def judge(text, *sources, purpose="verdicts", limit=8, checkable=True):
    claim = Claim(id="c1", text=text, quote=text, start=0, end=len(text), checkable=checkable)
    nodes = [Node(id=f"d{i}", kind="document", text=source) for i, source in enumerate(sources)]
    passages = candidates([claim], nodes, limit)["c1"]
    (judgement,) = result(LocalJudge().assess([Question(claim=claim, passages=passages)], purpose)).judgements
    assert judgement.claim_id == "c1"
    assert (judgement.error_type is not None) == (judgement.support in UNSUPPORTED)
    assert (judgement.undecided is not None) == (judgement.support is None)
    assert judgement.rationale or judgement.undecided
    texts = {node.id: node.text for node in nodes}
    for evidence in judgement.evidence:
        assert texts[evidence.node_id][evidence.start : evidence.end] == evidence.quote
    return judgement


def verdict(text, *sources, **options):
    judgement = judge(text, *sources, **options)
    return str(judgement.support or "undecided"), judgement.error_type and str(judgement.error_type)


TOWER = (
    "The Eiffel Tower stands in Paris. Construction of the tower began in 1887. "
    "The tower was completed in March 1889 by the company of Gustave Eiffel. It is 330 m tall. "
    "The tower attracts 50 million visitors."
)
OTHER = "Nobody came to the party in Oslo. Snow fell in 1887. There are 60 million sheep. 330 feet of rope were sold."

CASES = [
    ("The tower was completed in 1887.", TOWER, "contradicted", "number"),
    ("The tower was completed in March 1889.", TOWER, "supported", None),
    ("In 1887 the tower was completed.", TOWER, "undecided", None),
    ("The tower was completed by the company of Stephen Sauvestre.", TOWER, "contradicted", "entity"),
    ("The tower attracts 60 million visitors.", TOWER, "contradicted", "number"),
    ("The tower is 330 metres tall.", TOWER, "undecided", None),
    ("The tower is 330 feet tall.", "The tower is 330 m tall.", "contradicted", "number"),
    ("The firm earned 3,500,000 dollars.", "The firm earned $3.5 million.", "supported", None),
    ("The team has twelve players.", "The team has 12 players.", "supported", None),
    ("Sales rose by 12%.", "Sales rose by 12 per cent.", "supported", None),
    ("Sales rose by 12%.", "Sales rose by 21 percent.", "contradicted", "number"),
    ("Sales fell by 12%.", "Sales rose by 12 percent.", "contradicted", "other"),
    ("Nearly 500 people came.", "496 people came.", "undecided", None),
    ("The meeting is in June.", "The meeting is in May.", "contradicted", "number"),
    ("The council approved the plan.", "The council did not approve the plan.", "contradicted", "other"),
    ("The merger will be approved.", "The merger might be approved.", "partially_supported", "temporal"),
    ("The city repainted the bridge.", "The city plans to repaint the bridge.", "contradicted", "temporal"),
    ("The library is the best in the region.", "According to the mayor, the library is the best in the region.", "partially_supported", "attribution_failure"),
    ("The barn is the oldest in the town.", "According to Ruth Hale, the barn is the oldest in the town, but nobody confirmed this.", "partially_supported", "attribution_failure"),
    ("塔高330米", "这座塔高330米。", "undecided", None),
    ("MySQL is supported.", "MySQL is no longer supported.", "contradicted", "other"),
    ("The director is Petra Meyer.", "The director is Petra Lang.", "contradicted", "entity"),
    ("The effect was larger in patients under 60.", "The effect was larger in patients over 60.", "contradicted", "number"),
    ("The hall has 600 seats and 60 rooms.", "The hall has 60 seats and 600 rooms.", "contradicted", "number"),
    ("The X100 delivers 26 litres.", "The X200 delivers 26 litres.", "contradicted", "entity"),
    ("The WM-1 costs 79 euros.", "The WM-3 costs 79 euros.", "contradicted", "entity"),
    ("The ferry carries 1,850 passengers.", '{"ferry": "Orra", "passengers": 1850}', "undecided", None),
    ("Trailers can be picked up the same day.", "Trailers can be picked up the same day, if in stock.", "partially_supported", "overgeneralization"),
    ("The roadworks have kept customers away.", "The roadworks have probably kept customers away.", "partially_supported", "hyperbole"),
    ("The tables were ready.", "The hall has tables and chairs.", "undecided", None),
    ("The lamp shines because the wire glows.", "The lamp shines. The wire glows.", "undecided", None),
    ("塔高340米", "这座塔高330米。", "contradicted", "number"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "source", "support", "error"), CASES)
def test_verdicts(text, source, support, error):
    assert verdict(text, source) == (support, error)


def test_the_rationale_names_what_was_compared_and_the_evidence_shows_it():
    judgement = judge("The tower attracts 60 million visitors.", TOWER)
    assert "60 million" in judgement.rationale
    assert "50 million" in judgement.rationale
    assert [(e.quote, e.relation) for e in judgement.evidence] == [
        ("The tower attracts 50 million visitors.", "contradicts")
    ]
    assert judge("The council did not approve the plan.", "The council approved the plan.").detail == "negation flip"
    assert judge("The dose was increased.", "The dose was decreased.").detail == "opposite"


VERBATIM = [
    "The tower was completed in March 1889 by the company of Gustave Eiffel.",
    "Some 12% of all 4,100 lorries, not only the heavy ones, never use the lower deck.",
    "Ares, which did not buy Boreas, plans to increase its 3.5 million share by a third.",
    "ارتفاع البرج 330 مترا.",
    "这座塔高330米\uff0c建于1889年。",
]


@pytest.mark.parametrize("sentence", VERBATIM)
def test_a_verbatim_quote_is_supported(sentence):
    assert verdict(sentence, OTHER + "\n" + sentence + "\n" + TOWER) == ("supported", None)


WORDS = ["tower", "city", "Mara", "Holt", "Reed", "was", "is", "not", "never", "built", "sold", "by", "in", "1889", "12", "million", "%",
         "m", "will", "may", "plans", "to", "some", "all", "the", "a", "increase", "fell", "said", "according", "dramatically", "twelve"]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join))
@settings(max_examples=50)
def test_no_sentence_contradicts_itself(sentence):
    support, _ = verdict(sentence, sentence)
    assert support in {"supported", "undecided"}


def test_localizing_asks_only_whether_it_is_stated():
    source = "According to the mayor, the library is the best in the region."
    assert verdict("The library is the best in the region.", source, purpose="localize") == ("supported", None)
    assert verdict("The tower was completed in 1887.", TOWER, purpose="localize")[0] != "supported"


def test_a_question_supports_nothing():
    assert verdict("The tower is 330 m tall.", "Is the tower 330 m tall?") == ("undecided", None)
    assert verdict("Is the tower open? Yes.", "Is the tower open?") == ("undecided", None)
    assert verdict("The tower is 330 m tall.", "Is the tower 330 m tall?", "The tower is 330 m tall.") == (
        "supported",
        None,
    )


def test_it_is_a_judge_without_a_model():
    local = LocalJudge()
    assert isinstance(local, Judge)
    assert (local.name, local.model) == ("local/8", None)
    extraction = result(local.extract("The tower is tall. Would you like more?", "Is it tall?"))
    assert [claim.checkable for claim in extraction.claims] == [True, False]
    assert not extraction.abstained
    assert result(local.extract("I do not know.", None)).abstained
    assert result(local.assess([])).judgements == ()


def test_localizing_names_every_node_that_states_it_by_itself():
    stated = "The tower was completed in 1889."
    judgement = judge(stated, stated, "Snow fell.", "As noted, the tower was completed in 1889.", purpose="localize")
    assert str(judgement.support) == "supported"
    assert {evidence.node_id for evidence in judgement.evidence} == {"d0", "d2"}


def test_the_unsupported_part_of_a_claim_is_named():
    judgement = judge("The tower is 330 m tall, and the tower was completed in 1887.", TOWER)
    assert judgement.faults == ("the tower was completed in 1887.",)
    assert judge("The tower was completed in 1887.", TOWER).faults == ()
    assert judge("The tower is 330 m tall, and the tower stands in Paris.", TOWER).faults == ()


def test_what_it_cannot_show_has_a_reason_and_the_nearest_sentences_and_no_confidence():
    judgement = judge("Gustave Eiffel's firm finished the tower two years after it was begun.", TOWER)
    assert judgement.support is None
    assert "cannot tell" in judgement.undecided
    assert judgement.confidence is None
    assert {item.relation for item in judgement.evidence} == {"nearest"}
    assert 1 <= len(judgement.evidence) <= 3


def test_escaped_letters_are_read():
    assert verdict("Das Café kostet 12 Euro Eintritt.", r'{"text": "Das Caf\u00e9 kostet 12 Euro Eintritt."}') == (
        "supported",
        None,
    )


def test_a_limit_follows_from_numbers_of_the_same_things_only():
    ship = "| Name | Built | Crew |\n| Good Intent | 1897 | 2 |\n\nThe Good Intent takes up to nine passengers."
    assert verdict("The Good Intent takes up to nineteen passengers.", ship) == ("contradicted", "number")
    assert verdict("The Good Intent takes up to nine passengers.", ship)[0] == "supported"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The round was led by Dune Fund.", "The round was led by Hartwell Partners; Dune Fund took part."),
        ("The recall covers three cartons from the middle.", "The recall covers three cartons, one of them from the middle."),
        ("The sync failed with a TLS error.", "The sync failed with HTTP 503. The cause was an expired TLS certificate."),
    ],
)  # fmt: skip
def test_words_of_two_clauses_or_sentences_are_no_statement_and_no_contradiction(text, source):
    assert verdict(text, source) == ("undecided", None)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The museum is open from 9:00 to 20:00.", "The museum is open from 9:00 to 18:00."),
        ("The shop is open Monday to Saturday.", "The shop is open Monday to Friday."),
    ],
)
def test_another_end_of_a_range_is_another_number(text, source):
    assert verdict(text, source) == ("contradicted", "number")


def test_a_claim_is_stated_if_every_part_of_it_is():
    source = "The SL-20 needs two wires, L and W; a third, marked C, is optional and spares the batteries."
    judgement = judge("The SL-20 needs the two wires L and W, while C is optional and spares the batteries.", source)
    assert str(judgement.support) == "supported"
