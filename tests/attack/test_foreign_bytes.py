"""Whatever bytes come in where something of ours is read: only documented errors are raised.

TRAIL_FUZZ_SECONDS tries for longer; hypothesis keeps what fails, so that it is tried first the next time.
"""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trail_callbacks import LLMJudge, ProvenanceGraph, Report, check
from trail_callbacks.cli.inputs import read, saved
from trail_callbacks.errors import GraphError, InputError, ReportError
from trail_callbacks.models.cache import ReplyStore, digest
from trail_callbacks.models.call import Reply
from trail_callbacks.report import State
from trail_callbacks.testing import ScriptedModel
from trail_callbacks.trace import Trace

sys.path.insert(0, str(Path(__file__).parents[1] / "capture"))  # for runlog.py
from runlog import RunLog, document, text

SECONDS = float(os.environ.get("TRAIL_FUZZ_SECONDS", "0"))
TRIES = settings(
    max_examples=int(SECONDS * 200) or 60, deadline=None, derandomize=not SECONDS,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)  # fmt: skip
STATES = set(State.__args__)


def _log():
    log = RunLog()
    with log.run("chain", text("When?")) as wrote:
        log.did("retriever", [text("When?")], [document("At nine.", 0)])
        wrote.append(text("At ten."))
    return tuple(log.events)


REPORT = check("It leaves at ten [1]. It is 5 m long.", ["It leaves at nine."], "When?").to_json()
GRAPH = ProvenanceGraph.from_texts("It leaves at ten.", ["It leaves at nine."]).to_json()
TRACE = Trace(id="run", events=_log()).to_json()

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("\ud800") | st.just(10**30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def places(value, at=()):
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*at, key))


@st.composite
def altered(draw, original):
    """Bytes that are hardly JSON, JSON of anything, or what was written with one place changed, or cut off."""
    way = draw(st.sampled_from(["bytes", "json", "changed", "changed", "changed", "removed", "cut", "flipped"]))
    data = original.encode()
    if way == "bytes":
        return draw(
            st.binary(max_size=60)
            | st.sampled_from([b"", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000, b"NaN", b"9" * 5000])
        )
    if way == "json":
        return json.dumps(draw(values)).encode()
    if way == "cut":
        return data[: draw(st.integers(0, len(data)))]
    if way == "flipped":
        at = draw(st.integers(0, len(data) - 1))
        return data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :]
    tree = json.loads(original)
    *path, last = draw(st.sampled_from([place for place in places(tree) if place]))
    inner = tree
    for key in path:
        inner = inner[key]
    if way == "removed":
        del inner[last]
    else:
        inner[last] = draw(values)
    return json.dumps(tree).encode()


@TRIES
@given(altered(REPORT), st.booleans())
def test_a_report(data, lenient):
    try:
        report = Report.from_json(data, lenient=lenient)
    except ReportError:
        return
    assert report.state in STATES
    assert report.hallucination_score is None or 0 <= report.hallucination_score <= 1
    str(report), report.to_html(), report.to_json()


@TRIES
@given(altered(GRAPH))
def test_a_graph(data):
    try:
        graph = ProvenanceGraph.from_json(data)
    except GraphError:
        return
    assert graph.leaves() is not None
    graph.to_json()


@TRIES
@given(altered(TRACE))
def test_a_trace(data):
    try:
        trace = Trace.from_json(data)
    except InputError:
        return
    assert trace.graph.nodes is not None
    for steps in (trace.retrievals, trace.rerankings, trace.packings, trace.calls):
        assert isinstance(steps, tuple)
    assert all(0.0 <= piece.arrived <= 1.0 for packing in trace.packings for piece in packing.pieces)
    trace.to_json()


@TRIES
@given(altered('{"claims": [{"quote": "It leaves at ten.", "checkable": true}], "abstained": false}'))
def test_a_reply_of_a_model(data):
    reply = Reply(text=data.decode("utf-8", "replace"))
    model = ScriptedModel(
        {"claims": lambda call: reply, "verdicts": lambda call: reply, "localize": lambda call: reply}
    )
    report = check("It leaves at ten.", ["It leaves at nine."], judge=LLMJudge(model=model))
    assert report.state in STATES
    assert report.hallucination_score is None  # nothing was judged


@TRIES
@given(st.binary(max_size=200))
def test_an_entry_of_a_cache(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("store")
    store, key = ReplyStore(folder), digest(["a"])
    store.put(key, {"a": 1})
    (entry,) = folder.glob("??/*.json")
    entry.write_bytes(data)
    assert store.get(key) is None
    entry.unlink()


@TRIES
@given(altered(REPORT))
def test_a_file_on_the_command_line(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("files") / "report.json"
    path.write_bytes(data)
    for reader in (read, saved):
        with suppress(InputError):
            reader(str(path))


@pytest.mark.parametrize("reader", [Report.from_json, ProvenanceGraph.from_json, Trace.from_json])
def test_deep_nesting_is_refused(reader):
    with pytest.raises(InputError):
        reader("[" * 1_000_000)
