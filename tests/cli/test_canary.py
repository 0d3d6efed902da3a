"""`trail canary run` and `watch` as a user types them."""

import json
import sys

import pytest

from trail_callbacks import canary
from trail_callbacks.canary import Probe
from trail_callbacks.canary.files.probes import write_probes

APP = """
from trail_callbacks.canary import Answered, ArmUnavailableError

def ask(ask):
    if ask.arm == "closed_book":
        raise ArmUnavailableError("the app cannot be asked without context")
    i = int(ask.probe[1:])
    leaks = ask.strategy.parameters.get("leaks", i == 0)
    height = 100 + i if ask.arm == "real" or leaks else 500 + i
    if ask.arm == "empty":
        return "The documents do not say."
    return Answered(text=f"It is {height} metres high.", passages=[f"Tower {i} is {100 + i if ask.arm == 'real' else 500 + i} m high."])

def broken(ask):
    raise ConnectionError("no route, key sk-abcdef123456 \\x1b[31m")

def factory():
    return ask

class Bot:
    def __call__(self, ask):
        return "40"

bot = Bot()
"""


READS = """
from trail_callbacks.canary.files.twins import load_twin

def reads(ask):
    corpus = getattr(load_twin("twin.json"), ask.arm)
    words = set(ask.question.replace("?", "").split())
    texts = [part for document in corpus for part in document.text.split("\\n\\n")]
    best = max(texts, key=lambda text: len(words & set(text.replace(".", "").split())))
    return Answered(text=best, passages=[best])
"""


