"""What is known of a run: whole or absent, for one writer, and never of another format."""

import sqlite3
from contextlib import closing

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Usage
from trail_callbacks.work import Journal, reading


@pytest.fixture(params=[False, True], ids=["alone", "with readers"])
def journal(request, tmp_path):
    """Opens the journal of the folder."""
    return lambda: Journal(tmp_path / "work.sqlite", "work-1", "work", readers=request.param)


def test_what_is_committed_is_known_to_the_next_command(journal):
    with closing(journal()) as first:
        first.begin("a")
        first.keep("a", "done", "text \ud800")
        first.tell(settings=[1, 2])
        assert first.result("a").ours
        first.commit(Usage(calls=3, prompt_tokens=50))
        first.keep("b", None, "not committed")
    with closing(journal()) as second:
        assert second.result("a")[1:] == ("done", False, "text \ud800")
        assert second.result("b") is None
        assert (second.spent, second.lost) == (Usage(calls=3, prompt_tokens=50), 0)
        assert second.about["settings"] == [1, 2]


def test_what_was_begun_and_did_not_end_counts_as_spent(journal):
    with closing(journal()) as first:
        for key in "abc":
            first.begin(key)
        first.give_up("b")
        first.commit(Usage(calls=1))
        first.keep("c", None, "lost with the process")
    with closing(journal()) as second:
        assert (second.spent.calls, second.lost) == (3, 2)


def test_nobody_else_writes(journal, tmp_path):
    with closing(journal()), pytest.raises(InputError, match="another work is writing to"):
        journal()
    journal().close()
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_a_file_of_somebody_else_is_refused_and_stays_as_it_is(journal, tmp_path):
    path = tmp_path / "work.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE mine (x)")
    before = path.read_bytes()
    with pytest.raises(InputError, match="of another release"):
        journal()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("UPDATE about SET data = '\"work-0\"' WHERE name = 'form'", "of another release (work-0, here work-1)"),
        ("DROP TABLE about", "of another release"),
        ("DROP TABLE result", "is damaged: no such table"),
        ("UPDATE about SET data = '{' WHERE name = 'spent'", "or is damaged"),
        ("UPDATE result SET data = x'00' WHERE key = 'a'", "or is damaged"),
    ],
)
def test_what_makes_no_sense_is_told(damage, words, journal, tmp_path):
    with closing(journal()) as first:
        first.keep("a", None, "b")
        first.commit(Usage())
    with closing(sqlite3.connect(tmp_path / "work.sqlite")) as db, db:
        db.execute(damage)
    with pytest.raises(InputError) as caught, closing(journal()) as second:
        second.result("a")
    assert words in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_others_read_one_state_while_it_goes_on(tmp_path):
    path = tmp_path / "work.sqlite"
    with pytest.raises(InputError, match="holds no work"), reading(path, "work-1", "work"):
        pass
    with closing(Journal(path, "work-1", "work", readers=True)) as journal:
        journal.tell(n=1)
        journal.commit(Usage())
        with reading(path, "work-1", "work") as (_, about):
            journal.tell(n=2)
            journal.commit(Usage())
            assert about["n"] == 1
        with reading(path, "work-1", "work") as (_, about):
            assert about["n"] == 2
