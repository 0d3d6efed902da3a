"""The engine for a Ray cluster: workers are actors (`worker`), which report each result as soon as they have it.

Actors, not Ray Data: its input would have to be there as blocks before it starts, it repeats a block whose worker died
without end and as a whole, and its own workers compete with ours for processors. Here a lost worker costs the rows that
it had in work, by the same rules as on one machine (see `crew`), and Ray retries nothing. This process alone reads,
writes, keeps the budget and the cache; other machines need no folder of it.

Ray is imported here only, and no cluster is ever started.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from math import floor
from types import MappingProxyType
from typing import Any

from trail_callbacks.audit.crew import Crew, CrewWorker, Desk, Events, Message, portable
from trail_callbacks.audit.judging import AuditOutcome, AuditTask
from trail_callbacks.errors import InputError, JudgeError, MissingExtraError
from trail_callbacks.judges.judge import Judge
from trail_callbacks.models.cache import shared
from trail_callbacks.models.lane import AT_ONCE
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.work.budget import Grants

_THREADS = 4  # of an actor: one reports, the others receive
_CONNECT = 5.0  # seconds until a cluster must have answered
_NO_CLIENT = (
    "cannot receive results one by one: run the audit on a machine of the cluster, for example with ray job submit"
)
_FIT = 1e-6  # slack for fractions of a processor


@dataclass(frozen=True, slots=True, kw_only=True)
class RayEngine:
    """Works on a Ray cluster that runs already. Pace, budget and cache are one for all workers.

    The machines need this package in the same release, and what the judge needs: keys in their environment, weights.

    Args:
        address: `HOST:PORT` of the cluster's head, as `ray start` prints it, or `auto` for that of this machine. None:
            the one to which this process is connected, else that of `RAY_ADDRESS`, else `auto`.
        workers: Workers, 1 or more; None: as many as the cluster has room for when the audit begins.
        concurrency: Items in work at once in each, for a judge that asks a model, 1 or more.
        cpus: Processors of each worker, over 0.0. One that asks a model needs about a quarter of one.
        gpus: GPUs of each worker, 0.0 or more.
        resources: Custom resources of each worker, by name, over 0.0.
        patience: Seconds for which the audit waits while no worker has begun, over 0.0.

    Raises:
        InputError: If a number is out of range, or the address one that cannot be used.
    """

    address: str | None = None
    workers: int | None = None
    concurrency: int = AT_ONCE
    cpus: float = 1.0
    gpus: float = 0.0
    resources: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    patience: float = 300.0

    def __post_init__(self) -> None:
        """Checks ranges."""
        own = {name: getattr(self, name) for name in ("workers", "concurrency", "cpus", "patience", "gpus")}
        own |= {f"resources[{name!r}]": amount for name, amount in self.resources.items()}
        for name, value in own.items():
            least = {"workers": 1, "concurrency": 1, "gpus": 0}.get(name)
            fits = value is None or (value > 0 if least is None else value >= least)
            if not fits or value == float("inf"):
                raise InputError(
                    f"RayEngine.{name} is {value}, expected {'over 0' if least is None else f'{least} or more'}"
                )

    def run(
        self, tasks: Iterator[AuditTask], judge: Judge, options: VerifyOptions, grants: Grants
    ) -> Iterator[AuditOutcome]:
        """See `Engine`.

        Raises:
            JudgeError: If there is no cluster, no worker can begin on it, or the judge cannot be sent there.
            MissingExtraError: If Ray is not installed.
        """
        from trail_callbacks.audit.worker import Seat  # noqa: PLC0415 - brings asyncio

        store = None if options.cache is None or judge.model is None else shared(options.cache)
        settings = portable(judge, replace(options, cache=None))  # a folder of this machine
        ahead = self.concurrency if judge.model is not None else None
        with _connected(self.address) as ray:
            most = self.workers or self._room(ray)
            seat = ray.remote(Seat).options(
                num_cpus=self.cpus,
                num_gpus=self.gpus,
                resources=dict(self.resources),
                max_concurrency=_THREADS,
                max_restarts=0,
                max_task_retries=0,
            )
            held = ray.put(settings)

            def hire(events: Events) -> _Actor:
                return _Actor(ray, seat.remote(held, store is not None), Desk(grants, ahead, store), events)

            crew = Crew(hire=hire, most=most, patience=self.patience, absent=lambda: self._absent(ray))
            yield from crew.run(tasks)

    def _wanted(self) -> dict[str, float]:
        """What a worker takes, as Ray names it."""
        return {"CPU": self.cpus, **({"GPU": self.gpus} if self.gpus else {}), **self.resources}

    def _room(self, ray: Any) -> int:
        """How many workers the cluster has room for if nothing else runs there."""
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        wanted = self._wanted()
        fits: int = sum(
            floor(min(node.get(name, 0.0) / much + _FIT for name, much in wanted.items())) for node in nodes
        )
        if not fits:
            best = {name: max((node.get(name, 0.0) for node in nodes), default=0.0) for name in wanted}
            raise JudgeError(
                f"no machine of the cluster has room for a worker: it takes {_amounts(wanted)}, and the most that one "
                f"machine has is {_amounts(best)}; ask for less, or name the number of workers if the cluster grows"
            )
        return fits

    def _absent(self, ray: Any) -> str:
        wanted = self._wanted()
        total, free = (
            _amounts({name: have.get(name, 0.0) for name in wanted})
            for have in (ray.cluster_resources(), ray.available_resources())
        )
        return (
            f"a worker takes {_amounts(wanted)}; the cluster has {total}, of which {free} are free; ask for less, wait "
            "for what else runs there, or be more patient"
        )


def _amounts(of: Mapping[str, float]) -> str:
    return ", ".join(f"{much:g} {name}" for name, much in of.items())


@contextmanager
def _connected(address: str | None) -> Iterator[Any]:
    """The module ray, connected to a cluster; a connection that was there already stays."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        ray: Any = import_module("ray")
    except ImportError as error:
        raise MissingExtraError("the engine for Ray clusters", "ray") from error
    if ray.is_initialized():
        if ray.util.client.ray.is_connected():
            raise InputError(f"this process is connected as a Ray client, which {_NO_CLIENT}")
        yield ray
        return
    named = address or os.environ.get("RAY_ADDRESS") or "auto"
    _check(named)
    try:
        ray.init(address=named, log_to_driver=False, logging_level="ERROR")
    except Exception as error:
        why = next(iter(str(error).strip().splitlines()), type(error).__name__)
        found = named != "auto" or "Authentication" in type(error).__name__ or "Failed to connect" in why
        raise JudgeError(_closed(named, why) if found else _unreachable(named, why)) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _check(address: str) -> None:
    """Refuses what would start a cluster, or keep Ray waiting in silence."""
    host, _, port = address.rpartition(":")
    if address == "auto":
        return
    if not host or not port.isdigit() or "/" in host:
        raise InputError(
            f"the address of the cluster is {address!r}, expected HOST:PORT as ray start prints it, or auto; no "
            f"cluster is started here, and a Ray client {_NO_CLIENT}"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT).close()
    except (OSError, OverflowError) as error:
        raise JudgeError(_unreachable(address, str(error))) from error


