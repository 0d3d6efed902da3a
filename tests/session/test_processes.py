import os
import pickle
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from forks import gone, needs_fork, run_program
from portable import DyingJudge, PidJudge, PrintingJudge
from test_session import ADDRESS, Record, private_run, run

from trail_callbacks.errors import InputError, JudgeError
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.redaction import presets
from trail_callbacks.session import CaptureSettings, Session
from trail_callbacks.session.processes import Remote
from trail_callbacks.session.worker import receive, send
from trail_callbacks.testing import ScriptedModel

emails = presets("email")
SETUP = """
from portable import *
from test_session import CaptureSettings, Session, run
"""


@pytest.fixture
def session():
    made = []

    def make(**settings):
        made.append(Session(CaptureSettings(evaluate="process", **settings)))
        return made[-1]

    yield make
    for each in made:
        each.close(timeout=10)


def test_a_run_is_verified_elsewhere_with_the_same_result(session):
    seen = []
    elsewhere, here = session(judge=PidJudge(), on_report=seen.append), Session(CaptureSettings(evaluate="inline"))
    run(elsewhere)
    run(here)
    report = elsewhere.report(timeout=60)
    assert report.judge.startswith("process ")
    assert report.judge != f"process {os.getpid()}"
    expected = [replace(each, judge="") for each in here.report().verdicts]
    assert [replace(each, judge="") for each in report.verdicts] == expected
    assert report.graph == here.graph() == elsewhere.graph()
    assert report.run_id == "r1"
    assert elsewhere.flush(10)
    assert seen == [report]
    assert elsewhere.errors == []


@pytest.mark.parametrize("can_start", [True, False])
def test_a_large_run_is_verified_elsewhere_whatever_the_setting(monkeypatch, can_start):
    def refuse(*_, **__):
        raise OSError("no process here")

    sent, verify = [], Remote.verify
    monkeypatch.setattr(Remote, "verify", lambda self, material: sent.append(material) or verify(self, material))
    monkeypatch.setattr("trail_callbacks.session.verification._LARGE", 400)
    if not can_start:
        monkeypatch.setattr("trail_callbacks.session.processes.subprocess.Popen", refuse)
    session = Session(CaptureSettings())
    run(session, "r1")
    assert session.report("r1", timeout=60).state == "assessed"
    assert not sent
    run(session, "r2", answer="The quarry at Holm was opened in 1847. " * 20)
    assert session.report("r2", timeout=60).state == "assessed"
    assert len(sent) == 1
    assert [type(error) for error in session.errors] == [OSError] * (not can_start)
    session.close()


def test_a_process_that_dies_is_an_error_of_that_run_alone(session):
    session = session(judge=DyingJudge())
    run(session, "r1")
    run(session, "r2", answer="All of them die.")
    run(session, "r3")
    states = [session.report(root, timeout=60).state for root in ("r1", "r2", "r3")]
    assert states == ["assessed", "error", "assessed"]
    assert "ended with status 3" in session.report("r2").warnings[0]
    assert session.report("r2").graph.answer.text == "All of them die."
    assert len(session.errors) == 1


def test_what_a_judge_prints_is_no_message(session, capfd):
    session = session(judge=PrintingJudge())
    run(session)
    run(session, "r2")
    assert [session.report(root, timeout=60).state for root in ("r1", "r2")] == ["assessed"] * 2
    shown = capfd.readouterr()
    assert shown.out == ""
    assert shown.err.count("judging") == 2


@pytest.mark.parametrize(
    ("judge", "why"),
    [
        (ScriptedModel([]), "ScriptedModel cannot be sent"),
        (LLMJudge(ScriptedModel([])), "LLMJudge cannot be sent"),
    ],
)
def test_a_judge_that_cannot_be_sent_is_refused_at_once(judge, why):
    with pytest.raises(JudgeError, match=why) as caught:
        Session(CaptureSettings(judge=judge, evaluate="process"))
    assert "use evaluate='background'" in str(caught.value)


def test_a_judge_of_the_main_module_is_refused_at_once():
    lines = run_program(
        SETUP
        + """
class Mine(PidJudge):
    pass
try:
    Session(CaptureSettings(judge=Mine(), evaluate="process"))
except Exception as error:
    print(type(error).__name__, "Mine is defined in the script that was started" in str(error))
"""
    )
    assert lines == ["JudgeError True"]


