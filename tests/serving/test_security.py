"""Who may read the page, and from where."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from trail_callbacks.errors import InputError
from trail_callbacks.serving.security import Access, GuardedApp

TOKEN = "t" * 20
EVERYWHERE = "0.0.0.0"  # noqa: S104 - it is what is refused


def client(access=None, host="127.0.0.1:8766"):
    def said(_):
        return PlainTextResponse("inside")

    routes = [Route("/", said, methods=["GET", "POST"]), Route("/runs", said)]
    app = GuardedApp(Starlette(routes=routes), access or Access())
    return TestClient(app, base_url=f"http://{host}", follow_redirects=False)


@pytest.mark.parametrize("host", ["127.0.0.1:8766", "localhost", "[::1]:8766"])
def test_this_machine_may_read(host):
    assert client().get("/", headers={"host": host}).text == "inside"


@pytest.mark.parametrize("host", ["127.0.0.1.evil.example", "", "localhost@evil.example", "[::1", "a b"])
def test_a_name_that_is_not_this_machines_is_refused(host):
    reply = client().get("/", headers={"host": host})
    assert (reply.status_code, "inside" in reply.text) == (400, False)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://127.0.0.1:8766"}, 200),
        ({"origin": "http://127.0.0.1:8766", "sec-fetch-site": "same-origin"}, 200),
        ({}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),  # another server of this machine
        ({"origin": "http://127.0.0.1:8766", "sec-fetch-site": "cross-site"}, 403),
        ({"origin": "http://127.0.0.1:8766", "sec-fetch-site": "same-site"}, 403),
    ],
)
def test_only_forms_of_the_page_itself_are_taken(headers, status):
    assert client().post("/", headers=headers).status_code == status


def test_every_reply_has_the_policy():
    for reply in (client().get("/"), client().get("/", headers={"host": "evil.example"})):
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["cache-control"] == "no-store"


def test_a_token_is_asked_for_and_leaves_the_address():
    view = client(Access(token=TOKEN))
    assert view.get("/").status_code == 401
    assert view.get("/?token=wrong").status_code == 401
    admitted = view.get(f"/runs?token={TOKEN}")
    assert (admitted.status_code, admitted.headers["location"]) == (303, "/runs")
    cookie = admitted.headers["set-cookie"]
    assert TOKEN not in cookie
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert view.get("/runs").text == "inside"


def test_a_token_is_taken_as_it_was_printed_and_as_it_is_typed():
    token = "a+b/c=d%20e%2Bf=="
    for shown in (token, quote(token, safe="")):
        assert client(Access(token=token)).get(f"/?token={shown}&x=1").status_code == 303


def test_cookies_of_other_programs_lock_nobody_out():
    access = Access(token=TOKEN)
    own = client(access).get(f"/?token={TOKEN}").headers["set-cookie"].partition(";")[0]
    name = own.partition("=")[0]
    assert name.endswith("_8766"), "another server on this host, with another port, has another"
    others = (
        f"{name}=old", f'{name}="', "x", "=x", ";;", 'x="a', 'x="a;b"', "x={1, 2}", r'x="\777\"', "x=a,b", "\xe4=\xff", "x y=z",
    )  # fmt: skip
    for other in others:
        for header in (f"{other}; {own}", f"{own}; {other}"):
            assert client(access).get("/", headers={"cookie": header.encode("latin-1")}).text == "inside", header
        assert client(access).get("/", headers={"cookie": other.encode("latin-1")}).status_code == 401


def test_a_redirect_stays_on_the_page():
    admitted = client(Access(token=TOKEN)).get(f"http://127.0.0.1:8766//evil.example/?token={TOKEN}")
    assert admitted.headers["location"].startswith("/evil.example")
    assert not admitted.headers["location"].startswith("//")


def test_a_scraper_shows_the_token_in_a_header():
    view = client(Access(token=TOKEN))
    assert view.get("/", headers={"authorization": f"Bearer {TOKEN}"}).text == "inside"
    assert view.get("/", headers={"authorization": "Bearer \u00e9".encode()}).status_code == 401
    assert view.get("/", headers={"cookie": "trail_access=forged"}).status_code == 401
    assert view.get("/", headers={"cookie": f"trail_access={Access(token=TOKEN).cookie}"}).status_code == 401


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"host": EVERYWHERE}, "--token"),
        ({"host": "10.0.0.7", "token": TOKEN}, "--allow-host"),
        ({"token": "short"}, "16 or more"),
        ({"token": "\u00fc" * 20}, "of ASCII"),
    ],
)
def test_beyond_this_machine_only_with_a_token_and_a_name(settings, message):
    with pytest.raises(InputError, match=message):
        Access(**settings)
