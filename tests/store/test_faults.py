"""What goes wrong around a store: killed writers, many of them, full disks, files that are something else."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from dataclasses import replace

import pytest
import sqlalchemy as sa

from trail_callbacks import check
from trail_callbacks.errors import StoreError
from trail_callbacks.monitor import SIGNALS, Observation
from trail_callbacks.store import Store, writer
from trail_callbacks.store.counting import Window
from trail_callbacks.store.schema import MIGRATIONS, metadata, migrate
from trail_callbacks.store.totals import exposition

REPORT = replace(check("It takes 53 minutes.", ["It takes 40 minutes. " * 50]), run_id="run")

WRITER = """
import sys
from dataclasses import replace
from itertools import count
from trail_callbacks.report import Report
from trail_callbacks.store import Store

where, report, name, most = sys.argv[1], Report.from_json(open(sys.argv[2]).read()), sys.argv[3], int(sys.argv[4])
store = Store(where, max_waiting=100_000)
for n in range(most) if most else count():
    store.add(replace(report, run_id=f"{name}.{n}"))
    if n % 50 == 0:
        store.flush(60)
        print(n + 1, flush=True)
"""


@pytest.fixture
def write(tmp_path):
    """Starts a process that adds runs, in an endless row or so many, and leaves the rest to the end of the program."""
    saved = tmp_path / "report.json"
    saved.write_text(REPORT.to_json())

    def start(where, name, most=0):
        command = [sys.executable, "-c", WRITER, str(where), str(saved), name, str(most)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    return start


def whole(store):
    """The number of runs; each has its claims, details and body, and nothing is without its run."""
    with store._database.reading() as connection:
        counts = [
            connection.execute(sa.select(sa.func.count(table.c.n.distinct()))).scalar_one()
            for name, table in metadata.tables.items()
            if name in {"trail_runs", "trail_details", "trail_claims", "trail_bodies"}
        ]
        if store._database.sqlite:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
    assert len(set(counts)) == 1, counts
    return counts[0]


def test_a_killed_writer_leaves_nothing_torn(where, write):
    with write(where, "w") as process:
        for _ in range(3):
            done = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
    store = Store(where)
    runs = whole(store)
    assert runs >= done, "what was flushed is there"
    assert all(store.report(run.id) is not None for run in store.observations())
    assert next(total.count for total in store.totals() if total.counter == "runs") == runs
    store.close()


def test_four_processes_write_at_once_and_nothing_is_lost_at_their_end(where, write):
    processes = [write(where, f"w{n}", 60) for n in range(4)]
    for process in processes:
        process.communicate(timeout=200)
        assert process.returncode == 0
    store = Store(where)
    assert whole(store) == 240
    assert store.tally(SIGNALS["contradiction"], 0, 1e12).bad == 240
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_a_writer_of_its_own(where):
    store = Store(where)
    store.add(replace(REPORT, run_id="before"))
    child = os.fork()
    if not child:
        status = 1
        try:
            store.add(replace(REPORT, run_id="child"))
            status = 0 if store.flush(30) and store.lost == 0 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.add(replace(REPORT, run_id="parent"))
    assert store.flush(30)
    assert {run.id for run in store.observations()} == {"before", "child", "parent"}
    assert whole(store) == 3
    store.close()


FULL = """
import resource, signal, sys
from dataclasses import replace
from trail_callbacks.report import Report
from trail_callbacks.store import Store
import trail_callbacks.store.writer as writer

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
writer._PAUSES = (0.01,)
store = Store(sys.argv[1], max_waiting=10)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
report = Report.from_json(open(sys.argv[2]).read())
for n in range(200):
    store.add(replace(report, run_id=f"r{n}"))
    if n % 10 == 0:
        store.flush()
