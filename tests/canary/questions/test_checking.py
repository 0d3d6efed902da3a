"""Probes that can tell nothing are found, each with its reason."""

from dataclasses import replace

import pytest
from twins import TEXT, change, twin_of

from trail_callbacks.canary import Probe
from trail_callbacks.canary.questions.checking import names, problem

TWIN = twin_of({"a": TEXT, "b": "Other."}, change(TEXT, "40", "53", real="40 minutes", fictive="53 minutes"))
PROBE = Probe(
    id="p",
    question="How many minutes does the ferry to Skogholm take?",
    real="40 minutes",
    fictive="53 minutes",
    documents=("a",),
    real_quote="The ferry to Skogholm takes 40 minutes.",
    fictive_quote="The ferry to Skogholm takes 53 minutes.",
    kind="number",
    edit="number-1",
)


def test_a_sound_probe():
    assert problem(PROBE, TWIN) is None
    assert problem(PROBE) is None
    assert problem(replace(PROBE, documents=(), real_quote="", fictive_quote=""), TWIN) is None


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"question": " ? "}, "has no question"),
        ({"question": "How long? " * 100}, "longer than 600 characters"),
        ({"real": "-"}, "one of its answers is empty"),
        ({"fictive": " 40  MINUTES"}, "two of its answers are the same"),
        ({"also": "53 minutes"}, "two of its answers are the same"),
        ({"fictive_forms": ("40 minutes",)}, "stands for its real and for its fictive answer"),
        ({"question": "Does the ferry take 40 minutes?"}, "names an answer: '40 minutes'"),
        ({"question": "Does the ferry take forty minutes?"}, "names an answer: '40 minutes'"),
        ({"edit": "number-9"}, "its edit number-9 is none of this twin"),
        ({"documents": ("gone",)}, "its passage is gone: the corpus has no document 'gone'"),
        ({"documents": ("b",)}, "its passage is gone: no document of the corpus has the words"),
        ({"fictive_quote": "The ferry takes 53 minutes."}, "its passage is gone: no document of the twin"),
        ({"real": "41 minutes"}, "its passage in the corpus does not give the answer '41 minutes'"),
        ({"real": "Skogholm", "question": "Where does it go?"}, "in the twin still gives the real answer"),
        ({"fictive": None, "real_quote": "The museum is open on Sundays.", "real": "Sundays"}, "was not removed"),
    ],
)
def test_what_is_wrong_is_said(fields, reason):
    assert reason in str(problem(replace(PROBE, **fields), TWIN))


def test_yes_and_no_need_no_words_in_the_passage():
    polar = replace(PROBE, question="Is there no ferry to Skogholm?", real="no", fictive="yes", real_forms=("false",))
    assert problem(polar, TWIN) is None


@pytest.mark.parametrize(
    ("text", "value", "found"),
    [
        ("It takes 40 minutes.", "40 minutes", True),
        ("It takes 140 minutes.", "40 minutes", False),
        ("Founded on 4 March 1932.", "March 4, 1932", True),
        ("Bergen is near.", "Berg", False),
        ("Berg\u2019s house", "berg's", True),
        ("\u4eac\u90fd\u306b\u3042\u308b", "\u4eac\u90fd", True),
        ("フェリーは40分かかる", "40分", True),
        ("フェリーは140分かかる", "40分", False),
        ("anything", "", False),
    ],
)
def test_values_in_texts(text, value, found):
    assert names(text, value) is found


def test_long_values_take_no_long_time(limited):
    with limited(2.0):
        names("a " * 200_000, "a " * 400 + "b")
        names("a " * 100_000, "a " * 50_000 + "b")
