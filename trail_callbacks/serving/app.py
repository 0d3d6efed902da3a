"""The page for the team: routes, templates, and what every reply has in common."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, quote

import uvicorn
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from trail_callbacks.errors import InputError, StoreError, TrailError
from trail_callbacks.monitor import SIGNALS
from trail_callbacks.render.excerpt import plain
from trail_callbacks.render.page.document import colours, page_policy
from trail_callbacks.serving import charts, overview, runs
from trail_callbacks.serving.filters import SORTS, STAGES, STATES, WINDOWS, Filters
from trail_callbacks.serving.security import Access, Guarded
from trail_callbacks.store import Store
from trail_callbacks.store.totals import CONTENT_TYPE, exposition

__all__ = ["Server", "app"]


_PAGES = (
    ("/", "Overview"),
    ("/segments", "Segments"),
    ("/releases", "Releases"),
    ("/runs", "Runs"),
    ("/feedback", "Feedback"),
    ("/sources", "Sources"),
)
_STATIC = {"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8"}
_MINUTE, _HOUR, _DAY = 60.0, 3_600.0, 86_400.0
_TWO = 2.0  # of a unit, before the next larger one is used
_FORM = 64 * 1024  # bytes
_FIELDS = 64
_SHOWN = 2_000  # characters of one text on a page that is no report


def app(store: Store, access: Access | None = None) -> ASGIApp:
    """Returns the ASGI application.

    Args:
        store: Whose runs it shows.
        access: Who may read; by default everybody on this machine.
    """
    return _Pages(store, access or Access()).app()


class _Pages:
    def __init__(self, store: Store, access: Access) -> None:
        self._store, self._access = store, access
        self._templates = _environment()

    def app(self) -> ASGIApp:
        routes = [
            Route("/", self._page("overview.html", "Overview", overview.overview)),
            Route("/segments", self._page("segments.html", "Segments", overview.segments)),
            Route("/releases", self._page("releases.html", "Releases", overview.releases)),
            Route("/runs", self._page("runs.html", "Runs", runs.listing)),
            Route("/sources", self._page("sources.html", "Sources", runs.source_health)),
            Route("/feedback", self._page("feedback.html", "Feedback", runs.agreement)),
            Route("/feedback.jsonl", self._labelled),
            Route("/run/report", self._report),
            Route("/run/feedback", self._mark, methods=["POST"]),
            Route("/run", self._run),
            Route("/metrics", self._metrics),
            Route("/static/{name}", _static),
        ]
        return Starlette(
            routes=routes,
            middleware=[Middleware(Guarded, access=self._access)],
            exception_handlers={404: self._missing, TrailError: self._failed},
        )

    def _page(self, template: str, title: str, read: Callable[[Store, Filters], Mapping[str, Any]]) -> Any:
        def endpoint(request: Request) -> Response:
            filters = Filters.read(request.query_params)
            return self._reply(request.url.path, template, title, read(self._store, filters), filters=filters)

        return endpoint

    def _reply(
        self, path: str, template: str, title: str, found: Mapping[str, Any], *, filters: Filters, status: int = 200
    ) -> Response:
        pages = [{"href": filters.href(href, after=None), "text": text, "here": path == href} for href, text in _PAGES]
        common = {
            "title": title,
            "filters": filters,
            "pages": pages,
            "windows": WINDOWS,
            "segments": self._segments(),
            "states": STATES,
            "sorts": SORTS,
            "stages": STAGES,
            "signals": list(SIGNALS.values()),
            "notices": self._notices(),
        }
        text = self._templates.get_template(template).render({**common, **found})
        return HTMLResponse(text.encode("utf-8", "replace"), status_code=status)

    def _segments(self) -> Mapping[str, Sequence[str]]:
        with suppress(StoreError):  # the page itself says why
            return self._store.segments()
        return {}

    def _notices(self) -> list[str]:
        lost = self._store.lost
        return [f"{lost} runs of this process were not written to the store"] if lost else []

    def _run(self, request: Request) -> Response:
        run = request.query_params.get("id", "")
        found = runs.one(self._store, run)
        if found is None:
            return self._missing(request, None)
        report = runs.href(run, "/run/report") if found["has_report"] else None
        more = {"action": runs.href(run, "/run/feedback"), "csrf": self._access.form(), "report": report}
        filters = Filters.read(request.query_params)
        return self._reply(request.url.path, "run.html", "Run", {**found, **more}, filters=filters)

    def _report(self, request: Request) -> Response:
        report = self._store.report(request.query_params.get("id", ""))
        if report is None:
            return self._missing(request, None)
        policy = f"{page_policy()}; frame-ancestors 'self'; sandbox allow-scripts"
        text = report.to_html().encode("utf-8", "replace")
        return HTMLResponse(text, headers={"content-security-policy": policy})

    async def _mark(self, request: Request) -> Response:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > _FORM:
                return PlainTextResponse("This is no form of this page.\n", status_code=413)
        form = dict(parse_qsl(body.decode("utf-8", "replace"), max_num_fields=_FIELDS))
        if not self._access.is_form(form.get("csrf", "")):
            return PlainTextResponse("This form is not of this page, or the server was restarted: reload.\n", 403)
        run = request.query_params.get("id", "")
        done = await run_in_threadpool(runs.mark, self._store, run, form)
        if not done:
            return PlainTextResponse("There is no such claim.\n", status_code=404)
        return Response(status_code=303, headers={"location": f"{runs.href(run)}#verdicts"})

    def _metrics(self, _: Request) -> Response:
        return Response(exposition(self._store.totals()), media_type=CONTENT_TYPE)

    def _labelled(self, _: Request) -> Response:
        return StreamingResponse(runs.labelled(self._store), media_type="application/x-ndjson")

    def _missing(self, request: Request, _: Exception | None) -> Response:
        found = {"text": "There is no such page, or the run was deleted."}
        return self._reply(request.url.path, "message.html", "Not found", found, filters=Filters(), status=404)

    def _failed(self, request: Request, error: Exception) -> Response:
        found, title = {"text": str(error)}, "The store cannot be read"
        return self._reply(request.url.path, "message.html", title, found, filters=Filters(), status=503)


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _STATIC:
        return PlainTextResponse("There is no such file.\n", status_code=404)
    text = (files("trail_callbacks.serving") / "static" / name).read_text("utf-8")
    return Response(
        colours() + text if name == "page.css" else text,
        media_type=_STATIC[name],
        headers={"cache-control": "no-cache"},
    )


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("trail_callbacks.serving"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    made.filters |= {
        "percent": charts.percent,
        "minute": charts.minute,
        "points": _points,
        "score": _score,
        "thousands": "{:,}".format,
        "words": lambda name: str(name).replace("_", " "),
        "duration": _duration,
    }
    return made


def _visible(value: Any) -> Any:
    """Texts without control and bidirectional characters, which could rearrange a page; escaping follows."""
    return plain(value)[:_SHOWN] if type(value) is str else value


def _points(value: float) -> str:
    return f"{value * 100:+.1f} points"


def _score(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "unknown"
    for size, name in ((_DAY, "days"), (_HOUR, "hours"), (_MINUTE, "minutes")):
        if abs(seconds) >= _TWO * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} seconds"


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
