"""The queue and its thread: nothing is lost in silence."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from trail_callbacks.store import writer as module
from trail_callbacks.store.writer import Writer


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(module, "_PAUSES", (0.01, 0.01))


class Sink:
    """Takes batches, and fails as it is told."""

    def __init__(self, *, bad=(), away=0):
        self.batches, self.bad, self.away = [], set(bad), away

    def __call__(self, batch):
        if self.away:
            self.away -= 1
            raise ConnectionError("away")
        if self.bad & set(batch):
            raise ValueError("bad")
        self.batches.append(list(batch))

    @property
    def items(self):
        return [item for batch in self.batches for item in batch]

    def writer(self, most=1000):
        return Writer(self, lambda error, tries: isinstance(error, ConnectionError), most)


def test_items_are_written_in_order_and_in_batches():
    sink = Sink()
    writer = sink.writer()
    for n in range(250):
        writer.add(n)
    assert writer.flush(10)
    assert sink.items == list(range(250))
    assert max(map(len, sink.batches)) <= 100
    assert len(sink.batches) < 50
    assert (writer.written, writer.lost) == (250, 0)


def test_one_item_that_cannot_be_written_does_not_take_others_with_it():
    sink = Sink(bad=[3])
    writer = sink.writer()
    for n in range(6):
        writer.add(n)
    assert writer.flush(10)
    assert sorted(sink.items) == [0, 1, 2, 4, 5]
    assert writer.lost == 1
    assert [str(error) for error in writer.errors] == ["bad"]


def test_while_nothing_can_be_written_runs_wait_and_what_is_too_much_is_told_once_with_its_number(caplog):
    sink = Sink(away=1_000_000)
    writer = sink.writer(most=5)
    writer.add(0)
    assert not writer.flush(), "it does not wait for ever"
    for n in range(1, 19):
        writer.add(n)
    sink.away = 0
    assert writer.flush(10)
    assert (sink.items, writer.lost) == ([0, 1, 2, 3, 4, 5], 13)
    writer.close()
    told = [each.getMessage() for each in caplog.records]
    assert len(told) == 2, told
    assert "storing runs failed" in told[0]
    assert told[1].startswith("13 runs could not be stored")


def test_closing_gives_up_after_its_time_and_counts_what_was_left():
    door = threading.Event()
    writer = Writer(lambda batch: door.wait(10), lambda error, tries: False, 1000)
    writer.add(1)
    while not writer._underway:
        time.sleep(0.01)
    writer.add(2)
    assert not writer.close(0.05)
    assert writer.lost == 1
    door.set()
    assert writer.flush(10)
    writer.add(3)
    assert writer.close(10), "it can be used again"
    assert writer.written == 2


def test_the_thread_ends_when_there_is_nothing_to_do(monkeypatch):
    monkeypatch.setattr(module, "_IDLE", 0.05)
    writer = Sink().writer()
    writer.add(1)
    thread = writer._thread
    thread.join(10)
    assert not thread.is_alive()
    writer.add(2)
    assert writer.flush(10)
    assert writer.written == 2


ENDING = """
import sys
from trail_callbacks.store.writer import Writer

def write(batch):
    print(*batch, flush=True)

writer = Writer(write, lambda error, tries: False, 100)
for n in range(5):
    writer.add(n)
"""


def test_what_waits_is_written_before_the_interpreter_ends():
    done = subprocess.run(
        [sys.executable, "-c", ENDING + "sys.exit(3)"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.split() == ["0", "1", "2", "3", "4"], done.stderr
