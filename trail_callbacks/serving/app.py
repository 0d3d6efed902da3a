"""The page for the team: routes, templates, and what every reply has in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, quote

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from trail_callbacks.errors import StoreError, TrailError
from trail_callbacks.render.excerpt import plain
from trail_callbacks.render.page.document import colours, page_policy
from trail_callbacks.serving import charts, views
from trail_callbacks.serving.filters import CHOICES, Filters
from trail_callbacks.serving.security import Access, GuardedApp
from trail_callbacks.store import Store
from trail_callbacks.store.totals import CONTENT_TYPE, exposition

_PAGES: Mapping[str, tuple[str, Callable[[Store, Filters], Mapping[str, Any]]]] = {
    "/": ("Overview", views.overview),
    "/segments": ("Segments", views.segments),
    "/releases": ("Releases", views.releases),
    "/runs": ("Runs", views.listing),
    "/feedback": ("Feedback", views.agreement),
    "/sources": ("Sources", views.source_health),
}
_STATIC = {"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8"}
_FORM = 64 * 1024  # bytes
_FIELDS = 64
_SHOWN = 2_000  # characters of one text on a page that is no report
_UNITS = (("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0))
_TWO = 2.0  # of a unit, before the next larger one is used


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
            *(Route(path, self._page) for path in _PAGES),
            Route("/feedback.jsonl", self._labelled),
            Route("/run/report", self._report),
            Route("/run/feedback", self._mark, methods=["POST"]),
            Route("/run", self._run),
            Route("/metrics", self._metrics),
            Route("/static/{name}", _static),
        ]
        return Starlette(
            routes=routes,
            middleware=[Middleware(GuardedApp, access=self._access)],
            exception_handlers={404: self._missing, TrailError: self._failed},
        )

    def _page(self, request: Request) -> Response:
        title, read = _PAGES[request.url.path]
        return self._reply(request, title, read(self._store, Filters.read(request.query_params)))

    def _reply(
        self, request: Request, title: str, found: Mapping[str, Any], template: str = "", status: int = 200
    ) -> Response:
        filters = Filters() if template == "message" else Filters.read(request.query_params)
        here = request.url.path
        lost = self._store.lost
        segments: Mapping[str, Sequence[str]] = {}
        with suppress(StoreError):  # the page itself says why
            segments = self._store.segments()
        common = {
            "title": title,
            "filters": filters,
            "pages": [(filters.href(path, after=None), text, path == here) for path, (text, _) in _PAGES.items()],
            "choices": CHOICES,
            "segments": segments,
            "notices": [f"{lost} runs of this process were not written to the store"] if lost else [],
        }
        page = self._templates.get_template(f"{template or title.lower()}.html")
        return HTMLResponse(page.render({**common, **found}).encode("utf-8", "replace"), status_code=status)

    def _run(self, request: Request) -> Response:
        run = request.query_params.get("id", "")
        found = views.one(self._store, run)
        if found is None:
            return self._missing(request, None)
        more = {"action": views.href(run, "/run/feedback"), "csrf": self._access.form}
        return self._reply(request, "Run", {**found, **more})

    def _report(self, request: Request) -> Response:
        report = self._store.report(request.query_params.get("id", ""))
        if report is None:
            return self._missing(request, None)
        policy = f"{page_policy()}; frame-ancestors 'self'; sandbox allow-scripts"
        text = report.to_html().encode("utf-8", "replace")
        return HTMLResponse(text, headers={"content-security-policy": policy})

    async def _mark(self, request: Request) -> Response:
        body = bytearray()
        try:
            async for part in request.stream():
                body += part
                if len(body) > _FORM:
                    return PlainTextResponse("This is no form of this page.\n", status_code=413)
            form = dict(parse_qsl(body.decode("utf-8", "replace"), max_num_fields=_FIELDS))
        except (ClientDisconnect, ValueError):  # there are more fields
            form = {}
        if not self._access.is_form(form.get("csrf", "")):
            return PlainTextResponse("This form is not of this page, or the server was restarted: reload.\n", 403)
        run = request.query_params.get("id", "")
        if not await run_in_threadpool(views.mark, self._store, run, form):
            return PlainTextResponse("There is no such claim.\n", status_code=404)
        return Response(status_code=303, headers={"location": f"{views.href(run)}#claim-{quote(form['claim'])}"})

    def _metrics(self, _: Request) -> Response:
        return Response(exposition(self._store.totals()), media_type=CONTENT_TYPE)

    def _labelled(self, _: Request) -> Response:
        return StreamingResponse(views.labelled(self._store), media_type="application/x-ndjson")

    def _missing(self, request: Request, _: Exception | None) -> Response:
        return self._message(request, "Not found", "There is no such page, or the run was deleted.", 404)

    def _failed(self, request: Request, error: Exception) -> Response:
        return self._message(request, "The store cannot be read", str(error), 503)

    def _message(self, request: Request, title: str, text: str, status: int) -> Response:
        return self._reply(request, title, {"text": text}, "message", status)


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
        "points": lambda value: f"{value * 100:+.1f} points",
        "score": lambda value: "none" if value is None else f"{value:.2f}",
        "thousands": "{:,}".format,
        "words": lambda name: str(name).replace("_", " "),
        "duration": _duration,
    }
    return made


def _visible(value: Any) -> Any:
    """Texts without control and bidirectional characters, which could rearrange a page; escaping follows."""
    return plain(value)[:_SHOWN] if type(value) is str else value


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "unknown"
    name, size = next((each for each in _UNITS if abs(seconds) >= _TWO * each[1]), ("seconds", 1.0))
    return f"{seconds / size:.0f} {name}" if abs(seconds) < 1e12 else f"{seconds:g} seconds"  # noqa: PLR2004 - an age
