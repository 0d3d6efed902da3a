"""An audit as a caller sees it: what is read, judged, left out, kept and refused."""

import csv
import gzip
import json
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from rows import row, rows

from trail_callbacks import LLMJudge, VerifyOptions, check
from trail_callbacks.audit import Budget, LocalEngine, audit
from trail_callbacks.diagnosis import verified
from trail_callbacks.errors import InputError, JudgeError, MissingExtraError, StoreError
from trail_callbacks.models.call import Failure, Reply, Usage
from trail_callbacks.testing import ScriptedModel
from trail_callbacks.trace import Trace

sys.path.insert(0, str(Path(__file__).parents[1] / "trace"))


def test_a_row_an_answer_and_a_row_a_claim(lines, table, tmp_path):
    out = tmp_path / "out"
    summary = audit(lines("in.jsonl", rows(4)), out=out, by=["tenant"])
    answers, claims = table(out), table(out, "claims")
    assert [each["id"] for each in answers] == ["r0", "r1", "r2", "r3"]
    assert [each["score"] for each in answers] == [0.5, 0.0, 0.5, 0.0]
    assert [(each["n"], each["claim_id"]) for each in claims] == [(n, c) for n in (1, 2, 3, 4) for c in ("c1", "c2")]
    assert claims[0]["outcome"] == "contradicted"
    assert claims[0]["error_type"] == "number"
    assert claims[0]["evidence"][0] == {
        "quote": "Tower 0 was finished in 1874.", "relation": "contradicts", "source": "source-1",
    }  # fmt: skip
    stored = json.loads((out / "summary.json").read_text())
    assert stored == summary.as_data()
    assert (stored["answers"], stored["flawed"], stored["claims"], stored["unsupported"]) == (4, 2, 8, 2)
    assert stored["segments"]["tenant"]["a"]["share_unsupported"] == 0.5
    assert stored["segments"]["tenant"]["b"]["share_unsupported"] == 0.0
    assert [each["id"] for each in stored["worst"]] == ["r0", "r2"]
    assert stored["entry_steps"] == {"answer": 2}
    assert stored["error_types"] == {"number": 2}
    modes = {path.name: path.stat().st_mode & 0o777 for path in [out, *out.iterdir()]}
    assert modes.pop("out") == 0o700
    assert set(modes.values()) == {0o600}, "results are for their owner only"


def written_as(kind, path, objects):
    if kind == "csv":
        with path.open("w", newline="", encoding="utf-8-sig") as stream:
            writer = csv.DictWriter(stream, objects[0].keys(), delimiter=";")
            writer.writeheader()
            writer.writerows({**each, "sources": json.dumps(each["sources"])} for each in objects)
    elif kind == "gzip":
        path.write_bytes(gzip.compress(("\n\n" + "\r\n\r\n".join(map(json.dumps, objects))).encode()))
    elif kind == "array":
        path.write_text(json.dumps(objects, indent=2))
    else:
        pa = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
        from pyarrow import parquet

        parquet.write_table(pa.Table.from_pylist(objects), path)
    return path


@pytest.mark.skipif(find_spec("psycopg") is None, reason="psycopg is not installed")  # among the tools of others
def test_a_store_that_is_away_is_said_before_anything_is_judged(lines, tmp_path):
    with pytest.raises(StoreError, match="cannot be opened"):
        audit(lines("in.jsonl", rows(2)), out=tmp_path / "out", store="postgresql://nobody@127.0.0.1:1/x")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["csv", "gzip", "array", "parquet"])
def test_formats_give_the_same_answers(kind, lines, table, tmp_path):
    audit(lines("plain.jsonl", rows(3)), out=tmp_path / "plain")
    audit(written_as(kind, tmp_path / "other", rows(3)), out=tmp_path / "out")
    found, expected = table(tmp_path / "out"), table(tmp_path / "plain")
    assert [{**each, "place": ""} for each in found] == [{**each, "place": ""} for each in expected]


