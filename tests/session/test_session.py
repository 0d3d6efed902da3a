from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from trail_callbacks import LLMJudge, export
from trail_callbacks.capture.events import Piece, RunEnded, RunStarted
from trail_callbacks.errors import InputError
from trail_callbacks.judges.local.judge import LocalJudge
from trail_callbacks.models.call import Failure, Reply
from trail_callbacks.redaction import presets
from trail_callbacks.report.withheld import text_hash
from trail_callbacks.session import CaptureSettings, Retention, Session
from trail_callbacks.testing import ScriptedModel

emails, keys = presets("email"), presets("key")
HERE = Path(__file__).parent
SOURCE = "The quarry at Holm was opened in 1874 and closed in 1902."


class Record:
    def __init__(self, run_id, phase, parent_id=None, kind="chain", text=""):
        self.run_id, self.phase, self.parent_id, self.kind, self.text = run_id, phase, parent_id, kind, text

    def convert(self, seq):
        pieces = (Piece(text=self.text, form="document" if self.kind == "retriever" else "text"),)
        if self.phase == "started":
            return RunStarted(
                seq=seq, run_id=self.run_id, parent_id=self.parent_id, kind=self.kind, name=self.kind, inputs=pieces
            )
        return RunEnded(seq=seq, run_id=self.run_id, outputs=pieces)


def run(session, root="r1", answer="The quarry at Holm was opened in 1847."):
    session.recorder.emit(Record(root, "started", text="When did it open?"))
    session.recorder.emit(Record(f"{root}-d", "started", root, "retriever", "When did it open?"))
    session.recorder.emit(Record(f"{root}-d", "ended", kind="retriever", text=SOURCE))
    session.recorder.emit(Record(f"{root}-m", "started", root, "model", f"{SOURCE} When did it open?"))
    session.recorder.emit(Record(f"{root}-m", "ended", kind="model", text=answer))
    session.recorder.emit(Record(root, "ended", text=answer))


class SlowJudge(LocalJudge):
    """The offline judge behind a door that the test opens."""

    door = threading.Event()

    def extract(self, answer, question):
        assert self.door.wait(10)
        return (yield from super().extract(answer, question))


class BrokenJudge(LocalJudge):
    def extract(self, answer, question):
        raise RuntimeError("broken judge")


def test_background_verification_is_there_when_asked_for():
    seen = []
    session = Session(CaptureSettings(on_report=seen.append))
    run(session)
    report = session.report(timeout=10)
    assert report.hallucination_score == 1.0
    assert report.run_id == "r1"
    assert session.flush(10)
    assert seen == [report]
    assert dict(session.reports) == {"r1": report}
    assert session.errors == []
    session.close()


def test_inline_verification_is_done_when_the_run_ends():
    session = Session(CaptureSettings(evaluate="inline"))
    run(session)
    assert list(session.reports) == ["r1"]


def test_never_means_only_on_demand():
    session = Session(CaptureSettings(evaluate="never"))
    run(session)
    assert session.flush(1)
    assert not session.reports
    assert session.report("r1").hallucination_score == 1.0
    assert list(session.reports) == ["r1"]


async def test_the_loop_is_never_blocked_while_waiting():
    SlowJudge.door.clear()
    session = Session(CaptureSettings(judge=SlowJudge()))
    run(session)
    waiting = asyncio.create_task(session.areport(timeout=10))
    for _ in range(5):
        await asyncio.sleep(0.01)
    assert not waiting.done()
    SlowJudge.door.set()
    assert (await waiting).hallucination_score == 1.0
    session.close()


def test_waiting_has_an_end():
    SlowJudge.door.clear()
    session = Session(CaptureSettings(judge=SlowJudge()))
    run(session)
    with pytest.raises(TimeoutError, match="r1"):
        session.report(timeout=0.05)
    assert not session.flush(0.05)
    SlowJudge.door.set()
    assert session.report(timeout=10)
    session.close()


