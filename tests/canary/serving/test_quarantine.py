"""The guard in front of an index."""

import pickle

import pytest
from small_twins import FERRY, small, twin_of

from trail_callbacks.canary import TAG, Document, Translator
from trail_callbacks.canary.serving.source import FictiveDataError, refuse_fictive, refuse_polluted

TWIN = small()
KNOWN = Translator(TWIN)


def test_real_documents_pass_as_they_are():
    documents = [*TWIN.real, "text", {"text": None}, 7]
    assert refuse_fictive(iter(documents), TWIN) == documents
    for text in (FERRY, FERRY[30:90], "It takes 53 minutes.", "The bay is 53 minutes away", ""):
        assert refuse_fictive([text], KNOWN) == [text], "real text is not taken for fictive"


@pytest.mark.parametrize(
    "item",
    [
        TWIN.fictive["ferry.md"],
        {"page_content": "x", "metadata": {TAG: "t1"}},
        {"text": "x", "metadata": {"parents": [{"a": {TAG: "t"}}]}},
    ],
)
def test_what_is_tagged_is_refused_and_not_quoted(item):
    with pytest.raises(FictiveDataError, match="item 1: its metadata has 'trail_canary'") as caught:
        refuse_fictive(["real", *[item] * 5])
    assert caught.value.found[0] == (1, "its metadata has 'trail_canary'")
    assert pickle.loads(pickle.dumps(caught.value)).found == caught.value.found  # noqa: S301 - our own
    assert "and 2 more" in str(caught.value)
    assert "Garvane" not in str(caught.value)
    with pytest.raises(FictiveDataError, match="in the app's index"):
        refuse_polluted([item])


@pytest.mark.parametrize(
    "text",
    [
        "THE FERRY\nTO GARVANE takes 53  minutes",
        "Notes: It opened in 1975 &amp; holds 3,100 paintings by Dutch masters.",
        "takes 53 minutes to cross the bay. A ticket costs",
    ],
)
def test_fictive_text_is_recognised_without_its_tag(text):
    for item in (text, {"content": text}, Document("x", text)):
        with pytest.raises(FictiveDataError, match="made up"):
            refuse_fictive([item], KNOWN)
    assert refuse_fictive([text]) == [text], "without the twin only tags are looked for"


def test_a_nonce_word_is_refused_anywhere():
    twin = twin_of({"d": "The head of the office is Anna Berg since May."}, [("nonce", "Anna Berg", "Vorlanth Quix")])
    known = Translator(twin)
    assert known.made_up("I met vorlanth\nquix yesterday.") == "nonce-0"
    assert known.made_up("I met Vorlanth yesterday.") is None
