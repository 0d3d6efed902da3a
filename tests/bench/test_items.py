"""Labelled answers as users have them: every form gives the same labels, and what cannot be used is named."""

import gzip
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from trail_callbacks import check
from trail_callbacks.bench import read_items, read_marks
from trail_callbacks.errors import MissingExtraError

SOURCE = "The ferry takes 40 minutes. A ticket costs 12 euros. Dogs travel free."
ANSWER = "The ferry takes 40 minutes. A ticket costs 15 euros. Dogs go free."
ROW = {"id": "a", "question": "How is the ferry?", "sources": [SOURCE], "answer": ANSWER}


def read(path):
    errors = []
    return list(read_items(path, errors.append)), [str(error) for error in errors]


def told(item):
    """What is labelled, and whether it is wrong."""
    pairs = zip(item.spans, item.labelled.labels, strict=True)
    return [(item.answer[start:end], label.wrong) for (start, end), label in pairs]


@pytest.fixture
def lines(tmp_path):
    def make(*rows, name="rows.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return path

    return make


def test_quotes_label_the_sentences_that_they_are_in(lines):
    wrong = {"quote": "15 euros", "support": "contradicted", "error_type": "number"}
    (item,), errors = read(lines({**ROW, "wrong": [wrong], "language": "en", "tags": ["fares"]}))
    assert told(item) == [
        ("The ferry takes 40 minutes.", False),
        ("A ticket costs 15 euros.", True),
        ("Dogs go free.", False),
    ]
    assert (item.labelled.labels[1].support, item.labelled.labels[1].error_type) == ("contradicted", "number")
    assert (item.labelled.id, item.labelled.language, item.labelled.tags, errors) == ("a", "en", ("fares",), [])


def test_where_only_parts_were_looked_at_the_rest_has_no_label(lines):
    (item,), _ = read(lines({**ROW, "wrong": ["15 euros"], "right": ["Dogs go free."]}))
    assert told(item) == [("A ticket costs 15 euros.", True), ("Dogs go free.", False)]


def test_sentences_with_their_labels_are_read_from_a_packed_table(tmp_path):
    cell = json.dumps([{"text": "A ticket costs 15 euros.", "ok": False}, {"text": "Dogs go free.", "ok": True}])
    path = tmp_path / "rows.csv.gz"
    quoted = cell.replace('"', '""')
    path.write_bytes(gzip.compress(f'response,contexts,sentences\n"{ANSWER}","{SOURCE}","{quoted}"\n'.encode()))
    (item,), errors = read(path)
    assert told(item) == [("A ticket costs 15 euros.", True), ("Dogs go free.", False)]
    assert errors == []


def test_lists_tables_and_fields_are_units(lines):
    table = "- Dogs go free.\n- Cats pay.\n\n| place | price |\n|---|---|\n| deck | 12 |\n| cabin | 40 |\n"
    fields = '{"price": "15 euros", "minutes": 40}'
    rows, _ = read(lines({**ROW, "answer": table, "wrong": []}, {**ROW, "id": "b", "answer": fields, "wrong": ["15"]}))
    assert [text for text, _ in told(rows[0])] == ["Dogs go free.", "Cats pay.", "| deck | 12 |", "| cabin | 40 |"]
    assert told(rows[1]) == [("15 euros", True), ("40", False)]


def test_steps_become_a_graph_and_the_entry_is_kept(lines):
    nodes = [
        {"id": "d", "kind": "document", "step": "retrieve", "text": SOURCE, "inputs": []},
        {"id": "n", "kind": "completion", "step": "note", "text": "15 euros, 40 minutes", "inputs": ["d"]},
        {"id": "z", "kind": "answer", "step": "answer", "text": ANSWER, "inputs": ["n"]},
    ]
    wrong = [{"quote": "15 euros", "entry": "n"}]
    row = {"id": "a", "question": "How?", "nodes": nodes, "answer_id": "z", "wrong": wrong}
    (item,), errors = read(lines(row))
    assert item.labelled.labels[1].entry == "n"
    assert {node.id for node in item.graph.leaves(item.graph.answer.id)} == {"d", "question"}
    assert errors == []


def test_what_cannot_be_used_is_named_with_its_line_and_the_rest_goes_on(lines):
    path = lines(
        {**ROW, "id": "gone", "wrong": ["no such words"]},
        {**ROW, "id": "part", "sentences": [{"text": "No such words.", "ok": True}, {"text": ANSWER, "ok": False}]},
        {**ROW, "id": "twice", "answer": "It is free. Yes, it is free.", "wrong": ["is free"]},
        {**ROW, "id": "part", "wrong": []},
        {**ROW, "id": "empty", "answer": " ", "wrong": []},
        {**ROW, "id": "unlabelled"},
        {**ROW, "id": "odd", "wrong": [{"quote": "15 euros", "support": "nonsense"}]},
        {**ROW, "id": "entry", "wrong": [{"quote": "15 euros", "entry": "nowhere"}]},
        {**ROW, "id": "good", "wrong": []},
    )
    items, errors = read(path)
    assert [item.labelled.id for item in items] == ["part", "good"]
    for line, words in enumerate(
        (
            "which is not in the answer; the answer is left out",
            "'No such words.'",
            "twice: quote more of it",
            "has the id 'part', as",
            "empty answer",
            "has no labels",
            "'nonsense', expected one of",
            "'nowhere', which is no node",
        ),
        1,
    ):
        assert f"rows.jsonl, line {line} " in errors[line - 1]
        assert words in errors[line - 1]


def test_values_of_other_kinds_are_named_or_taken_as_texts(lines):
    nodes = [{"id": 1, "kind": "document", "text": SOURCE}, {"id": 2, "kind": "answer", "text": ANSWER, "inputs": [1]}]
    path = lines(
        {**ROW, "nodes": nodes, "answer_id": 2, "wrong": [{"quote": "15 euros", "entry": 1}], "tags": 7},
        {**ROW, "id": "\ud800", "answer": "Half of a pair is \ud800.", "wrong": ["is \ud800"]},
        {**ROW, "id": "b", "nodes": [], "answer_id": "z", "wrong": []},
        {"run": ["no", "text"], "claim_id": "c", "right": True, "label": ["x"], "span": [0, 1], "graph": {}},
    )
    (one, other), errors = read(path)
    assert (one.labelled.labels[1].entry, one.labelled.tags) == ("1", ("7",))
    assert (other.labelled.id, other.answer) == ("?", "Half of a pair is ?.")
    assert len(errors) == 2


def test_marks_of_a_store_and_its_export_are_labels(tmp_path):
    pytest.importorskip("sqlalchemy")
    from trail_callbacks.bench.marks import marked
    from trail_callbacks.store import Store

    store = Store(str(tmp_path / "trail.db"))
    report = replace(check(ANSWER, [SOURCE], "How is the ferry?"), run_id="r1")
    store.put([(report, None)])
    claims = {claim.quote: claim.id for claim in report.claims}
    store.mark("r1", claims["The ferry takes 40 minutes."], "right", author="ann")
    store.mark("r1", claims["A ticket costs 15 euros."], "right", author="ann")
    store.mark("r1", claims["Dogs go free."], "right", author="ann")  # which was undecided: that tells nothing
    rows = list(marked(store, graphs=True))
    store.close(5)
    export = tmp_path / "feedback.jsonl"
    export.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    marks = read_marks(export.read_text("utf-8").splitlines(), pytest.fail)
    assert [(each.right, each.label) for each in marks] == [(True, "supported"), (True, "contradicted"), (True, None)]
    for where in (export, tmp_path / "trail.db"):
        (item,), errors = read(where)
        assert told(item) == [("The ferry takes 40 minutes.", False), ("A ticket costs 15 euros.", True)]
        assert item.graph == report.graph
        assert errors == []


def test_a_store_says_which_extra_it_needs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    for name in ("trail_callbacks.store", "trail_callbacks.bench.marks"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "trail.db").write_bytes(b"SQLite format 3\0")
    with pytest.raises(MissingExtraError, match=r"trail-callbacks\[store\]"):
        read(tmp_path / "trail.db")


def test_the_page_of_the_bench_shows_labels_that_can_be_read_and_code_that_runs(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "bench.md").read_text("utf-8")
    rows, code = (
        re.search(rf"^```{kind}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[1] for kind in ("json", "python")
    )
    (tmp_path / "rows.jsonl").write_text(rows, "utf-8")
    items, errors = read(tmp_path / "rows.jsonl")
    assert [sum(wrong for _, wrong in told(item)) for item in items] == [1] * 5
    assert errors == []
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/bench.md", "exec"), {})  # noqa: S102 - a page of our own
    assert Path("bench.json").is_file()