def test_other_names_of_columns_and_objects_as_sources(lines, table, tmp_path):
    given = [
        {
            "q": "When?",
            "text": row(0)["answer"],
            "retrieved_contexts": [{"page_content": row(0)["sources"][0], "source": "a.md"}],
        },
        {"q": None, "text": "", "retrieved_contexts": None},
    ]
    audit(lines("in.jsonl", given), out=tmp_path / "out", columns={"question": "q", "answer": "text"})
    first, second = table(tmp_path / "out")
    assert (first["question"], first["score"], second["state"]) == ("When?", 0.5, "no_checkable_claims")
    assert table(tmp_path / "out", "claims")[0]["evidence"][0]["source"] == "a.md"


def recorded(run, found, kept, answer, **metadata):
    """A run that retrieved some texts and packed some of them into its prompt."""
    from runs import TEXTS, Log, documents

    log = Log(metadata=metadata)
    log.retrieved(documents(TEXTS[:found]))
    log.packed(documents(TEXTS[:kept]), "\n".join(TEXTS[:kept]))
    return replace(log.done(answer).trace(), id=run)


def test_a_diagnosis_of_each_trace_is_counted(lines, table, tmp_path):
    trace = recorded("a", 3, 2, "The bridge opened in 1971.")
    path = lines("in.jsonl", [trace.to_json(), row(1)])
    summary = audit(path, out=tmp_path / "out", options=VerifyOptions(diagnose=True))
    first, second = table(tmp_path / "out")
    found = verified(Trace.from_json(trace.to_json())).diagnosis
    assert first["signature"] == found.signature
    assert first["figures"]["answer_coverage"]["value"] == found.coverage.answer.value
    assert (second["signature"], set(second["figures"])) == (
        None,
        {"answer_coverage", "contradicted", "citation_presence", "citation_recall"},
    )
    assert summary.as_data()["signatures"] == {found.signature: 1}
    assert audit(path, out=tmp_path / "without").as_data()["signatures"] == {}


def test_traces_and_reports_beside_rows(lines, table, tmp_path):
    def trace(run, tenant):
        return recorded(run, 2, 2, "The bridge opened in 1971.", tenant=tenant, release="7")

    report = check("It is 32 metres high.", ["It is 31 metres high."], "How high?")
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.jsonl").write_text("".join(trace(*each).to_json() + "\n" for each in (("run-a", "x"), ("run-b", "y"))))
    (folder / "b.json").write_text(json.dumps(json.loads(report.to_json()), indent=2))
    (folder / "c.jsonl").write_text(json.dumps(row(1)))
    (folder / ".hidden").write_text("{}")
    summary = audit(folder, out=folder / "out", by=["tenant", "app"])
    answers = table(folder / "out")
    assert [each["id"] for each in answers] == ["run-a", "run-b", None, "r1"]
    assert [each["score"] for each in answers] == [1.0, 1.0, 1.0, 0.0]
    assert [each["first"] for each in answers] == [1, 1, 3, 4]  # the same run twice, for two tenants
    tenants = {value: tally.answers for value, tally in summary.segments["tenant"].items()}
    assert tenants == {"x": 1, "y": 1, "(none)": 1, "b": 1}
    assert summary.segments["app"]["7"].answers == 2
    again = audit(folder, out=folder / "out", by=["tenant"])  # its own output is no input
    assert again.total.answers == 4


def test_verdicts_of_saved_reports_are_kept_unless_a_judge_is_given(lines, table, tmp_path, by_colour):
    report = check("The wall is blue.", ["The wall is white."], judge=by_colour)
    path = tmp_path / "report.json"
    path.write_text(report.to_json())
    audit(path, out=tmp_path / "kept")
    audit(path, "local", out=tmp_path / "anew")
    (kept,), (anew,) = table(tmp_path / "kept"), table(tmp_path / "anew")
    assert (kept["judge"], kept["outcomes"]) == ("colours/1", {"undecided": 1})
    assert anew["judge"].startswith("local/")