store.flush()
assert store.lost > 0 and any("cannot be written" in str(each) for each in store.errors), (store.lost, store.errors)
store.close()
print(200 - store.lost)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files as Linux does")
def test_a_full_disk_loses_runs_and_says_so(tmp_path):
    (tmp_path / "report.json").write_text(REPORT.to_json())
    where = tmp_path / "trail.db"
    command = [sys.executable, "-c", FULL, str(where), str(tmp_path / "report.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    store = Store(where)
    assert whole(store) == int(done.stdout) > 0
    store.put([(REPORT, None)])
    store.close()


def test_a_server_that_is_away_at_start_and_later_gets_all_runs(server, monkeypatch, caplog):
    monkeypatch.setattr(writer, "_PAUSES", (0.01, 0.01))
    url = sa.URL.create("postgresql", username="trail", password="secret", database="late", query={"host": str(server)})
    store = Store(url.render_as_string(hide_password=False))
    assert repr(store).startswith("Store('postgresql://trail:***@/late?")
    assert "late" in caplog.text
    assert "secret" not in caplog.text
    admin = sa.create_engine(url.set(drivername="postgresql+psycopg", database="postgres"), poolclass=sa.pool.NullPool)

    def carry_out(statement):
        with admin.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql(statement)

    with pytest.raises(StoreError, match=r"cannot be opened: .*late"):
        store.contents()
    store.add(replace(REPORT, run_id="first"))
    assert not store.flush()
    carry_out("CREATE DATABASE late")
    try:
        assert store.flush(30)
        carry_out("ALTER DATABASE late SET default_transaction_read_only = on")  # as a standby is
        carry_out("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'late'")
        for n in range(300):
            store.add(replace(REPORT, run_id=f"r{n}"))
        assert not store.flush()
        carry_out("ALTER DATABASE late RESET default_transaction_read_only")
        carry_out("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'late'")
        assert store.flush(30)
        assert (store.lost, store.contents().runs) == (0, 301)
    finally:
        store.close()
        carry_out("DROP DATABASE late WITH (FORCE)")


def test_a_file_that_is_no_database_is_left_alone(tmp_path):
    where = tmp_path / "notes.txt"
    where.write_text("These are my notes, and nothing that a database would begin with. " * 20)
    before = where.read_bytes()
    with pytest.raises(StoreError, match=r"notes.txt cannot be .*not a database"):
        Store(where)
    assert where.read_bytes() == before


@pytest.mark.parametrize("damage", ["no JSON", "[]", '{"figures": 3}'])
def test_a_damaged_row_is_said(tmp_path, damage):
    store = Store(tmp_path / "trail.db")
    store.put([(REPORT, None)])
    with store._database.writing() as connection:
        connection.execute(sa.update(metadata.tables["trail_details"]).values(data=damage))
        connection.execute(sa.update(metadata.tables["trail_bodies"]).values(codec="zlib", data=zlib.compress(b"\xff")))
    with pytest.raises(StoreError, match="the row of run 'run' is damaged"):
        list(store.observations())
    with pytest.raises(StoreError, match="a stored body is damaged"):
        store.report("run")
    store.close()


@pytest.mark.parametrize("value", [b"\xff\xfe", "text", 1e300])
def test_values_that_no_store_wrote_are_an_error_of_the_store(tmp_path, value):
    store = Store(tmp_path / "trail.db")
    store.add(REPORT, segments={"kind": "a"})
    store.flush(20)
    store.figures(Window(since=0.0, until=1e10))
    store.close()
    whole, refused = (tmp_path / "trail.db").read_bytes(), 0
    places = "runs.at runs.run runs.score segments.name totals.name totals.count details.data bodies.data hours.data"
    for place in [*places.split(), "bodies.codec"]:
        (tmp_path / "trail.db").write_bytes(whole)
        table, _, column = place.partition(".")
        with closing(sqlite3.connect(tmp_path / "trail.db")) as raw:
            raw.execute(f"UPDATE trail_{table} SET {column} = ?", (value,))  # noqa: S608 - names of our own
            raw.commit()
        for ask in (
            store.contents,
            lambda: list(store.observations()),
            store.segments,
            lambda: exposition(store.totals()),
            lambda: store.figures(Window(since=0.0, until=1e10)),
            lambda: store.tally(SIGNALS["contradiction"], 0.0, 1e10),
            lambda: store.report("run"),
            lambda: store.put([(replace(REPORT, state="partial"), None)]),
            lambda: store.forget("ada"),
        ):
            try:
                ask()
            except StoreError:
                refused += 1
    assert refused


def test_a_store_of_a_newer_release_is_refused_and_not_changed(where):
    store = Store(where)
    store.put_observations([Observation(id="x", at=1.0)])
    with store._database.writing() as connection:
        connection.execute(sa.update(metadata.tables["trail_meta"]).values(version=len(MIGRATIONS) + 1))
    store.close()
    with pytest.raises(StoreError, match=f"has version {len(MIGRATIONS) + 1}, this release reads up to"):
        Store(where)


def test_a_migration_that_fails_changes_nothing(where):
    store = Store(where)

    def adds(connection):
        connection.exec_driver_sql("ALTER TABLE trail_runs ADD COLUMN more TEXT")

    def fails(connection):
        connection.exec_driver_sql("ALTER TABLE trail_runs ADD COLUMN even_more TEXT")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError), store._database.writing() as connection:
        migrate(connection, [*MIGRATIONS, adds, fails])
    with store._database.writing() as connection:
        assert "more" not in {each["name"] for each in sa.inspect(connection).get_columns("trail_runs")}
        assert migrate(connection, [*MIGRATIONS, adds]) == len(MIGRATIONS)
    with store._database.reading() as connection:
        assert "more" in {each["name"] for each in sa.inspect(connection).get_columns("trail_runs")}
    store.close()


@pytest.mark.skipif(os.name != "posix", reason="files have modes")
def test_files_and_folders_made_here_are_for_their_owner_only(tmp_path):
    where = tmp_path / "new" / "trail.db"
    store = Store(where)
    with store._database.held():
        store.put_observations([Observation(id="x", at=1.0)])
        found = {path.name: path.stat().st_mode & 0o777 for path in [where.parent, *where.parent.iterdir()]}
    assert found == {"new": 0o700, "trail.db": 0o600, "trail.db-wal": 0o600, "trail.db-shm": 0o600}
    store.close()
