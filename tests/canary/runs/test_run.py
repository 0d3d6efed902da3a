"""A canary run as a caller sees it: asked once, kept, gone on with, refused."""

import asyncio
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "wire"))

from tower_probes import answer, probes, served

from trail_callbacks import check
from trail_callbacks.audit import Budget
from trail_callbacks.canary import ARMS, Answered, ArmUnavailableError, Finding, Skipped, Strategy
from trail_callbacks.canary.runs import run as running
from trail_callbacks.canary.runs.run import arun, load_run, run
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Failure, Reply, Usage
from trail_callbacks.report import Report
from trail_callbacks.testing import ScriptedModel


class App:
    """Answers as told, and remembers what it was asked."""

    name = "tower app"

    def __init__(self, reply=served):
        self.reply, self.asked, self.lock = reply, [], threading.Lock()
        self.now = self.most = 0

    def __call__(self, ask):
        with self.lock:
            self.asked.append((ask.strategy.name, ask.probe, ask.arm))
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            return self.reply(ask)
        finally:
            with self.lock:
                self.now -= 1


STRATEGIES = [Strategy("a", {"chunker": "sentence"}), Strategy("b", {"chunker": "500/100"})]


def cells(n, strategies=("default",), arms=ARMS):
    return [(strategy, f"p{i}", arm) for strategy in strategies for i in range(n) for arm in arms]


def test_each_probe_is_asked_once_under_each_arm_and_strategy(tmp_path):
    app = App()
    found = run(probes(5), app, out=tmp_path / "out", strategies=STRATEGIES, skipped=[Skipped("p9", "passage is gone")])
    assert sorted(app.asked) == sorted(cells(5, "ab"))
    assert [(t.strategy, t.probe, t.arm) for t in found.trials] == cells(5, "ab")
    assert found.stopped is None
    assert found.skipped == (Skipped("p9", "passage is gone"),)
    assert found.strategies["b"].parameters == {"chunker": "500/100"}
    assert list(found.probes.values()) == probes(5)
    assert found.spent.calls == 40
    assert {t.finding.outcome for t in found.trials if t.arm == "fictive"} == {"follows_context"}
    assert load_run(tmp_path / "out") == found
    again = run(probes(5), app, out=tmp_path / "out", strategies=STRATEGIES, skipped=[Skipped("p9", "passage is gone")])
    assert len(app.asked) == 40
    assert again.trials == found.trials
    modes = {path.name: path.stat().st_mode & 0o777 for path in [tmp_path / "out", *(tmp_path / "out").iterdir()]}
    assert modes.pop("out") == 0o700, "files are for their owner only"
    assert set(modes.values()) == {0o600}


def test_probes_that_can_tell_nothing_are_not_asked_and_told(tmp_path):
    good = probes(3)
    odd = {
        "same": replace(good[0], id="same", fictive=" 100  M"),
        "named": replace(good[1], id="named", question="Is tower 1 high, at 101 m?"),
        "again": replace(good[2], id="again", question="how high is tower 2?"),
        "gone": replace(good[2], id="gone", question="Which?", real_quote="It says something else."),
    }
    app = App()
    found = run([*good, *odd.values()], app, out=tmp_path, skipped=[Skipped("p9", "is none")])
    assert sorted(app.asked) == sorted(cells(3))
    assert list(found.probes) == ["p0", "p1", "p2"]
    assert {each.place for each in found.skipped} == {"p9", *odd}
    assert all(each.why for each in found.skipped)


def test_whether_the_fact_was_served_is_told_by_its_quote(tmp_path):
    found = {t.arm: t for t in run(probes(1), App(), out=tmp_path / "out").trials}
    assert {arm: t.served for arm, t in found.items()} == {
        "closed_book": None, "real": True, "fictive": True, "empty": None,
    }  # fmt: skip
    missed = App(lambda ask: Answered(text=answer(ask), passages=["Something else."]))
    trials = {t.arm: t for t in run(probes(1), missed, out=tmp_path / "missed").trials}
    assert trials["real"].finding.outcome == trials["fictive"].finding.outcome == "retrieval_miss"
    unknown = {t.arm: t.served for t in run(probes(1), App(answer), out=tmp_path / "unknown").trials}
    assert set(unknown.values()) == {None}


