"""What is kept on disk, over real HTTP on loopback: the second run of a command asks nobody."""

import json

import pytest
from endpoint import fair

from trail_callbacks.cli import main

pytest.importorskip("instructor")
pytestmark = pytest.mark.loopback

TOWER, HEIGHT = "The tower was finished in 1874.", "The tower is 31 metres high."
KEY = "sk-proj-0123456789abcdefSECRET"


def test_the_second_run_of_a_command_pays_only_for_calls_that_changed(endpoints, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    endpoint = endpoints(fair)

    def check(answer, *options):
        arguments = ["--answer", answer, "--source", f"{TOWER} {HEIGHT}", "--judge", f"openai/m@{endpoint.url}"]
        status = main(["check", *arguments, "--cache", str(tmp_path / "kept"), "--json", *options])
        out, err = capsys.readouterr()
        assert (status, err) == (0, "")
        said = json.loads(out)
        return said, (said["usage"]["calls"], said["usage"]["cache_hits"])

    first, cost = check(TOWER)
    assert cost == (1, 0)
    second, cost = check(TOWER)
    assert cost == (0, 1)
    assert (second["verdicts"], second["claims"]) == (first["verdicts"], first["claims"])
    assert len(endpoint.asked) == 1
    assert check(f"{TOWER} {HEIGHT}")[1] == (1, 0)
    assert check(TOWER, "--source", "The tower has a bell.")[1] == (1, 0)
    assert "The tower has a bell." in endpoint.asked[-1].prompt
    for path in (tmp_path / "kept").rglob("*"):
        assert path.is_dir() or KEY not in path.read_text()
