"""A store as its users see it, in both databases."""

from __future__ import annotations

import pickle
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from trail_callbacks import ProvenanceGraph, check, verify
from trail_callbacks.errors import InputError, StoreError
from trail_callbacks.monitor import SIGNALS, Observation, observe, question_key
from trail_callbacks.redaction import presets
from trail_callbacks.report import Report
from trail_callbacks.store import Store, database
from trail_callbacks.trace import Context, Trace, Versions

emails = presets("email")

SOURCE = "The ferry to Holm takes 40 minutes. It is blue. Ask ada@example.com about it."
ANSWER = "The ferry to Holm takes 53 minutes. It is blue, says ada@example.com."
QUESTION = "How long does the ferry take?"


def judged(n="", source=SOURCE, answer=ANSWER, question=QUESTION):
    return replace(check(answer, [source], question=question), run_id=f"run{n}")


def traced(name="run", at=1000.0, user="ada", **metadata):
    return Trace(
        id=name, events=(), context=Context(started=at, user=user, metadata=metadata), versions=Versions(app="1")
    )


def test_a_report_and_its_trace_come_back_as_they_were(store):
    report, trace = judged(), traced(kind="ferries")
    assert store.put([(report, trace)]) == 1
    assert store.report("run") == report
    assert store.trace("run") == trace
    (found,) = store.observations()
    assert found == observe(report, trace)
    assert store.report("other") is None
    assert store.trace("other") is None


REPORT = judged()


