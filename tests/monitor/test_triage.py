"""Where to look when runs go wrong."""

import json

import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.monitor import SIGNALS
from trail_callbacks.monitor.triage import rollouts, steps, triage, verdict
from trail_callbacks.report.diagnosis import Figure


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


def test_an_app_that_stops_citing_or_answering_is_seen(answer):
    def played(**now):
        cites = {"figures": {"citation_presence": Figure(value=1.0, n=5, decided_by="judge")}}
        return triage([answer(n, at=float(n), **(cites if n < 100 else now)) for n in range(160)], 100, 200)

    gone = played(figures={"citation_presence": Figure(value=0.0, n=5, decided_by="judge")})
    assert (gone.symptom, gone.owner) == ("citation_presence", "release_guard")
    declined = played(state="abstained", claims=0)
    assert (declined.symptom, declined.owner) == ("abstention", None)
    assert verdict(declined).startswith("Look at retrieval and generation first: the app declined")


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


def test_a_run_that_is_asked_about_is_told_last(incident):
    said = words(triage(incident(), 1_000_000, 2_000_000, run="run 2999"))
    assert list(said)[-1] == "And run run 2999?"
    assert "evidence overlap: good" in said["And run run 2999?"]
    assert "versions: app a2, reranker r2" in said["And run run 2999?"]


def test_runs_without_segments_versions_and_diagnosis_are_told(answer):
    found = triage([answer(n, at=n + 1.0) for n in range(50)], 0.0, 99.0)
    said = "\n".join(words(found).values())
    assert "no run has segments" in said
    assert "no version changed" in said
    assert "no run was diagnosed" in said


@pytest.fixture
def found(answer):
    """Rollouts of runs, one a second, that are bad in a time."""

    def find(versions, bad):
        runs = [answer(t, int(t in bad and t % 2), at=float(t), versions=versions(t)) for t in range(1_000)]
        return {each.version: each for each in rollouts(runs, SIGNALS["unsupported"])}

    return find


def test_what_is_rolled_out_before_or_after_the_cause_is_not_blamed(found):
    rows = found(lambda t: {"app": f"a{t // 300}", "index": "new" if t >= 450 else "old"}, range(450, 1_000))
    assert {name for name, each in rows.items() if each.contrast.worse} == {"new"}
    assert (rows["new"].part, rows["new"].replaced, rows["new"].at) == ("index", "old", 450.0)
    assert set(rows) == {"a1", "a2", "a3", "new"}


def test_what_is_rolled_out_together_is_blamed_together(found):
    rows = found(lambda t: {"app": str(t >= 500), "index": f"i{t >= 503}"}, range(500, 1_000))
    assert {name for name, each in rows.items() if each.contrast.worse} == {"True", "iTrue"}
