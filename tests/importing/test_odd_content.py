"""Whatever stands where a tool writes something else: it is read, or left out with a sentence, and nothing else is raised."""

from __future__ import annotations

import copy
import json
import random

import pytest
import spans_by_hand as made
import test_dialects as dialects

from trail_callbacks.errors import InputError
from trail_callbacks.importing import read

ODD = [
    *(None, 0, -1, 1e400, True, "", "x", [], {}, [[]], [None], {"": None}, {"values": 3}, ["a", "b"]),
    *("{", "[1", "\ud800", "0" * 16),
]
FILES = {
    "otlp": [made.otlp(made.run())],
    "readable": made.readable(made.run()),
    "genai": [made.otlp(dialects.genai())],
    "langsmith": dialects.langsmith(),
    "langfuse": dialects.observations("camel"),
}


def places(value, path=()):
    yield path
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(each, (*path, key))


def replaced(value, path, by):
    changed = copy.deepcopy(value)
    here = changed
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = by
    return changed


@pytest.mark.parametrize("name", FILES)
def test_any_value_may_be_any_other(name, tmp_path):
    chance = random.Random(3)  # noqa: S311 - the same cases every time
    path = tmp_path / "file.jsonl"
    known = [place for place in places(FILES[name]) if len(place) > 1]
    for _ in range(300):
        content = replaced(FILES[name], chance.choice(known), chance.choice(ODD))
        path.write_text("\n".join(map(json.dumps, content)), encoding="utf-8")
        try:
            for trace in read(path, lambda error: None):
                assert trace.graph is not None
                trace.to_json()
        except InputError as error:
            assert str(path) in str(error)  # noqa: PT017 - either is fine


def test_objects_inside_each_other_without_end(tmp_path):
    path = tmp_path / "file.jsonl"
    deep = {"stringValue": "x"}
    for _ in range(150):
        deep = {"kvlistValue": {"values": [{"key": "k", "value": deep}]}}
    file = made.otlp(made.run())
    spans = file["resourceSpans"][0]["scopeSpans"][0]["spans"]
    spans[0]["attributes"].append({"key": "odd", "value": deep})
    spans[1]["attributes"].append({"key": "retrieval.documents.0" + ".x" * 5_000, "value": {"stringValue": "x"}})
    path.write_text(
        json.dumps(file) + "\n" + made.lines([made.otlp(made.run("3" * 32))]) + "[" * 100_000, encoding="utf-8"
    )
    errors = []
    traces = list(read(path, errors.append))
    assert traces[-1].id == "3" * 32
    assert any("line 3" in str(error) for error in errors)
