"""A server on loopback that speaks OpenAI's chat completions over real HTTP and answers, or misbehaves, as told.

What is asked is read from the prompt's structure, as a model would: the fenced blocks and the ids in front of a line.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from trail_callbacks.text import sentences

_BLOCK = re.compile(r"^<<<(\w+) (\w+)>>>\n(.*?)\n<<<END \1 \2>>>$", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"^\[([^\]\s]+)\] (?:\(candidates: ([^)]*)\) )?(.*)$", re.MULTILINE)
_PURPOSE = {"ClaimsReply": "claims", "VerdictsReply": "verdicts", "StatedReply": "localize", "OnePassReply": "onepass"}


@dataclass(frozen=True)
class Answer:
    """One HTTP response.

    `fault` says how it goes wrong on the wire: `reset` (half the body, then RST), `chunks` (a chunked body that never
    ends), `closed` (half the body, then a polite end), `silent` (nothing at all until the endpoint closes).
    """

    status: int
    payload: Any
    headers: dict[str, Any] = field(default_factory=dict)
    fault: str = ""

    @property
    def data(self) -> bytes:
        return self.payload if isinstance(self.payload, bytes) else json.dumps(self.payload).encode()


def answer(content, *, finish="stop", usage=(10, 5), refusal=None, fault="", **message):
    """A completion. `content` that is no text, e.g. a dict, is sent as JSON."""
    if content is not None and not isinstance(content, str):
        content = json.dumps(content, ensure_ascii=False)
    said = {"role": "assistant", "content": content, "refusal": refusal, **message}
    counts = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return Answer(
        200,
        {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "finish_reason": finish, "message": said}],
            "usage": counts,
        },
        fault=fault,
    )


def tool_answer(arguments, *, name="City", finish="tool_calls", **options):
    """A completion whose content is the arguments of a tool call."""
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return answer(None, finish=finish, tool_calls=[call], **options)


def error(status, message, code=None, param=None, **headers):
    """An error as OpenAI words it. Headers are named with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"error": {"message": message, "type": "t", "code": code, "param": param}}, named)


@dataclass(frozen=True)
class Asked:
    """What one request asks for."""

    body: dict[str, Any]

    @property
    def schema_name(self) -> str:
        if self.body.get("tools"):
            return self.body["tools"][0]["function"]["name"]
        return self.body.get("response_format", {}).get("json_schema", {}).get("name", "")

    @property
    def purpose(self) -> str:
        return _PURPOSE.get(self.schema_name, "")

    @property
    def prompt(self) -> str:
        return "\n".join(m["content"] for m in self.body["messages"] if m["role"] == "user" and "<<<" in m["content"])

    def block(self, name: str) -> str:
        return next((text for label, _, text in _BLOCK.findall(self.prompt) if label == name), "")

    @property
    def claims(self) -> dict[str, str]:
        """The claims to judge, by id."""
        return {id_: text for id_, _, text in _LINE.findall(self.block("CLAIMS"))}

    @property
    def passages(self) -> dict[str, str]:
        """The passages shown, by id."""
        return {id_: text for id_, _, text in _LINE.findall(self.block("PASSAGES"))}


def claim(quote, **changes):
    return {"quote": quote, "claim": quote, "checkable": True} | changes


def verdict(id_, passages=(), support="supported", **changes):
    """An item of a reply, whether it is asked for a class or only for who states the claim."""
    for_it, against = (list(passages), []) if support != "contradicted" else ([], list(passages))
    wrong = support in {"contradicted", "absent", "partially_supported"}
    return {
        "claim": id_,
        "evidence": list(passages),
        "supporting": for_it,
        "contradicting": against,
        "faults": [],
        "comparison": f"About {id_}.",
        "support": support,
        "stated": support == "supported",
        "error_type": "other" if wrong else "none",
        "second_type": "none",
        "detail": "none",
    } | changes