def test_a_frozen_program_is_refused_at_once(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(InputError, match="frozen"):
        Session(CaptureSettings(evaluate="process"))


def test_a_payload_that_cannot_be_sent_is_verified_here(session):
    session = session(judge=PidJudge())

    class Odd(Record):
        def convert(self, seq):
            event = super().convert(seq)
            return replace(event, outputs=(replace(event.outputs[0], attributes={"odd": threading.Lock()}),))

    session.recorder.emit(Record("r1", "started", text="When?"))
    session.recorder.emit(Odd("r1", "ended", text="The quarry at Holm was opened in 1847."))
    assert session.report(timeout=60).judge == f"process {os.getpid()}"
    assert len(session.errors) == 1


def test_a_script_needs_no_guard_for_its_main_module_and_its_end_ends_all(tmp_path):
    code = """
print("main module")
session = Session(CaptureSettings(judge=PidJudge(), evaluate="process"))
run(session)
print(session.report(timeout=60).judge.split()[1])
run(session, "r2")
"""
    main, pid = run_program(SETUP + code, name="app.py", tmp_path=tmp_path)
    assert main == "main module"
    assert gone(int(pid))


@pytest.mark.parametrize("evaluate", ["process", "background"])
def test_closing_lets_the_program_end_whatever_the_judge_does(evaluate):
    lines = run_program(
        SETUP
        + f"""
session = Session(CaptureSettings(judge=SleepingJudge(), evaluate="{evaluate}"))
run(session)
time.sleep(0.5)
session.close(timeout=0.1)
print("closed")
""",
        seconds=40,
    )
    assert lines == ["closed"]


@needs_fork
def test_a_child_has_processes_of_its_own_and_leaves_those_of_its_parent():
    lines = run_program(
        SETUP
        + """
session = Session(CaptureSettings(judge=PidJudge(), evaluate="process"))
run(session)
first = session.report(timeout=60).judge
def child():
    run(session, "c1")
    report = session.report("c1", timeout=60)
    assert report.judge != first and report.state == "assessed", report
print(forked(child, 60))
run(session, "r2")
print(session.report("r2", timeout=60).judge == first)
""",
    )
    assert lines == ["ok", "True"]


@needs_fork
def test_a_process_ends_with_its_parent_also_if_a_child_of_that_lives_on():
    lines = run_program(
        SETUP
        + """
session = Session(CaptureSettings(judge=PidJudge(), evaluate="process"))
run(session)
print(session.report(timeout=60).judge.split()[1])
sys.stdout.flush()
if os.fork() == 0:
    os.close(1), os.close(2)
    time.sleep(20)
os._exit(0)
"""
    )
    assert gone(int(lines[0]))


def test_only_redacted_texts_are_sent_to_another_process(session, monkeypatch):
    sent = []
    real = Remote.verify
    monkeypatch.setattr(
        Remote, "verify", lambda self, material: (sent.append(pickle.dumps(material)), real(self, material))[1]
    )
    session = session(redact=lambda text: emails(text))  # noqa: PLW0108 - what cannot be pickled: it stays here
    private_run(session)
    report = session.report(timeout=60)
    assert session.errors == []
    assert report.hallucination_score == 1.0
    assert sent
    assert not any(ADDRESS.encode() in each for each in sent)
    assert ADDRESS not in report.to_json()
    assert ADDRESS not in session.graph().to_json()


def test_what_is_under_way_at_the_end_of_the_program_is_finished():
    lines = run_program(
        SETUP
        + """
session = Session(CaptureSettings(evaluate="process", on_report=lambda report: print(report.run_id, report.state)))
for n in range(3):
    run(session, f"r{n}")
"""
    )
    assert lines == ["r0 assessed", "r1 assessed", "r2 assessed"]


@pytest.fixture
def pipe():
    read, write = (os.fdopen(end, mode, 0) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True))
    yield read, write
    read.close()
    write.close()


@pytest.mark.parametrize("message", [b"", b"x", bytes(range(256)) * 100])
def test_a_message_arrives_whole(pipe, message):
    read, write = pipe
    send(write, message)
    send(write, b"next")
    assert (receive(read), receive(read)) == (message, b"next")


@pytest.mark.parametrize("size", [0, 3, 10])
def test_half_a_message_is_none(pipe, size, tmp_path):
    read, write = pipe
    path = tmp_path / "sent"
    with path.open("wb", 0) as file:
        send(file, b"message")
    write.write(path.read_bytes()[:size])
    write.close()
    with pytest.raises(EOFError):
        receive(read)
