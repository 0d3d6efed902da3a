"""`trail serve`, as a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

from trail_callbacks.cli import main
from trail_callbacks.errors import InputError
from trail_callbacks.serving import Access
from trail_callbacks.serving.app import Server


def trail(*args):
    return [sys.executable, "-m", "trail_callbacks.cli", "serve", *args]


@pytest.mark.loopback
def test_it_says_where_it_is_and_ends_when_interrupted(store):
    where = store.url.removeprefix("sqlite:///")
    token = "t" * 20
    process = subprocess.Popen(
        trail("--store", where, "--port", "0", "--token", token), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        said = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/\?token=t+", said)[0]
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        html = opener.open(address, timeout=30).read().decode()
        assert "<h1>Overview</h1>" in html
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert "Traceback" not in errors
    assert process.returncode in {0, -signal.SIGINT, 130}


@pytest.mark.loopback
def test_the_demo_leaves_nothing_behind(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", "from trail_callbacks.cli.store import serve_demo; serve_demo(20)"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    try:
        assert any("The page is at http://127.0.0.1:" in line for line in process.stdout)
        assert list(tmp_path.glob("trail-demo-*"))
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    assert "Traceback" not in errors
    assert list(tmp_path.glob("trail-demo-*")) == []


def test_a_port_that_is_taken(store):
    first = Server(store, "127.0.0.1", 0, Access())
    port = int(re.search(r":(\d+)/", first.url)[1])
    with pytest.raises(InputError, match=f"port {port}"):
        Server(store, "127.0.0.1", port, Access())
    first.close()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--store", "nothing.db"], "there is no store at nothing.db"),
        (["--store", "nothing.db", "--host", "10.0.0.1"], "--token"),
        (["--store", "nothing.db", "--token", "short"], "16 or more"),
        (["--port", "99999"], "--port"),
    ],
)
def test_what_is_wrong_is_said_before_anything_listens(args, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["serve", *args]) == 2
    assert message in capsys.readouterr().err
