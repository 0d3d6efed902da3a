"""The labelled answers that ship keep what their README says."""

import json
from collections import Counter

import pytest

from trail_callbacks import ErrorType
from trail_callbacks.bench.items import SHIPPED, read_items
from trail_callbacks.taxonomy import UNSUPPORTED
from trail_callbacks.text import sentences

ROWS = [json.loads(line) for line in SHIPPED.read_text(encoding="utf-8").splitlines()]
ERRORS = []
ITEMS = list(read_items(SHIPPED, ERRORS.append))


def test_the_set_is_as_large_and_as_mixed_as_promised():
    assert ERRORS == []
    assert [item.labelled.id for item in ITEMS] == [f"a{n:02d}" for n in range(1, 61)]
    languages = Counter(item.labelled.language for item in ITEMS)
    assert languages["en"] == 30
    assert set(languages) == {"en", "de", "es", "ja", "ar"}
    tags = Counter(tag for item in ITEMS for tag in item.labelled.tags)
    assert {tag: tags[tag] for tag in ("table", "versions", "steps")} == {"table": 12, "versions": 8, "steps": 11}
    wrong = [label for item in ITEMS for label in item.labelled.labels if label.wrong]
    assert len(wrong) == 37
    assert {label.error_type for label in wrong} == set(ErrorType)
    assert {label.support for label in wrong} == UNSUPPORTED
    assert sum(any(label.wrong for label in item.labelled.labels) for item in ITEMS) == 30


@pytest.mark.parametrize(
    ("row", "item"), [pytest.param(*each, id=each[0]["id"]) for each in zip(ROWS, ITEMS, strict=True)]
)
def test_what_is_wrong_is_part_of_one_sentence_and_came_in_upstream_of_the_answer(row, item):
    assert sum(label.wrong for label in item.labelled.labels) == len(row["wrong"])
    parts = [each.text for each in sentences(item.answer, row["language"])]
    for wrong in row["wrong"]:
        assert sum(wrong["quote"] in part for part in parts) == 1, wrong["quote"]
        assert wrong["why"]
        if "nodes" in row:
            assert wrong["entry"] in {node.id for node in item.graph.nodes if item.graph.inputs(node.id)}
            assert item.graph.path(wrong["entry"], row["answer_id"])
