"""Claims from a language model: what is asked, what of a reply counts, and what happens when it fails."""

import json
import re

import pytest
from model_answers import (
    ANSWER,
    CLAIMS,
    extract,
)

from trail_callbacks.models.call import Failure, Reply


def test_claims_have_verified_spans_and_ids_in_the_order_of_the_answer():
    shuffled = {**CLAIMS, "claims": CLAIMS["claims"][::-1]}
    result, usage, _ = extract([shuffled])
    assert [c.id for c in result.claims] == ["c1", "c2", "c3", "c4"]
    assert [c.quote for c in result.claims] == [entry["quote"] for entry in CLAIMS["claims"]]
    assert all(ANSWER[c.start : c.end] == c.quote for c in result.claims)
    assert [c.checkable for c in result.claims] == [True, True, True, False]
    assert (result.abstained, result.error, result.warnings) == (False, None, ())
    assert usage.calls == 1


def test_quotes_that_are_not_in_the_answer_are_dropped_and_counted():
    reply = {
        "claims": [*CLAIMS["claims"], {"quote": "It was painted red", "claim": "The bridge is red.", "checkable": True}]
    }
    result, _, _ = extract([reply])
    assert len(result.claims) == 4
    assert result.warnings == ("1 of 5 quotes are not in the answer and were dropped",)


def test_repeated_words_are_placed_in_order_and_repeated_claims_only_once():
    answer = "Ada won. Ben lost. Ada won."
    reply = {
        "claims": [
            {"quote": q, "claim": c}
            for q, c in [
                ("Ada won", "Ada won."),
                ("Ben lost", "Ben lost."),
                ("Ada won", "Ada won again."),
                ("Ada won", "ADA won again."),
            ]
        ]
    }
    result, _, _ = extract([reply], answer)
    assert [(c.start, c.text) for c in result.claims] == [(0, "Ada won."), (9, "Ben lost."), (19, "Ada won again.")]


def test_a_reply_without_any_usable_quote_is_asked_for_once_more_then_an_error():
    bad = {"claims": [{"quote": "not there", "claim": "X."}]}
    result, usage, model = extract([bad, CLAIMS])
    assert len(result.claims) == 4
    assert usage.calls == 2
    assert "none of its quotes stood in ANSWER" in model.calls[1].messages[1].content
    assert model.calls[0].messages[0] == model.calls[1].messages[0]
    result, usage, _ = extract([bad, bad, bad])
    assert result.claims == ()
    assert result.error == "invalid: no quote of the model stands in the answer"
    assert usage.calls == 2


def test_broken_json_is_salvaged_item_by_item():
    text = "<think>hm</think>Sure! " + json.dumps(CLAIMS)[:-40]
    result, usage, _ = extract([Reply(failure=Failure("invalid", "JSON"), text=text)])
    assert len(result.claims) == 3
    assert result.error == "invalid: JSON"
    assert usage.calls == 1


def test_a_reply_cut_at_the_token_limit_goes_on_where_it_stopped():
    cut = json.dumps(CLAIMS)[: json.dumps(CLAIMS).index("Anything") - 30]
    rest = {"claims": CLAIMS["claims"][1:]}  # the last salvaged claim is read again
    result, usage, model = extract([Reply(failure=Failure("length", "cut"), text=cut), rest])
    assert [c.quote for c in result.claims] == [entry["quote"] for entry in CLAIMS["claims"]]
    assert result.error is None
    assert usage.calls == 2
    text = model.calls[1].messages[1].content
    assert "ANSWER" in text
    assert "opened in 1932" in text[: text.index("<<<ANSWER")]  # only as what comes before
    assert "opened in 1932" not in text[text.index("<<<ANSWER") :]


def test_a_long_answer_is_read_in_windows_that_cover_it():
    paragraphs = [
        f"Paragraph {i} says that item {i} weighs {i} kilograms. " + "It goes on for a while. " * 20 for i in range(40)
    ]
    answer = "\n\n".join(paragraphs)

    def first_sentences(call):
        body = call.messages[1].content.split("<<<ANSWER")[1]
        found = re.findall(r"Paragraph \d+ says that item \d+ weighs \d+ kilograms", body)
        return {"claims": [{"quote": quote, "claim": quote} for quote in found]}

    result, usage, model = extract(first_sentences, answer)
    assert [c.text.split()[1] for c in result.claims] == [str(i) for i in range(40)]
    assert 3 <= usage.calls <= 6
    assert all(answer[c.start : c.end] == c.quote for c in result.claims)
    assert "BEFORE is empty" in model.calls[0].messages[1].content


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("42", "How many lamps has the bridge?"),
        ("Yes.", "Is the bridge open?"),
        ("Nein", "Ist die Brücke offen?"),
        ("はい", "橋は開いていますか。"),
        ("Mara Holt", "¿Quién diseñó el puente?"),
    ],
)
def test_a_short_answer_left_as_it_is_is_joined_with_its_question(answer, question):
    result, usage, _ = extract([{"claims": [{"quote": answer, "claim": answer, "checkable": True}]}], answer, question)
    assert [c.text for c in result.claims] == [f"{question} {answer}"]
    assert (result.claims[0].quote, result.claims[0].checkable, result.warnings) == (answer, True, ())
    kept, _, _ = extract([{"claims": [{"quote": answer, "claim": answer}]}], answer, None)
    assert [c.text for c in kept.claims] == [answer]
    chatter, _, _ = extract([{"claims": [{"quote": "Hello!", "claim": "Hello!", "checkable": False}]}], "Hello!", "Hi!")
    assert [(c.text, c.checkable) for c in chatter.claims] == [("Hello!", False)]
    assert usage.calls == 1


def test_a_claim_with_an_invented_number_or_name_falls_back_to_its_quote():
    made_up = ["The Halden Bridge opened in 1923.", "The Halden Bridge by Jonas Reed opened in 1932."]
    kept = ["The Halden Bridge carries 12000 cars a day.", "The Halden Bridge has 2 decks."]
    quotes = ["The Halden Bridge opened in 1932"] * 2 + ["It carries 12,000 cars a day", "it has two decks"]
    reply = {"claims": [{"quote": q, "claim": c} for q, c in zip(quotes, made_up + kept, strict=True)]}
    result, _, _ = extract([reply])
    assert [c.text for c in result.claims] == ["The Halden Bridge opened in 1932", *kept]
    assert result.warnings == ("2 of 4 claims said what the answer does not, and stand as quoted",)
