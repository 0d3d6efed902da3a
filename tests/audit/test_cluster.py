"""Workers on a real Ray cluster: the same results as on one machine, whatever happens to one, and no silence."""

import importlib.util
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from judges import UnbornJudge
from processes import wait_for
from rows import rows

from trail_callbacks import LLMJudge
from trail_callbacks.audit import LocalEngine, RayEngine, audit, crew
from trail_callbacks.errors import InputError, JudgeError, MissingExtraError

sys.path.insert(0, str(Path(__file__).parents[1] / "wire"))
from endpoint import Endpoint, fair, reply

pytestmark = pytest.mark.loopback
FILES = ("answers.jsonl", "claims.jsonl", "broken.jsonl", "summary.json")
needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")
needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")


class Running:
    """The cluster, and what it takes to be its user."""

    def __init__(self, process, address, env):
        self.process, self.address, self.env = process, address, env

    def seats(self):
        """Processes of workers."""
        found, left = [], [self.process.pid]
        while left:
            pid = left.pop()
            try:
                for task in Path(f"/proc/{pid}/task").iterdir():
                    left += [int(each) for each in (task / "children").read_text().split()]
                if "ray::Seat" in Path(f"/proc/{pid}/cmdline").read_text():
                    found.append(pid)
            except OSError:
                continue
        return found