def test_broken_rows_are_named_and_skipped(lines, table, tmp_path):
    given = [
        row(0),
        '{"id": "half',
        {"answer": "No sources."},
        {"answer": 3, "sources": []},
        {"answer": "x", "sources": [{"n": 1}]},
        "[1]",
        {"format": "trail-trace", "version": 1, "id": "t", "events": [{"event": "nonsense"}]},
        {"format": "trail-trace", "version": 9, "id": "t", "events": []},
        row(1),
    ]
    path = lines("in.jsonl", given)
    path.write_bytes(path.read_bytes() + b'{"answer": "\xff"}\n{"id": "r9", "ans')
    summary = audit(path, out=tmp_path / "out")
    broken = table(tmp_path / "out", "broken")
    assert [each["place"].rpartition(", ")[2] for each in broken] == [
        f"line {n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 11)
    ]
    assert "no sources or contexts" in broken[1]["why"]
    assert "answer is int" in broken[2]["why"]
    assert "version 9" in broken[6]["why"]
    assert summary.broken == 9
    assert [each["id"] for each in table(tmp_path / "out")] == ["r0", "r1"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Dear all\n", "neither JSON nor a table"),
        (b'{"spans": []}\n{"spans": []}\n', "no format that is known (it begins with spans)"),
        (b'{"a": [1,\n 2', "broken or truncated"),
        (gzip.compress(json.dumps(row(0)).encode() * 2000)[:-9], "damaged or not yet complete"),
        (b"id,answer,sources\n1,\xff\xfe,x\n", "line 2: is not UTF-8"),
        (b"id,answer,sources\n1,2\n", "has 2 cells, expected 3"),
    ],
)
def test_what_cannot_be_read_is_said(content, message, table, tmp_path):
    path = tmp_path / "in"
    path.write_bytes(content)
    good = tmp_path / "good.jsonl"
    good.write_text(json.dumps(row(1)))
    try:
        summary = audit([path, good], out=tmp_path / "out")
        (place, why) = summary.broken_places[0]
        found = f"{place}: {why}"
        assert [each["id"] for each in table(tmp_path / "out")] == ["r1"]
    except InputError as error:
        found = str(error)
    assert str(path) in found
    assert message in found


def test_a_line_longer_than_any_row_is_skipped(monkeypatch, lines, table, tmp_path):
    monkeypatch.setattr("trail_callbacks.reading.objects.LARGEST", 2_000)
    summary = audit(lines("in.jsonl", [row(1), row(2, answer="x" * 9_000), row(3)]), out=tmp_path / "out")
    assert [each["id"] for each in table(tmp_path / "out")] == ["r1", "r3"]
    assert "line 2" in summary.broken_places[0][0]


def test_what_does_not_exist_or_may_not_be_read(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        audit(tmp_path / "none", out=tmp_path / "out")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="holds no file"):
        audit(tmp_path / "folder", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "settings", [{"sample": 0.0}, {"sample": 1.5}, {"sample": float("nan")}, {"columns": {"x": "y"}}]
)
def test_settings_out_of_range(settings, lines, tmp_path):
    with pytest.raises(InputError, match="expected"):
        audit(lines("in.jsonl", rows(1)), out=tmp_path / "out", **settings)


def test_where_and_sample(lines, table, tmp_path):
    path = lines("in.jsonl", rows(200))
    summary = audit(path, out=tmp_path / "a", where={"tenant": "b"}, sample=0.2)
    kept = [each["id"] for each in table(tmp_path / "a")]
    assert 8 <= len(kept) <= 35  # of 100, a fifth: more than four standard deviations around
    assert summary.left_out == 200 - len(kept)
    audit(lines("turned.jsonl", rows(200)[::-1]), out=tmp_path / "b", where={"tenant": "b"}, sample=0.2)
    assert [each["id"] for each in table(tmp_path / "b")] == kept[::-1]


