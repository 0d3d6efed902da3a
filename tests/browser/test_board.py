"""The page for the team in a real browser: it reads well, by keyboard too, and hostile texts do nothing."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import hostile
import pytest

from trail_callbacks.monitor import DocumentUse, Observation
from trail_callbacks.report.diagnosis import Figure

pytest.importorskip("starlette", reason="needs the extra serve")

NOW = 1_790_000_000.0
PAGES = ("/", "/segments", "/releases", "/runs", "/feedback", "/sources")


def runs():
    for i in range(60):
        text = list(hostile.TEXTS.values())[i % len(hostile.TEXTS)]
        bad = i % 4 == 0
        yield Observation(
            id=f"run{i}{text}" if i % 3 == 0 else f"run{i}",
            at=NOW - i * 7_000,
            judge=text,
            state="assessed",
            score=0.5 if bad else 0.0,
            claims=2,
            outcomes={"supported": 1, "contradicted": 1} if bad else {"supported": 2},
            figures={
                name: Figure(value=i % 5 / 4, n=3, decided_by="judge")
                for name in ("query_coverage", "selection", "citation_recall")
            },
            broken="generation" if bad else None,
            diagnosed=True,
            release=f"v{i % 2} {text[:150]}",
            versions={"app": f"v{i % 2}", "index": text[:150]},
            fields={"query_class": text[:150], "tenant": "acme"},
            documents=(DocumentUse(name=text, passages=1, updated=NOW - 1e6, ingested=NOW - 9e5),),
        )


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    from trail_callbacks.serving import Access
    from trail_callbacks.serving.server import Server
    from trail_callbacks.store import Store

    store = Store(str(tmp_path_factory.mktemp("board") / "trail.db"))
    store.put_observations(runs())
    store.put([(hostile.report(*list(hostile.TEXTS.values())[:3]), None)])
    server = Server(store, "127.0.0.1", 0, Access())
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server.url.rstrip("/")
    server.stop()
    thread.join(20)
    store.close(5)


@contextmanager
def opened(chromium, url, **context):
    profile = chromium.browser.new_context(**context)
    try:
        page = profile.new_page()
        page.set_default_timeout(20_000)
        said = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(f"dialog {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                said.append(request.url)
                if not request.url.startswith(url.split("/", 3)[0] + "//127.0.0.1")
                and not request.url.startswith("data:")
                else None
            ),
        )
        page.goto(url)
        yield page
        assert said == []
    finally:
        profile.close()


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (1440, "light")])
def test_pages_fit_are_accessible_and_keep_hostile_texts_inert(chromium, address, path, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    before = len(chromium.sink.taken)
    url = f"{address}{path}?window=30d&until={NOW}"
    with opened(chromium, url, viewport={"width": width, "height": 900}, color_scheme=scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page).response["violations"]
        assert [f"{each['id']}: {[node['html'][:120] for node in each['nodes'][:2]]}" for each in found] == []
        assert page.locator("h1").inner_text() in {"Overview", "Segments", "Releases", "Runs", "Feedback", "Sources"}
    assert chromium.sink.taken[before:] == []


def test_a_run_shows_its_report_and_takes_feedback(chromium, address):
    with opened(chromium, f"{address}/runs", viewport={"width": 1280, "height": 900}) as page:
        page.locator("tbody a").first.click()
        page.wait_for_url(lambda url: "/run?" in url)
        assert page.get_by_role("button", name="right").first.bounding_box()["y"] < 600, "it is seen without scrolling"
        frame = page.frame_locator("iframe.report")
        frame.locator('html[data-ready="true"]').wait_for(state="attached")
        page.get_by_role("button", name="right").first.click()
        page.locator('button[aria-pressed="true"]').first.wait_for()
        assert page.locator('button[aria-pressed="true"]').count() == 1
        page.get_by_role("link", name="Feedback").click()
        page.wait_for_url("**/feedback*")
        assert "Verdicts looked at" in page.locator("main").inner_text()


def test_the_keyboard_reaches_everything(chromium, address):
    with opened(chromium, f"{address}/?window=30d&until={NOW}", viewport={"width": 1280, "height": 900}) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        names = []
        for _ in range(12):
            page.keyboard.press("Tab")
            names.append(page.evaluate("document.activeElement.name || document.activeElement.innerText"))
        assert names[:6] == ["Overview", "Segments", "Releases", "Runs", "Feedback", "Sources"]
        assert {"window", "segment"} <= set(names)
