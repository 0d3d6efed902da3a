"""`trail serve`, as a process of its own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

from trail_callbacks.cli import main
from trail_callbacks.errors import InputError
from trail_callbacks.serving import Access, server
from trail_callbacks.serving.server import Server


def trail(*args):
    return [sys.executable, "-m", "trail_callbacks.cli", "serve", *args]


@pytest.mark.loopback
def test_it_says_where_it_is_and_ends_when_interrupted(store):
    where = store.url.removeprefix("sqlite:///")
    process = subprocess.Popen(
        trail("--store", where, "--port", "0"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        said = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S{32}", said)[0]
        with pytest.raises(urllib.error.HTTPError, match="401"):  # as any account of this machine could ask
            urllib.request.build_opener().open(address.partition("?")[0], timeout=30)
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


HEADERS = b"GET /runs HTTP/1.1\r\nHost: 127.0.0.1\r\n"
UNFINISHED = {
    "nothing": b"",
    "headers": HEADERS,
    "a form": HEADERS.replace(b"GET", b"POST") + b"Origin: http://127.0.0.1\r\nContent-Length: 99\r\n\r\na=b",
    "a second request": HEADERS + b"\r\n" + HEADERS,
}


@contextmanager
def answering(store):
    """The address at which a page answers meanwhile."""
    page = Server(store, "127.0.0.1", 0, Access())
    thread = threading.Thread(target=page.run)
    thread.start()
    try:
        yield "127.0.0.1", int(re.search(r":(\d+)/", page.url)[1])
    finally:
        page.stop()
        thread.join(20)


def told(address, sent):
    """All that is answered until the connection is closed."""
    with socket.create_connection(address, timeout=20) as client:
        client.sendall(sent)
        try:
            return b"".join(iter(lambda: client.recv(65536), b""))
        except ConnectionResetError:
            return b""


@pytest.mark.loopback
@pytest.mark.parametrize("sent", UNFINISHED)
def test_who_does_not_finish_a_request_is_not_waited_for(store, monkeypatch, capsys, sent):
    monkeypatch.setattr(server, "_PATIENCE", 0.3)
    with answering(store) as address:
        assert told(address, UNFINISHED[sent]).startswith(b"HTTP/1.1 200" if "second" in sent else b"")
    assert capsys.readouterr().err == ""


@pytest.mark.loopback
def test_those_who_do_not_finish_keep_no_reader_out(store, monkeypatch, capsys):
    monkeypatch.setattr(server, "_CONNECTIONS", 10)
    with answering(store) as address:
        waiting = [socket.create_connection(address, timeout=20) for _ in range(40)]
        for each in waiting:
            each.sendall(HEADERS)
        assert told(address, HEADERS + b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200")
        for each in waiting:
            each.close()
    assert capsys.readouterr().err == ""


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
        (["--store", "nothing.db", "--host", "10.0.0.1"], "--allow-host"),
        (["--store", "nothing.db", "--token", "short"], "16 or more"),
        (["--port", "99999"], "--port"),
    ],
)
def test_what_is_wrong_is_said_before_anything_listens(args, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["serve", *args]) == 2
    assert message in capsys.readouterr().err
