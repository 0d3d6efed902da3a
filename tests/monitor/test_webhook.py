"""A web service on this machine is told, and what goes wrong is said without the address, which may be a secret."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.monitor import Alert
from trail_callbacks.monitor.history import Event, WebhookError, checked_url, message, post

FIRING = Alert(
    id="a", objective="a", stage="generation", owner="team", state="firing", severity="page", why="half are bad"
)


@pytest.fixture
def service():
    """A server that replies with a status, or never, and keeps what it was sent."""
    release = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.server.seen.append((self.path, self.headers["Content-Type"], json.loads(body)))
            if self.server.status is None:
                release.wait(20)
                return
            self.send_response(self.server.status)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.seen, server.status = [], 204
    server.url = f"http://127.0.0.1:{server.server_port}/hook/s3cret?token=t0ken"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield server
    release.set()
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_message_has_words_for_people_and_data_for_programs():
    events = [
        Event(kind="begins", id="a", since=0.0, alert=FIRING),
        Event(kind="ends", id="b", since=0.0),
    ]
    data = json.loads(message(events, 60.0))
    assert data["text"] == "a begins (page, team): half are bad [all runs]\nb has ended"
    assert data["at"] == "1970-01-01T00:01:00+00:00"
    assert [each["kind"] for each in data["events"]] == ["begins", "ends"]
    assert data["events"][0]["alert"]["severity"] == "page"


@pytest.mark.loopback
def test_a_service_is_told(service):
    post(service.url, message([Event(kind="begins", id="\u00e9", since=0.0, alert=FIRING)], 0.0))
    ((path, kind, body),) = service.seen
    assert (path, kind, body["events"][0]["id"]) == ("/hook/s3cret?token=t0ken", "application/json", "\u00e9")


@pytest.mark.loopback
@pytest.mark.parametrize("status", [302, 307, 404, 500])
def test_another_status_is_an_error_and_no_redirect_is_followed(service, status):
    service.status = status
    with pytest.raises(WebhookError, match=f"status {status}") as error:
        post(service.url, "{}")
    assert "s3cret" not in str(error.value)
    assert "t0ken" not in str(error.value)
    assert len(service.seen) == 1


@pytest.mark.loopback
def test_a_service_that_does_not_reply_is_not_waited_for(service):
    service.status = None
    with pytest.raises(WebhookError, match="was not told: TimeoutError"):
        post(service.url, "{}", timeout=0.2)


@pytest.mark.parametrize(
    "url", ["", "hooks.example.org", "file:///etc/passwd", "http://", "http://h:x/", "http://h/\r\nX: y", "http://h/ a"]
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(InputError, match="has to begin with"):
        checked_url(url)
