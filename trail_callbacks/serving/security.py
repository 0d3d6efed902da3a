"""Who may read the page, and from where: host, origin, token and policy, for every request.

A page on loopback is reachable by every web site that its reader opens: by a name that is rebound to 127.0.0.1, by a
form or script that posts across origins. Host and origin are therefore checked on loopback, too.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Sequence
from hashlib import sha256
from http.cookies import SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trail_callbacks.errors import InputError

__all__ = ["POLICY", "Access", "Guarded", "is_loopback"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""What a page may load: its own script and style sheet. Charts are drawn by the server and need neither."""

_COOKIE = "trail_access"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_READS = frozenset({"GET", "HEAD"})
_TOKEN = 16  # characters, at least


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Access:
    """Who may read.

    Args:
        host: The address that is listened on.
        token: What a reader must show; None for everybody who reaches the page.
        allowed: Further host names under which it is reached.

    Raises:
        InputError: If the page is bound beyond loopback and has no token or no name, or the token is short.
    """

    def __init__(self, host: str = "127.0.0.1", token: str | None = None, allowed: Sequence[str] = ()) -> None:
        if token is not None and len(token) < _TOKEN:
            raise InputError(f"the token has {len(token)} characters, expected {_TOKEN} or more")
        if not is_loopback(host):
            if token is None:
                raise InputError(
                    f"--host {host} lets other machines read what users asked and were told: give a --token of "
                    f"{_TOKEN} characters or more, or stay on 127.0.0.1"
                )
            if not allowed:
                raise InputError(
                    f"--host {host} needs --allow-host NAME: the name or address under which readers reach it"
                )
        self.hosts = frozenset({*_LOOPBACK, *(each.lower() for each in allowed)})
        self._token = token
        self._secret = secrets.token_bytes(32)

    @property
    def needs_token(self) -> bool:
        """Whether readers must show a token."""
        return self._token is not None

    def is_token(self, shown: str) -> bool:
        """Whether this is the token; takes as long for a wrong one."""
        wanted = (self._token or "").encode()
        return self._token is not None and hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), wanted)

    def cookie(self) -> str:
        """What a reader who has shown the token keeps; it is not the token, and dies with this process."""
        return self._signed("reader")

    def form(self) -> str:
        """What a form of this page must bring back."""
        return self._signed("form")

    def is_form(self, shown: str) -> bool:
        """Whether a form is of this page."""
        return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), self.form().encode())

    def is_reader(self, headers: Headers) -> bool:
        """Whether a request may read: by cookie, or by a bearer token, as scrapers have."""
        if self._token is None:
            return True
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.is_token(shown.strip()):
            return True
        kept = SimpleCookie()
        kept.load(headers.get("cookie", "")[:4096])
        value = kept[_COOKIE].value if _COOKIE in kept else ""
        return hmac.compare_digest(value.encode("utf-8", "surrogatepass"), self.cookie().encode())

    def _signed(self, what: str) -> str:
        return hmac.new(self._secret, what.encode(), sha256).hexdigest()


class Guarded:
    """ASGI middleware that refuses what `Access` does not allow, and sets the headers of every reply."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            elif scope["type"] == "websocket":  # no page here speaks it
                await send({"type": "websocket.close", "code": 1008})
            return
        reply = self._refusal(scope)

        async def shielded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _harden(MutableHeaders(scope=message))
            await send(message)

        await (reply or self._app)(scope, receive, shielded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        name = _host(headers.get("host", ""))
        if name not in self._access.hosts:
            return PlainTextResponse(
                "This page is not served under that name: --allow-host NAME allows it.\n", status_code=400
            )
        if scope["method"] not in _READS and not _same_origin(headers):
            return PlainTextResponse("A form of another site cannot be sent here.\n", status_code=403)
        if self._access.is_reader(headers) or scope["path"].startswith("/static/"):
            return None
        query = dict(pair.split("=", 1) for pair in scope["query_string"].decode("latin-1").split("&") if "=" in pair)
        if scope["method"] == "GET" and self._access.is_token(query.get("token", "")):
            return self._admitted(scope)
        return PlainTextResponse("Open the address that `trail serve` printed, with its token.\n", status_code=401)

    def _admitted(self, scope: Scope) -> Response:
        """Sends the reader to the same page without the token, which must not stay in the history."""
        path = "/" + str(scope["path"]).lstrip("/\\")  # //host would be another site
        reply = RedirectResponse(path, status_code=303)
        reply.set_cookie(_COOKIE, self._access.cookie(), httponly=True, samesite="strict", path="/")
        return reply


def _host(given: str) -> str:
    """A host without its port, in lower case; empty if it is none."""
    try:
        return (urlsplit(f"//{given}").hostname or "") if not set(given) & set("/?#@\\ ") else ""
    except ValueError:
        return ""


def _same_origin(headers: Headers) -> bool:
    """Whether a request that changes something was made by a page of this server."""
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return False
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] == headers.get("host")


def _harden(headers: MutableHeaders) -> None:
    headers.setdefault("content-security-policy", POLICY)
    headers["x-content-type-options"] = "nosniff"
    headers["referrer-policy"] = "same-origin"  # with no-referrer, forms have the origin "null"
    headers["cross-origin-opener-policy"] = "same-origin"
    headers["cross-origin-resource-policy"] = "same-origin"
    headers.setdefault("cache-control", "no-store")
