import json
from dataclasses import replace

import pytest
from canary_runs import probe, run

from trail_callbacks import check
from trail_callbacks.canary.page.document import gallery, read_report

F, L = "follows_context", "leaks_prior"


def test_examples_are_of_the_fictive_arm_first_and_of_different_strategies_and_kinds():
    probes = [probe(n, kind=kind) for n, kind in enumerate(["number", "number", "date", "name"])]
    made = run({"a": {"fictive": [F] * 4, "real": [F] * 4}, "b": {"fictive": [F, F, F, L]}}, probes)
    html = "".join(gallery(made, 3))
    assert html.count('<article class="example">') == 4
    assert "real context" not in html
    assert all(words in html for words in ("<bdi>a</bdi>", "<bdi>b</bdi>", "small number", "small date", "small name"))


def test_a_report_is_read_and_trials_with_one_come_first(tmp_path):
    report = check("It takes 53 minutes.", ["Ferry 1 takes 53 minutes."], "How long?")
    (tmp_path / "one.json").write_text(report.to_json(), "utf-8")
    made = run({"one": {"fictive": [F, F]}}, folder=tmp_path)
    made = replace(made, trials=[made.trials[0], replace(made.trials[1], report="one.json")])
    assert read_report(made, made.trials[1])[0].graph.answer.text == "It takes 53 minutes."
    assert "<bdi>p1</bdi>" in "".join(gallery(made, 1))


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
    made = run({"one": {"fictive": [F]}}, folder=folder)
    report, why = read_report(made, replace(made.trials[0], report=name))
    assert report is None
    assert words in why
    assert read_report(replace(made, folder=None), replace(made.trials[0], report=name)) == (
        None,
        "the run has no folder",
    )
