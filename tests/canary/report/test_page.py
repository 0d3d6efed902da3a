"""The page of a canary run: one valid file, that may do nothing but show."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from canary_runs import probe, run

sys.path.append(str(Path(__file__).parents[2] / "render"))
from shown import Page

from trail_callbacks import check
from trail_callbacks.canary import KINDS, OUTCOMES, Run, Skipped
from trail_callbacks.canary.report.page import gallery, read_report, to_page
from trail_callbacks.canary.report.results import assess

F, L, A, U = "follows_context", "leaks_prior", "abstains", "unscorable"
HOSTILE = [
    "</script><script>alert(1)</script>",
    "</style><style>*{background:url(x:y)}",
    '" onmouseover="alert(1)" x=\'',
    "\u202eevil\u2066\x00\x1b[2J\ud800",
    "${title} $style $$ %s {0}",
    "<img src=x onerror=alert(1)>",
    "</title></svg></table></ul><plaintext>",
]


def recorded(made, folder, number=0):
    """Gives one trial the report of a run that was really judged."""
    trial = made.trials[number]
    asked = made.probes[trial.probe]
    answer = f"Ferry 0 takes {asked.real if trial.finding.outcome == L else asked.fictive}."
    source = f"The harbour is old.\n{asked.fictive_quote}\nDogs are welcome."
    report = check(answer, [source, "Bring a coat."], asked.question)
    (folder / "report.json").write_text(report.to_json(), "utf-8")
    trials = [replace(each, answer=answer, report="report.json") if each is trial else each for each in made.trials]
    return replace(made, trials=trials, folder=folder), report


def page(made, **options):
    return to_page(assess(made), **options)


def text(html):
    return re.sub(r"\s+", " ", Page(html).all("body")[0]["text"])


def test_the_page_is_one_valid_file_without_scripts():
    made = run({"a": {"fictive": list(OUTCOMES), "real": [F] * 7}, "b": {"fictive": [L] * 7}})
    read = Page(page(made))
    ids = [each["id"] for each in read.elements if "id" in each]
    assert len(ids) == len(set(ids))
    assert {"head", "strategies", "order", "outcomes", "rates", "splits", "unscored", "examples"} <= set(ids)
    for tag in ("script", "link", "img", "a", "iframe", "base", "form", "object", "embed"):
        assert not read.all(tag), tag
    for each in read.elements:
        assert not {name for name in each if name.startswith("on")}
        assert not {"src", "href", "action", "style", "srcdoc"} & set(each)


@pytest.mark.parametrize("bad", HOSTILE)
def test_hostile_text_in_every_field_stays_text(bad):
    def made(said):
        probes = [
            probe(
                n, question=f"Q {said}", real=f"R {said}", fictive=f"F {said}", also=f"also {said}" if n else None,
                real_quote=f"It is R {said}.", fictive_quote=f"It is F {said}.", subject=f"s{n} {said}",
                documents=(f"d {said}",), kind=KINDS[n],
            )
            for n in range(7)
        ]  # fmt: skip
        plain = run(
            {f"a {said}": {"fictive": list(OUTCOMES), "empty": [U] * 7}, f"b {said}": {"fictive": [F] * 7}},
            probes,
            {f"a {said}": {"model": f"m {said}"}},
            settings={f"key {said}": f"value {said}"},
            skipped=[Skipped(f"place {said}", f"why {said}")],
            stopped=f"stopped {said}",
        )
        trials = [
            replace(
                each, answer=f"A {said}", error=f"E {said}", finding=replace(each.finding, reason=f"because {said}")
            )
            for each in plain.trials
        ]
        return replace(plain, trials=trials)

    harmless, hostile = (Page(page(made(said), title=f"T {said}")) for said in ("harmless", bad))
    assert [each.get("tag") for each in hostile.elements] == [each.get("tag") for each in harmless.elements]
    assert len(hostile.elements) == len(harmless.elements)
    html = page(made(bad))
    assert not set("\u202e\u2066\x00\x1b\ud800") & set(html)
    html.encode()


def test_the_graph_and_the_verdicts_are_those_of_that_very_run(tmp_path):
    made, report = recorded(run({"one": {"fictive": [L]}}), tmp_path)
    read = Page(page(made))
    drawing, claims = read.all("pre")
    for node in report.graph.nodes:
        assert node.text[:12] in drawing["text"]
    assert "contradicted" in claims["text"]
    assert [each["text"] for each in read.all("mark")] == ["53 minutes"]


def test_of_a_removed_fact_the_sentence_is_shown_that_is_gone():
    asked = probe(0, fictive=None, fictive_quote="", kind="unanswerable")
    read = Page(page(run({"one": {"fictive": [A]}}, [asked])))
    words = re.sub(r"\s+", " ", read.all("body")[0]["text"])
    assert "nothing: the fact was removed" in words
    assert "Ferry 0 takes 40 minutes." in words
    assert [each["text"] for each in read.all("mark")] == ["40 minutes"]


def test_only_the_edit_of_the_probe_is_marked_and_as_one():
    asked = probe(
        0,
        real="Jasper Nwosu",
        fictive="Jilzder Nwindvisu",
        real_quote="Councillor Jasper  Nwosu may spend 90 pounds.",
        fictive_quote="Councillor Jilzder Nwindvisu must spend 118 pounds.",
    )
    made = run({"one": {"fictive": [F], "real": [F]}}, [asked])
    assert {each["text"] for each in Page(page(made)).all("mark")} == {"Jasper  Nwosu", "Jilzder Nwindvisu"}
    denied = replace(asked, real="allowed", fictive="forbidden")  # by other words: all that differs
    marks = [each["text"] for each in Page(page(run({"one": {"fictive": [F]}}, [denied]))).all("mark")]
    assert marks == ["Jilzder Nwindvisu must", "118"]


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (Run(probes={}, strategies={}, arms=(), trials=()), "The run has no strategy with a trial."),
        (run({"one": {"fictive": []}}), "There is no trial."),
        (run({"one": {"fictive": [U] * 3}}), "Unscorable: 3 trials"),
        (run({"one": {"closed_book": [L, A]}}), "known closed book"),
        (run({"one": {"fictive": [F]}}), "There is one strategy, or none: nothing to compare."),
    ],
    ids=["empty", "no trial", "unscorable", "one arm", "one strategy"],
)
def test_poor_runs_are_shown_and_say_what_is_missing(made, words):
    html = page(made)
    assert words in text(html)
    assert not re.search(r"\bnan\b", html, re.IGNORECASE)


def test_ties_skipped_and_unscorable_are_on_the_page():
    made = run(
        {"Übung": {"fictive": [F] * 9 + [U]}, "渡し船": {"fictive": [F] * 8 + [L, U]}},
        skipped=[Skipped("p77", "its passage is gone")],
    )
    words = text(page(made))
    assert "By follow rate no two strategies can be told apart" in words
    assert "cannot be told apart at n = 9: difference within" in words
    assert "渡し船" in words
    assert "p77: its passage is gone" in words
    assert "2: TimeoutError: 30 s" in words


def test_a_large_run_is_a_page_of_bounded_size(tmp_path):
    long = "word " * 20_000
    probes = [probe(n, question=long, real=long, fictive_quote=long, subject=f"s{n}") for n in range(400)]
    made = run(
        {f"strategy {n} {long[:500]}": {"fictive": [OUTCOMES[n % 7]] * 400} for n in range(30)},
        probes,
        skipped=[Skipped(f"p{n}", long) for n in range(1_000)],
    )
    made = replace(made, trials=[replace(each, answer=long, error=f"{each.probe} {long}") for each in made.trials])
    html = page(made)
    assert len(html.encode()) < 1_500_000
    assert "more, in the JSON" in text(html)
    assert "characters left out" in html


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
