"""Files as records, one after the other, with their places."""

import gzip
import json

import pytest

from trail_callbacks.audit.files import Broken, Files, Record
from trail_callbacks.errors import InputError


def of(*paths):
    files = Files([str(path) for path in paths], known=lambda value: "a" in value, others=lambda path: iter(()))
    files.check()
    return list(files)


@pytest.mark.parametrize(
    ("name", "content", "places"),
    [
        ("x.jsonl", b'{"a": 1}\n\n{"a": 2}\n', ["line 1", "line 3"]),
        ("x.json", b'[{"a": 1},\n {"a": 2}]', ["item 1", "item 2"]),
        ("x.json", b'{\n "reports": [{"a": 1}, {"a": 2}]}', ["item 1", "item 2"]),
        ("x.csv", b"a,b\n1,2\n3,4\n", ["line 2", "line 3"]),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_records_have_places(tmp_path, name, content, places, packed):
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if packed else content)
    found = of(path)
    assert [each.place for each in found] == [f"{path}, {place}" for place in places]
    assert all(isinstance(each, Record) and "a" in each.value for each in found)


def test_what_is_no_record_is_told_and_the_rest_is_read(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\n{oops\n3\n{"a": 2}\n')
    found = of(path)
    assert [type(each) for each in found] == [Record, Broken, Broken, Record]
    assert (found[1].place, found[2].why) == (f"{path}, line 2", "is no JSON object")


def test_a_folder_stands_for_its_files(tmp_path):
    for name in ("b.jsonl", "a.jsonl", ".hidden"):
        (tmp_path / name).write_text(json.dumps({"a": name}) + "\n")
    assert [each.value["a"] for each in of(tmp_path)] == ["a.jsonl", "b.jsonl"]


@pytest.mark.parametrize("kind", ["missing", "empty", "folder"])
def test_what_cannot_be_read_is_refused(tmp_path, kind):
    path = tmp_path / kind
    if kind == "empty":
        path.write_bytes(b"")
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(InputError, match=kind):
        of(path)
