"""Traces as JSON and JSON lines: equal when read back, described by a schema, and clear about what cannot be read."""

import json
import random
import stat
from dataclasses import fields
from importlib.resources import files
from pathlib import Path

import pytest
from planted_runs import planted_run
from runs import Log, documents

from trail_callbacks.capture.conversation import Earlier
from trail_callbacks.capture.events import Piece
from trail_callbacks.errors import InputError
from trail_callbacks.trace import Context, Trace, Versions, read, save

ROOT = Path(__file__).parents[2]


def full():
    """A trace in which every field says something."""
    first = Log()
    first.asked("Question: when?")
    log = Log(
        tags=("beta", "eu"),
        metadata={
            "request_id": "q1", "thread_id": "t", "user_id": "ü", "tenant_id": "acme", "query_class": "date",
            "page": 2.5, "app_version": "1", "prompt_version": "p", "model_version": "m",
            "reranker_version": "k", "chunker_version": "c",
        },
    )  # fmt: skip
    log.retrieved(documents(scores=[0.5, "nan"], index_version="i", retriever_version="r"))
    run = log.start("model", Piece(text="When? \u4f60\u597d \U0001f600"), name="answerer")
    log.fail(run)
    log.packed(documents(), "\n".join(piece.text for piece in documents()))
    earlier = Earlier.before(first.done().trace().graph, turns=4)
    return log.done().trace(earlier=earlier)


def test_a_trace_reads_back_equal():
    trace = full()
    assert Context() != trace.context
    assert all(getattr(trace.versions, each.name) for each in fields(Versions))
    assert all(getattr(trace.context, each.name) for each in fields(Context))
    again = Trace.from_json(trace.to_json())
    assert again == trace
    assert again.graph == trace.graph
    assert (again.retrievals, again.rerankings) == (trace.retrievals, trace.rerankings)
    assert (again.packings, again.calls) == (trace.packings, trace.calls)
    assert Trace.from_json(trace.to_json().encode()) == trace
    assert "\n" not in trace.to_json()


def test_a_saved_trace_is_what_the_schema_describes():
    jsonschema = pytest.importorskip("jsonschema")
    described = Trace.schema()
    jsonschema.Draft202012Validator.check_schema(described)
    jsonschema.validate(json.loads(full().to_json()), described)
    jsonschema.validate(json.loads(Trace(id="x", events=()).to_json()), described)
    for broken in ({"version": 2}, {"format": "other"}, {"events": [{"event": "began"}]}, {"id": 7}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**json.loads(full().to_json()), **broken}, described)


@pytest.mark.parametrize(
    "published",
    [ROOT / "docs/schemas/trace.schema.json", files("trail_callbacks.trace") / "trace.schema.json"],
    ids=["docs", "package"],
)
def test_the_published_schema_is_the_one_that_the_code_has(published):
    """It is the output of `json.dumps(Trace.schema(), indent=2)`."""
    assert json.loads(published.read_text(encoding="utf-8")) == json.loads(json.dumps(Trace.schema()))


@pytest.mark.parametrize("cut", [1, 50, 400])
def test_a_truncated_trace_is_refused(cut):
    with pytest.raises(InputError, match="the JSON is broken or truncated"):
        Trace.from_json(full().to_json()[:-cut])


@pytest.mark.parametrize("data", ["[]", "3", "{}", '{"format": "other", "version": 1}', '"trail-trace"'])
def test_other_json_is_refused(data):
    with pytest.raises(InputError, match='the key "format" is not "trail-trace"'):
        Trace.from_json(data)


@pytest.mark.parametrize("version", [2, "1.0", None])
def test_another_version_is_refused(version):
    data = json.dumps({**json.loads(full().to_json()), "version": version})
    with pytest.raises(InputError, match=f"has version {version!r}, this release reads version 1"):
        Trace.from_json(data)


def test_a_field_that_is_wrong_is_named():
    stored = json.loads(full().to_json())
    stored["events"][0]["inputs"][0]["text"] = None
    with pytest.raises(InputError, match=r"not a trace: .* \(at events\.0.*inputs\.0\.text\)"):
        Trace.from_json(json.dumps(stored))


def test_fields_of_later_releases_are_passed_over():
    stored = json.loads(full().to_json())
    stored["later"] = 1
    stored["context"]["later"] = 1
    assert Trace.from_json(json.dumps(stored)) == full()


def test_what_no_json_can_hold_is_refused_and_what_no_file_can_is_replaced():
    with pytest.raises(InputError, match="trace cannot be written as JSON"):
        Trace(id="x", events=(), context=Context(metadata={"object": object()})).to_json()
    written = Trace(id="x", events=(), context=Context(user="a\ud800")).to_json()
    assert Trace.from_json(written).context.user == "a\ufffd"


