"""Where to look when runs go wrong."""

from __future__ import annotations

import json

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.monitor.triage import triage


def test_names_stage_segment_and_version(incident):
    found = triage(incident(), 1_000_000, 2_000_000)
    assert (found.symptom, found.broken, found.owner, found.evaluator) == ("evidence_overlap", True, "ranking", "up")
    assert [(each.field, each.value) for each in found.segments if each.suspect] == [("kind", "policy")]
    first = found.rollouts[0]
    assert (first.part, first.version, first.replaced, first.contrast.worse) == ("reranker", "r2", "r1", True)
    assert first.at == min(run.at for run in incident() if run.versions["reranker"] == "r2")
    assert [each.version for each in found.rollouts if each.contrast.worse] == ["r2"]
    assert found.breaks == {"reranking": sum(run.broken is not None for run in incident() if run.at >= 1_000_000)}
    assert all(run.figures["selection"].value == 0.5 for run in found.worst)


def test_an_app_that_is_as_it_was_has_no_suspect(incident):
    found = triage(incident(broken=False), 1_000_000, 2_000_000)
    assert (found.broken, found.symptom) == (False, "unsupported")
    assert not any(each.suspect for each in found.segments)
    assert not any(each.contrast.worse for each in found.rollouts)


def test_an_evaluator_that_fails_comes_first(incident):
    found = triage(incident(failing=0.3), 1_000_000, 2_000_000)
    assert (found.evaluator, found.owner) == ("impaired", "evaluator")
    assert found.undecided.now.share == pytest.approx(0.3, abs=0.01)


def test_ids_are_no_segments_unless_asked_for(incident):
    assert {each.field for each in triage(incident(), 1_000_000, 2_000_000).segments} == {"kind"}
    asked = triage(incident(), 1_000_000, 2_000_000, fields=["request"])
    assert {each.field for each in asked.segments} == {"request"}


def test_a_run_can_be_asked_about(incident):
    run = incident()[-1]
    assert triage(incident(), 1_000_000, 2_000_000, run=run.id).run == run
    with pytest.raises(InputError, match="no judged run has the id 'none'"):
        triage(incident(), 1_000_000, 2_000_000, run="none")


def test_its_data_are_json_without_users(incident):
    data = json.loads(json.dumps(triage(incident(), 1_000_000, 2_000_000).as_data(), allow_nan=False))
    assert data["owner"] == "ranking"
    assert "user" not in data["worst"][0]