def test_a_folder_of_another_audit_is_refused(lines, tmp_path):
    path = lines("in.jsonl", rows(2))
    audit(path, out=tmp_path / "out")
    with pytest.raises(InputError, match=r"another audit \(other: sample\)"):
        audit(path, out=tmp_path / "out", sample=0.5)
    with pytest.raises(InputError, match="other: judge"):
        audit(path, ScriptedModel([], name="m"), out=tmp_path / "out")
    with pytest.raises(InputError, match="holds other files"):
        audit(path, out=tmp_path)
    mark = tmp_path / "out" / "audit.json"
    mark.write_text(mark.read_text().replace("trail-audit-2", "trail-audit"))
    with pytest.raises(
        InputError, match=r"by another release \(trail-audit, here trail-audit-2\): name another folder"
    ):
        audit(path, out=tmp_path / "out")
    mark.write_text("{")
    with pytest.raises(InputError, match="damaged"):
        audit(path, out=tmp_path / "out")


def honest(call):
    """Finds the two claims of the answer, and that both are absent from the sources."""
    if call.purpose == "claims":
        text = next(line for line in call.messages[-1].content.splitlines() if line.startswith("Tower"))
        quotes = [text.partition(". ")[0] + ".", "It is 31 metres high."]
        claims = [{"quote": quote, "claim": quote, "checkable": True} for quote in quotes]
        return {"claims": claims, "abstained": False}
    verdict = {"comparison": "Silent.", "support": "absent", "error_type": "other"}
    return {"verdicts": [{"claim": id_, **verdict} for id_ in ("c1", "c2")]}


def scripted(script=honest):
    return ScriptedModel(script, name="m", usage=Usage(calls=1, prompt_tokens=100, completion_tokens=10))


def in_two(model):
    """A judge that finds claims first, so that an answer has two calls."""
    return LLMJudge(model, claims_per_call=8)


def test_equal_answers_are_judged_once_and_a_second_run_pays_nothing(lines, table, tmp_path):
    path = lines("in.jsonl", [row(0), row(1), row(0, id="again", tenant="z"), row(0)])
    model = scripted()
    first = audit(path, in_two(model), out=tmp_path / "out")
    assert len(model.calls) == 4  # two answers, two calls each
    assert [each["first"] for each in table(tmp_path / "out")] == [1, 2, 1, 1]
    assert (first.duplicates, first.usage.calls, first.usage.prompt_tokens) == (2, 4, 400)
    files = {each: Path(each).read_bytes() for each in first.files}
    second = audit(path, in_two(model), out=tmp_path / "out")
    assert len(model.calls) == 4
    assert second.usage == first.usage
    assert {each: Path(each).read_bytes() for each in second.files} == files
    lines("in.jsonl", [row(7), *rows(2)])
    audit(path, in_two(model), out=tmp_path / "out")
    assert len(model.calls) == 6  # only the row that is new is paid for
    assert [each["id"] for each in table(tmp_path / "out")] == ["r7", "r0", "r1"]


def test_ids_that_stand_for_different_answers_are_named_and_half_a_character_ends_nothing(lines, table, tmp_path):
    given = [row(0), row(1, id="r0"), row(2), row(2), row(3, id="lone \ud800")]
    summary = audit(lines("in.jsonl", given), out=tmp_path / "out")
    assert summary.repeated_ids == ["r0"]
    assert [each["id"] for each in table(tmp_path / "out")] == ["r0", "r0", "r2", "r2", "lone \ufffd"]


