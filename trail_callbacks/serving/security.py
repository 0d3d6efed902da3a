"""Who may read the page, and from where: host, origin, token and policy, for every request.

A page on loopback is reachable by every web site that its reader opens: by a name that is rebound to 127.0.0.1, by a
form or script that posts across origins. Host and origin are therefore checked on loopback, too.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from starlette.datastructures import Headers
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from trail_callbacks.errors import InputError

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)  # a page may load its own script and style sheet; charts are drawn by the server and need neither
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_READS = frozenset({"GET", "HEAD"})
_TOKEN = 16  # characters, at least


class Access:
    """Who may read.

    Args:
        host: The address that is listened on.
        token: What a reader must show; None for everybody who reaches the page, any account of this machine too.
        allowed: Further host names under which it is reached.

    Raises:
        InputError: If the page is bound beyond loopback and has no token or no name, or the token is short or no ASCII.
    """

    def __init__(self, host: str = "127.0.0.1", token: str | None = None, allowed: Sequence[str] = ()) -> None:
        if token is not None and not (len(token) >= _TOKEN and token.isascii() and token.isprintable()):
            raise InputError(f"the token has {len(token)} characters, expected {_TOKEN} or more, of ASCII")
        if not _is_loopback(host):
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
        self.token = token
        self.cookie, self.form = secrets.token_hex(32), secrets.token_hex(32)

    def is_token(self, shown: str) -> bool:
        """Whether this is the token."""
        return self.token is not None and _same(shown, self.token)

    def is_form(self, shown: str) -> bool:
        """Whether a form is of this page: it brings back `form`, which dies with this process."""
        return _same(shown, self.form)

    def is_reader(self, request: Request) -> bool:
        """Whether a request may read: by `cookie`, whatever other cookies are there, or by a bearer token."""
        scheme, _, shown = request.headers.get("authorization", "").partition(" ")
        cookies = (each for line in request.headers.getlist("cookie") for each in line.split(";"))
        return (
            self.token is None
            or (scheme.lower() == "bearer" and self.is_token(shown.strip()))
            or any(_same(each.partition("=")[2].strip(), self.cookie) for each in cookies)
        )


class GuardedApp(BaseHTTPMiddleware):
    """Refuses what `Access` does not allow, and sets the headers of every reply."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        super().__init__(app)
        self._access = access

    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        """Handles a request."""
        reply = self._refusal(request) or await call_next(request)
        reply.headers.setdefault("content-security-policy", _POLICY)
        reply.headers["x-content-type-options"] = "nosniff"
        reply.headers["referrer-policy"] = "same-origin"  # with no-referrer, forms have the origin "null"
        reply.headers["cross-origin-opener-policy"] = "same-origin"
        reply.headers["cross-origin-resource-policy"] = "same-origin"
        reply.headers.setdefault("cache-control", "no-store")
        return reply

    def _refusal(self, request: Request) -> Response | None:
        if _host(request.headers.get("host", "")) not in self._access.hosts:
            return PlainTextResponse("This page is not served under that name: --allow-host NAME allows it.\n", 400)
        if request.method not in _READS and not _same_origin(request.headers):
            return PlainTextResponse("A form of another site cannot be sent here.\n", 403)
        path = str(request.scope["path"])
        if self._access.is_reader(request) or path.startswith("/static/"):
            return None
        shown = dict(
            each.partition("=")[::2] for each in request.scope["query_string"].decode("latin-1").split("&")
        ).get("token", "")
        # As it was printed or as somebody typed it: as a form, a + would be a blank.
        if request.method != "GET" or not any(map(self._access.is_token, (unquote(shown), shown))):
            return PlainTextResponse("Open the address that `trail serve` printed, with its token.\n", 401)
        # To the same page without the token, which must not stay in the history; //host would be another site.
        reply = RedirectResponse("/" + path.lstrip("/\\"), status_code=303)
        name = f"trail_access_{(request.scope.get('server') or ('', ''))[1]}"  # ports of a host share its cookies
        reply.set_cookie(name, self._access.cookie, httponly=True, samesite="strict", path="/")
        return reply


def _is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine only."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _same(shown: str, wanted: str) -> bool:
    """Compares secrets; takes as long for a wrong one."""
    return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), wanted.encode())


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
