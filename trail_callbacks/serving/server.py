"""The page on a port: who connects, how long a request may take to come, and how many may wait."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from urllib.parse import quote

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from trail_callbacks.errors import InputError
from trail_callbacks.serving.app import app
from trail_callbacks.serving.security import Access
from trail_callbacks.store import Store

_WAITING, _CONNECTIONS = 64, 200  # those that wait to be taken, and those that are: a process may have 256 files open
_PATIENCE = 10.0  # seconds for a whole request, its form included


class Server:
    """The page on a port. It listens once it is made, so that `url` is right, and answers once `run` is called."""

    def __init__(self, store: Store, host: str, port: int, access: Access) -> None:
        self._socket = _listening(host, port)
        name = f"[{host}]" if ":" in host else host
        shown = f"?token={quote(access.token, safe='')}" if access.token else ""
        self.url = f"http://{name}:{self._socket.getsockname()[1]}/{shown}"
        config = uvicorn.Config(
            app(store, access),
            http=_Connection,
            backlog=_WAITING,
            limit_concurrency=_CONNECTIONS,
            access_log=False,
            log_level="error",  # a warning for each odd request would let anybody fill a disk
            server_header=False,
            proxy_headers=False,  # who asks is not what a header says
            ws="none",
            lifespan="off",
        )
        self._server = _Announced(config)

    def run(self, announce: Callable[[], object] = lambda: None) -> None:
        """Answers until it is interrupted or stopped."""
        self._server.announce = announce
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.close()

    def close(self) -> None:
        """Stops listening."""
        self._socket.close()

    def stop(self) -> None:
        """Ends `run`, from any thread."""
        self._server.should_exit = True


class _Connection(H11Protocol):
    """A connection that is closed if no whole request has come in time, or if there are too many of those that wait."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._wait()
        for each in list(self.connections) if len(self.connections) >= _CONNECTIONS else ():
            if isinstance(each, _Connection) and each is not self:
                each.hurry()  # they make room

    def on_response_complete(self) -> None:
        self._wait()  # for the next request
        super().on_response_complete()

    def _wait(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(_PATIENCE, self.hurry)

    def hurry(self) -> None:
        """Ends it, unless a whole request has come."""
        if self.conn.their_state in {h11.IDLE, h11.SEND_BODY}:
            self.transport.abort()


class _Announced(uvicorn.Server):
    announce: Callable[[], object]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.announce()


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, or asyncio leaves replies to wait
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port that was left a moment ago
    try:
        made.bind((host, port))
        made.listen(_WAITING)
    except (OSError, OverflowError) as error:
        made.close()
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"cannot listen on {host}, port {port}: {why}; --port 0 takes a free one") from error
    return made
