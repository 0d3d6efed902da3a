"""Servers that load an app and then fork: every worker answers, each request with the report on its own answer."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REQUESTS = 24


def environment(**more):
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore", **more}


@contextmanager
def running(command, settings, log, **how):
    with (
        log.open("w") as written,
        subprocess.Popen(command, env=settings, stdout=written, stderr=written, **how) as process,
    ):
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def checked(replies):
    assert [each["claim"] for each in replies] == [each["answer"] for each in replies]
    assert {each["answer"] for each in replies} == {f"Ferry {n} costs 6 euros." for n in range(1, REQUESTS + 1)}
    assert {each["score"] for each in replies} == {1.0}
    assert len(Counter(each["pid"] for each in replies)) > 1  # more than one worker had something to do


@pytest.mark.loopback
@pytest.mark.parametrize("evaluate", ["background", "process"])
def test_gunicorn_with_a_preloaded_app(evaluate, tmp_path):
    pytest.importorskip("gunicorn")
    log, listener = tmp_path / "log", socket.create_server(("127.0.0.1", 0))
    port, inherited = listener.getsockname()[1], listener.fileno()
    at = ["--workers", "3", "--bind", f"fd://{inherited}"]
    command = [sys.executable, "-m", "gunicorn", "--preload", *at, "prefork_app"]

    def ask(number):
        for _ in range(200):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/{number}", timeout=60) as reply:
                    return json.load(reply)
            except urllib.error.HTTPError as error:
                error.close()
                raise AssertionError(log.read_text()) from error
            except (ConnectionError, urllib.error.URLError):
                assert server.poll() is None, log.read_text()
                time.sleep(0.1)
        raise AssertionError(log.read_text())

    settings = environment(TRAIL_EVALUATE=evaluate)
    with (
        listener,
        running(command, settings, log, pass_fds=[inherited]) as server,
        ThreadPoolExecutor(6) as pool,
    ):
        while len({each["pid"] for each in pool.map(ask, [0] * 6)}) == 1:
            time.sleep(0.1)  # the others begin a little later
        checked(list(pool.map(ask, range(1, REQUESTS + 1))))
