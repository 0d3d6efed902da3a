"""What is kept on disk, over real HTTP on loopback: the second run of a command asks nobody."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from trail_callbacks.cli import main

pytest.importorskip("instructor")
pytestmark = pytest.mark.loopback

TRUE, FALSE = "The tower was finished in 1874.", "It is 60 metres high."
SOURCE = "The tower was finished in 1874. The tower is 31 metres high."
KEY = "sk-proj-0123456789abcdefSECRET"


def reply(prompt):
    """A judge that finds each claim supported by the first passage with its first words."""
    said = [claim for claim in (TRUE, FALSE) if claim in prompt.split("<<<ANSWER")[1]]
    passage = re.search(r"^\[(s\d+)\] .*1874", prompt, re.MULTILINE)[1]
    return {
        "abstained": False,
        "claims": [{"quote": each, "supporting": [passage], "support": "supported"} for each in said],
    }


@pytest.fixture
def endpoint():
    prompts = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompts.append(sent["messages"][-1]["content"])
            message = {"role": "assistant", "content": json.dumps(reply(prompts[-1]))}
            data = json.dumps(
                {
                    "id": "x", "object": "chat.completion", "created": 1, "model": "m",
                    "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
                }
            ).encode()  # fmt: skip
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", prompts
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_second_run_of_a_command_pays_only_for_calls_that_changed(endpoint, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    url, prompts = endpoint

    def check(answer, *options):
        arguments = ["--answer", answer, "--source", SOURCE, "--judge", f"openai/m@{url}"]
        status = main(["check", *arguments, "--cache", str(tmp_path / "kept"), "--json", *options])
        out, err = capsys.readouterr()
        assert (status, err) == (0, "")
        return json.loads(out)

    first = check(TRUE)
    assert (first["usage"]["calls"], first["usage"]["cache_hits"]) == (1, 0)
    second = check(TRUE)
    assert (second["usage"]["calls"], second["usage"]["cache_hits"]) == (0, 1)
    assert second["verdicts"] == first["verdicts"]
    assert second["claims"] == first["claims"]
    assert len(prompts) == 1
    longer = check(f"{TRUE} {FALSE}")
    assert (longer["usage"]["calls"], longer["usage"]["cache_hits"]) == (1, 0)
    other_source = check(TRUE, "--source", "The tower has a bell.")
    assert (other_source["usage"]["calls"], other_source["usage"]["cache_hits"]) == (1, 0)
    assert "The tower has a bell." in prompts[-1]
    for path in (tmp_path / "kept").rglob("*"):
        assert path.is_dir() or KEY not in path.read_text()
