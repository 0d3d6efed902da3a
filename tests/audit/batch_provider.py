"""A provider on loopback with chat completions, files and batches, which are carried out when their time has come."""

import json
import sys
import threading
from collections import Counter
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "wire"))
from endpoint import Answer, Asked, fair, reply


class Provider:
    """Serves until closed.

    Args:
        script: Answers a request of a batch: a function of `Asked` and of how often it was asked before; returns what
            `reply` takes, an `Answer`, or None for a line that failed without a response.
        fate: Returns the status in which the n-th batch ends, from 0.

    Attributes:
        submitted: The bodies of the requests of each batch.
        direct: The bodies of the requests that came without a batch.
        held: While set, no batch is over.
    """

    def __init__(self, script=lambda asked, _: fair(asked), fate=lambda _: "completed"):
        self.script, self.fate = script, fate
        self.submitted, self.direct, self.deleted = [], [], []
        self.files, self.batches = {}, {}
        self.asked = Counter()
        self.held = threading.Event()
        self.creating = None  # a function that is called before a batch is created, and may say what is answered
        self.listing = True  # whether it can say which batches there are
        self.lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"provider": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def upload(self, content):
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return {"id": name, "object": "file", "bytes": len(content), "created_at": 1, "filename": "f",
                "purpose": "batch", "status": "processed"}  # fmt: skip

    def create(self, body):
        assert (body["endpoint"], body["completion_window"]) == ("/v1/chat/completions", "24h")
        lines = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
        assert len({line["custom_id"] for line in lines}) == len(lines)
        assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
        name = f"batch_{len(self.batches)}"
        self.batches[name] = {
            "id": name, "object": "batch", "endpoint": body["endpoint"], "input_file_id": body["input_file_id"],
            "completion_window": "24h", "created_at": 1, "status": "validating", "looks": 0, "lines": lines,
        }  # fmt: skip
        self.submitted.append([line["body"] for line in lines])
        return self.shown(name)

    def shown(self, name):
        return {key: value for key, value in self.batches[name].items() if key not in {"looks", "lines"}}

    def look(self, name):
        batch = self.batches[name]
        batch["looks"] += 1
        if batch["status"] in {"validating", "in_progress"}:
            batch["status"] = "in_progress"
            if batch["looks"] > 1 and not self.held.is_set():
                self.carry_out(batch)
        return self.shown(name)

    def carry_out(self, batch):
        batch["status"] = self.fate(list(self.batches).index(batch["id"]))
        if batch["status"] == "failed":
            batch["errors"] = {"object": "list", "data": [{"code": "token_limit_exceeded", "message": "queue is full"}]}
            return
        good, bad = [], []
        for n, line in enumerate(batch["lines"]):
            if batch["status"] != "completed" and n % 2:
                bad.append(_line(line, None, {"code": "batch_expired", "message": "it took too long"}))
                continue
            key = json.dumps(line["body"]["messages"])
            asked = Asked(line["body"])
            said = self.script(asked, self.asked[key])
            self.asked[key] += 1
            if said is None:
                bad.append(_line(line, None, {"code": "oops", "message": "nobody knows"}))
                continue
            answer = said if isinstance(said, Answer) else reply(asked, said)
            (good if answer.status == 200 else bad).append(_line(line, answer, None))
        good.reverse()  # the order of replies is not that of requests
        for name, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                batch[name] = self.upload("".join(json.dumps(each) + "\n" for each in lines))["id"]


def _line(line, answer, error):
    response = answer and {"status_code": answer.status, "request_id": "r", "body": answer.payload}
    return {"id": "x", "custom_id": line["custom_id"], "response": response, "error": error}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    provider: Provider

    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        provider = self.provider
        if self.path == "/v1/chat/completions":
            body = json.loads(data)
            with provider.lock:
                provider.direct.append(body)
            said = reply(Asked(body), provider.script(Asked(body), 0))
            self.say(said.status, said.payload)
        elif self.path == "/v1/files":
            message = BytesParser().parsebytes(
                b"Content-Type: " + self.headers["Content-Type"].encode() + b"\n\n" + data
            )
            parts = {part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
                     for part in message.get_payload()}  # fmt: skip
            assert parts["purpose"] == b"batch"
            with provider.lock:
                self.say(200, provider.upload(parts["file"].decode()))
        else:
            with provider.lock:
                said = provider.creating and provider.creating(json.loads(data))
                self.say(*(said or (200, provider.create(json.loads(data)))))

    def do_GET(self):
        provider, (_, kind, *rest) = self.provider, self.path.partition("?")[0].removeprefix("/v1").split("/")
        with provider.lock:
            if kind == "files":
                self.say(200, provider.files[rest[0]].encode())
            elif not rest and self.provider.listing:
                shown = [provider.shown(name) for name in provider.batches]
                self.say(200, {"object": "list", "data": shown, "has_more": False})
            elif rest and rest[0] in provider.batches:
                self.say(200, provider.look(rest[0]))
            else:
                self.say(404, {"error": {"message": "no such batch", "type": "t", "code": None, "param": None}})

    def do_DELETE(self):
        name = self.path.rpartition("/")[2]
        with self.provider.lock:
            self.provider.deleted.append(name)
        self.say(200, {"id": name, "object": "file", "deleted": True})

    def say(self, status, payload):
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass
