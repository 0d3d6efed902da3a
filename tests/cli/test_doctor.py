"""The doctor plants a claim and looks whether it is found."""

import json

import pytest

from trail_callbacks import LocalJudge


def test_doctor_finds_the_planted_claim_everywhere(trail):
    pytest.importorskip("langchain_core")
    pytest.importorskip("llama_index.core")
    status, out, err = trail("doctor", "--json")
    data = json.loads(out)
    assert (status, err) == (0, "")
    assert len(data["findings"]) == 3
    assert all(each["captured"] and each["judged"] and each["flagged"] for each in data["findings"])


def test_doctor_says_who_failed(trail):
    status, out, _ = trail("doctor", "--judge", "openai/none", "--base-url", "http://127.0.0.1:9/v1", "--json")
    findings = {each["subject"]: each for each in json.loads(out)["findings"]}
    assert status == 1
    assert findings.pop(f"judge {LocalJudge().name}")["flagged"]
    for each in findings.values():
        assert each["captured"]
        assert not each["judged"]
        assert each["trouble"]
