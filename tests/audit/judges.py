"""Judges for tests that send them to another process, which imports them by this module's name."""

import os
from pathlib import Path

from trail_callbacks.judges.local.judge import LocalJudge


class DyingJudge(LocalJudge):
    """Takes its process along if the question says so: as often as the environment says, counted in a file."""

    def extract(self, answer, question):
        if "die" in (question or ""):
            file = Path(os.environ["DIED"])
            died = int(file.read_text()) if file.exists() else 0
            if died < int(os.environ["DIES"]):
                file.write_text(str(died + 1))
                os._exit(3)
        return (yield from super().extract(answer, question))


class UnbornJudge(LocalJudge):
    """Cannot be made anew in another process."""

    def __reduce__(self):
        return _fail, ()


def _fail():
    raise LookupError("no weights here")
