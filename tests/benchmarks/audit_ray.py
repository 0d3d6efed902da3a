"""Audits on a Ray cluster beside the engine `local`: `python tests/benchmarks/audit_ray.py [ROWS] [IDLE_ROWS]`,
with ray installed.

Starts a cluster of two logical processors on this machine, so that both engines have the same: what Ray gains with more
machines is not seen here, what it costs is. Prints whether the files are equal, rows a second, what a row costs of the
process that audits when the judge has nothing to do, and what a worker costs that is killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from audit import rows

from trail_callbacks.audit import Engine, LocalEngine, RayEngine, audit
from trail_callbacks.judges import Extraction
from trail_callbacks.judges.local.judge import LocalJudge

FILES = ("answers.jsonl", "claims.jsonl", "broken.jsonl", "summary.json")


class IdleJudge(LocalJudge):
    """Finds no claims: what is left is the cost of reading, sending, keeping and writing a row."""

    def extract(self, answer, question):
        yield from ()
        return Extraction(claims=(), abstained=False)


def timed(path: Path, out: Path, engine: Engine, judge: object = None, kill: object = None) -> tuple[float, float]:
    """Seconds of wall time, and of the processor time of this process."""
    started, worked = time.perf_counter(), time.process_time()
    audit(path, judge, out=out, engine=engine, on_progress=kill)
    return time.perf_counter() - started, time.process_time() - worked


def equal(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in FILES)


def seats() -> list[int]:
    """Processes of workers among the descendants of this one."""
    found, left = [], [os.getpid()]
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


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    import ray

    started = time.perf_counter()
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        _node_ip_address="127.0.0.1",
    )
    print(json.dumps({"benchmark": "audit_ray_start", "seconds": round(time.perf_counter() - started, 1)}), flush=True)
    engines = {"local": LocalEngine(workers=2), "ray": RayEngine(workers=2)}
    idle = import_module("audit_ray").IdleJudge()  # workers cannot import what is in __main__
    judges = {"idle": (idle, int(sys.argv[2]) if len(sys.argv) > 2 else 10_000), "offline": (None, count)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tiny = rows(folder / "tiny.jsonl", 2)
        fixed = {way: timed(tiny, folder / f"tiny-{way}", engine)[0] for way, engine in engines.items()}
        for judge, (asked, n) in judges.items():
            path = rows(folder / f"{judge}.jsonl", n)
            for way, engine in engines.items():
                seconds, processor = timed(path, folder / f"{judge}-{way}", engine, asked)
                line = {"benchmark": "audit_ray", "judge": judge, "engine": way, "rows": n, "workers": 2}
                line |= {"seconds": round(seconds, 1), "seconds_of_2_rows": round(fixed[way], 1)}
                line |= {"ms_a_row": round(1e3 * (seconds - fixed[way]) / n, 2)}
                line |= {"own_cpu_ms_a_row": round(1e3 * processor / n, 2)}
                line |= {"equal_to_local": equal(folder / f"{judge}-local", folder / f"{judge}-{way}")}
                print(json.dumps(line | {"load": round(os.getloadavg()[0], 1)}), flush=True)
        killed: list[int] = []

        def kill(reached: object) -> None:
            if not killed and reached.judged >= count // 4:
                killed.append(seats()[0])
                os.kill(killed[0], signal.SIGKILL)

        seconds, _ = timed(path, folder / "killed", engines["ray"], kill=kill)
        line = {"benchmark": "audit_ray_killed", "rows": count, "killed": len(killed), "seconds": round(seconds, 1)}
        print(json.dumps(line | {"equal_to_local": equal(folder / "offline-local", folder / "killed")}), flush=True)
    ray.shutdown()


if __name__ == "__main__":
    main()