@pytest.mark.parametrize("evaluate", ["background", "inline", "never"])
def test_a_broken_judge_is_a_report_and_a_kept_error(evaluate, caplog):
    session = Session(CaptureSettings(judge=BrokenJudge(), evaluate=evaluate))
    with caplog.at_level(logging.WARNING, "trail_callbacks"):
        run(session)
        report = session.report(timeout=10)
        run(session, "r2")
        session.report("r2", timeout=10)
    assert report.state == "error"
    assert "broken judge" in report.warnings[0]
    assert [str(error) for error in session.errors] == ["broken judge"] * 2
    assert len(caplog.records) == 1
    session.close()


@pytest.mark.parametrize("evaluate", ["background", "inline", "never"])
def test_a_hook_may_be_a_coroutine_function(evaluate):
    seen = []

    async def keep(report):
        await asyncio.sleep(0.01)
        seen.append(report)

    session = Session(CaptureSettings(evaluate=evaluate, on_report=keep))
    run(session)
    report = session.report(timeout=10)
    assert session.flush(10)
    assert seen == [report]
    assert session.errors == []
    session.close()


@pytest.mark.parametrize("evaluate", ["background", "inline", "never"])
async def test_a_hook_of_an_asynchronous_app_runs_in_its_loop(evaluate):
    seen, called = [], asyncio.Event()

    async def keep(report):
        await asyncio.sleep(0.01)
        seen.append((report, asyncio.get_running_loop()))
        called.set()
        raise KeyError("mine")

    session = Session(CaptureSettings(evaluate=evaluate, on_report=keep))
    run(session)
    report = await session.areport(timeout=10)
    await asyncio.wait_for(called.wait(), 10)
    await asyncio.sleep(0)
    assert seen == [(report, asyncio.get_running_loop())]
    assert [type(error) for error in session.errors] == [KeyError]
    session.close()


def test_asking_before_anything_ran_is_a_clear_error():
    session = Session()
    with pytest.raises(InputError, match="nothing was recorded"):
        session.report()
    with pytest.raises(InputError, match="no run 'zz'"):
        session.graph("zz")


def test_a_report_asked_for_from_many_sides_is_made_once(monkeypatch):
    seen = []
    monkeypatch.setattr(SlowJudge, "door", threading.Event())
    session = Session(CaptureSettings(judge=SlowJudge(), evaluate="never", on_report=seen.append))
    run(session)

    async def ask():
        return await session.areport(timeout=10)

    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(session.report, timeout=10) for _ in range(3)]
        asked += [pool.submit(asyncio.run, ask()) for _ in range(3)]
        time.sleep(0.1)  # so that most of them wait by then; the outcome is the same for those that do not
        SlowJudge.door.set()
        reports = [each.result(10) for each in asked]
    assert seen == reports[:1]
    assert all(report == seen[0] for report in reports)


def test_a_report_on_an_unfinished_run_is_not_its_last_word():
    session = Session(CaptureSettings(evaluate="never"))
    session.recorder.emit(Record("r1", "started", text="When did it open?"))
    assert session.report("r1").state == "error"
    assert asyncio.run(session.areport("r1")).state == "error"
    assert not session.reports
    session.recorder.emit(Record("r1-d", "started", "r1", "retriever", "When did it open?"))
    session.recorder.emit(Record("r1-d", "ended", kind="retriever", text=SOURCE))
    session.recorder.emit(Record("r1", "ended", text="The quarry at Holm was opened in 1874."))
    assert session.report("r1").graph.answer is not None
    assert list(session.reports) == ["r1"]


def test_a_graph_that_cannot_be_built_does_not_reach_the_app(monkeypatch):
    def broken(events, earlier):
        raise RuntimeError("no graph")

    monkeypatch.setattr("trail_callbacks.capture.recorder.build", broken)
    session = Session(CaptureSettings(evaluate="inline"))
    run(session)
    assert [str(error) for error in session.errors] == ["no graph"]
    with pytest.raises(RuntimeError, match="no graph"):
        session.report()


