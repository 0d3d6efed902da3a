"""Files as records, one after the other, with their places."""

import gzip
import json

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.reading import Broken, Record, files_in, records


def of(path):
    return [each for file in files_in(path) for each in records(file, lists={"reports": False, "kept": True})]


@pytest.mark.parametrize(
    ("name", "content", "places"),
    [
        ("x.jsonl", b'{"a": 1}\n\n{"a": 2}\n', ["line 1", "line 3"]),
        ("x.json", b'[{"a": 1},\n {"a": 2}]', ["item 1", "item 2"]),
        ("x.json", b'{\n "reports": [{"a": 1}, {"a": 2}]}', ["item 1", "item 2"]),
        ("x.json", b'{\n"kept": [{"a": 1}, {"a": 2}]}', ["item 1", "item 2"]),
        ("x.json", b'{\n"a": 1}\n{"a":\n2}', ["line 1", "line 3"]),
        ("x.csv", b"a,b\n1,2\n3,4\n", ["line 2", "line 3"]),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_records_have_places(tmp_path, name, content, places, packed):
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if packed else content)
    found = of(path)
    assert [each.place for each in found] == [f"{path}, {place}" for place in places]
    assert all(isinstance(each, Record) for each in found)


def test_what_is_no_record_is_told_and_the_rest_is_read(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\n{oops\n3\n{"a": 2}\n')
    found = of(path)
    assert [type(each) for each in found] == [Record, Broken, Broken, Record]
    assert (found[1].place, found[2].why) == (f"{path}, line 2", "is no JSON object")
    path.write_bytes(b"a,b\n1,\xff\n1,2,3\n3,4\n")
    assert [type(each) for each in of(path)] == [Broken, Broken, Record]


def test_a_text_without_lines_that_is_too_large_is_refused_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("trail_callbacks.reading.objects.LARGEST", 1_000)
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"a": "x" * 90}] * 20, indent=1))
    with pytest.raises(InputError, match=r"x\.json has more than .* write one object a line.*jq -c"):
        of(path)


def test_a_folder_stands_for_its_files(tmp_path):
    for name in ("b.jsonl", "a.jsonl", ".hidden"):
        (tmp_path / name).write_text(json.dumps({"a": name}) + "\n")
    assert [each.value["a"] for each in of(tmp_path)] == ["a.jsonl", "b.jsonl"]


@pytest.mark.parametrize(("kind", "words"), [("missing", "cannot be read: No such"), ("empty", "is empty: expected")])
def test_what_cannot_be_read_is_refused(tmp_path, kind, words):
    path = tmp_path / kind
    if kind == "empty":
        path.write_bytes(b"")
    with pytest.raises(InputError, match=words):
        of(path)