def test_async_apps_run_on_one_loop_of_their_own(tmp_path):
    at_once = Counter()
    loops = set()
    four = asyncio.Barrier(4)

    async def app(ask):
        loops.add(id(asyncio.get_running_loop()))
        at_once["now"] += 1
        at_once["most"] = max(at_once["most"], at_once["now"])
        await four.wait()
        await asyncio.sleep(0.02)  # a fifth would show
        at_once["now"] -= 1
        return served(ask)

    found = run(probes(6), app, out=tmp_path / "out", concurrency=4)
    assert [t.error for t in found.trials] == [None] * 24
    assert at_once["most"] == 4
    run(probes(1), app, out=tmp_path / "another", concurrency=4)
    assert len(loops) == 1  # a client that belongs to a loop can be used by the next run


def test_cancelling_keeps_what_is_done(tmp_path):
    cancelled = threading.Event()
    app = App(lambda ask: answer(ask) if len(app.asked) <= 6 or cancelled.wait(30) else None)

    async def main():
        work = asyncio.ensure_future(arun(probes(100), app, out=tmp_path / "out", concurrency=2))
        while len(app.asked) <= 6:  # noqa: ASYNC110 - the app is on other threads
            await asyncio.sleep(0.005)
        work.cancel()
        asyncio.get_running_loop().call_later(0.05, cancelled.set)
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(main())
    found = load_run(tmp_path / "out")
    assert found.stopped == "interrupted"
    assert 4 <= len(found.trials) < 20


def test_what_raises_is_an_error_and_asked_again(tmp_path):
    broken = {"p1", "p3"}

    def reply(ask):
        if ask.probe in broken:
            raise RuntimeError(f"HTTP 500 with key sk-abcdef123456\n for {ask.probe}")
        return answer(ask)

    app = App(reply)
    found = run(probes(4), app, out=tmp_path / "out")
    failed = [t for t in found.trials if t.probe in broken]
    assert {t.error for t in failed} == {f"RuntimeError: HTTP 500 with key [key] for {p}" for p in broken}
    assert {(t.answer, t.finding.outcome, t.finding.how) for t in failed} == {(None, "unscorable", "error")}
    assert found.stopped is None
    app.asked.clear()
    broken.clear()
    found = run(probes(4), app, out=tmp_path / "out")
    assert sorted(app.asked) == sorted(c for c in cells(4) if c[1] in ("p1", "p3"))
    assert {t.error for t in found.trials} == {None}
    assert found.spent.calls == 24
    assert found.repeated == 0


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (None, "returned NoneType"),
        (App(), "a factory"),
        (Answered(text=4), "4 as text"),
        (Answered(text="40", passages="one text"), "'one text' as passages"),
        (Answered(text="40", dropped=["p1"]), "['p1'] as dropped"),
    ],
)
def test_what_is_no_answer_is_an_error(returned, words, tmp_path):
    found = run(probes(1), App(lambda ask: returned), out=tmp_path / "out")
    assert all(words in t.error for t in found.trials)


def test_an_app_that_fails_always_is_not_asked_any_more(tmp_path):
    app = App(lambda ask: 1 / 0)
    found = run(probes(100), app, out=tmp_path / "out", concurrency=4)
    assert 20 <= len(app.asked) < 30
    assert found.stopped == "the app failed 20 times in a row, the last time: ZeroDivisionError: division by zero"


