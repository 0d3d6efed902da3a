from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref
from dataclasses import dataclass, field

import pytest

from trail_callbacks.capture.events import Piece, RunEnded, RunFailed, RunStarted
from trail_callbacks.capture.recorder import Recorder
from trail_callbacks.errors import InputError


@dataclass
class Record:
    run_id: str
    phase: str = "started"
    parent_id: str | None = None
    text: str = ""
    holds: object = None
    converted: list = field(default_factory=list)

    def convert(self, seq):
        self.converted.append(seq)
        if self.text == "broken":
            raise TypeError("cannot read this payload")
        pieces = (Piece(text=self.text),) if self.text else ()
        if self.phase == "started":
            return RunStarted(
                seq=seq, run_id=self.run_id, parent_id=self.parent_id, kind="chain", name="c", inputs=pieces
            )
        if self.phase == "ended":
            return RunEnded(seq=seq, run_id=self.run_id, outputs=pieces)
        return RunFailed(seq=seq, run_id=self.run_id, error="ValueError: no")


def whole(recorder, root, *, text="hello there"):
    recorder.emit(Record(root, text=text))
    recorder.emit(Record(root, "ended", text="the answer"))


def test_events_come_in_the_order_of_one_clock():
    recorder = Recorder()
    recorder.emit(Record("a"))
    recorder.emit(Record("b", parent_id="a"))
    recorder.emit(Record("b", "ended"))
    recorder.emit(Record("a", "failed"))
    events = recorder.events("a")
    assert [event.seq for event in events] == sorted(event.seq for event in events)
    assert [event.event for event in events] == ["started", "started", "ended", "failed"]


def test_a_record_is_converted_once_and_then_let_go():
    class Payload:
        pass

    recorder, payload = Recorder(), Payload()
    alive = weakref.ref(payload)
    record = Record("a", holds=payload)
    converted = record.converted
    recorder.emit(record)
    recorder.emit(Record("a", "ended"))
    recorder.events("a")
    recorder.events("a")
    assert len(converted) == 1
    del record, payload
    gc.collect()
    assert alive() is None


def test_what_was_read_midway_is_held_until_the_root_ends():
    class Payload:
        pass

    recorder, payload = Recorder(), Payload()
    alive = weakref.ref(payload)
    recorder.emit(Record("a", holds=payload))
    recorder.graph("a")
    del payload
    gc.collect()
    assert alive() is not None
    recorder.emit(Record("a", "ended"))
    recorder.graph("a")
    gc.collect()
    assert alive() is None


def test_duplicate_starts_and_stray_ends_change_nothing():
    recorder = Recorder()
    recorder.emit(Record("ghost", "ended"))
    recorder.emit(Record("a"))
    recorder.emit(Record("a"))
    recorder.emit(Record("a", "ended"))
    recorder.emit(Record("a", "ended"))
    assert len(recorder.events("a")) == 2
    assert recorder.unfinished == 0


def test_the_root_ends_the_tree_and_says_so_once():
    ended = []
    recorder = Recorder(on_end=ended.append)
    recorder.emit(Record("a"))
    recorder.emit(Record("b", parent_id="a"))
    recorder.emit(Record("b", "ended"))
    assert ended == []
    recorder.emit(Record("a", "ended"))
    assert ended == ["a"]


def test_memory_is_bounded_for_finished_and_unfinished_trees(monkeypatch):
    monkeypatch.setattr("trail_callbacks.capture.recorder._UNFINISHED", 5)
    recorder = Recorder(max_traces=5)
    for n in range(100):
        whole(recorder, f"done-{n}")
        recorder.emit(Record(f"open-{n}"))
    assert recorder.unfinished == 5
    with pytest.raises(InputError, match="done-0"):
        recorder.events("done-0")
    assert recorder.events("done-99")
    assert len(recorder._by_run) == 5