@pytest.mark.parametrize(
    "budget",
    [
        Budget(calls=6),
        Budget(tokens=600),
        Budget(money=0.0006, price_in=1.0, price_out=0.5),
    ],
    ids=["calls", "tokens", "money"],
)
def test_a_budget_ends_the_audit_and_a_larger_one_goes_on(budget, lines, table, tmp_path):
    model, path = scripted(), lines("in.jsonl", rows(10))
    engine = LocalEngine(concurrency=1)
    summary = audit(path, in_two(model), out=tmp_path / "out", budget=budget, engine=engine)
    assert len(model.calls) == 6
    assert "is used up" in summary.stopped
    assert summary.missing + summary.unfinished == 7
    if budget.money:
        assert summary.money == pytest.approx(6 * (100 * 1.0 + 10 * 0.5) / 1e6)
    again = audit(path, in_two(model), out=tmp_path / "out", budget=budget, engine=engine)
    assert (len(model.calls), again.usage.calls) == (6, 6)  # of all runs together
    whole = audit(path, in_two(model), out=tmp_path / "out", engine=engine)
    assert (len(model.calls), whole.missing, whole.stopped) == (20, 0, None)
    assert {each["state"] for each in table(tmp_path / "out")} == {"assessed"}


def test_what_failed_is_asked_again_and_the_rest_is_not(lines, table, tmp_path):
    path = lines("in.jsonl", rows(3))

    def refusing(call):
        bad = "Tower 1" in call.messages[-1].content and call.purpose == "verdicts"
        return Reply(failure=Failure("unauthorised", "no such key"), usage=Usage(calls=1)) if bad else honest(call)

    first = audit(path, in_two(scripted(refusing)), out=tmp_path / "out")
    assert first.unfinished == 1
    model = scripted()
    second = audit(path, in_two(model), out=tmp_path / "out")
    assert [call.purpose for call in model.calls] == ["verdicts"]  # its claims were paid for
    assert (second.unfinished, second.total.states) == (0, {"assessed": 3})


def test_a_judge_that_always_fails_is_not_asked_for_ever(lines, tmp_path):
    model = scripted(lambda call: Reply(failure=Failure("unauthorised", "no such key"), usage=Usage(calls=1)))
    with pytest.raises(JudgeError, match=r"20 times in a row.*no such key"):
        audit(lines("in.jsonl", rows(100)), in_two(model), out=tmp_path / "out", engine=LocalEngine(concurrency=2))
    assert len(model.calls) < 50


def test_a_judge_that_raises_leaves_its_row_for_later(lines, table, tmp_path, by_colour):
    def extract(answer, question):
        if "Tower 1 " in answer:
            raise LookupError("no such tower")
        return (yield from type(by_colour).extract(by_colour, answer, question))

    by_colour.extract = extract
    summary = audit(lines("in.jsonl", rows(3)), by_colour, out=tmp_path / "out")
    assert summary.broken_places[0][1] == "LookupError: no such tower"
    del by_colour.extract
    assert audit(tmp_path / "in.jsonl", by_colour, out=tmp_path / "out").broken == 0


def test_an_interrupt_ends_the_calls_and_what_is_done_is_kept(lines, table, tmp_path):
    path, model = lines("in.jsonl", rows(40)), scripted()

    def interrupt(reached):
        if reached.judged == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(path, in_two(model), out=tmp_path / "out", engine=LocalEngine(concurrency=2), on_progress=interrupt)
    assert len(model.calls) <= 2 * 9
    assert not (tmp_path / "out" / "answers.jsonl").exists()
    assert audit(path, in_two(model), out=tmp_path / "out").total.answers == 40
    assert 80 <= len(model.calls) <= 80 + 2  # only what was under way at that moment may be paid twice


def test_progress_says_how_far_it_is(lines, tmp_path):
    seen = []
    audit(
        lines("in.jsonl", [*rows(5), row(0)]), in_two(scripted()), out=tmp_path / "out", engine=LocalEngine(concurrency=1),
        budget=Budget(price_in=1.0, price_out=1.0),
        on_progress=lambda reached: seen.append((reached.judged, reached.usage.calls, reached.share, reached.money)),
    )  # fmt: skip
    assert [each[:2] for each in seen] == [(n, 2 * n) for n in range(1, 6)]
    assert seen[-1][2] == 1.0
    assert seen[-1][3] == pytest.approx(1_100e-6)


