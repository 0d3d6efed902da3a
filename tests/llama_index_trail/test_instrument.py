"""Switching on and off, scopes, faults of ours and of the app, memory."""

import asyncio
import copy
import json
import logging
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.dispatcher import instrument_tags
from llama_index.core.instrumentation.span_handlers import NullSpanHandler
from llama_index.core.workflow import StartEvent, StopEvent, Workflow, step
from llama_index_trail import areport_for, instrument, report_for, status, trail, uninstrument
from llama_index_trail.results import PendingSummary
from llama_index_trail.tracker import TRACKER

from trail_callbacks import Retention
from trail_callbacks.errors import InputError

HIVE = "The hive under the lime tree gave thirty pounds of honey in 1923."
FENCE = "The fence along the lane was painted green by Tove Lind."
HOW = "How much honey did the hive give?"
POUNDS = "The hive under the lime tree gave thirty pounds of honey."


@pytest.fixture
def engine(ask):
    return ask([HIVE, FENCE], POUNDS)


def handlers():
    root = get_dispatcher()
    return [
        h for h in [*root.span_handlers, *root.event_handlers] if type(h).__module__.startswith("llama_index_trail")
    ]


def test_instrument_attaches_the_summary_before_the_query_returns(engine):
    recording = instrument()
    response = engine.query(HOW)
    summary = response.metadata["trail"]
    assert summary["state"] == "assessed"
    assert summary["hallucination_score"] == 0.0
    assert summary == recording.report.summary() == report_for(response).summary()
    assert json.loads(json.dumps(response.metadata))["trail"]["state"] == "assessed"
    assert set(response.metadata) > {"trail"}, "the metadata of the nodes is still there"


def test_instrumenting_twice_records_once(engine):
    seen = []
    instrument(on_report=seen.append)
    recorded = instrument(on_report=seen.append)
    assert len(handlers()) == 2
    engine.query(HOW)
    assert recorded.flush(20)
    assert len(seen) == 1


def test_uninstrument_takes_off_our_handlers_and_only_ours(engine):
    """Handlers with equal fields compare equal, so that removing by equality takes the wrong one."""
    root = get_dispatcher()
    theirs = [NullSpanHandler(), NullSpanHandler()]
    before = list(root.span_handlers)
    root.span_handlers += theirs
    try:
        instrument()
        uninstrument()
        assert handlers() == []
        assert all(any(h is mine for h in root.span_handlers) for mine in [*before, *theirs])
        response = engine.query(HOW)
        assert "trail" not in response.metadata
        uninstrument()
    finally:
        root.span_handlers = before


def test_a_block_needs_no_instrument_and_leaves_nothing_behind(engine):
    assert handlers() == []
    with trail(evaluate="never") as t:
        assert status().trails == 1
        engine.query(HOW)
    assert t.graph.answer.text == POUNDS
    assert handlers() == []
    assert engine.query(HOW).metadata.keys().isdisjoint({"trail"})


def test_a_run_belongs_to_the_innermost_block_only(engine):
    outermost = instrument(evaluate="never")
    with trail(evaluate="never") as outer:
        engine.query(HOW)
        with trail(evaluate="never") as inner:
            engine.query("How green is the fence?")
    assert outer.graph.question.text == HOW
    assert inner.graph.question.text == "How green is the fence?"
    with pytest.raises(InputError):
        _ = outermost.graph
    engine.query(HOW)
    assert outermost.graph.question.text == HOW


def test_a_block_inside_a_running_engine_takes_what_it_starts(engine, models):
    inner = []

    class Nested(models.Rules):
        def _reply(self, prompt):
            with trail(evaluate="never") as t:
                engine.query(HOW)
            inner.append(t)
            return "All is said."

    outer_engine = engine.from_args(engine.retriever, llm=Nested(rules=[]))
    with trail(evaluate="never") as t:
        outer_engine.query("What is there?")
    assert t.graph.answer.text == "All is said."
    assert all(node.text != POUNDS for node in t.graph.nodes)
    assert inner[0].graph.answer.text == POUNDS


# --- evaluation in the background ----------------------------------------------------------------------------------


