"""Chromium without a window, and what it is caught doing: every message, request, dialog, navigation and connection.

The host that hostile texts name resolves to a listener of ours, so that a connection shows even where the browser
itself would not report it. No other name resolves: the browser asks for updates of its own.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Frame, Page, Request

    from trail_callbacks import Report

HOST = "sink.example"
"""The host that hostile texts name."""

_FLAGS = (
    "--no-sandbox",  # as root there is none
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",  # containers have 64 MB of it
)
_WATCH = f"""(() => {{
  // The console outlives a navigation, and whatever a page does to its own variables.
  const say = console.error.bind(console);
  Object.defineProperty(window, "canary", {{ value: (name) => say("CANARY", String(name)) }});
  addEventListener("securitypolicyviolation", (event) =>
    say("POLICY", event.effectiveDirective, event.blockedURI, event.sample));
  addEventListener("unhandledrejection", (event) => say("REJECTION", String(event.reason)));
  new MutationObserver((changes) => {{
    for (const change of changes)
      for (const added of change.addedNodes)
        if (added.nodeType === 1 && String(added.src ?? added.href ?? "").includes("{HOST}"))
          say("POINTER", added.outerHTML.slice(0, 200));
  }}).observe(document, {{ subtree: true, childList: true }});
}})();"""


def executable() -> str | None:
    """Returns the Chromium to use: the one that TRAIL_CHROMIUM names, or the system's; None where there is none."""
    return os.environ.get("TRAIL_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


class Sink:
    """Takes every connection to `HOST`, and notes the first bytes of each."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:  # closed
                return
            with client, contextlib.suppress(OSError):
                client.settimeout(1)
                self.taken.append(client.recv(200))

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()


@dataclass
class Seen:
    """What a page did.

    Attributes:
        console: Messages of any level but debug, info and log; among them `CANARY`, `POLICY`, `REJECTION`, `POINTER`.
        errors: Uncaught exceptions.
        requests: Addresses asked for, the page's own left out.
        dialogs: Texts of `alert` and its like.
        places: Where frames went, the page's own address left out.
        others: Windows, downloads and sockets that were opened.
    """

    console: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    @property
    def all(self) -> list[str]:
        """Everything, each with its kind."""
        return [f"{kind}: {what}" for kind, found in vars(self).items() for what in found]

    def watch(self, context: BrowserContext, page: Page, own: str) -> None:
        """Starts to note."""

        def message(said: ConsoleMessage) -> None:
            if said.type not in ("debug", "info", "log"):
                self.console.append(f"{said.type} {said.text}")

        def dialog(shown: Dialog) -> None:
            self.dialogs.append(f"{shown.type} {shown.message}")
            shown.dismiss()

        def request(made: Request) -> None:
            if made.url.split("#")[0] != own:
                self.requests.append(made.url[:200])

        def went(frame: Frame) -> None:
            if frame.url.split("#")[0] != own or frame.parent_frame:
                self.places.append(frame.url[:200])

        context.on("request", request)
        page.on("console", message)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", dialog)
        page.on("framenavigated", went)
        page.on("popup", lambda opened: self.others.append(f"popup {opened.url}"))
        page.on("download", lambda started: self.others.append(f"download {started.url}"))
        page.on("websocket", lambda opened: self.others.append(f"websocket {opened.url}"))
        page.on("worker", lambda opened: self.others.append(f"worker {opened.url}"))


@dataclass
class View:
    """A report that is open in the browser.

    Attributes:
        page: Playwright's page.
        seen: What it did so far.
        path: The file.
    """

    page: Page
    seen: Seen
    path: Path

    def options(self) -> list[str]:
        """Ids of the claims in the list that are to be seen, in order."""
        shown = self.page.locator('[role="option"][data-claim]')
        return [each.get_attribute("data-claim") or "" for each in shown.all() if each.is_visible()]

    def option(self, claim: str) -> Any:
        """The claim in the list."""
        return self.page.locator(f'[role="option"][data-claim="{claim}"]')

    @property
    def selected(self) -> str | None:
        """Id of the claim that the detail is about."""
        return self.page.locator("#detail").get_attribute("data-claim")

    @property
    def fragment(self) -> str:
        """Of the address, as the page's script reads it."""
        return str(self.page.evaluate("location.hash"))

    def text(self) -> str:
        """All text that is shown, also what lies so far down that the browser has not laid it out yet."""
        self.page.evaluate("document.styleSheets[0].insertRule('* { content-visibility: visible !important }')")
        return str(self.page.inner_text("body"))

    def trail(self) -> set[tuple[str, str]]:
        """(node, role) of what is lit, as the page tells it to a screen reader."""
        lit = self.page.locator("#trail [data-node]")
        return {(each.get_attribute("data-node") or "", each.get_attribute("data-role") or "") for each in lit.all()}

    def settled(self) -> None:
        """Waits for what the browser does with the next frame: a text just unhidden has no `innerText` before it."""
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def select(self, claim: str) -> None:
        """Clicks a claim in the list, and waits until the page has drawn its trail."""
        self.option(claim).click()
        self.page.locator(f'#detail[data-claim="{claim}"]').wait_for()
        self.settled()

    def until(self, holds: Callable[[], bool]) -> bool:
        """Whether something comes to hold; the browser is listened to meanwhile."""
        end = time.monotonic() + 30
        while not (held := holds()) and time.monotonic() < end:
            self.page.wait_for_timeout(20)
        return held

    def violations(self) -> list[str]:
        """Rules of accessibility that the page breaks, minor ones left out, by axe-core."""
        from axe_playwright_python.sync_playwright import Axe

        self.settled()
        return [
            f"{each['impact']} {each['id']}: {each['help']}: {[node['html'][:150] for node in each['nodes'][:3]]}"
            for each in Axe().run(self.page).response["violations"]
            if each["impact"] in ("moderate", "serious", "critical")
        ]

    def graph(self, expression: str) -> Any:
        """Evaluates a JavaScript expression with `cy`, the graph library's own object."""
        return self.page.evaluate(
            """(expression) => {
              const holder = [document.querySelector("#graph"), ...document.querySelectorAll("#graph *")]
                .find((each) => each?._cyreg?.cy);
              return Function("cy", `return ${expression}`)(holder._cyreg.cy);
            }""",
            expression,
        )


class Chromium:
    """One browser, in which each report gets a fresh profile."""

    def __init__(self, browser: Browser, sink: Sink) -> None:
        self.browser = browser
        self.sink = sink

    @contextlib.contextmanager
    def opened(
        self,
        report: Report | str,
        folder: Path,
        *,
        fragment: str = "",
        script: bool = True,
        timeout: float = 60.0,
        **context: Any,
    ) -> Iterator[View]:
        """Writes a report as a file and opens it.

        Args:
            report: A report, or HTML.
            folder: Where to write.
            fragment: What the address ends with, `#` included.
            script: Whether the page may run any.
            timeout: Seconds until the page has to be ready.
            context: What else Playwright's `new_context` takes: viewport, color_scheme, ...
        """
        path = folder / "report.html"
        path.write_text(report if isinstance(report, str) else report.to_html(), encoding="utf-8", newline="")
        profile = self.browser.new_context(java_script_enabled=script, **context)
        try:
            profile.add_init_script(_WATCH)
            page = profile.new_page()
            page.set_default_timeout(30_000)
            view = View(page, Seen(), path)
            view.seen.watch(profile, page, path.as_uri())
            page.goto(path.as_uri() + fragment)
            if script:
                page.wait_for_selector('html[data-ready="true"]', state="attached", timeout=timeout * 1e3)
            yield view
        finally:
            profile.close()


@contextlib.contextmanager
def started() -> Iterator[Chromium]:
    """Starts the browser.

    Raises:
        RuntimeError: If there is none.
    """
    from playwright.sync_api import sync_playwright

    path = executable()
    if path is None:
        raise RuntimeError("no Chromium: install it (Debian: apt-get install chromium), or name it in TRAIL_CHROMIUM")
    sink = Sink()
    try:
        with sync_playwright() as playwright:
            rules = f"MAP *.example 127.0.0.1:{sink.port}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
            flags = [*_FLAGS, f"--host-resolver-rules={rules}"]
            browser = playwright.chromium.launch(executable_path=path, args=flags)
            try:
                yield Chromium(browser, sink)
            finally:
                browser.close()
    finally:
        sink.close()
