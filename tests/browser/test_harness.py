"""What the recorders of these tests notice: a test of silence is worth what it would have heard."""

import pytest
from browsing import HOST

READY = '<!doctype html><html data-ready="true"><meta charset="utf-8"><title>x</title>'
NOISE = {
    "script": ("<script>canary('x')</script>", "console: error CANARY x"),
    "event handler": ("<img src=x: onerror=canary('x')>", "console: error CANARY x"),
    "exception": ("<script>nothing.here</script>", "errors: nothing is not defined"),
    "rejection": ("<script>Promise.reject('no')</script>", "console: error REJECTION no"),
    "warning": ("<script>console.warn('careful')</script>", "console: warning careful"),
    "dialog": ("<script>alert('boo')</script>", "dialogs: alert boo"),
    "request": (f"<img src='http://{HOST}/pixel'>", f"requests: http://{HOST}/pixel"),
    "style": (f"<p style='background:url(http://{HOST}/css)'>x</p>", f"requests: http://{HOST}/css"),
    "frame": (f"<iframe src='http://{HOST}/frame'></iframe>", f"requests: http://{HOST}/frame"),
    "navigation": ("<meta http-equiv=refresh content='1;url=about:blank'>", "places: about:blank"),
    "popup": ("<script>open('about:blank')</script>", "others: popup"),
    "worker": ("<script>new Worker(URL.createObjectURL(new Blob(['1'])))</script>", "others: worker blob:"),
    "policy": (
        "<meta http-equiv=Content-Security-Policy content=\"script-src 'none'\"><script>1</script>",
        "console: error POLICY script-src-elem inline",
    ),
    "pointer": (
        f"<script>document.documentElement.append(Object.assign(document.createElement('a'),{{href:'//{HOST}/'}}))</script>",
        "console: error POINTER",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", NOISE)
def test_a_noisy_page_is_heard(chromium, tmp_path, kind):
    html, expected = NOISE[kind]
    with chromium.opened(f"{READY}{html}", tmp_path) as view:
        assert view.until(lambda: any(each.startswith(expected) for each in view.seen.all)), view.seen.all


@pytest.mark.parametrize(
    "html",
    [
        f"<link rel=prefetch href='http://{HOST}/'>",
        f"<script>navigator.sendBeacon('http://{HOST}/b')</script>",
        f"<script>new WebSocket('ws://{HOST}/s')</script>",
        f"<script>fetch('https://{HOST}/f').catch(() => 0)</script>",
    ],
    ids=["prefetch", "beacon", "websocket", "fetch"],
)
def test_a_connection_is_taken(chromium, tmp_path, html):
    before = len(chromium.sink.taken)
    with chromium.opened(f"{READY}{html}", tmp_path) as view:
        assert view.until(lambda: len(chromium.sink.taken) > before)