def fair(asked: Asked):
    """What an honest judge replies: each sentence is a claim, and supported where a passage says the same words."""
    if asked.purpose == "claims":
        text = asked.block("ANSWER")
        return {"abstained": False, "claims": [claim(text[s.start : s.end].strip()) for s in sentences(text)]}
    if asked.purpose == "onepass":
        text = asked.block("ANSWER")
        said = [text[s.start : s.end].strip() for s in sentences(text)]
        return {"abstained": False, "claims": [_judged("", one, asked.passages) | claim(one) for one in said]}
    return {"verdicts": [_judged(id_, text, asked.passages) for id_, text in asked.claims.items()]}


def _judged(id_, text, passages):
    same = [passage for passage, said in passages.items() if said == text]
    return verdict(id_, same) if same else verdict(id_, support="absent")


def on(purpose, said, times=None):
    """A judge that is fair, but says `said` when asked for `purpose`, the first `times` times."""
    done = Counter()
    lock = threading.Lock()

    def script(asked: Asked):
        if asked.purpose != purpose:
            return fair(asked)
        with lock:
            done[purpose] += 1
            fine = times is not None and done[purpose] > times
        return fair(asked) if fine else said(asked) if callable(said) else said

    return script


class Endpoint:
    """Serves on a free port until closed.

    Args:
        answers: Answers in turn, the last for ever; or a function of `Asked` that returns an `Answer`, or what
            `reply` takes.

    Attributes:
        asked: What was asked, in order of arrival.
        times: When, in seconds of `time.time`.
        authorizations: The keys that were sent.
    """

    def __init__(self, *answers):
        self.asked: list[Asked] = []
        self.times: list[float] = []
        self.authorizations: list[str] = []
        self.closing = threading.Event()
        self._answers = list(answers)
        self._lock = threading.Lock()  # protects all of the above, and the two below
        self._connections = 0
        self._aborted = 0
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def requests(self):
        """The bodies of the requests."""
        return [asked.body for asked in self.asked]

    @property
    def purposes(self):
        """How many requests there were for each purpose."""
        return Counter(asked.purpose for asked in self.asked)

    @property
    def connections(self):
        """How many clients are connected now."""
        return self._connections

    @property
    def aborted(self):
        """How many clients went away while they were kept waiting in silence."""
        return self._aborted

    def answer(self, body) -> Answer:
        asked = Asked(body)
        with self._lock:
            self.asked.append(asked)
            self.times.append(time.time())
            answers = self._answers
            chosen = answers.pop(0) if len(answers) > 1 else answers[0]
        said = chosen(asked) if callable(chosen) else chosen
        return said if isinstance(said, Answer) else reply(asked, said)

    def close(self):
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def reply(asked: Asked, said, **options) -> Answer:
    """A completion in the way that the request asks for: a tool's arguments, or text."""
    if asked.body.get("tools"):
        return tool_answer(said, name=asked.schema_name, **options)
    return answer(said, **options)


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # many clients knock at once
    daemon_threads = True

    def __init__(self, endpoint):
        self.endpoint = endpoint
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request, client_address):
        """A client that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self):
        super().setup()
        with self.server.endpoint._lock:
            self.server.endpoint._connections += 1

    def finish(self):
        with self.server.endpoint._lock:
            self.server.endpoint._connections -= 1
        super().finish()

    def do_POST(self):
        endpoint = self.server.endpoint
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with endpoint._lock:
            endpoint.authorizations.append(self.headers["Authorization"])
        said = endpoint.answer(json.loads(body))
        if said.fault == "silent":
            self._wait()
            return
        chunked = said.fault == "chunks"
        self.send_response(said.status)
        length = {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": len(said.data)}
        for name, value in ({"Content-Type": "application/json"} | length | said.headers).items():
            self.send_header(name, str(value))
        self.end_headers()
        half = said.data[: len(said.data) // 2] if said.fault else said.data
        self.wfile.write(b"%x\r\n%s\r\n" % (len(half), half) if chunked else half)
        if said.fault:
            self.close_connection = True
        if said.fault == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

    def _wait(self):
        """Says nothing until the client has left or the endpoint closes."""
        self.close_connection = True
        self.connection.settimeout(0.02)
        while not self.server.endpoint.closing.is_set():
            try:
                left = not self.connection.recv(1)
            except TimeoutError:
                continue
            except OSError:
                left = True
            if left:
                with self.server.endpoint._lock:
                    self.server.endpoint._aborted += 1
                return

    def log_message(self, *args):
        pass