@pytest.fixture(scope="module")
def running():
    """The cluster: another process, which this one is not connected to."""
    folder = Path(tempfile.mkdtemp(prefix="trail-ray-", dir="/tmp"))  # sockets need a short path
    changed = {"RAY_AUTH_TOKEN": secrets.token_hex(16), "RAY_AUTH_MODE": "token"}
    paths = os.pathsep.join(map(str, (Path(__file__).parent, *sys.path)))
    env = {**os.environ, **changed, "PYTHONPATH": paths}
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("ray_cluster.py")), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=env,
    )
    said = next((line for line in process.stdout if line.startswith("address ")), None)
    assert said is not None
    yield Running(process, said.split()[1], env)
    process.stdin.close()
    process.wait(60)
    process.stdout.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def connected(running):
    """The same, with this process connected: an audit uses the connection that is there, and leaves it."""
    before = {name: os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_MODE", "RAY_USAGE_STATS_ENABLED")}
    os.environ.update({name: running.env[name] for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_MODE")})
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    ray.init(address=running.address, log_to_driver=False, logging_level="ERROR")
    yield running
    assert ray.is_initialized()
    ray.shutdown()
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def same(one, other):
    return [name for name in FILES if (one / name).read_bytes() != (other / name).read_bytes()] == []


@needs_ray
@needs_proc
def test_a_cluster_writes_what_one_machine_writes_though_a_worker_is_killed(connected, lines, tmp_path):
    path = lines("in.jsonl", [*rows(60), "{", *rows(20)])
    killed = []

    def kill(reached):
        if reached.judged == 10:
            killed.append(connected.seats()[0])
            os.kill(killed[0], signal.SIGKILL)

    audit(path, out=tmp_path / "local", by=["tenant"], engine=LocalEngine())
    audit(path, out=tmp_path / "ray", by=["tenant"], engine=RayEngine(), on_progress=kill)
    assert len(killed) == 1
    assert same(tmp_path / "local", tmp_path / "ray")


@needs_ray
def test_no_place_for_any_worker_is_said(connected, lines, tmp_path):
    path = lines("in.jsonl", rows(3))
    with pytest.raises(JudgeError, match=r"takes 99 CPU, and the most that one machine has is 2 CPU"):
        audit(path, out=tmp_path / "out", engine=RayEngine(cpus=99))
    with pytest.raises(JudgeError, match=r"1 CPU, 2 GPU, 1 seal, and the most that one machine has is 2 CPU, 0 GPU, 0"):
        audit(path, out=tmp_path / "out", engine=RayEngine(gpus=2, resources={"seal": 1}))
    with pytest.raises(JudgeError, match=r"no worker could begin within 1 seconds: a worker takes 99 CPU; the cluster"):
        audit(path, out=tmp_path / "out", engine=RayEngine(cpus=99, workers=1, patience=1))


@needs_ray
def test_a_judge_that_cannot_be_used_there(connected, lines, tmp_path, monkeypatch):
    path = lines("in.jsonl", rows(3))
    with pytest.raises(JudgeError, match="LookupError: no weights here"):
        audit(path, UnbornJudge(), out=tmp_path / "a", engine=RayEngine(workers=1))
    monkeypatch.setattr(crew, "version", lambda name: "0.0.0")
    with pytest.raises(JudgeError, match=r"its machine has release \d.* of trail-callbacks, this one 0\.0\.0"):
        audit(path, out=tmp_path / "b", engine=RayEngine(workers=1))


@pytest.fixture
def endpoint():
    """A model; counts what was asked, and kills a worker over the call with a number."""
    pytest.importorskip("instructor")
    paid, victim, lock = Counter(), [], threading.Lock()

    def answer(asked):
        with lock:
            paid[json.dumps(asked.body["messages"])] += 1
            if victim and paid.total() == victim[0]:
                victim[1]()
        return reply(asked, fair(asked))

    served = Endpoint(answer)
    served.paid, served.victim = paid, victim
    yield served
    served.close()


def model_judge(endpoint):
    return LLMJudge("openai/m", base_url=endpoint.url, api_key="none", claims_per_call=8, timeout=60.0)


@needs_ray
@needs_proc
def test_a_lost_worker_costs_no_more_than_the_calls_it_had_in_flight(connected, endpoint, lines, table, tmp_path):
    pids = []

    def kill():
        wait_for(lambda: len(connected.seats()) == 2, "the start of both workers", 50)  # less than the client waits
        pids.extend(connected.seats())
        os.kill(pids[0], signal.SIGKILL)

    endpoint.victim[:] = [30, kill]
    path = lines("in.jsonl", rows(30))
    summary = audit(
        path, model_judge(endpoint), out=tmp_path / "out", engine=RayEngine(workers=2, concurrency=4, cpus=0.5)
    )
    assert len(pids) == 2
    assert summary.total.states == {"assessed": 30}
    assert len(endpoint.paid) == 60
    assert endpoint.paid.total() - 60 <= 4
    assert summary.usage.calls >= endpoint.paid.total()
    again = audit(path, model_judge(endpoint), out=tmp_path / "out", engine=RayEngine(workers=2))
    assert again.usage == summary.usage
    audit(path, model_judge(endpoint), out=tmp_path / "local", engine=LocalEngine())
    assert (tmp_path / "out" / "claims.jsonl").read_bytes() == (tmp_path / "local" / "claims.jsonl").read_bytes()


@needs_ray
@pytest.mark.parametrize(
    ("address", "error", "message"),
    [
        ("local", InputError, "expected HOST:PORT as ray start prints it, or auto; no cluster is started here"),
        ("127.0.0.1:9", JudgeError, "no Ray cluster can be reached at '127.0.0.1:9' .*refused"),
    ],
)
def test_addresses_at_which_there_is_no_cluster(address, error, message, lines, tmp_path):
    code = (
        "import sys\nfrom trail_callbacks.audit import RayEngine, audit\n"
        f"try:\n audit(sys.argv[1], out=sys.argv[2], engine=RayEngine(address={address!r}))\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    command = [sys.executable, "-c", code, str(lines("in.jsonl", rows(1))), str(tmp_path / "out")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert printed.startswith(error.__name__)
    assert re.search(message, printed)


@pytest.mark.parametrize(
    ("why", "message"),
    [
        (
            "Failed to connect to Ray cluster at 192.0.2.2:6379",
            "does not let this process in .* Set RAY_AUTH_MODE=token",
        ),
        ("Could not find any running Ray instance.", "no Ray cluster can be reached at 'auto'"),
    ],
)
def test_a_cluster_that_asks_for_a_token_is_told_from_none(why, message, monkeypatch, lines, tmp_path):
    def init(**_):
        raise ConnectionError(why)

    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False, init=init))
    with pytest.raises(JudgeError, match=message):
        audit(lines("in.jsonl", rows(1)), out=tmp_path / "out", engine=RayEngine(address="auto"))


def test_numbers_out_of_range():
    for bad in ({"workers": 0}, {"concurrency": 0}):
        with pytest.raises(InputError, match="expected 1 or more"):
            RayEngine(**bad)
    for bad in ({"cpus": 0}, {"cpus": float("nan")}, {"patience": -1}, {"resources": {"a": 0}}):
        with pytest.raises(InputError, match="expected over 0"):
            RayEngine(**bad)
    with pytest.raises(InputError, match="expected 0 or more"):
        RayEngine(gpus=-1)


def test_without_ray_the_message_says_what_to_install(monkeypatch, lines, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")  # restores it
    with pytest.raises(MissingExtraError, match=r"trail-callbacks\[ray\]"):
        audit(lines("in.jsonl", rows(1)), out=tmp_path / "out", engine=RayEngine())


def test_ray_is_not_imported_unless_asked_for(lines, tmp_path):
    code = (
        "import sys\nfrom trail_callbacks.audit import RayEngine, audit\nRayEngine()\n"
        "audit(sys.argv[1], out=sys.argv[2])\nprint('ray' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(lines("in.jsonl", rows(1))), str(tmp_path / "out")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "False"
