"""What a session hands to its store: each report once, with segments and versions, without what may not be kept."""

from __future__ import annotations

import pickle
import sqlite3
import sys
from contextlib import closing

import pytest

pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")

from trail_callbacks.capture.events import Piece, RunEnded, RunStarted
from trail_callbacks.errors import MissingExtraError
from trail_callbacks.monitor import SIGNALS, question_key
from trail_callbacks.redaction import presets
from trail_callbacks.session import CaptureSettings, Retention, Session
from trail_callbacks.store import Store

emails = presets("email")

SOURCE = "The quarry at Holm was opened in 1874, says ada@example.com."
ANSWER = "The quarry at Holm was opened in 1847."
QUESTION = "When did it open?"
SAID = {"context": {"user_id": "u1", "kind": "dates", "versions": {"app": "2.0"}}}


class Record:
    def __init__(self, run_id, phase, parent_id=None, kind="chain", text=""):
        self.run_id, self.phase, self.parent_id, self.kind, self.text = run_id, phase, parent_id, kind, text

    def convert(self, seq):
        pieces = (Piece(text=self.text, form="document" if self.kind == "retriever" else "text"),)
        if self.phase == "ended":
            return RunEnded(seq=seq, run_id=self.run_id, outputs=pieces)
        known = {"run_id": self.run_id, "parent_id": self.parent_id, "kind": self.kind, "name": self.kind}
        return RunStarted(seq=seq, inputs=pieces, **known)


def run(session, root="r1"):
    session.recorder.emit(Record(root, "started", text=QUESTION))
    session.recorder.emit(Record(f"{root}-d", "started", root, "retriever", QUESTION))
    session.recorder.emit(Record(f"{root}-d", "ended", kind="retriever", text=SOURCE))
    session.recorder.emit(Record(f"{root}-m", "started", root, "model", f"{SOURCE} {QUESTION}"))
    session.recorder.emit(Record(f"{root}-m", "ended", kind="model", text=ANSWER))
    session.recorder.emit(Record(root, "ended", text=ANSWER))


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "trail.db")
    yield store
    store.close(10)


def kept(store):
    assert store.flush(20)
    assert (store.errors, store.lost) == ([], 0)
    return list(store.observations())


@pytest.mark.parametrize("evaluate", ["background", "process", "inline", "never"])
def test_a_report_is_stored_once_with_what_is_known_of_its_run(store, evaluate):
    session = Session(CaptureSettings(evaluate=evaluate, store=store, **SAID))
    run(session)
    report = session.report(timeout=60)
    session.report()
    session.flush(60)
    (found,) = kept(store)
    assert (found.id, found.score, found.user, found.release) == ("r1", 1.0, "u1", "2.0")
    assert found.fields == {"kind": "dates"}
    assert store.report("r1") == report
    assert store.trace("r1") == session.trace("r1")
    assert store.segments() == {"kind": ("dates",), "release": ("2.0",), "app": ("2.0",)}
    assert store.tally(SIGNALS["contradiction"], 0, 1e11, {"kind": "dates"}).bad == 1
    session.close()


def test_a_report_on_a_run_that_goes_on_is_not_stored(store):
    session = Session(CaptureSettings(evaluate="never", store=store))
    session.recorder.emit(Record("r1", "started", text=QUESTION))
    session.recorder.emit(Record("m", "started", "r1", "model", SOURCE))
    session.report("r1")
    assert kept(store) == []


def test_runs_stand_for_those_that_were_not_drawn_unless_somebody_asked_for_them(store):
    session = Session(CaptureSettings(evaluate="inline", sample_rate=0.25, store=store))
    for n in range(40):
        run(session, f"r{n:02}")
    drawn = set(session.reports)
    asked = next(f"r{n:02}" for n in range(40) if f"r{n:02}" not in drawn)
    session.report(asked)
    assert {each.id: each.rate for each in kept(store)} == dict.fromkeys(drawn, 0.25) | {asked: 1.0}


def test_without_texts_the_figures_and_segments_are_kept(store, tmp_path):
    session = Session(
        CaptureSettings(evaluate="inline", keep=Retention(texts=False, text_key=b"k" * 16), store=store, **SAID)
    )
    run(session)
    (found,) = kept(store)
    assert (found.score, found.release, found.fields) == (1.0, "2.0", {"kind": "dates"})
    assert found.key not in {"", question_key(QUESTION)}
    assert store.trace("r1") is None
    assert "Holm" not in store.report("r1").to_json()
    store.close(10)
    assert not any(b"Holm" in file.read_bytes() for file in tmp_path.iterdir())


def test_what_a_session_redacts_is_not_in_its_store(store):
    session = Session(CaptureSettings(evaluate="inline", redact=emails, store=store))
    run(session)
    kept(store)
    assert "ada@example.com" not in store.report("r1").to_json() + store.trace("r1").to_json()


def test_a_store_that_fails_does_not_concern_the_app(store, monkeypatch):
    session = Session(CaptureSettings(evaluate="inline", store=store))
    monkeypatch.setattr(Store, "add", lambda *_, **__: 1 / 0)
    run(session)
    assert session.report().hallucination_score == 1.0
    assert isinstance(session.errors[0], ZeroDivisionError)


def test_sessions_that_name_the_same_file_share_a_store(tmp_path):
    one, other = (CaptureSettings(store=where) for where in (str(tmp_path / "a.db"), tmp_path / "a.db"))
    assert one.store is other.store
    assert pickle.loads(pickle.dumps(one)).store.url == one.store.url  # noqa: S301 - our own


def test_a_store_without_its_library_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("trail_callbacks.store")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(MissingExtraError, match=r"trail-callbacks\[store\]"):
        CaptureSettings(store="trail.db")


def test_who_gave_a_path_finds_the_report_written_when_the_session_is_closed(tmp_path):
    session = Session(CaptureSettings(store=tmp_path / "trail.db", **SAID))
    run(session)
    session.close(30)
    with closing(sqlite3.connect(tmp_path / "trail.db")) as found:
        assert found.execute("select count(*) from trail_runs").fetchone() == (1,)
