"""What each case of `peers.py` costs, counted alike for all tools: they ask through this relay, each case by its own URL.

Tools count tokens differently or not at all, and some endpoints do not say. Here the texts of messages and replies are
counted, for requests that were answered, and apart from them the schema that a reply has to follow, where it travels
beside the messages: hosted models count it to the prompt.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Self
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from trail_callbacks.models.tokens import count

SCHEMAS = ("response_format", "tools")
SENT = ("Authorization", "Content-Type")


class Meter(ThreadingHTTPServer):
    """Passes requests for `url(key)` on to the endpoint, and counts calls and tokens by key."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, base_url: str, timeout: float) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.base_url, self.patience = base_url.rstrip("/"), timeout
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.lock = Lock()

    def __enter__(self) -> Self:
        Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self.shutdown()
        self.server_close()

    def url(self, key: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{key}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Meter

    def do_POST(self) -> None:
        key, _, path = self.path.lstrip("/").partition("/")
        asked = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name: self.headers[name] for name in SENT if self.headers[name]}
        try:
            request = Request(f"{self.server.base_url}/{path}", asked, headers)  # noqa: S310 - the URL is the user's
            with urlopen(request, timeout=self.server.patience) as reply:  # noqa: S310 - as above
                status, said = reply.status, reply.read()
            self._count(key, json.loads(asked), json.loads(said))
        except HTTPError as error:
            status, said = error.code, error.read()
        except (OSError, ValueError, LookupError) as error:
            status, said = 502, json.dumps({"error": {"message": repr(error)}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def _count(self, key: str, asked: dict, said: dict) -> None:
        message = said["choices"][0]["message"]
        replied = [message.get("content"), *(call["function"]["arguments"] for call in message.get("tool_calls") or ())]
        prompts = sum(_tokens(each.get("content")) for each in asked["messages"])
        beside = count("".join(json.dumps(asked[name]) for name in SCHEMAS if asked.get(name)))
        with self.server.lock:
            counts = self.server.counts[key]
            counts.update(
                calls=1, prompt_tokens=prompts, schema_tokens=beside, completion_tokens=sum(map(_tokens, replied))
            )

    def log_message(self, *_) -> None:
        pass


def _tokens(content: str | list | None) -> int:
    """Tokens of a message's content, which may come in parts."""
    if isinstance(content, list):
        return sum(count(part.get("text", "")) for part in content)
    return count(content or "")


if __name__ == "__main__":
    print("a part of peers.py; measures nothing by itself", file=sys.stderr)
