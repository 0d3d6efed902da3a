"""No test opens a connection. Those marked `loopback` may reach this machine, and nothing else."""

import contextlib
import gc
import importlib
import ipaddress
import os
import socket
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.append(str(Path(__file__).parent))  # for judged.py and benches.py

# Some of the tools that tests import report their use to their makers, from the import on.
os.environ.update(
    DEEPEVAL_TELEMETRY_OPT_OUT="1",
    DO_NOT_TRACK="true",
    LANGSMITH_TRACING="false",
    MLFLOW_DISABLE_TELEMETRY="true",
)

# What is printed is as wide and as plain as in a terminal of 80 columns, whichever runs the tests.
os.environ.update(COLUMNS="80", LINES="24", TERM="xterm")
for _name in ("FORCE_COLOR", "NO_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "GITHUB_ACTIONS", "TTY_COMPATIBLE"):
    os.environ.pop(_name, None)

# The same examples every time: a test that fails for one in a thousand belongs to who looks for it, with
# `--hypothesis-profile=explore`, and not to who happens to run the suite. No test fails because a machine is busy.
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", _UNTIMED, derandomize=True)
settings.register_profile("explore", _UNTIMED, max_examples=1000)
settings.load_profile("repeatable")

# Where the libraries of other tools have to be (`make tools`), one that is missing or broken is an error.
if os.environ.get("TRAIL_TOOLS") == "installed":
    pytest.importorskip = lambda name, **_: importlib.import_module(name)


def pytest_collection_finish():
    """Takes the tests themselves out of garbage collection: 14,000 of them make each full one half a second long."""
    gc.collect()
    gc.freeze()


_connect, _connect_ex, _resolve = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo


class NetworkUsedError(RuntimeError):
    """A test tried to reach the network."""


def _is_loopback(host):
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@pytest.fixture(autouse=True)
def _no_network(request, monkeypatch):
    local = request.node.get_closest_marker("loopback") is not None

    def refuse(where):
        raise NetworkUsedError(f"{request.node.nodeid} tried to reach {where!r}")

    def may(address):
        return not isinstance(address, tuple) or (local and _is_loopback(address[0]))  # sockets in files are no network

    def connect(self, address):
        return _connect(self, address) if may(address) else refuse(address)

    def connect_ex(self, address):
        return _connect_ex(self, address) if may(address) else refuse(address)

    def resolve(host, *args, **kwargs):
        name = host.decode() if isinstance(host, bytes) else host
        return _resolve(host, *args, **kwargs) if local and _is_loopback(name or "localhost") else refuse(host)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", resolve)


@pytest.fixture(autouse=True)
def _settings_of_llama_index():
    """Takes back what a test sets for the whole process: which tests share one, and in which order, is chance."""
    core = sys.modules.get("llama_index.core")
    if core is None:
        yield
        return
    settings, tokenizer = vars(core.Settings).copy(), core.global_tokenizer
    yield
    vars(core.Settings).update(settings)
    core.global_tokenizer = tokenizer


@pytest.fixture
def collected():
    """Without garbage collections in between: they take the longer the more there is from other tests."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def limited(collected):
    """Limits the processor time of a block, in seconds: how busy the machine is does not count.

    The limit is an order of magnitude above what the work takes, and far below what it would take if it were quadratic.
    """

    @contextlib.contextmanager
    def limit(seconds):
        started = time.process_time()
        yield
        assert time.process_time() - started < seconds

    return limit


@pytest.fixture
def trail(capsys):
    """The command as a user types it: takes its arguments, gives its exit status and what it printed where."""
    from trail_callbacks.cli import main

    def run(*args):
        status = main(args)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return status, out, err

    return run


@pytest.fixture
def by_colour():
    """A judge that goes by a word of the claim: `red` is contradicted, `blue` undecided, `black` fails, else supported.

    Its evidence, or what it calls nearest, is the first passage it is shown.
    """
    from trail_callbacks.claims import abstains, split
    from trail_callbacks.judges import Assessment, Extraction, Judgement, quoted
    from trail_callbacks.taxonomy import ErrorType, SupportClass

    class ByColour:
        name, model = "colours/1", None

        def extract(self, answer, question):
            yield from ()
            return Extraction(claims=split(answer, question), abstained=abstains(answer))

        def assess(self, questions, purpose="verdicts"):
            yield from ()
            return Assessment(judgements=tuple(map(self.judged, questions)))

        def judged(self, question):
            id_, text, first = question.claim.id, question.claim.text, question.passages[0]
            if "black" in text:
                return Judgement(claim_id=id_, error="unreachable: no route")
            if "blue" in text:
                why = "no sentence is about its colour"
                return Judgement(claim_id=id_, undecided=why, evidence=(quoted(first, "nearest"),))
            if "red" in text:
                against = (quoted(first, "contradicts"),)
                return Judgement(
                    claim_id=id_, support=SupportClass.CONTRADICTED, error_type=ErrorType.ENTITY, evidence=against
                )
            return Judgement(claim_id=id_, support=SupportClass.SUPPORTED, evidence=(quoted(first, "supports"),))

    return ByColour()
