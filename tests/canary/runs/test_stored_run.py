"""What is read of a run that was cut, damaged, or lies where nobody may write."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from tower_probes import answer, probes

from trail_callbacks.canary.runs.run import load_run, run
from trail_callbacks.errors import InputError

NOBODY = 65534


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"follows_context"', '"won"', "is damaged: 1 validation error for Trial"),
        ('"p3"', '"p4"', "is damaged: trial 0/3/1"),
    ],
)
def test_damage_is_told_and_never_counted(old, new, words, tmp_path):
    run(probes(5), answer, out=tmp_path)
    with closing(sqlite3.connect(tmp_path / "canary.sqlite")) as db, db:
        ((data,),) = db.execute("SELECT data FROM result WHERE key = '0/3/1'")
        changed = zlib.compress(zlib.decompress(data).decode().replace(old, new).encode())
        db.execute("UPDATE result SET data = ? WHERE key = '0/3/1'", (changed,))
    with pytest.raises(InputError, match=words) as error:
        load_run(tmp_path)
    assert "canary.sqlite" in str(error.value)


def test_a_run_that_was_killed_at_its_first_step_begins_anew(tmp_path):
    (tmp_path / "canary.sqlite").touch()
    with pytest.raises(InputError, match=r"holds no canary run yet: canary\.sqlite is empty"):
        load_run(tmp_path)
    assert len(run(probes(2), answer, out=tmp_path).trials) == 8


@pytest.fixture
def shut():
    """A folder in which nobody may write, root neither: as another user."""
    place = Path(tempfile.mkdtemp())
    version("trail-callbacks")  # imports what it needs, which another user may not be allowed to
    place.chmod(0o755)
    yield place
    if os.geteuid() != os.getuid():
        os.seteuid(os.getuid())
    place.chmod(0o700)
    shutil.rmtree(place)


def close(*folders):
    for folder in folders:
        for each in folder.iterdir():
            each.chmod(0o444)
        folder.chmod(0o555)
    if os.getuid() == 0:
        os.seteuid(NOBODY)


KILLED = """
import os, sys
sys.path.insert(0, {here!r})
from tower_probes import answer, probes
from trail_callbacks.canary.runs.run import run
asked = []

def app(ask):
    asked.append(ask)
    if len(asked) == 30:
        os.kill(os.getpid(), 9)
    return answer(ask)

run(probes(20), app, out={out!r}, concurrency=1)
"""


def test_a_run_is_read_from_a_folder_that_cannot_be_written_to(shut):
    expected = run(probes(3), answer, out=shut / "out")
    close(shut / "out")
    assert load_run(shut / "out") == expected
    with pytest.raises(InputError, match="cannot be written or read"):
        run(probes(3), answer, out=shut / "out")
    with pytest.raises(InputError, match="Permission denied"):
        run(probes(3), answer, out=shut / "out" / "new")


def test_what_a_killed_process_left_behind_is_read_or_missed_aloud(shut):
    code = KILLED.format(here=str(Path(__file__).parents[1]), out=str(shut / "out"))
    subprocess.run([sys.executable, "-c", code], check=False, stderr=subprocess.DEVNULL)
    shutil.copytree(shut / "out", shut / "copy")
    (shut / "copy" / "canary.sqlite-shm").unlink()
    close(shut / "out", shut / "copy")
    assert len(load_run(shut / "out").trials) == 29
    with pytest.raises(InputError, match="its last results are in a file beside it; copy the folder"):
        load_run(shut / "copy")
