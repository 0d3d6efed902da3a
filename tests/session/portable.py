"""Judges for tests that send them to another process, which imports them by this module's name."""

import os
import time

from trail_callbacks.judges.local.judge import LocalJudge


class DyingJudge(LocalJudge):
    """Takes its process along if the answer says so."""

    def extract(self, answer, question):
        if "die" in answer:
            os._exit(3)
        return (yield from super().extract(answer, question))


class SleepingJudge(LocalJudge):
    def extract(self, answer, question):
        time.sleep(600)
        return (yield from super().extract(answer, question))


class PrintingJudge(LocalJudge):
    """Prints, as debugging code does, and reads what it should not."""

    def extract(self, answer, question):
        print("judging", answer)
        os.write(1, b"raw\n")
        assert os.read(0, 10) == b""
        return (yield from super().extract(answer, question))


class PidJudge(LocalJudge):
    @property
    def name(self):
        return f"process {os.getpid()}"