class Slow:
    """A judge's model that answers when it is let."""

    name = "slow"

    def __init__(self):
        self.go = threading.Event()

    def ask(self, call):
        from trail_callbacks.models import Failure, Reply

        self.go.wait(10)
        return Reply(failure=Failure("unreachable", "nobody"))

    async def aask(self, call):
        return await asyncio.to_thread(self.ask, call)


async def test_an_event_loop_never_waits_for_the_verification(engine):
    from trail_callbacks import LLMJudge

    slow = Slow()
    with trail(judge=LLMJudge(model=slow)) as t:
        response = await asyncio.wait_for(engine.aquery(HOW), 9)  # less than the judge takes
    summary = response.metadata["trail"]
    for read in READINGS:  # at once: a reader that waited would stop the loop, and whoever lets the judge go on
        assert read(summary) == {"state": "pending", "run_id": summary["run_id"]}
    assert summary.get("state") == "pending"
    assert "claims" not in summary
    assert len(summary) == 2
    with pytest.raises(TimeoutError):
        await areport_for(response, timeout=0.01)
    asking = asyncio.create_task(areport_for(response))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    slow.go.set()
    report = await areport_for(response, timeout=10)
    assert report is await t.areport()
    assert summary["state"] == report.state
    assert dict(summary) == report.summary()


@pytest.mark.parametrize("evaluate", ["inline", "background"])
async def test_a_coroutine_takes_the_reports_in_the_apps_loop(engine, evaluate):
    loops, called = [], threading.Event()

    async def keep(report):
        loops.append(asyncio.get_running_loop())
        called.set()
        raise KeyError("mine")

    with trail(evaluate=evaluate, on_report=keep) as t:
        await engine.aquery(HOW)
        assert await asyncio.to_thread(called.wait, 10)
        called.clear()
        await asyncio.to_thread(engine.query, HOW)
        assert await asyncio.to_thread(called.wait, 10)
    assert loops[0] is asyncio.get_running_loop()
    assert loops[1] is not loops[0]  # that of the app is none of a thread's business
    assert await asyncio.to_thread(t.flush, 10)  # the hook may be about to raise
    assert [type(error) for error in t.errors] == [KeyError, KeyError]


def test_in_the_background_sync_code_does_not_wait_either(engine):
    from trail_callbacks import LLMJudge

    slow = Slow()
    with trail(judge=LLMJudge(model=slow), evaluate="background") as t:
        response = engine.query(HOW)
    assert repr(response.metadata["trail"]).startswith("{'state': 'pending'")
    threading.Timer(0.05, slow.go.set).start()
    assert response.metadata["trail"]["state"] == t.report.state  # reading waits


