import json

import pytest
from canary_runs import probe, run

from trail_callbacks import check
from trail_callbacks.canary import Run
from trail_callbacks.canary.report.examples import examples

F, L, A, U = "follows_context", "leaks_prior", "abstains", "unscorable"


def with_reports(made, folder, names):
    """Gives trials the reports of these names, in turn."""
    from dataclasses import replace

    trials = [replace(each, report=name) for each, name in zip(made.trials, names, strict=True)]
    return replace(made, trials=trials, folder=folder)


def test_each_outcome_that_occurs_has_examples_of_different_strategies_and_kinds():
    probes = [probe(n, kind=kind) for n, kind in enumerate(["number", "number", "date", "name"])]
    made = run({"a": {"fictive": [F] * 4, "real": [F] * 4}, "b": {"fictive": [F, F, F, L]}}, probes)
    found = examples(made)
    assert list(found) == [F, L]
    assert {each.trial.arm for each in found[F]} == {"fictive"}
    assert {each.trial.strategy for each in found[F]} == {"a", "b"}
    assert len({each.probe.kind for each in found[F]}) == 3
    assert examples(Run(probes={}, strategies={}, arms=(), trials=())) == {}


def test_a_report_is_read_and_trials_with_one_come_first(tmp_path):
    report = check("It takes 53 minutes.", ["Ferry 1 takes 53 minutes."], "How long?")
    (tmp_path / "one.json").write_text(report.to_json(), "utf-8")
    made = with_reports(run({"one": {"fictive": [F, F]}}), tmp_path, [None, "one.json"])
    first = examples(made, 1)[F][0]
    assert first.trial.probe == "p1"
    assert first.report.graph.answer.text == "It takes 53 minutes."


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gone.json", "No such file"),
        ("broken.json", "not a report"),
        ("../secret.json", "not in the folder of the run"),
        ("link.json", "not in the folder of the run"),
        (".", "directory"),
        ("a\0b", "null"),
    ],
)
def test_a_report_that_cannot_be_read_is_said(tmp_path, name, words):
    folder = tmp_path / "run"
    folder.mkdir()
    (tmp_path / "secret.json").write_text(json.dumps({"version": 1}), "utf-8")
    (folder / "broken.json").write_text("{", "utf-8")
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    (example,) = examples(with_reports(run({"one": {"fictive": [F]}}), folder, [name]))[F]
    assert example.report is None
    assert words in example.missing


def test_a_run_in_memory_has_no_reports_to_read(tmp_path):
    made = with_reports(run({"one": {"fictive": [F]}}), None, ["one.json"])
    assert examples(made)[F][0].missing == "the run has no folder"
