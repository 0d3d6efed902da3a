"""Runs the page on a port."""

from __future__ import annotations

import socket
from collections.abc import Callable
from urllib.parse import quote

import uvicorn

from trail_callbacks.errors import InputError
from trail_callbacks.serving.app import app
from trail_callbacks.serving.security import Access
from trail_callbacks.store import Store

__all__ = ["Server"]

_WAITING = 64  # connections


class Server:
    """The page on a port. It listens once it is made, so that `url` is right, and answers once `run` is called.

    Args:
        store: Whose runs it shows.
        host: Address to listen on.
        port: Port; 0 for a free one.
        access: Who may read.
        token: The token of `access`, for the address that is printed.

    Raises:
        InputError: If the port is taken or the address is not one of this machine.
    """

    def __init__(self, store: Store, host: str, port: int, access: Access, token: str | None = None) -> None:
        self._socket = _listening(host, port)
        name = f"[{host}]" if ":" in host else host
        shown = f"?token={quote(token, safe='')}" if token else ""
        self.url = f"http://{name}:{self._socket.getsockname()[1]}/{shown}"
        config = uvicorn.Config(
            app(store, access),
            access_log=False,
            log_level="warning",
            server_header=False,
            proxy_headers=False,  # who asks is not what a header says
            ws="none",
        )
        self._server = _Announced(config)

    def run(self, announce: Callable[[], object] = lambda: None) -> None:
        """Answers until it is interrupted or stopped.

        Args:
            announce: Called once it answers. From then on an interrupt ends it in order; before, it may hit anything.
        """
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
