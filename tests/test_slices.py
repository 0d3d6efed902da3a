import time

import trail_callbacks.slices
from trail_callbacks.slices import Slices, current
from trail_callbacks.text import words


class Clock:
    """Time that passes only where the test says so; sleeping takes longer while others are at work."""

    def __init__(self, monkeypatch):
        self.now, self.late, self.rests = 100.0, 0.0, []
        monkeypatch.setattr(trail_callbacks.slices, "perf_counter", lambda: self.now)
        monkeypatch.setattr(trail_callbacks.slices, "sleep", self.sleep)

    def sleep(self, seconds):
        self.rests.append(seconds)
        self.now += seconds + self.late

    def work(self, slices, seconds, step=0.0005):
        for _ in range(round(seconds / step)):
            self.now += step
            slices.pause()


def test_work_rests_after_each_slice_and_not_before(monkeypatch):
    clock = Clock(monkeypatch)
    slices = Slices(patient=False)
    clock.now += 0.0004
    slices.pause()
    assert clock.rests == []
    clock.work(slices, 0.1)
    assert 80 <= len(clock.rests) <= 101  # a slice is a millisecond
    assert sum(clock.rests) < 0.025  # beside 100 ms of work


def test_rests_grow_while_others_are_at_work_and_shrink_after(monkeypatch):
    clock = Clock(monkeypatch)
    slices = Slices(patient=True)
    clock.late = 0.005
    clock.work(slices, 0.1)
    assert clock.rests[-1] == max(clock.rests) == 0.008
    clock.late = 0.0
    clock.work(slices, 0.1)
    assert clock.rests[-1] == min(clock.rests) == 0.0002


def test_what_all_work_comes_through_pauses(monkeypatch):
    rests = []
    monkeypatch.setattr(Slices, "pause", lambda self: rests.append(time.perf_counter()))
    words("Nobody rests here.")
    assert rests == []
    token = current.set(Slices(patient=True))
    try:
        words("Everybody rests here.")
    finally:
        current.reset(token)
    assert len(rests) == 1