def test_observations_are_chosen_by_window_release_and_segment(store):
    runs = [
        Observation(id=f"r{n:04}", at=float(n // 2), release="12"[n % 2], fields={"kind": "ab"[n % 3 == 0]})
        for n in range(1200)
    ]
    store.put_observations(reversed(runs))
    assert list(store.observations()) == runs
    assert list(store.observations(100.0, 101.0)) == runs[200:202]
    assert list(store.observations(release="1", segment={"kind": "b"})) == runs[::6]
    assert list(store.observations(segment={"kind": "c"})) == []


def test_the_same_run_is_one_row_and_the_same_entry_changes_nothing(store):
    assert store.put([(REPORT, None)]) == 1
    assert store.put([(REPORT, None)]) == 0
    assert store.put([(REPORT, traced())]) == 1, "a trace says more"
    assert store.put([(REPORT, None)]) == 0, "and is not given up again"
    assert [each.user for each in store.observations()] == ["ada"]


@pytest.mark.parametrize("at_once", [True, False])
def test_what_a_guard_and_a_handler_say_of_a_run_meets_in_one_row_whoever_comes_first(store, at_once):
    passed = judged("2", answer="The ferry to Holm takes 40 minutes.")
    withheld = judged("1")
    guards = [((withheld,), {"guard": "block"}), ((passed,), {"guard": "pass"})]
    message = judged("1", answer="I could not find it.")  # its handler saw this in place of the answer
    handlers = [((message, traced("run1"), 0.5), {}), ((passed, traced("run2"), 0.5), {})]
    for order in (guards + handlers, handlers + guards):
        for entry, more in order:
            store.add(*entry, **more)
            assert at_once or store.flush(20)
        assert store.flush(20)
        found = {each.id: each for each in store.observations()}
        assert {name: each.fields for name, each in found.items()} == {
            "run1": {"guard": "block"}, "run2": {"guard": "pass"},
        }  # fmt: skip
        assert {(each.user, each.release, each.rate) for each in found.values()} == {("ada", "1", 1.0)}
        assert store.report("run1") == withheld
        assert None not in (store.trace("run1"), store.trace("run2"))
        assert store.forget("ada") == 2


def test_whose_run_it_was_is_no_segment_and_redacted_ids_can_be_forgotten(where):
    store = Store(where, redact=emails)
    columns = [{"user_id": "ada@example.com"}, {"User": "ada@example.com"}, {"meta.user_id": "ada@example.com"}]
    store.put((judged(n), None, {**each, "release": "2", "kind": "x"}) for n, each in enumerate(columns))
    assert store.segments() == {"kind": ("x",), "release": ("2",), "app": ("2",)}
    assert {each.user for each in store.observations()} == {emails("ada@example.com")}
    assert store.forget("ada@example.com") == 3
    store.close()


def test_a_failed_report_does_not_replace_a_judged_one(store):
    failed = Report(state="error", graph=REPORT.graph, run_id="run")
    assert store.put([(failed, None)]) == 1
    assert store.put([(REPORT, None)]) == 1
    assert store.put([(failed, None)]) == 0
    better = judged(answer="The ferry to Holm takes 40 minutes.")
    assert store.put([(failed, None), (better, None), (failed, None)]) == 1
    assert store.report("run") == better
    assert store.contents().claims == len(better.claims)


@pytest.mark.parametrize("hostile", ["\ud800", "a\0b", "\U0001f600\u202e", "'; DROP TABLE trail_runs; --", "\\u0000"])
def test_any_text_can_be_stored(store, hostile):
    graph = ProvenanceGraph.from_texts(f"It is blue {hostile}.", [f"{SOURCE} {hostile}"], f"Why {hostile}?")
    report = replace(verify(graph), run_id=f"run{hostile}")
    trace = traced(f"run{hostile}", user=hostile, **{f"k{hostile}": f"v{hostile}"})
    store.add(report, trace)
    assert store.flush(20)
    assert store.errors == []
    assert store.report(f"run{hostile}") == Report.from_json(report.to_json())
    assert store.trace(f"run{hostile}") == Trace.from_json(trace.to_json())
    assert store.tally(SIGNALS["undecided"], 0, 1e12, {f"k{hostile}": f"v{hostile}"}).runs == 1
    assert store.forget(hostile) == 1


def test_a_report_that_is_too_large_is_counted_and_not_kept(where):
    store = Store(where, max_body=2_000)
    large = judged(source=SOURCE + " Much more is said there." * 200)
    store.put([(large, traced())])
    assert store.report("run") is None
    assert store.trace("run") is not None
    assert next(iter(store.observations())).score == large.hallucination_score
    assert store.contents().refused == 1
    store.close()


def test_without_texts_nothing_of_a_text_is_written(where, tmp_path):
    store = Store(where, texts=False, text_key=b"k" * 16)
    store.put([(judged(), traced(kind="ferries"))])
    assert store.trace("run") is None
    assert "Holm" not in store.report("run").to_json()
    (found,) = store.observations()
    assert (found.score, found.fields, found.user) == (REPORT.hallucination_score, {"kind": "ferries"}, "ada")
    assert found.key not in {"", question_key(QUESTION)}
    store.close()
    assert b"Holm" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_what_is_redacted_is_not_written_and_offsets_stay(where):
    store = Store(where, redact=emails)
    report = judged()
    store.put([(report, traced(user="ada@example.com", kind="to ada@example.com"))])
    found = store.report("run")
    assert "ada@example.com" not in found.to_json() + store.trace("run").to_json() + str(list(store.observations()))
    assert [claim.start for claim in found.claims] == [claim.start for claim in report.claims]
    for claim in found.claims:
        assert claim.quote == found.graph.answer.text[claim.start : claim.end]
    for verdict in found.verdicts:
        for each in verdict.evidence:
            assert each.quote == found.graph.node(each.node_id).text[each.start : each.end]
    assert "40 minutes" in found.graph.nodes[0].text + found.graph.nodes[-1].text + found.to_json()
    assert found.hallucination_score == report.hallucination_score
    store.close()


def test_a_redaction_that_fails_withholds_the_text_and_says_so(where):
    store = Store(where, redact=lambda text: 1 / 0)
    store.put([(judged(), None)])
    assert "Holm" not in store.report("run").to_json()
    assert isinstance(store.errors[0], ZeroDivisionError)
    store.close()


def test_old_runs_are_deleted_and_flagged_ones_stay(store):
    good = {"outcomes": {"supported": 1}, "state": "assessed", "claims": 1}
    bad = {"outcomes": {"absent": 1}, "state": "assessed", "claims": 1}
    store.put_observations(Observation(id=f"g{n}", at=float(n), fields={"n": str(n)}, **good) for n in range(1300))
    store.put_observations(
        [Observation(id="bad", at=5.0, **bad), Observation(id="broken", at=6.0, broken="query", **good)]
    )
    store.put([(judged(answer="The ferry to Holm takes 40 minutes."), traced(at=7.0))])
    store.mark("run", "c1", "wrong", author="eve")
    assert store.prune(1200.0, "flagged") == 1200
    left = list(store.observations())
    assert [each.id for each in left[:3]] == ["bad", "broken", "run"]
    assert len(left) == 103
    assert store.segments()["n"] == tuple(sorted(str(n) for n in range(1200, 1300))), "what nobody has is gone"
    assert store.prune(1e6) == 103
    assert store.contents().runs == store.contents().claims == store.contents().feedback == 0


def test_a_user_is_forgotten_without_a_trace_in_the_file(store, where, tmp_path):
    store.put([(judged("1"), traced("run1", user="ada")), (judged("2"), traced("run2", user="bob"))])
    store.mark("run1", "c1", "right")
    assert store.forget("ada") == 1
    assert [each.id for each in store.observations()] == ["run2"]
    assert store.report("run1") is None
    assert store.marks() == []
    if "://" not in where:
        assert b"run1" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_a_user_is_not_said_to_be_forgotten_while_somebody_reads_what_was(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "_READERS", 0.01)
    store = Store(tmp_path / "trail.db", max_body=10**6)
    for n in range(50):  # so that the log holds pages that nobody overwrites
        store.put([(judged(f"forgotten{n}"), traced(f"runforgotten{n}"))])

    def is_there():
        return any(b"runforgotten" in file.read_bytes() for file in tmp_path.iterdir())

    with closing(sqlite3.connect(tmp_path / "trail.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM trail_runs").fetchone()
        with pytest.raises(StoreError, match=r"still stands in .*trail.db-wal.* do this again"):
            store.forget("ada")
        assert is_there()
        reader.execute("COMMIT")
        store.add(judged("forgotten"), traced("runforgotten"))  # also what only waits to be written
        assert store.forget("ada") == 1
        assert not is_there()
    store.close()


def test_a_store_can_be_sent_to_another_process(store):
    store.put([(REPORT, None)])
    other = pickle.loads(pickle.dumps(store))  # noqa: S301 - our own
    assert other.report("run") == REPORT
    other.close()


def test_adding_never_waits_and_what_is_too_much_is_lost_and_counted(where):
    store = Store(where, max_waiting=3)
    with store._database.writing():  # somebody holds the lock, of a file at least
        started = time.perf_counter()
        for n in range(200):
            store.add(replace(REPORT, run_id=f"r{n}"))
        assert time.perf_counter() - started < 10  # the lock is held until after this
    assert store.flush(30)
    written = sum(1 for _ in store.observations())
    assert written + store.lost == 200
    assert store.lost > 0
    assert "3 runs wait to be stored" in str(store.errors[0])
    store.add(replace(REPORT, run_id="last"))
    store.flush(30)
    assert next(each.count for each in store.totals() if each.counter == "lost") == store.lost
    store.close()


def test_times_that_are_no_numbers_are_refused(store):
    since = datetime.fromtimestamp(0, UTC)
    for ask in (lambda: store.tally(SIGNALS["undecided"], since, since), lambda: list(store.observations(since))):
        with pytest.raises(InputError, match="a time is a datetime, expected seconds since the epoch"):
            ask()


def test_bad_settings_are_refused(tmp_path):
    for settings, message in (({"max_waiting": 0}, "max_waiting is 0"), ({"max_body": 0}, "max_body is 0")):
        with pytest.raises(InputError, match=message):
            Store(tmp_path / "a.db", **settings)
    for where, message in (
        ("", "is no store"),
        ("sqlite://", "a store in memory"),
        ("mysql://h/d", "a store in mysql is not supported"),
        (tmp_path, "is no file"),
        ("postgresql://h:x/d", "cannot be read"),
    ):
        with pytest.raises(StoreError, match=message):
            Store(where)
    away = "postgresql://nobody:secret@127.0.0.1:1/x?sslpassword=secret"
    with pytest.raises(StoreError, match=r"the store postgresql://nobody:\*\*\*@127.0.0.1:1/x.* cannot be") as caught:
        Store(away, make=False)
    assert "secret" not in str(caught.value)