def test_parquet_holds_what_json_lines_hold(lines, table, tmp_path):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    from pyarrow import parquet

    out = tmp_path / "out"
    audit(lines("in.jsonl", [row(0, question="lone \ud800"), row(1)]), out=out)
    for name in ("answers", "claims"):
        stored = parquet.read_table(out / f"{name}.parquet").to_pylist()
        for each, expected in zip(stored, table(out, name), strict=True):
            held = {key for key, x in expected.items() if isinstance(x, dict | list)}
            assert {key: json.loads(x) if key in held else x for key, x in each.items()} == expected


def test_a_cell_that_has_no_value_in_python_is_a_broken_row(table, tmp_path):
    pa = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    from pyarrow import parquet

    text = [pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"\xffx")]
    cells = {
        "no UTF-8": pa.Array.from_buffers(pa.string(), 2, [None, *text]),
        "far date": pa.array([2**30, 1], pa.date32()),
        "far time": pa.array([2**50, 1], pa.timestamp("s")),
        "long": pa.array([2**62, 1], pa.duration("s")),
        "zone": pa.array([1, None], pa.timestamp("us", tz="Mars/Olympus")),
        "nanoseconds": pa.array([1, 2**60 + 1], pa.timestamp("ns")),
        "time": pa.array([1, 2], pa.time64("ns")),
        "bytes": pa.array([b"\xff", b"x"]),
    }
    columns = {name: [row(n)[name] for n in range(2)] for name in ("id", "answer")}
    for name, cell in cells.items():
        sources = pa.StructArray.from_arrays([pa.array([row(n)["sources"][0] for n in range(2)]), cell], ["text", "of"])
        held = sources if name == "bytes" else [row(n)["sources"] for n in range(2)]
        parquet.write_table(pa.table({**columns, "sources": held, "note": cell}), tmp_path / name)
    summary = audit([tmp_path / name for name in cells], out=tmp_path / "out")
    bad = list(cells)[:5]
    assert [place for place, _ in summary.broken_places] == [f"{tmp_path / name}, row 1" for name in bad]
    assert all("its note has no value in Python" in why for _, why in summary.broken_places)
    assert len(table(tmp_path / "out")) == 2 * len(cells) - len(bad)


def test_a_record_on_which_anything_fails_is_a_broken_one(lines, table, tmp_path):
    deep = {"format": "trail-trace", "events": json.loads("[" * 600 + "]" * 600)}
    ((place, why),) = audit(lines("in.jsonl", [row(0), deep, row(1)]), out=tmp_path / "out").broken_places
    assert (place, why[:30]) == (f"{tmp_path / 'in.jsonl'}, line 2", "cannot be read: RecursionError")
    assert [each["id"] for each in table(tmp_path / "out")] == ["r0", "r1"]


def test_parquet_without_what_reads_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "in.parquet"
    path.write_bytes(b"PAR1" + b"\x00" * 30)
    with pytest.raises(MissingExtraError, match=r"trail-callbacks\[audit\]"):
        audit(path, out=tmp_path / "out")


FULL = """
import resource, signal, sys
from trail_callbacks import VerifyOptions, check
check("It is 31 metres high.", ["It is 31 metres high."])  # what it loads is not to be the first to fail
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
from trail_callbacks.cli import main
sys.exit(main(["audit", sys.argv[1], "--out", sys.argv[2], "--workers", "1"]))
"""


@pytest.mark.parametrize("room", [30_000, 90_000], ids=["journal", "results"])
def test_a_disk_that_is_full_loses_nothing(room, lines, table, tmp_path):
    path = lines("in.jsonl", rows(100))
    command = [sys.executable, "-c", FULL, str(path), str(tmp_path / "out"), str(room)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 2, ended.stderr
    assert "is kept, and the same command" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert audit(path, out=tmp_path / "out").total.answers == 100
    assert not [each for each in (tmp_path / "out").iterdir() if each.name.startswith(".")]
