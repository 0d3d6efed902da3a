"""Assembly: taken in turn, refused where it collides, the same in every process."""

import json
import os
import subprocess
import sys
from dataclasses import asdict

import pytest

from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.perturbers.perturb import perturb
from trail_callbacks.errors import InputError

TEXTS = {
    "ferry": "The ferry to Skogholm takes forty minutes. It carries 120 passengers and costs $18.50.",
    "notice": "Skogholm ferry notice: the crossing takes 40 minutes in summer.",
    "exam": "The written exam lasts 40 minutes.",
}


def corpus(**texts):
    return Corpus([Document(id_, text, {"source": id_}) for id_, text in (texts or TEXTS).items()])


SCRIPT = """
import json, sys
from dataclasses import asdict
from trail_callbacks.canary import Corpus, Document
from trail_callbacks.canary.perturbers.perturb import perturb
twin = perturb(Corpus([Document(*each) for each in json.load(sys.stdin)]), seed=7)
print(json.dumps([twin.id, [asdict(each) for each in twin.edits], [each.text for each in twin.fictive]]))
"""


def test_every_process_makes_the_same_twin():
    given = json.dumps(list(TEXTS.items()))
    made = set()
    for seed in ("0", "1", "1234"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], input=given, capture_output=True, text=True, env=environment, check=True
        )
        made.add(done.stdout)
    twin = perturb(corpus(), seed=7)
    here = [twin.id, [asdict(each) for each in twin.edits], [each.text for each in twin.fictive]]
    assert made == {json.dumps(here) + "\n"}


def test_documents_with_the_same_text_get_the_same_edits():
    twin = perturb(corpus(a=TEXTS["ferry"], b=TEXTS["exam"], c=TEXTS["ferry"]))
    assert twin.fictive["a"].text == twin.fictive["c"].text != TEXTS["ferry"]
    assert [each.why for each in twin.skipped if each.place == "c"] == ["repeats 'a': has the same edits"]
    for edit in twin.edits:
        places = [each.document for each in edit.replacements]
        assert places == sorted(places)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (" \n", "no fact of the kinds"),
        ("They sail when it suits them.", "no fact of the kinds"),
        ("See section 40 of https://a.example/40.", "no fact of the kinds"),
    ],
)
def test_a_document_without_an_edit_says_why(text, why):
    twin = perturb(corpus(ferry=TEXTS["ferry"], other=text), kinds=["number"])
    assert twin.fictive["other"].text == text
    (found,) = [each.why for each in twin.skipped if each.place == "other"]
    assert why in found


@pytest.mark.parametrize("texts", [[], [""], ["\n", "  "]])
def test_a_corpus_without_text_is_an_error(texts):
    with pytest.raises(InputError, match="Give documents with text"):
        perturb(Corpus([Document(str(i), text) for i, text in enumerate(texts)]))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"kinds": []}, "kinds"),
        ({"kinds": ["numbers"]}, "give one or more of number"),
        ({"sizes": ["huge"]}, "small, medium, large"),
        ({"most": 0}, "from 1"),
    ],
)
def test_an_argument_out_of_range_is_an_error(arguments, said):
    with pytest.raises(InputError, match=said):
        perturb(corpus(), **arguments)
