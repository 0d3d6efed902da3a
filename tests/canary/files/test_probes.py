"""Probes in files: what is written comes back, and hand-made tables are read as they are."""

import json

import pytest

from trail_callbacks.canary import Probe
from trail_callbacks.canary.files.probes import read_probes, write_probes
from trail_callbacks.errors import InputError


@pytest.fixture
def read(tmp_path):
    def run(content, name="probes.csv"):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        probes, skipped = read_probes(path)
        return probes, [(each.place.removeprefix(str(path)), each.why) for each in skipped]

    return run


def test_a_probe_comes_back(tmp_path):
    probe = Probe(
        id="p", question="Who?", real="Berg", fictive=None, kind="unanswerable", real_forms=("Berg", "A. Berg"),
        documents=("a.md",), real_quote="Berg built it.", subject="towers", edit="name-1", origin="model",
    )  # fmt: skip
    write_probes([probe], tmp_path / "p.jsonl")
    assert read_probes(tmp_path / "p.jsonl")[0] == (probe,)


def test_a_table_made_by_hand(read):
    table = (
        "Question,Real,Fictive,Real_Forms,Subject,Notes,Author\n"
        '"How long, in minutes?",40,53,forty | 40 min,boats,x,y\n'
        "When?,1932,1951,,,,\n"
    )
    probes, skipped = read(table)
    assert probes[0] == Probe(
        id="q1",
        question="How long, in minutes?",
        real="40",
        fictive="53",
        real_forms=("forty", "40 min"),
        subject="boats",
        origin="given",
    )
    assert (probes[1].id, probes[1].real_forms, probes[1].subject) == ("q2", (), None)
    assert skipped == [("", "columns that mean nothing here were left out: notes, author")]


def test_broken_lines_are_skipped_with_their_number(read):
    lines = [
        {"id": "a", "question": "When?", "real": "1932", "fictive": "1951"},
        "{",
        {"question": "When?", "real": "1932"},
        {"question": "When?", "real": "", "fictive": "1951"},
        {"question": "When?", "real": "1932", "fictive": "1951", "kind": "magic"},
        {"question": ["When?"], "real": "1932", "fictive": "1951"},
        {"id": "a", "question": "Who?", "real": "Berg", "fictive": "Dahl", "documents": "x|y"},
    ]
    content = "\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines)
    probes, skipped = read(content, "probes.jsonl")
    assert [each.id for each in probes] == ["a", "a#2"]
    assert probes[1].documents == ("x", "y")
    assert [place for place, _ in skipped] == [f", line {n}" for n in range(2, 7)]
    assert [why.partition(",")[0] for _, why in skipped[1:]] == [
        "has no fictive answer: give one",
        "its real: Field required",
        "its kind: Input should be 'number'",
        "its question: Input should be a valid string",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty: expected probes"),
        ("a,b\n1,2\n", "holds no probe: expected a column question"),
        ("just words", "neither JSON nor a table"),
        ("\0\0", "binary file, not text: expected probes"),
    ],
)
def test_a_file_without_probes(read, content, message):
    with pytest.raises(InputError, match=message):
        read(content)