def test_trees_that_never_end_are_dropped_by_age(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("trail_callbacks.capture.recorder.time.monotonic", lambda: clock[0])
    recorder = Recorder(ttl=60)
    recorder.emit(Record("old"))
    clock[0] = 61.0
    recorder.emit(Record("new"))
    assert recorder.root_of("old") is None
    assert recorder.root_of("new") == "new"


def test_a_payload_that_cannot_be_read_loses_only_itself():
    errors = []
    recorder = Recorder(on_error=errors.append)
    recorder.emit(Record("a", text="broken"))
    recorder.emit(Record("b", parent_id="a", text="fine"))
    recorder.emit(Record("b", "ended"))
    recorder.emit(Record("a", "ended", text="broken"))
    assert [event.event for event in recorder.events("a")] == ["started", "started", "ended", "ended"]
    assert [type(error) for error in errors] == [TypeError, TypeError]


def test_many_threads_on_one_recorder_never_mix_trees():
    recorder = Recorder(max_traces=400)

    def work(worker):
        for n in range(50):
            root = f"{worker}-{n}"
            recorder.emit(Record(root, text=f"in {root}"))
            recorder.emit(Record(f"{root}-child", parent_id=root, text=f"child {root}"))
            recorder.emit(Record(f"{root}-child", "ended", text=f"out {root}"))
            recorder.emit(Record(root, "ended", text=f"end {root}"))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for worker in range(8):
        for n in range(50):
            events = recorder.events(f"{worker}-{n}")
            assert len(events) == 4
            assert {event.run_id for event in events} == {f"{worker}-{n}", f"{worker}-{n}-child"}


def test_the_graph_of_a_run_inside_a_tree_that_goes_on():
    recorder = Recorder()
    recorder.emit(Record("root", text="the whole question"))
    for name in ("first", "second"):
        recorder.emit(Record(name, parent_id="root", text=f"the {name} question"))
        recorder.emit(Record(f"{name} inside", parent_id=name, text="more"))
        recorder.emit(Record(f"{name} inside", "ended", text=f"words inside the {name}"))
        recorder.emit(Record(name, "ended", text=f"the {name} answer is this one"))
    graph = recorder.graph_under("second")
    assert graph.question.text == "the second question"
    assert graph.answer.text == "the second answer is this one"
    assert not any("first" in node.text or "whole" in node.text for node in graph.nodes)
    assert recorder.graph_under("root").answer is None
    recorder.emit(Record("root", "ended", text="the end"))
    assert recorder.graph_under("root") is recorder.graph("root")
    with pytest.raises(InputError):
        recorder.graph_under("second")


def turn(recorder, n, *, graph=True):
    """One turn of a conversation: a model reads the last answers and a source, and answers."""
    root, model, said = f"root {n}", f"model {n}", f"On day {n} the mill sent {n} sacks, I think."
    source = f"The ledger says that {n} sacks of rye left the mill on day {n} by the ferry of Skogholm. " * 5
    history = [
        Piece(text=f"On day {k} the mill sent {k} sacks, I think.", form="message", role="assistant", id=str(k))
        for k in range(max(0, n - 5), n)
    ]
    asked = Piece(text=f"{source} How many on day {n}?", form="message", role="user", path=("messages", 9))
    steps = [
        (root, None, {"kind": "chain", "name": "app", "inputs": (Piece(text="How many?", path=("question",)),)}),
        (model, root, {"kind": "model", "name": "llm", "inputs": (*history, asked)}),
    ]
    for run_id, parent_id, given in steps:
        started = lambda seq, given=given, ids=(run_id, parent_id): RunStarted(  # noqa: E731 - a record's method
            seq=seq, run_id=ids[0], parent_id=ids[1], **given
        )
        recorder.begin(run_id, parent_id, Turned(run_id, parent_id, "started", started), "one conversation")
    wrote = Piece(text=said, form="message", role="assistant", id=str(n)), Piece(text=said, path=("answer",))
    for run_id, piece in zip((model, root), wrote, strict=True):
        ended = lambda seq, run_id=run_id, piece=piece: RunEnded(seq=seq, run_id=run_id, outputs=(piece,))  # noqa: E731
        recorder.finish(run_id, Turned(run_id, None, "ended", ended))
    return recorder.graph(root) if graph else None


@dataclass
class Turned:
    run_id: str
    parent_id: str | None
    phase: str
    convert: object


def test_what_is_kept_of_a_conversation_does_not_grow_with_its_turns():
    recorder = Recorder(max_traces=8, turns=4)
    tracemalloc.start()
    try:
        kept = {}
        for n in range(120):
            graph = turn(recorder, n)
            if n in {30, 119}:
                gc.collect()
                kept[n] = tracemalloc.get_traced_memory()[0]
                assert len(graph.nodes) < 40
                assert graph.answer.text.startswith(f"On day {n} ")
    finally:
        tracemalloc.stop()
    assert kept[119] < 1.1 * kept[30] + 50_000


def test_a_long_conversation_of_which_no_graph_was_built_does_not_exhaust_the_stack():
    recorder = Recorder(max_traces=1_000)
    for n in range(400):
        turn(recorder, n, graph=False)
    graph = recorder.graph("root 399")
    assert any("398 sacks of rye left" in node.text for node in graph.nodes)  # the evidence of the turn before


def test_runs_under_way_are_whole_however_many_there_are():
    recorder = Recorder(max_traces=5)
    for n in range(400):
        recorder.emit(Record(f"open-{n}"))
    assert recorder.unfinished == 400
    assert recorder.root_of("open-0") == "open-0"
