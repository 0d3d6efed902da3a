"""Models that mark the words nothing backs."""

import pytest
from seen import claim, inputs, run

from trail_callbacks import EncoderJudge, check
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.encoder.inference import Asked, Encoder
from trail_callbacks.judges.encoder.readers import TokenReader
from trail_callbacks.judges.judge import Question
from trail_callbacks.models.drive import drive

LETTUCE = "KRLabsOrg/lettucedect-base-modernbert-en-v1"
GIVEN = ("supported", "absent")


def passage(text, start=0, node="d1"):
    return Passage(id=f"{node}-{start}", node_id=node, start=start, end=start + len(text), text=text)


def judge(folder, **more):
    return EncoderJudge(folder, labels=GIVEN, **more)


def read(asked, text, *passages):
    reader = TokenReader(Encoder(asked._first.loaded(), 8))
    return drive(reader.read([Asked(text, passages)]), None)[0][0]


def test_label_0_and_1_are_refused_until_somebody_says_what_they_mean(grounding):
    report = check("The ferry is old.", ["The ferry is old."], judge=EncoderJudge(grounding))
    assert report.state == "error"
    assert "LABEL_0, LABEL_1" in report.warnings[0] + report.verdicts[0].error


def test_backed_claims_are_supported_with_the_sentence_that_backs_them(grounding):
    source = "The mill is old. The ferry confirms forty cars. The town is small."
    (verdict,) = check("The ferry carries cars.", [source], judge=judge(grounding)).verdicts
    assert verdict.support == "supported"
    assert [(item.quote, item.relation) for item in verdict.evidence] == [
        ("The ferry confirms forty cars.", "supports")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "the old ferry carries purple cars today.",
        "\U0001f600 the \u00e9t\u00e9 ferry \U0001f468\u200d\U0001f469\u200d\U0001f467 carries purple cars \U0001f680.",
        "  the ferry carries   purple\n cars",
        "the ferry carries purple",
    ],
)
def test_unbacked_words_are_found_at_their_place(grounding, text):
    reading = read(judge(grounding), text, passage("the town confirms old cars."))
    joined = " ".join(reading.unbacked)
    assert "purple" in joined
    assert all(part in text and part == part.strip() for part in reading.unbacked)
    assert 0.0 < reading.share < 0.7
    assert reading.support < 0.1


def test_claims_with_the_same_passages_are_read_together(grounding):
    asked = judge(grounding)
    passages = (passage("the mill confirms cars."), passage("the town is old.", 0, "d2"))
    texts = ["the ferry is old.", "the bridge is purple today.", "\U0001f600 the mill is small."]
    with inputs(asked) as seen:
        found = run(
            asked,
            [
                Question(claim=claim(text, f"c{n}"), passages=passages[:: 1 - 2 * (n % 2)])  # in any order
                for n, text in enumerate(texts)
            ],
        )
    assert [one.support for one in found] == ["supported", "partially_supported", "supported"]
    assert "purple" in found[1].rationale
    read_ = [asked._first.loaded().tokenizer.decode(ids) for ids in seen]
    assert sum(all(text in one for text in texts) for one in read_) == 1


def test_sources_are_numbered_as_the_model_was_trained(grounding):
    asked = EncoderJudge(grounding, profile=LETTUCE)
    with inputs(asked) as seen:
        run(
            asked,
            [Question(claim=claim("the ferry."), passages=(passage("it is {old}."), passage("it is new.", 0, "d2")))],
        )
    tok = asked._first.loaded().tokenizer
    context = "Summarize the following text:\npassage 1: it is {old}.\npassage 2: it is new.\noutput:"
    assert tok.encode(context, "the ferry.").ids in seen
