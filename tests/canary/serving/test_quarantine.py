"""The guard in front of an index."""

import pickle

import pytest
from small_twins import FERRY, small, twin_of

from trail_callbacks.canary import TAG, Document, Translator
from trail_callbacks.canary.serving.quarantine import FictiveDataError, refuse_fictive, refuse_polluted

TWIN = small()


def test_real_documents_pass_as_they_are():
    documents = list(TWIN.real)
    assert refuse_fictive(iter(documents), TWIN) == documents
    assert refuse_fictive([]) == []
    assert refuse_fictive(["text", {"text": None}, Document("x", "y"), 7]) == [
        "text",
        {"text": None},
        Document("x", "y"),
        7,
    ]


@pytest.mark.parametrize(
    "item",
    [
        TWIN.fictive["ferry.md"],
        {"page_content": "x", "metadata": {TAG: "t1"}},
        {"text": "x", TAG: "t1"},
        {"text": "x", "metadata": {"parents": [{"a": {TAG: "t"}}]}},
    ],
)
def test_what_is_tagged_is_refused(item):
    with pytest.raises(FictiveDataError, match="item 1: its metadata has 'trail_canary'") as caught:
        refuse_fictive(["real", item])
    assert caught.value.found == ((1, "its metadata has 'trail_canary'"),)
    assert pickle.loads(pickle.dumps(caught.value)).found == caught.value.found  # noqa: S301 - our own


@pytest.mark.parametrize(
    "text",
    [
        "The ferry to Garvane takes 53 minutes to cross the bay.",
        "THE FERRY\nTO GARVANE takes 53  minutes",
        "Notes: It opened in 1975 &amp; holds 3,100 paintings by Dutch masters.",
        "takes 53 minutes to cross the bay. A ticket costs",
    ],
)
def test_fictive_text_is_recognised_without_its_tag(text):
    known = Translator(TWIN)
    assert known.made_up(text)
    for item in (text, {"content": text}, Document("x", text)):
        with pytest.raises(FictiveDataError, match="made up"):
            refuse_fictive([item], known)
    assert refuse_fictive([text]) == [text], "without the twin only tags are looked for"


@pytest.mark.parametrize("text", [FERRY, FERRY[30:90], "It takes 53 minutes.", "The bay is 53 minutes away", ""])
def test_real_text_is_not_taken_for_fictive(text):
    assert Translator(TWIN).made_up(text) is None


def test_a_nonce_word_is_refused_anywhere():
    twin = twin_of({"d": "The head of the office is Anna Berg since May."}, [("nonce", "Anna Berg", "Vorlanth Quix")])
    known = Translator(twin)
    assert known.made_up("I met vorlanth\nquix yesterday.") == "nonce-0"
    assert known.made_up("I met Vorlanth yesterday.") is None


def test_an_error_names_a_few_and_quotes_nothing():
    with pytest.raises(FictiveDataError) as caught:
        refuse_fictive([TWIN.fictive["ferry.md"]] * 5)
    message = str(caught.value)
    assert "and 2 more" in message
    assert "Garvane" not in message


def test_an_index_that_has_fictive_texts_is_said_to():
    refuse_polluted(TWIN.real)
    with pytest.raises(FictiveDataError, match="in the app's index"):
        refuse_polluted(TWIN.fictive)