def _closed(address: str, why: str) -> str:
    return (
        f"the Ray cluster at {address!r} does not let this process in ({why}): from Ray 2.60 on clusters ask for a "
        "token. Set RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN to the cluster's token or RAY_AUTH_TOKEN_PATH to a file "
        "with it (ray get-auth-token prints it on the head); or use the engine local, which needs none"
    )


def _unreachable(address: str, why: str) -> str:
    return (
        f"no Ray cluster can be reached at {address!r} ({why}): start one, name its address, or use the engine local, "
        "which needs none"
    )


class _Actor(CrewWorker):
    """A worker on the cluster."""

    def __init__(self, ray: Any, seat: Any, desk: Desk, events: Events) -> None:
        self._ray, self._seat = ray, seat
        super().__init__(desk, events)

    def send(self, messages: list[Message]) -> None:
        self._seat.hear.remote(messages)

    def receive(self) -> Iterator[list[Message]]:
        for reference in self._seat.listen.options(num_returns="streaming").remote():
            yield self._ray.get(reference)

    def died(self, error: Exception) -> None:
        self.cause = _cause(error)

    def kill(self) -> None:
        with suppress(Exception):  # gone already, or Ray is
            self._ray.kill(self._seat)


def _cause(error: Exception) -> str:
    """The last line of what Ray says, which is the exception itself, or the line that says how a process ended."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next((line for line in lines if "Worker exit" in line or "exit detail" in line), lines[-1] if lines else "")
    return f"with {type(error).__name__}: {told.partition(' Some common causes')[0]}"