def test_a_run_that_ends_with_the_interpreter_is_left_alone():
    code = """
import atexit
from test_session import Session, run
session = Session()
atexit.register(lambda: (run(session), print([type(error).__name__ for error in session.errors])))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, cwd=HERE
    )
    assert done.stdout.strip() == "['RuntimeError']"


def test_a_run_id_that_is_used_again_gets_a_report_of_its_own():
    session = Session(CaptureSettings(evaluate="inline"))
    run(session, "r1")
    assert session.report("r1").hallucination_score == 1.0
    run(session, "r1", answer=SOURCE)
    assert session.report("r1").hallucination_score == 0.0


ADDRESS = "ada@example.org"
PRIVATE_SOURCE = f"The quarry at Holm was opened in 1874 by {ADDRESS}."
PRIVATE_ANSWER = f"The quarry at Holm was opened in 1847 by {ADDRESS}."


class PrivateRecord(Record):
    def convert(self, seq):
        event = super().convert(seq)
        id_ = f"{self.run_id}-{self.phase}/{ADDRESS}"
        details = {"source": f"mail/{ADDRESS}", "cc": [{ADDRESS: ADDRESS}]}
        if isinstance(event, RunStarted):
            inputs = tuple(replace(piece, id=id_, attributes=details) for piece in event.inputs)
            return replace(event, name=f"{event.name} of {ADDRESS}", inputs=inputs)
        return replace(event, outputs=tuple(replace(piece, id=id_, attributes=details) for piece in event.outputs))


def private_run(session, root="r1"):
    for record in (
        PrivateRecord(root, "started", text=f"When did it open, {ADDRESS}?"),
        PrivateRecord(f"{root}-d", "started", root, "retriever", "When did it open?"),
        PrivateRecord(f"{root}-d", "ended", kind="retriever", text=PRIVATE_SOURCE),
        PrivateRecord(f"{root}-m", "started", root, "model", f"{PRIVATE_SOURCE} When did it open?"),
        PrivateRecord(f"{root}-m", "ended", kind="model", text=PRIVATE_ANSWER),
        PrivateRecord(root, "ended", text=PRIVATE_ANSWER),
    ):
        session.recorder.emit(record)


class QuotingJudge(LocalJudge):
    """Fails with a message that quotes what it was shown, and keeps it."""

    seen: ClassVar[list[str]] = []

    def extract(self, answer, question):
        self.seen.extend([answer, question])
        raise LookupError(f"cannot read {answer!r}")


def forms_of(report):
    yield report.to_json()
    yield report.to_html()
    yield str(report)
    yield repr((report.graph, report.warnings, report.verdicts))
    yield export.to_csv(report)
    yield export.to_prov_json(report)
    yield export.to_mermaid(report)


@pytest.mark.parametrize(
    "redact", [emails, presets("email", "key"), (keys, emails), lambda text: text.replace(ADDRESS, "[x]")]
)
def test_what_is_redacted_is_in_nothing_that_is_kept_shown_or_exported(redact):
    seen = []
    session = Session(CaptureSettings(evaluate="inline", redact=redact, on_report=seen.append))
    private_run(session)
    report = session.report()
    assert session.errors == []
    assert seen == [report]
    assert report.hallucination_score == 1.0, "1847 is still told from 1874"
    assert [item.node_id for item in report.verdicts[0].evidence] == ["d1"]
    assert not any(ADDRESS in written for written in forms_of(report))
    assert ADDRESS not in session.graph().to_json()
    assert ADDRESS not in str(session.recorder.events("r1"))


def test_a_judge_and_what_it_raises_hold_redacted_texts_only(caplog):
    judge = QuotingJudge()
    session = Session(CaptureSettings(judge=judge, evaluate="inline", redact=emails))
    with caplog.at_level(logging.WARNING):
        private_run(session)
    report = session.report()
    assert report.state == "error"
    assert "cannot read" in report.warnings[0]
    assert judge.seen
    assert ADDRESS not in repr(judge.seen)
    judge.seen.clear()
    assert ADDRESS not in report.to_json()
    assert ADDRESS not in repr(session.errors)
    assert "cannot read" in caplog.text
    assert ADDRESS not in caplog.text


@pytest.mark.parametrize("evaluate", ["inline", "background", "never"])
def test_without_texts_only_hashes_and_offsets_are_kept(evaluate):
    seen = []
    session = Session(
        CaptureSettings(evaluate=evaluate, keep=Retention(texts=False, text_key=b"k" * 16), on_report=seen.append)
    )
    run(session)
    report = session.report(timeout=20)
    assert session.flush(20)
    assert report.hallucination_score == 1.0
    assert report.class_counts == Session.report(_kept()).class_counts
    for each in (report, *seen, *session.reports.values()):
        timeless = replace(each, usage=replace(each.usage, seconds=0.0))  # its digits may be those of a year
        assert not any(word in written for written in forms_of(timeless) for word in ("Holm", "1874", "1847"))
    assert "Holm" not in session.graph().to_json()
    assert session.graph() == report.graph
    assert report.graph.node("d1").attributes["text_hash"] == text_hash(SOURCE, b"k" * 16)
    assert session.recorder.events("r1") == ()
    assert session.report() is report
    session.close()


def _kept():
    session = Session(CaptureSettings(evaluate="inline"))
    run(session)
    return session


def test_without_texts_a_run_whose_report_is_gone_is_not_judged_again():
    session = Session(CaptureSettings(evaluate="inline", keep=Retention(texts=False)))
    run(session)
    session._reports.clear()
    with pytest.raises(InputError, match="texts of run 'r1' are not kept"):
        session.report()


def test_without_texts_errors_quote_nothing():
    session = Session(CaptureSettings(judge=QuotingJudge(), evaluate="inline", keep=Retention(texts=False)))
    run(session)
    assert [type(error) for error in session.errors] == [LookupError]
    assert "Holm" not in repr(session.errors)
    assert session.report().state == "error"
    assert "Holm" not in session.report().to_json()


@pytest.fixture(autouse=True)
def door(monkeypatch):
    monkeypatch.setattr(SlowJudge, "door", threading.Event())
    return SlowJudge.door


def test_a_burst_is_verified_in_full_although_fewer_runs_are_kept(door):
    seen = []
    session = Session(
        CaptureSettings(judge=SlowJudge(), keep=Retention(runs=5), on_report=lambda r: seen.append(r.run_id))
    )
    for n in range(50):
        run(session, f"r{n}")
    door.set()
    assert session.flush(60)
    assert seen == [f"r{n}" for n in range(50)]
    assert (session.skipped, session.errors) == (0, [])
    assert list(session.reports) == [f"r{n}" for n in range(45, 50)]
    session.close()


def test_beyond_what_may_wait_runs_are_skipped_counted_and_verified_when_asked_for(door):
    session = Session(CaptureSettings(judge=SlowJudge(), keep=Retention(waiting=3)))
    for n in range(10):
        run(session, f"r{n}")
    assert session.skipped == 7
    assert [str(error) for error in session.errors] == [
        "3 runs wait to be verified: run r3 was not queued, ask report() for it"
    ]
    door.set()
    assert session.flush(60)
    assert list(session.reports) == ["r0", "r1", "r2"]
    assert session.report("r7", timeout=20).state == "assessed"
    session.close()


def test_a_judge_that_fails_is_logged_once_for_each_kind(caplog):
    refused = Reply(failure=Failure("unauthorised", "401 invalid key"))
    session = Session(CaptureSettings(judge=LLMJudge(ScriptedModel([refused] * 9)), evaluate="inline"))
    run(session, "r1")
    run(session, "r2")
    assert [session.reports[each].failure for each in ("r1", "r2")] == ["unauthorised"] * 2
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.endswith("failed (unauthorised): the warnings of its report have why")
    assert session.errors == []