def test_an_arm_that_fails_always_is_left_while_others_are_asked(tmp_path):
    away = ["real", "fictive"]

    def reply(ask):
        if ask.arm in away:
            raise ConnectionError("the store is away")
        return answer(ask)

    app = App(reply)
    found = run(probes(100), app, out=tmp_path, concurrency=4)
    asked = Counter(arm for _, _, arm in app.asked)
    assert asked["closed_book"] == asked["empty"] == 100
    assert all(20 <= asked[arm] < 24 for arm in away)
    why = "the app failed 20 times in a row, the last time: ConnectionError: the store is away"
    assert sorted((s.place, s.why) for s in found.skipped) == [("fictive of default", why), ("real of default", why)]
    away.clear()
    found = run(probes(100), app, out=tmp_path, concurrency=4)
    assert (len(found.trials), found.skipped, {t.error for t in found.trials}) == (400, (), {None})


@pytest.mark.parametrize("text", ["", "högre än 500 m\u2028\x00\ud800 \U0001f600"])
def test_odd_answers_are_kept_as_they_are(text, tmp_path):
    run(probes(1), App(lambda ask: text), out=tmp_path / "out")
    assert {t.answer for t in load_run(tmp_path / "out").trials} == {text.replace("\ud800", "\ufffd")}


def test_an_app_that_hangs_does_not_keep_the_run(tmp_path):
    never = threading.Event()

    def reply(ask):
        if ask.probe == "p1":
            never.wait(30)
        return answer(ask)

    began = time.monotonic()
    found = run(probes(4), App(reply), out=tmp_path / "out", timeout=2, concurrency=2)
    assert time.monotonic() - began < 25
    hung = [t for t in found.trials if t.error]
    assert {t.probe for t in hung} == {"p1"}
    assert hung[0].error == "no answer within 2 s, and the app is still at work on it"
    assert len(found.trials) == 16
    never.set()


def test_an_app_that_never_comes_back_is_not_asked_any_more(tmp_path):
    never = threading.Event()
    found = run(probes(100), App(lambda ask: never.wait(60)), out=tmp_path / "out", timeout=0.05, concurrency=2)
    assert found.stopped == "the app did not come back from 8 questions"
    never.set()


def test_an_arm_that_the_app_cannot_do_is_left_out_with_its_reason(tmp_path):
    def reply(ask):
        if ask.arm == "closed_book":
            raise ArmUnavailableError("the app cannot be asked without context")
        if ask.arm == "empty" and ask.strategy.name == "b":
            raise ArmUnavailableError("the vendor's retriever cannot be emptied")
        return answer(ask)

    app = App(reply)
    found = run(probes(50), app, out=tmp_path / "out", strategies=STRATEGIES, concurrency=2)
    assert tuple(sorted(found.skipped, key=lambda each: each.place)) == (
        Skipped("closed_book of a", "the app cannot be asked without context"),
        Skipped("closed_book of b", "the app cannot be asked without context"),
        Skipped("empty of b", "the vendor's retriever cannot be emptied"),
    )
    assert len(found.trials) == 50 * 5
    assert Counter(arm for _, _, arm in app.asked)["closed_book"] <= 4
    assert found.spent.calls == 250
    assert found.stopped is None


def test_a_budget_ends_the_run_and_a_larger_one_goes_on(tmp_path):
    app = App()
    found = run(probes(10), app, out=tmp_path / "out", budget=Budget(calls=15), concurrency=4)
    assert (len(app.asked), len(found.trials)) == (15, 15)
    assert found.stopped == "the budget of 15 calls is used up"
    found = run(probes(10), app, out=tmp_path / "out", budget=Budget(calls=15), concurrency=4)
    assert len(app.asked) == 15
    found = run(probes(10), app, out=tmp_path / "out", budget=Budget(calls=40), concurrency=4)
    assert sorted(app.asked) == sorted(cells(10))
    assert (found.stopped, found.spent.calls) == (None, 40)


