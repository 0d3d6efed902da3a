"""The one place that downloads: what it says before, and what a judge says that has nothing yet."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from seen import COMMIT, python

MODEL = "someone/tiny-nli"
ASK = f"""
import socket
socket.socket.connect = socket.getaddrinfo = None
from trail_callbacks import EncoderJudge, check
verdict = check("The ferry carries cars.", ["It confirms old cars."], judge=EncoderJudge({MODEL!r})).verdicts[0]
print(verdict.support or verdict.error)
"""


def fetch(*args, **env):
    told = ["encoder", "fetch", *args]
    done = python(f"from trail_callbacks.cli import main; raise SystemExit(main({told!r}))", **env)
    return done.returncode, done.stdout, [line.removeprefix("trail: ") for line in done.stderr.splitlines()]


@pytest.fixture
def hub(entailment):
    """A hub with one model, and what it was asked for."""
    files = {f"onnx/{p.name}" if p.suffix == ".onnx" else p.name: p.read_bytes() for p in Path(entailment).iterdir()}
    files |= {"onnx/model_O4.onnx": b"another", "model.safetensors": b"weights", "README.md": b"text"}
    asked = []

    class Hub(BaseHTTPRequestHandler):
        def do_GET(self):
            path = self.path.partition("?")[0]
            asked.append(path)
            name = path.partition("/resolve/main/")[2]
            told = {"id": MODEL, "sha": COMMIT, "cardData": {"license": "mit"}}
            told["siblings"] = [{"rfilename": each, "size": len(data)} for each, data in files.items()]
            body = json.dumps(told).encode() if path.startswith("/api/models/") else files.get(name)
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("ETag", f'"{hashlib.sha256(body or b"").hexdigest()}"')
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body or b"")

        do_HEAD = do_GET  # noqa: N815 - the names of the protocol

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked, files
    server.shutdown()
    server.server_close()


@pytest.mark.loopback
def test_a_model_is_downloaded_only_where_that_is_asked_for_and_what_is_told_comes_first(hub, tmp_path):
    url, asked, files = hub
    error = python(ASK, HF_HOME=str(tmp_path)).stdout
    assert f"{MODEL} is not on this machine, and a judge downloads nothing by itself" in error
    assert f"trail encoder fetch {MODEL}" in error
    env = {"HF_HOME": str(tmp_path), "HF_ENDPOINT": url, "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    status, _, (what, *names, pin) = fetch(MODEL, **env)
    assert status == 0
    assert what.startswith(f"{MODEL} at {COMMIT}: ")
    assert what.endswith(" MB, licence mit")
    wanted = {"config.json", "tokenizer.json", "onnx/model.onnx"}
    assert {line.split()[0].rpartition(f"{COMMIT}/")[2] for line in names} == wanted
    assert f'sha256="{hashlib.sha256(files["onnx/model.onnx"]).hexdigest()}"' in pin
    assert {path.partition("/resolve/main/")[2] for path in asked if "/resolve/" in path} == wanted
    done = python(ASK, HF_HOME=str(tmp_path))
    assert (done.stdout, done.stderr) == ("supported\n", "")  # no bar, no warning


def test_the_default_says_what_it_would_download(tmp_path):
    done = python("from trail_callbacks import EncoderJudge; EncoderJudge().load()", HF_HOME=str(tmp_path))
    last = done.stderr.strip().splitlines()[-1]
    assert "To get it once: trail encoder fetch FamiliarTools/HHEM-2.1-Open-onnx (419 MB; licence Apache-2.0; " in last


@pytest.mark.loopback
def test_a_hub_that_does_not_have_it_or_cannot_be_reached_is_an_error(hub, tmp_path):
    for url, why in (
        (hub[0], "no file 'b.onnx' (there: onnx/model.onnx, onnx/model_O4.onnx)"),
        ("http://127.0.0.1:9", ""),
    ):
        status, out, (*_, told) = fetch(MODEL, "--file", "b.onnx", HF_HOME=str(tmp_path), HF_ENDPOINT=url)
        assert (status, out) == (2, "")
        assert (why or "cannot be had from the hub") in told
