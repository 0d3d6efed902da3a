"""Under which numbers a prompt showed its sources."""

import pytest

from trail_callbacks.capture.build import build
from trail_callbacks.capture.events import Piece, RunEnded, RunStarted
from trail_callbacks.capture.lineage import SOURCE_LABELS

ONE = "The ferry to Halden takes 40 minutes."
TWO = "Dogs ride for free on the upper deck, cats in the cabin."


def labels(prompt, *documents):
    """The attribute of the answer to a prompt over some retrieved documents."""
    retrieved = tuple(Piece(text=text, form="document", path=(i,)) for i, text in enumerate(documents))
    events = [
        RunStarted(seq=1, run_id="root", parent_id=None, kind="chain", name="chain", inputs=(Piece(text="What?"),)),
        RunStarted(seq=2, run_id="r", parent_id="root", kind="retriever", name="retriever", inputs=(Piece(text="What?"),)),
        RunEnded(seq=3, run_id="r", outputs=retrieved),
        RunStarted(seq=4, run_id="m", parent_id="root", kind="model", name="model", inputs=(Piece(text=prompt, form="message", role="user"),)),
        RunEnded(seq=5, run_id="m", outputs=(Piece(text="It takes 40 minutes [1].", form="message", role="assistant"),)),
        RunEnded(seq=6, run_id="root", outputs=(Piece(text="It takes 40 minutes [1]."),)),
    ]  # fmt: skip
    return build(events).answer.attributes.get(SOURCE_LABELS)


def test_numbers_are_those_of_the_prompt_whatever_the_order_of_retrieval():
    assert labels(f"[1] {TWO}\n[2] {ONE}\n\nWhat?", ONE, TWO) == {
        "1": [["d2", 0, len(TWO)]],
        "2": [["d1", 0, len(ONE)]],
    }


def test_a_part_of_a_document_is_told_by_its_place():
    first, second = "The north pier was built in 1932 of oak.", "The south pier followed in 1958, this time of steel."
    prompt = f"Source 1:\n{first}\nSource 2:\n{second}\nSource 3:\n{ONE}"
    assert labels(prompt, ONE, f"{first} {second}") == {
        "1": [["d2", 0, len(first)]],
        "2": [["d2", len(first) + 1, len(first) + 1 + len(second)]],
        "3": [["d1", 0, len(ONE)]],
    }


def test_examples_in_a_template_stand_for_no_source():
    example = "Source 1:\nThe sky is red in the evening.\nSource 2:\nWater is wet when it rains.\n\n"
    assert labels(f"{example}Now:\nSource 1:\n{ONE}\nSource 2:\n{TWO}", ONE, TWO) == {
        "1": [["d1", 0, len(ONE)]],
        "2": [["d2", 0, len(TWO)]],
    }


@pytest.mark.parametrize("prompt", [f"{ONE}\n{TWO}\nWhat?", "[1] Be brief.\n[2] Be kind."])
def test_without_numbered_sources_there_is_no_attribute(prompt):
    assert labels(prompt, ONE, TWO) is None
