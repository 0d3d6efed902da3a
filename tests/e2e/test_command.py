"""The command line with a real model behind a real endpoint. Its words mean nothing; their way through the app does."""

import pytest

from trail_callbacks import Report
from trail_callbacks.cli import main

pytestmark = pytest.mark.loopback


def test_check_with_a_model_as_judge(base_url, capsys):
    given = ["--answer", "It opened in 1968.", "--source", "It opened in 1986."]
    status = main(["check", *given, "--judge", f"openai/smollm2@{base_url}", "--json"])
    out, _ = capsys.readouterr()
    report = Report.from_json(out)
    assert status == (2 if report.state == "error" else 0)  # so small a model may find no claim at all
    assert report.judge.startswith("llm/openai/smollm2")
    assert report.usage.calls >= 1
