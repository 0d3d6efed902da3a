"""A triage in words."""

from __future__ import annotations

from trail_callbacks.monitor.steps import steps, verdict
from trail_callbacks.monitor.triage import triage


def words(found):
    return {question: "\n".join(answers) for question, answers in steps(found)}


def test_the_verdict_names_owner_segment_and_version(incident):
    said = verdict(triage(incident(), 1_000_000, 2_000_000))
    assert said.startswith("Look at ranking first: too little of the evidence")
    assert said.endswith("in kind policy; since reranker r2 (1970-01-17T04:53:21Z).")


def test_the_verdict_does_not_blame_the_app_for_its_judge(incident):
    failing = triage(incident(failing=0.3), 1_000_000, 2_000_000)
    assert verdict(failing).startswith("Look at the evaluator first: it left too much open")
    assert words(failing)["Was the evaluator up?"].startswith("no: it left too much open")
    assert "no sign that all is well" in verdict(triage(incident(), 3_000_000, 4_000_000))
    assert "another judge" in verdict(triage(incident(judge="new"), 1_000_000, 2_000_000))


def test_runs_without_segments_versions_and_diagnosis_are_told(answer):
    found = triage([answer(n, at=n + 1.0) for n in range(50)], 0.0, 99.0)
    said = "\n".join(words(found).values())
    assert "no run has segments" in said
    assert "no version changed" in said
    assert "no run was diagnosed" in said