def test_several_are_json_lines_for_their_owner_alone(tmp_path):
    path = tmp_path / "traces.jsonl"
    traces = [full(), Trace(id="two", events=())]
    save(path, iter(traces))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_text().splitlines()) == 2
    assert list(read(path)) == traces
    save(path, traces[1])
    assert list(read(str(path))) == [traces[1]]


def test_nothing_is_replaced_if_one_of_them_cannot_be_written(tmp_path):
    path = tmp_path / "traces.jsonl"
    save(path, Trace(id="before", events=()))
    with pytest.raises(InputError):
        save(path, [Trace(id="x", events=()), Trace(id="y", events=(), context=Context(metadata={"o": object()}))])
    assert [each.id for each in read(path)] == ["before"]


def test_a_line_that_is_broken_is_named_and_the_others_are_kept(tmp_path):
    path = tmp_path / "traces.jsonl"
    line = Trace(id="x", events=()).to_json()
    newer = json.dumps({**json.loads(line), "version": 9})
    path.write_text(f"{line}\n\n{line[:40]}\n{newer}\n{line}\n{line[:-9]}")
    errors = []
    assert len(list(read(path, errors.append))) == 2
    assert [str(error).partition(": ")[0] for error in errors] == [f"{path}, line {n}" for n in (3, 4, 6)]
    with pytest.raises(InputError, match=r"traces\.jsonl, line 3: not a trace"):
        list(read(path))


def test_a_broken_first_line_does_not_cost_the_others(tmp_path):
    path = tmp_path / "traces.jsonl"
    path.write_text("{\n" + Trace(id="x", events=()).to_json() + "\n")
    errors = []
    assert [each.id for each in read(path, errors.append)] == ["x"]
    assert [str(error).partition(": ")[0] for error in errors] == [f"{path}, line 1"]


def test_one_with_line_breaks_and_a_byte_order_mark_is_read(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(json.loads(full().to_json()), indent=2), encoding="utf-8-sig")
    assert list(read(path)) == [full()]


def test_a_file_that_is_missing_or_empty_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.json cannot be read: No such file"):
        list(read(tmp_path / "none.json"))
    (tmp_path / "empty.json").write_text("\n\n")
    with pytest.raises(InputError, match=r"empty\.json is empty: expected a trace"):
        list(read(tmp_path / "empty.json"))


@pytest.mark.parametrize("seed", range(8))
def test_runs_of_any_shape_give_the_same_graph_when_saved(seed):
    trace = Trace(id=str(seed), events=tuple(planted_run(seed).events))
    again = Trace.from_json(trace.to_json())
    assert len(again.graph.nodes) > 3
    assert again.graph == trace.graph
    assert again.packings == trace.packings


HOSTILE = (
    lambda chance, events, event: chance.shuffle(events),
    lambda chance, events, event: events.append(dict(event)),
    lambda chance, events, event: event.update(run_id=chance.choice(events)["run_id"]),
    lambda chance, events, event: event.update(parent_id=chance.choice([event["run_id"], None, "nobody"])),
    lambda chance, events, event: event.update(seq=chance.choice([-1, 0, 10**9])),
    lambda chance, events, event: event.update(at=chance.choice([None, -5, 1e300])),
    lambda chance, events, event: [
        piece.update(text=chance.choice(["", " ", "\x00", "a" * 9_999]), form="document", id="same")
        for side in ("inputs", "outputs")
        for piece in event.get(side) or ()
    ],
    lambda chance, events, event: [
        piece.update(
            attributes=chance.choice([{"filter": {"reasons": [1]}}, {"source": {"a": 1}}, {"id": [1], "score": []}])
        )
        for side in ("inputs", "outputs")
        for piece in event.get(side) or ()
    ],
)


@pytest.mark.parametrize("seed", range(60))
def test_a_trace_that_somebody_tampered_with_is_read_or_refused(seed):
    chance = random.Random(seed)  # noqa: S311 - made-up damage, no secret
    stored = json.loads((full() if seed % 2 else Trace(id="x", events=tuple(planted_run(seed).events))).to_json())
    for _ in range(4):
        chance.choice(HOSTILE)(chance, stored["events"], chance.choice(stored["events"]))
    try:
        trace = Trace.from_json(json.dumps(stored))
        read = trace.retrievals, trace.rerankings, trace.packings, trace.calls
    except InputError:
        return
    assert all(0.0 <= piece.arrived <= 1.0 for packing in read[2] for piece in packing.pieces)
    assert Trace.from_json(trace.to_json()) == trace