def towers(n):
    return [
        Probe(
            id=f"p{i}",
            question=f"How high is tower {i}?",
            real=f"{100 + i} m",
            fictive=f"{500 + i} m",
            real_quote=f"Tower {i} is {100 + i} m high.",
            fictive_quote=f"Tower {i} is {500 + i} m high.",
            kind="number",
        )
        for i in range(n)
    ]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with an app and five probes, in which the command runs."""
    (tmp_path / "towers_app.py").write_text(APP)
    write_probes(towers(5), tmp_path / "probes.jsonl")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "towers_app", raising=False)
    return tmp_path


def flat(printed):
    return " ".join(printed.split())


RUN = ["canary", "run", "probes.jsonl", "--app", "towers_app:ask", "--out", "out"]


def test_what_is_printed_and_kept(trail, place):
    status, printed, complaints = trail(*RUN)
    assert (status, complaints) == (
        0, "trail: left out: closed_book of default: the app cannot be asked without context\n",
    )  # fmt: skip
    assert (
        "5 probes, 1 strategy, 15 trials: closed book, real context, fictive context, empty context; 15 calls"
        in flat(printed)
    )
    assert "it follows what it reads in 80 % [37.6, 96.4] of 5, and leaks the real value in 20 %" in flat(printed)
    assert "written to out" in printed
    assert trail(*RUN)[:2] == (0, printed)


def test_from_texts_to_a_comparison(trail, place):
    (place / "docs").mkdir()
    for n, name in enumerate(["Alder", "Birch", "Cedar", "Dogwood"]):
        text = f"The {name} ferry takes {23 + 4 * n} minutes.\n\nThe tower of {name} is {141 + 13 * n} metres high.\n"
        (place / "docs" / f"{name}.md").write_text(text)
    assert trail("canary", "perturb", "docs", "-o", "twin.json", "--kind", "number")[0] == 0
    assert trail("canary", "probes", "twin.json", "-o", "made.jsonl")[0] == 0
    run = ["canary", "run", "made.jsonl", "--app", "towers_app:reads"]
    (place / "towers_app.py").write_text(APP + READS)
    for folder in ("a", "b"):
        status, printed, complaints = trail(*run, "--out", folder, "--arms", "real,fictive")
        assert (status, complaints) == (0, "")
        assert "it follows what it reads in 100 %" in flat(printed)
    assert trail("canary", "report", "a", "--html", "a.html")[0] == 0
    assert (place / "a.html").exists()
    compared = trail("gate", "a", "b")
    assert compared[0] in (0, 3)


def test_json(trail, place):
    status, printed, _ = trail(*RUN, "--arms", "fictive", "--json")
    found = json.loads(printed)
    assert status == 0
    assert {each["outcome"]: each["trials"] for each in found["outcomes"]} == {"follows_context": 4, "leaks_prior": 1}
    assert (found["trials"], found["failed"], found["stopped"], found["calls"]) == (5, 0, None, 5)


def test_a_matrix_names_strategies_and_arms(trail, place):
    (place / "matrix.toml").write_text('arms = ["fictive"]\n[matrix]\nleaks = [true, false]\n')
    status, printed, _ = trail(*RUN, "--matrix", "matrix.toml")
    assert status == 0
    assert "5 probes, 2 strategies, 10 trials: fictive context" in flat(printed)
    assert "(leaks=false) to 100 % [56.6, 100] of 5 (leaks=true)" in flat(printed)


def test_a_dry_run_asks_nobody(trail, place):
    status, printed, _ = trail(*RUN, "--dry-run", "--judge", "openai/gpt-5-mini")
    assert status == 0
    assert "20 questions to the app" in printed
    assert "calls of the judge" in printed
    assert "5 probes: without a single leak, the leak rate would be below 43.5 %" in " ".join(printed.split())
    assert not (place / "out").exists()


def test_an_app_that_fails_makes_status_1_and_no_secret_is_shown(trail, place):
    status, _, complaints = trail(*RUN[:4], "towers_app:broken", *RUN[5:])
    assert status == 1
    assert "the app failed on 20 questions, such as: ConnectionError: no route, key [key]" in complaints
    assert "\x1b" not in complaints
    assert "20 times in a row" in complaints


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--app", "towers_app"], "expected MODULE:ATTRIBUTE"),
        (["--app", "no_such_app:ask"], "importing it failed: ModuleNotFoundError: No module named 'no_such_app'"),
        (
            ["--app", "towers_app:factory"],
            "is not called with one Ask (too many positional arguments); if it makes an app, name",
        ),
        (["--app", "towers_app:Bot"], "is a class: name an object of it"),
        (["--app", "exits_app:ask"], "importing it failed: SystemExit: 3"),
        (["--matrix", "none.toml"], "none.toml cannot be read"),
        (["--judge", "local"], "asks no model"),
    ],
)
def test_bad_input_makes_status_2_and_nothing_is_written(options, words, trail, place):
    (place / "exits_app.py").write_text("import sys\nsys.exit(3)\n")
    status, _, complaints = trail(*RUN, *options)
    assert status == 2
    assert words in complaints
    assert not (place / "out").exists()


def test_another_run_in_the_folder_makes_status_2(trail, place):
    trail(*RUN)
    status, _, complaints = trail(*RUN, "--seed", "4")
    assert status == 2
    assert "settings.seed was 0, now 4" in complaints
    status, _, complaints = trail(*RUN, "--app", "towers_app:bot")
    assert status == 2
    assert "settings.app was towers_app:ask, now towers_app:bot" in complaints


def test_ctrl_c_says_what_is_there_and_how_to_go_on(trail, place, monkeypatch):
    trail(*RUN, "--limit", "calls=3")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(canary, "run", interrupted)
    status, printed, complaints = trail(*RUN)
    assert status == 1
    assert "written to out" in printed
    assert "the same command goes on from here" in complaints


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("silent", "5 answers could not be scored, such as: there is no answer\n"),
        ("vague", "5 answers could not be scored, such as: names no value that code knows"),
    ],
)
def test_what_cannot_be_scored_is_said(name, words, trail, place):
    (place / "odd_app.py").write_text(
        'def silent(ask):\n    return " "\n\ndef vague(ask):\n    return "It is rather high, as far as I can see."\n'
    )
    status, printed, complaints = trail(*RUN[:4], f"odd_app:{name}", *RUN[5:], "--arms", "fictive")
    assert status == 0
    assert "No answer with the fictive context could be scored" in printed
    assert words in complaints
    assert ("--judge names a model" in complaints) == (name == "vague")


WATCH = ["canary", "watch", "probes.jsonl", "--app", "towers_app:ask", "--history", "canary.history", "-n", "5"]


def test_a_leak_of_a_few_is_noise(trail, place):
    status, printed, complaints = trail(*WATCH, "--max-leak", "0.05")
    assert (status, complaints) == (0, "")
    assert "leak rate 20 % (1 of 5, 95 % interval 3.6 to 62.4 %) of 5 probes: not shown to be over 5.0%\n" in printed


def test_a_leak_of_many_is_not(trail, place):
    (place / "leaky_app.py").write_text(APP.replace('get("leaks", i == 0)', 'get("leaks", True)'))
    args = [*WATCH[:4], "leaky_app:ask", *WATCH[5:]]
    status, printed, complaints = trail(*args, "--max-leak", "0.3", "--json")
    found = json.loads(printed)
    assert status == 1
    assert (found["over"], found["turns"], found["leak"]["value"]) == (True, 1, 1.0)
    assert "the leak rate is over 30.0%" in complaints


def test_bad_input_of_watch(trail, place):
    for options, words in ((["--max-leak", "1"], "--max-leak is 1.0"), (["--size", "0"], "Watch.size is 0")):
        status, _, complaints = trail(*WATCH, *options)
        assert status == 2
        assert words in complaints
        assert not (place / "canary.history").exists()
