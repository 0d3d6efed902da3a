"""Both databases: a file of SQLite, and a PostgreSQL server that the tests start for themselves where it is installed."""

import itertools
import os
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest
import sqlalchemy as sa

_numbers = itertools.count()


def _binaries():
    """The newest server that is installed; None without one."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(re.findall(r"\d+", str(p))[-1]))
    beside = shutil.which("initdb")
    return found[-1].parent if found else Path(beside).parent if beside else None


@pytest.fixture(scope="session")
def server():
    """Folder of the socket of a PostgreSQL server: it listens nowhere else, and ends with the tests."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip("PostgreSQL is not installed")
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    folder = Path(mkdtemp(prefix="trailpg.", dir="/tmp"))  # the path of a socket has 107 bytes
    who = {}
    if os.geteuid() == 0:  # it refuses to be started by root
        shutil.chown(folder, "postgres", "postgres")
        who = {"user": "postgres", "group": "postgres", "extra_groups": []}

    def run(program, *args):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C"}
        command = [str(binaries / program), *map(str, args)]
        subprocess.run(command, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL, **who)

    options = (
        f"-c listen_addresses='' -c unix_socket_directories='{folder}' "
        "-c fsync=off -c synchronous_commit=off -c full_page_writes=off"
    )
    data = folder / "data"
    try:
        run("initdb", "-D", data, "-U", "trail", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        run("pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        yield folder
    finally:
        if (data / "postmaster.pid").exists():
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder)


def _url(server, name):
    query = {"host": str(server)}
    return sa.URL.create("postgresql+psycopg", username="trail", database=name, query=query)


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request, tmp_path):
    """Where a new store may be."""
    if request.param == "sqlite":
        yield str(tmp_path / "trail.db")
        return
    server = request.getfixturevalue("server")
    engine = sa.create_engine(_url(server, "postgres"), isolation_level="AUTOCOMMIT")
    name = f"trail{next(_numbers)}"
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    yield _url(server, name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    engine.dispose()


@pytest.fixture
def store(where):
    from trail_callbacks.store import Store

    opened = Store(where)
    yield opened
    opened.close(10)
