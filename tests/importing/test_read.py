"""What a file may look like: layouts, compression, order, faults. The runs in it are the same everywhere."""

from __future__ import annotations

import json
import random
import tracemalloc
from dataclasses import replace

import pytest
import spans_by_hand as made

from trail_callbacks.errors import InputError
from trail_callbacks.importing import read
from trail_callbacks.verify.pipeline import verify

RUN = made.run()
OTHER = "1af7651916cd43dd8448eb211c80319d"


@pytest.fixture
def file(tmp_path):
    def write(content, name="traces.jsonl"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def is_whole(trace):
    """The run as it is in every layout."""
    assert (trace.id, trace.question, trace.answer) == (made.TRACE, made.QUESTION, made.ANSWER)
    (retrieval,) = trace.retrievals
    assert [(each.text, each.id, each.score) for each in retrieval.candidates] == [(made.TEXT, "d-1", 0.5)]
    assert [node.text for node in trace.graph.leaves("answer") if node.kind == "document"] == [made.TEXT]
    assert [(call.model, call.answers) for call in trace.calls] == [("m-1", True)]
    assert trace.lost == ()
    return True


LAYOUTS = {
    "pretty-printed": json.dumps(made.otlp(RUN), indent=2),
    "a line a span": made.lines([made.otlp([each]) for each in RUN]),
    "children first": made.lines([made.otlp([each]) for each in reversed(RUN)]),
    "base64 and names": json.dumps(made.otlp(RUN, ids="base64", enums="name")),
    "bare spans in data": json.dumps(
        {"data": made.otlp(RUN)["resourceSpans"][0]["scopeSpans"][0]["spans"], "next_cursor": None}
    ),
    "ReadableSpan, one after the other": "\n".join(json.dumps(each, indent=4) for each in made.readable(RUN)),
    "Phoenix": json.dumps(made.readable(RUN)),
    "blank lines and a mark": "\ufeff\n\n" + made.lines([made.otlp([each]) for each in RUN]).replace("\n", "\r\n\r\n"),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_run_is_the_same_in_every_layout(layout, file):
    (trace,) = read(file(layout))
    assert is_whole(trace)


@pytest.mark.parametrize("framed", [False, True], ids=["plain", "as the collector writes it"])
def test_zstd_named_json_is_read(framed, file):
    zstandard = pytest.importorskip("zstandard")
    parts = LAYOUTS["a line a span"].encode().splitlines(keepends=True)
    packed = [zstandard.ZstdCompressor().compress(part) for part in parts]
    if framed:
        packed = [len(part).to_bytes(4, "big") + part for part in packed]
    (trace,) = read(file(b"".join(packed), "traces.json"))
    assert is_whole(trace)


def test_traces_that_are_mixed_in_a_file_come_out_one_by_one(file):
    spans = [
        each for number in range(12) for each in made.run(f"{number + 1:032x}", f"Bridge {number} opened in 1968.")
    ]
    random.Random(7).shuffle(spans)  # noqa: S311 - the same order every time
    traces = list(read(file(made.lines([made.otlp([each]) for each in spans]))))
    assert sorted(trace.id for trace in traces) == [f"{number + 1:032x}" for number in range(12)]
    for trace in traces:
        (retrieval,) = trace.retrievals
        assert [each.text for each in retrieval.candidates] == [f"Bridge {int(trace.id, 16) - 1} opened in 1968."]


def test_a_broken_line_is_reported_with_its_number_and_left_out(file):
    content = made.lines([made.otlp(RUN), made.otlp(made.run(OTHER)), made.otlp(made.run("2" * 32))])
    lines = content.splitlines(keepends=True)
    lines[1] = lines[1][: len(lines[1]) // 2] + "\n"
    path, errors = file("".join(lines)), []
    traces = list(read(path, errors.append))
    assert [trace.id for trace in traces] == [made.TRACE, "2" * 32]
    (error,) = errors
    assert str(error).startswith(f"{path}, line 2: the JSON is broken or truncated")
    # What was on that line may have been a step of the runs beside it: nobody can say that they are whole.
    assert [trace.lost for trace in traces] == [
        ("line 2 of the file could not be read: a step of this run may have been there",)
    ] * 2


def test_of_a_list_that_is_cut_off_what_is_there_is_read(file):
    content = json.dumps([made.otlp(RUN), made.otlp(made.run(OTHER))], indent=2)
    errors = []
    traces = list(read(file(content[: int(len(content) * 0.8)]), errors.append))
    assert [trace.id for trace in traces] == [made.TRACE]
    assert "cut off" in str(errors[0])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty: expected traces"),
        (bytes(range(256)), "is a binary file, not text: expected traces as JSON.*format: json"),
        (b"PAR1....", "Parquet file: export JSON lines"),
        (b"PK\x03\x04....", "zip archive: unpack it first"),
        ("{}".encode("utf-16"), "UTF-16: convert it to UTF-8"),
        (
            b'{"a": 1, "b": 2}',
            r"no traces that are known: looked for OpenTelemetry.*LangSmith.*; found an object with a, b",
        ),
        (b"time,level\n1,INFO\n", "is no JSON: looked for OpenTelemetry"),
    ],
)
def test_what_is_no_file_of_traces_is_refused_with_what_to_do(content, message, file):
    path = file(content)
    with pytest.raises(InputError, match=message) as caught:
        list(read(path, lambda error: None))
    assert str(path) in str(caught.value)


def test_spans_of_other_libraries_are_passed_through_and_alone_they_are_no_run(file):
    web = made.span(9, None, "POST /chat", None, http__method="POST")
    query = made.span(10, 9, "SELECT", None, db__system="postgresql")
    inner = [{**each, "parent": each["parent"] or query["id"]} for each in RUN]
    (trace,) = read(file(made.lines([made.otlp([web, query, *inner])])))
    assert is_whole(trace)
    with pytest.raises(
        InputError, match=r"has 1 traces, none of an app with a language model.*openinference\.span\.kind"
    ):
        list(read(file(made.lines([made.otlp([web, query])]))))


def test_a_missing_root_is_said_and_the_model_that_wrote_last_has_the_answer(file):
    (trace,) = read(file(made.lines([made.otlp(RUN[1:])])))
    assert (trace.question, trace.answer) == (made.QUESTION, made.ANSWER)
    (sentence,) = trace.lost
    assert "2 steps are in the file without the step around them" in sentence
    assert [node.text for node in trace.graph.leaves("answer") if node.kind == "document"] == [made.TEXT]
    report = verify(trace)
    assert report.state == "partial"
    assert trace.lost[0] in report.warnings


def test_a_circle_of_parents_ends(file):
    spans = [{**each, "parent": RUN[(i + 1) % 3]["id"]} for i, each in enumerate(RUN)]
    (trace,) = read(file(made.lines([made.otlp(spans)])))
    assert trace.answer == made.ANSWER


def test_a_failed_run_has_its_error_and_no_answer(file):
    event = {"name": "exception", "attributes": [
        {"key": "exception.type", "value": {"stringValue": "builtins.ValueError"}},
        {"key": "exception.message", "value": {"stringValue": "no such bridge"}},
    ]}  # fmt: skip
    failed = {**RUN[0], "attributes": {"openinference.span.kind": "CHAIN", "input.value": made.QUESTION},
              "status": {"code": 2}, "more": {"events": [event]}}  # fmt: skip
    (trace,) = read(file(made.lines([made.otlp([failed, *RUN[1:]])])))
    assert trace.answer is None
    assert "the run failed (ValueError: no such bridge): there is no answer" in trace.warnings


def test_steps_at_one_time_and_without_times_keep_their_order(file):
    same = [{**each, "start": 1_800_000_000, "end": 1_800_000_000} for each in RUN]
    (trace,) = read(file(made.lines([made.otlp(same)])))
    assert is_whole(trace)
    (trace,) = read(file(made.lines([made.otlp(RUN, startTimeUnixNano="0", endTimeUnixNano="0")])))
    assert trace.answer == made.ANSWER
    assert [node.text for node in trace.graph.leaves("answer") if node.kind == "document"] == [made.TEXT]


def test_what_this_library_wrote_is_read_back(file):
    (trace,) = read(file(made.lines([made.otlp(RUN)])))
    partial = replace(trace, id="second", lost=("a part",))
    again = list(read(file(f"{trace.to_json()}\n{partial.to_json()}\n", "own.jsonl")))
    assert again == [trace, partial]


def test_a_file_larger_than_what_may_be_in_memory_is_read(file):
    filler = "Every word of this text is only here to be long. " * 400
    path = file("")
    with path.open("w", encoding="utf-8") as out:
        for number in range(100):
            out.write(made.lines([made.otlp(made.run(f"{number + 1:032x}", f"{number}. {filler}"))]))
    size = path.stat().st_size
    count = sum(1 for _ in read(path))
    tracemalloc.start()
    for trace in read(path):
        assert len(trace.events) == 6
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 100
    assert size > 1_900_000
    assert peak < size / 3