def test_the_pace_of_a_budget_is_kept(tmp_path):
    began = time.monotonic()
    found = run(probes(2), App(), out=tmp_path, budget=Budget(requests_per_minute=60))  # six at once, then one a second
    assert len(found.trials) == 8
    assert 1.5 < time.monotonic() - began < 20


def test_what_is_done_first_is_a_sample_of_the_probes_with_whole_pairs(tmp_path):
    app = App()
    run(probes(200), app, out=tmp_path / "out", budget=Budget(calls=100), concurrency=1)
    asked = {}
    for _, probe, arm in app.asked:
        asked.setdefault(probe, set()).add(arm)
    assert len(asked) == 25
    assert all(arms == set(ARMS) for arms in asked.values())
    assert 60 < sum(int(p[1:]) for p in asked) / 25 < 140
    assert len({arm for _, _, arm in app.asked[::4]}) > 1
    other = App()
    run(probes(200), other, out=tmp_path / "other", budget=Budget(calls=100), concurrency=1, settings={"seed": 1})
    assert {p for _, p, _ in other.asked} != set(asked)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"probes": probes(3)[::-1]}, "probes differ"),
        ({"arms": ["real"]}, "arms was ['closed_book', 'real', 'fictive', 'empty'], now ['real']"),
        ({"strategies": STRATEGIES}, "strategies differ"),
        ({"settings": {"seed": 4, "twin": "t1"}}, "settings.seed was 3, now 4"),
        ({"app": answer}, "app was tower app, now tower_probes.answer"),
        ({"model": None}, "judge was m1, now None"),
    ],
)
def test_another_run_in_the_same_folder_is_refused(change, words, tmp_path):
    judge = ScriptedModel([], name="m1")
    first = {"probes": probes(3), "app": App(), "settings": {"seed": 3, "twin": "t1"}, "model": judge}
    before = run(first.pop("probes"), first.pop("app"), out=tmp_path / "out", **first)
    changed = {"probes": probes(3), "app": App(), **first, **change}
    app = changed.pop("app")
    with pytest.raises(InputError) as error:
        run(changed.pop("probes"), app, out=tmp_path / "out", **changed)
    assert words in str(error.value)
    assert "name a new folder" in str(error.value)
    assert load_run(tmp_path / "out") == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"probes": []}, "there are no probes"),
        ({"probes": [*probes(2), replace(probes(3)[2], id="p0")]}, "the probe 'p0' is there twice"),
        (
            {"probes": [replace(probes(1)[0], fictive="100 M")]},
            "no probe can be asked: p0: two of its answers are the same",
        ),
        ({"strategies": [Strategy("a", {"x": object()})]}, "a cannot be written as JSON"),
        ({"arms": ["open_book"]}, "expected some of closed_book, real, fictive, empty"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"model": "local"}, "asks no model"),
    ],
)
def test_bad_input_is_refused_before_anything_is_asked(options, words, tmp_path):
    app = App()
    given = {"probes": probes(2), **options}
    with pytest.raises(InputError, match=words):
        run(given.pop("probes"), app, out=tmp_path / "out", **given)
    assert app.asked == []
    assert not (tmp_path / "out").exists()


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="holds other files"):
        run(probes(1), App(), out=tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file is a file: name a new folder"):
        run(probes(1), App(), out=tmp_path / "file")
    with pytest.raises(InputError, match="cannot be made: Not a directory"):
        run(probes(1), App(), out=tmp_path / "file" / "out")
    with pytest.raises(InputError, match="holds no canary run"):
        load_run(tmp_path)


def test_a_run_is_read_while_it_goes_on_and_nobody_else_writes(tmp_path):
    seen = []

    def reply(ask):
        if len(app.asked) == 9:
            seen.append(load_run(tmp_path))
            with pytest.raises(InputError, match="another canary run is writing to"):
                run(probes(5), app, out=tmp_path)
        return answer(ask)

    app = App(reply)
    assert {t.error for t in run(probes(5), app, out=tmp_path, concurrency=1).trials} == {None}
    assert len(seen[0].trials) == 8
    assert seen[0].stopped == "it is still running, or its process was killed"


class Judge:
    """A model that calls every answer an abstention, or fails as told."""

    def __init__(self, failures=(), name="judge-1"):
        self.failures, self.calls, self.name = list(failures), [], name
        self.lock = threading.Lock()

    def ask(self, call):
        shown = call.messages[-1].content
        said = {"quote": "", "gives": [], "declines": True}
        items = [{"item": key, **said} for key in re.findall(r"^Item \[(\w+)\]", shown, re.MULTILINE)]
        with self.lock:
            self.calls.append(shown)
            if self.failures:
                return Reply(failure=self.failures.pop(), usage=Usage(calls=1))
        return Reply(value=call.schema(items=items), usage=Usage(calls=1, prompt_tokens=10, completion_tokens=1))

    async def aask(self, call):
        return self.ask(call)


VAGUE = "It is rather high, as far as I can see."


def test_a_model_reads_what_code_is_in_doubt_of(tmp_path):
    app, judge = App(lambda ask: answer(ask) if ask.arm != "fictive" else VAGUE), Judge()
    for _ in range(2):
        found = run(probes(40), app, out=tmp_path / "out", model=judge)
        by_model = [t for t in found.trials if t.finding.how == "judge"]
        assert {(t.arm, t.finding.outcome) for t in by_model} == {("fictive", "abstains")}
        assert (len(by_model), len(judge.calls)) == (40, 5)
        assert found.spent == Usage(calls=165, prompt_tokens=50, completion_tokens=5)


def test_another_judge_reads_the_answers_that_are_there(tmp_path):
    app = App(lambda ask: VAGUE)
    found = run(probes(2), app, out=tmp_path)
    assert {(t.finding.outcome, t.finding.how) for t in found.trials} == {("unscorable", "undecided")}
    judge, other = Judge(), Judge(name="judge-2")
    for model in (judge, other, other):
        found = run(probes(2), app, out=tmp_path, model=model)
        assert {(t.finding.outcome, t.finding.how) for t in found.trials} == {("abstains", "judge")}
        assert found.settings["judge"] == model.name
    assert (len(app.asked), len(judge.calls), len(other.calls)) == (8, 1, 1)


def test_another_release_finds_anew_what_answers_do(tmp_path, monkeypatch):
    app = App()
    run(probes(3), app, out=tmp_path)
    monkeypatch.setattr(running, "version", lambda _: "99")
    monkeypatch.setattr(running, "classify", lambda *_, **__: Finding(outcome="blends", how="value"))
    found = run(probes(3), app, out=tmp_path)
    assert {t.finding.outcome for t in found.trials} == {"blends"}
    assert (len(app.asked), found.settings["release"]) == (12, "99")


def test_what_the_model_failed_on_is_asked_again_and_the_app_is_not(tmp_path):
    app, judge = App(lambda ask: VAGUE), Judge([Failure("unreachable", "no route")])
    found = run(probes(4), app, out=tmp_path / "out", model=judge)
    assert Counter(t.finding.how for t in found.trials) == {"judge": 8, "undecided": 8}
    found = run(probes(4), app, out=tmp_path / "out", model=judge)
    assert Counter(t.finding.how for t in found.trials) == {"judge": 16}
    assert (len(app.asked), len(judge.calls)) == (16, 3)


def test_a_model_that_fails_always_is_given_up(tmp_path):
    app, judge = App(lambda ask: VAGUE), Judge([Failure("unauthorised", "bad key")] * 1000)
    found = run(probes(50), app, out=tmp_path / "out", model=judge)
    assert len(found.trials) == 200
    assert len(judge.calls) < 20
    assert [(s.place, "unauthorised: bad key" in s.why) for s in found.skipped] == [("judge", True)]


def test_the_budget_is_for_the_model_too(tmp_path):
    app, judge = App(lambda ask: VAGUE), Judge()
    found = run(probes(5), app, out=tmp_path / "out", model=judge, budget=Budget(calls=21))
    assert len(app.asked) + len(judge.calls) == 21
    assert (found.stopped, found.skipped) == ("the budget of 21 calls is used up", ())
    found = run(probes(5), app, out=tmp_path / "out", model=judge, budget=Budget(calls=40))
    assert {t.finding.how for t in found.trials} == {"judge"}
    assert found.stopped is None
    assert found.spent.calls == len(app.asked) + len(judge.calls)


def test_a_few_reports_of_each_sort_are_kept(tmp_path):
    report = check("The tower is 40 m high.", ["The tower is 30 m high."])
    app = App(lambda ask: Answered(text=answer(ask), report=report))
    found = run(probes(10), app, out=tmp_path / "out")
    kept = [t for t in found.trials if t.report]
    assert Counter(t.arm for t in kept) == dict.fromkeys(ARMS, 5)
    assert Report.from_json((tmp_path / "out" / kept[0].report).read_text()) == report
    assert len(list((tmp_path / "out" / "reports").iterdir())) == 20


def test_progress_is_told(tmp_path):
    seen = []
    budget = Budget(calls=5, price_in=1.0, price_out=1.0)
    run(probes(5), App(), out=tmp_path / "out", budget=budget, on_progress=lambda p: seen.append((p.asked, p.known)))
    assert seen == [(n, 0) for n in range(1, 6)]
    run(probes(5), App(), out=tmp_path / "out", on_progress=lambda p: seen.append((p.asked, p.known, p.total)))
    assert seen[-1] == (15, 5, 20)


SCRIPT = """
import os, signal, sys, time
from threading import Timer
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may have it ignored
sys.path.insert(0, {here!r})
from tower_probes import answer, probes
from trail_callbacks.canary.runs.run import run
asked = []

def app(ask):
    log = os.open({log!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, f"{{ask.probe}} {{ask.arm}}\\n".encode())
    os.close(log)
    asked.append(ask)
    if len(asked) == {fatal}:
        Timer({delay}, os.kill, (os.getpid(), {signal})).start()
    stalls = {fatal} and len(asked) >= {fatal} + 40  # or the run might end before the signal comes
    time.sleep(60 if stalls else 0.002)  # an answer takes a moment, so that several are in flight
    return answer(ask)

run(probes(150), app, out={out!r}, concurrency=4)
"""


def ended(out, log, fatal=0, delay=0.0, signal=signal.SIGKILL):
    """Goes on with a run in a process that gets a signal soon after so many questions; its status and complaints."""
    here = str(Path(__file__).parents[1])
    code = SCRIPT.format(here=here, log=str(log), out=str(out), fatal=fatal, delay=delay, signal=int(signal))
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, timeout=100, check=False)
    return done.returncode, done.stderr


def test_nothing_is_lost_or_asked_twice_when_the_process_is_killed(tmp_path):
    chance = Random(1)  # noqa: S311 - when to kill, no secret
    log, out = tmp_path / "log", tmp_path / "out"
    kills = 0
    decided = set()
    while True:
        fatal = chance.randrange(1, 150) if kills < 2 else 0
        status, complaints = ended(out, log, fatal, chance.random() * 0.004)
        assert status in (0, -signal.SIGKILL), complaints
        found = load_run(out)
        now = {(t.probe, t.arm) for t in found.trials}
        assert decided <= now  # nothing is lost
        decided = now
        if status == 0:
            break
        kills += 1
        assert found.stopped == "it is still running, or its process was killed"
    assert kills
    assert found.stopped is None
    assert len(decided) == 600
    asked = Counter(log.read_text().splitlines())
    assert len(asked) == 600
    twice = sum(asked.values()) - 600
    assert twice <= found.repeated <= 4 * kills
    assert found.spent.calls == 600 + found.repeated