def unpickled(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own bytes


READINGS = [
    dict, lambda s: {**s}, lambda s: s.copy(), lambda s: dict(s.items()), lambda s: dict(zip(s.keys(), s.values(), strict=True)),
    lambda s: {key: s[key] for key in s}, copy.deepcopy, copy.copy, unpickled, lambda s: json.loads(json.dumps(s)),
]  # fmt: skip


def test_a_summary_reads_like_a_dictionary():
    values = {"state": "assessed", "claims": 2}
    for read in READINGS:
        summary = PendingSummary.pending("run")
        threading.Timer(0.01, summary.fill, [values]).start()
        assert read(summary) == values
    for look, expected in [
        (len, 2),
        (lambda s: "claims" in s, True),
        (lambda s: s.get("claims"), 2),
        (lambda s: s == values, True),
    ]:
        summary = PendingSummary.pending("run")
        threading.Timer(0.01, summary.fill, [values]).start()
        assert look(summary) == expected


async def test_a_report_that_nobody_made_is_made_without_blocking_the_loop(engine):
    with trail(evaluate="never"):
        response = await engine.aquery(HOW)
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    ticking = asyncio.create_task(tick())
    assert (await areport_for(response)).state == "assessed"
    ticking.cancel()
    assert ticks > 1
    with pytest.raises(InputError, match="no recorded run returned this str"):
        await areport_for("text")


class Counts(Workflow):
    """Returns what is no object that can be found again."""

    engine: object = None

    @step
    async def ask(self, ev: StartEvent) -> StopEvent:
        said = str(await self.engine.aquery(HOW))
        return StopEvent(result={"answer": said} if ev.as_dict else said)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("as_dict", [True, False])
async def test_the_report_of_a_workflow_is_found_by_its_handler_and_its_request(engine, as_dict):
    instrument()
    flow = Counts()
    flow.engine = engine
    with instrument_tags({"request_id": "q7"}):
        handler = flow.run(as_dict=as_dict)
    await flow.run(as_dict=as_dict)
    with pytest.raises(InputError, match="handler"):
        await areport_for(await handler)
    report = await areport_for(handler)
    assert report.graph.answer.text == POUNDS
    assert await areport_for("q7") is report


def test_with_never_nothing_is_attached_and_the_report_is_made_when_asked_for(engine):
    with trail(evaluate="never") as t:
        response = engine.query(HOW)
    assert "trail" not in response.metadata
    assert t.reports == {}
    assert report_for(response).state == "assessed"


def test_a_judge_that_uses_llama_index_itself_is_not_traced_either(engine, models):
    """On the worker's thread nothing of the app's context is left to tell its calls by."""
    from trail_callbacks import LLMJudge
    from trail_callbacks.models import Failure, Reply

    llm = models.Rules(rules=[("", "no JSON")])

    class Own:
        name = "own"

        def ask(self, call):
            return Reply(failure=Failure("invalid", llm.complete(call.messages[-1].content).text))

        async def aask(self, call):
            return self.ask(call)

    recording = instrument(judge=LLMJudge(model=Own()), evaluate="background")
    engine.query(HOW)
    assert recording.flush(10)
    assert llm.asked
    assert len(recording.reports) == 1
    assert recording.graph.question.text == HOW


# --- faults --------------------------------------------------------------------------------------------------------


READERS = ["tracker.prompt_of", "tracker.bounded", "tracker.classify"]
READERS += ["open_runs.documents", "open_runs.reply", "open_runs.answer_of"]


@pytest.mark.parametrize("place", READERS)
def test_faults_of_ours_are_seen_in_the_status_and_nowhere_else(engine, monkeypatch, caplog, place):
    fault = RuntimeError(f"{place} is broken")

    def broken(*args, **kwargs):
        raise fault

    monkeypatch.setattr(f"llama_index_trail.{place}", broken)
    with caplog.at_level(logging.WARNING), trail() as t:
        response = engine.query(HOW)
    assert str(response) == POUNDS
    assert fault in status().errors
    assert fault in t.errors
    assert "is broken" in caplog.text
    TRACKER._errors.clear()


@pytest.mark.parametrize("method", ["enter", "exit", "drop", "stream_ended", "stream_failed"])
@pytest.mark.parametrize("streaming", [False, True])
def test_any_broken_hook_leaves_the_app_alone(ask, monkeypatch, method, streaming):
    engine = ask([HIVE], POUNDS, streaming=streaming)

    def broken(*args, **kwargs):
        raise RuntimeError(method)

    monkeypatch.setattr(TRACKER, method, broken)
    with trail(evaluate="never"):
        response = engine.query(HOW)
        assert ("".join(response.response_gen) if streaming else str(response)) == POUNDS
        engine.query(HOW)
    TRACKER._errors.clear()


async def test_a_cancelled_query_ends_its_run(shelf, models):
    class Hanging(models.Rules):
        async def acomplete(self, prompt, formatted=False, **kwargs):
            await asyncio.sleep(60)

    engine = shelf(HIVE).as_query_engine(llm=Hanging(rules=[]))
    with trail(evaluate="never") as t:
        task = asyncio.create_task(engine.aquery(HOW))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert t.graph.answer is None
    assert status().open_runs == 0


# --- many at once --------------------------------------------------------------------------------------------------


@pytest.fixture
def crowd(shelf, models):
    facts = [f"Row {n} of the orchard holds {n + 13} plum trees beside post P{n}." for n in range(30)]
    replies = [f"Row {n} has {n + 13} plums." for n in range(30)]
    rules = [((f"Row {n} of",), reply) for n, reply in enumerate(replies)]
    engine = shelf(*facts).as_query_engine(llm=models.Rules(rules=rules), similarity_top_k=1)
    return engine, facts, [f"How many plum trees in row {n} beside post P{n}, {n + 13}?" for n in range(30)], replies


async def test_thirty_requests_each_await_their_own_report(crowd):
    engine, facts, questions, replies = crowd
    instrument()

    async def request(n):
        response = await engine.aquery(questions[n])
        assert response.metadata["trail"]["state"] in {"pending", "assessed"}
        return await areport_for(response, timeout=30)

    for n, report in enumerate(await asyncio.gather(*map(request, range(30)))):
        assert report.graph.answer.text == replies[n]
        assert [node.text for node in report.graph.nodes if node.kind == "document"] == [facts[n]]


def test_a_thread_inside_a_block_is_outside_unless_the_context_is_copied(engine):
    with trail(evaluate="never") as t:
        thread = threading.Thread(target=engine.query, args=[HOW])
        thread.start()
        thread.join()
        with pytest.raises(InputError):
            _ = t.graph
        thread = threading.Thread(target=copy_context().run, args=[engine.query, HOW])
        thread.start()
        thread.join()
    assert t.graph.answer.text == POUNDS


# --- memory --------------------------------------------------------------------------------------------------------


def test_runs_that_never_end_are_bounded(ask, monkeypatch):
    monkeypatch.setattr("llama_index_trail.tracker._OPEN_TRACES", 5)
    engine = ask([HIVE], POUNDS, streaming=True)
    instrument(evaluate="never")
    unread = [engine.query(HOW) for _ in range(20)]
    assert status().open_runs == 5
    assert len({span.trace.root.id for span in TRACKER._spans.values()}) == 5
    assert ["".join(response.response_gen) for response in unread] == [POUNDS] * 20
    del unread
    assert status().open_runs == 0


# --- import --------------------------------------------------------------------------------------------------------


def python(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_and_instrumenting_does_not_load_llama_index():
    code = "import sys, llama_index_trail as t; t.instrument(); print('llama_index.core' in sys.modules)"
    assert python(code).strip() == "False"


def test_instrument_before_the_first_import_and_with_no_tokenizer_data(tmp_path):
    code = """
import llama_index_trail
llama_index_trail.instrument()
from llama_index.core.llms import MockLLM
from llama_index.core import get_response_synthesizer
from llama_index.core.schema import NodeWithScore, TextNode
class Said(MockLLM):
    def complete(self, prompt, formatted=False, **kwargs):
        from llama_index.core.llms import CompletionResponse
        return CompletionResponse(text="The hive gave honey.")
synthesizer = get_response_synthesizer(llm=Said(), response_mode="simple_summarize")
response = synthesizer.synthesize("What?", nodes=[NodeWithScore(node=TextNode(text="The hive gave honey."))])
print(response.metadata["trail"]["state"], llama_index_trail.status().errors)
"""
    assert python(code, NLTK_DATA=str(tmp_path)).strip() == "assessed ()"


def test_without_llama_index_the_import_names_the_extra():
    code = """
import sys
sys.modules["llama_index_instrumentation"] = None
try:
    import llama_index_trail
except ImportError as error:
    print(type(error).__name__, error)
"""
    printed = python(code)
    assert printed.startswith("MissingExtraError")
    assert 'pip install "trail-callbacks[llama-index]"' in printed


def test_thirty_threads_do_not_mix(crowd):
    engine, facts, questions, replies = crowd
    recording = instrument(keep=Retention(runs=64))
    with ThreadPoolExecutor(10) as pool:
        responses = list(pool.map(engine.query, questions))
    for n, response in enumerate(responses):
        graph = report_for(response).graph
        assert [node.text for node in graph.nodes if node.kind in {"question", "document", "answer"}] == [
            questions[n],
            facts[n],
            replies[n],
        ]
        assert str(response) == replies[n]
    assert len(recording.reports) == 30
