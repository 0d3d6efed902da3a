"""`TrailGuard`: what an agent's user gets to see, under every policy and in every way to call an agent."""

import asyncio
import subprocess
import sys
import threading

import pytest

pytest.importorskip("langchain", minversion="1.2.9", reason="needs the dev dependencies: make test")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langchain_trail import AnswerRejectedError, TrailCallbackHandler, TrailGuard, as_model, trail
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from trail_callbacks.guard import BLOCKED
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.models.call import Budget, Failure, Reply
from trail_callbacks.testing import ScriptedModel

FACT = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."
ASKED = "How high is the lighthouse of Genoa?"
GOOD = "The lighthouse of Genoa is 77 metres tall."
BAD = "The lighthouse of Genoa was designed by Quixodoro Vexx."
LEAKED = "Quixodoro"  # no id spells it
CALL = AIMessage("", tool_calls=[{"name": "look_up", "args": {"what": "lighthouse"}, "id": "call-1"}])
REVIEW = "<<<REVIEW"
TO_TURN = {"messages": [("user", ASKED)]}
LIMIT = {"recursion_limit": 25}


@tool
def look_up(what: str) -> str:
    """Looks something up."""
    return FACT


class Height(BaseModel):
    """The height of a building."""

    sentence: str


@pytest.fixture
def agent(says):
    """An agent that looks up, answers badly, and better once it is told."""

    def make(guard, *, tools=True, form=None, better=GOOD, worse=BAD, more=(), **settings):
        def answer(text):
            if form == "tool":
                return AIMessage("", tool_calls=[{"name": "Height", "args": {"sentence": text}, "id": "call-2"}])
            return Height(sentence=text).model_dump_json() if form == "provider" else text

        first = [] if not tools else [(FACT, answer(worse)), ("", CALL)]
        model = says((REVIEW, answer(better)), *(first or [("", answer(worse))]), tools=True)
        formats = {"tool": ToolStrategy(Height), "provider": ProviderStrategy(Height), None: None}
        system = None if tools else FACT
        made = create_agent(
            model,
            [look_up] if tools else [],
            system_prompt=system,
            middleware=[*more, guard],
            response_format=formats[form],
            **settings,
        )
        made.model = model
        return made

    return make


def answered(out):
    return out["messages"][-1]


# ---------------------------------------------------------------------------------------------------- policies


# Every form with every kind of agent; both ways to call with each of them.
@pytest.mark.parametrize(
    ("form", "tools", "asynchronous"),
    [
        (None, True, False),
        (None, False, True),
        ("tool", True, True),
        ("tool", False, False),
        ("provider", True, False),
        ("provider", False, True),
    ],
)
@pytest.mark.parametrize(
    ("policy", "better"),
    [
        ({"on_fail": "retry"}, GOOD),
        ({"on_fail": "retry"}, BAD),
        ({"on_fail": "retry", "exhausted": "annotate"}, BAD),
        ({"on_fail": "retry", "exhausted": "raise"}, BAD),
        ({"on_fail": "block"}, GOOD),
        ({"on_fail": "annotate"}, GOOD),
        ({"on_fail": "raise"}, GOOD),
    ],
    ids=["retry", "retry-block", "retry-annotate", "retry-raise", "block", "annotate", "raise"],
)
def test_every_policy_with_every_kind_of_agent(agent, policy, better, tools, form, asynchronous):  # noqa: PLR0917
    guard = TrailGuard(judge="local", **policy)
    made = agent(guard, tools=tools, form=form, better=better)

    def run():
        return asyncio.run(made.ainvoke(TO_TURN, LIMIT)) if asynchronous else made.invoke(TO_TURN, LIMIT)

    last = policy["on_fail"] if policy["on_fail"] != "retry" else policy.get("exhausted", "block")
    if better is BAD or policy["on_fail"] != "retry":
        end, attempts = last, 3 if policy["on_fail"] == "retry" else 1
    else:
        end, attempts = "pass", 2
    if end == "raise":
        with pytest.raises(AnswerRejectedError) as caught:
            run()
        assert LEAKED not in str(caught.value)
        assert caught.value.report.state == ("assessed" if tools else "no_evidence")  # a prompt alone is no source
        assert caught.value.attempts == attempts
        return
    out = run()
    message = next(m for m in reversed(out["messages"]) if isinstance(m, AIMessage))
    assert out["trail"] == message.response_metadata["trail"]
    assert out["trail"]["attempts"] == attempts
    assert out["trail"]["blocked"] is (end == "block")
    assert out["trail"]["passed"] is (end == "pass")
    assert not [m for m in out["messages"] if REVIEW in m.text]
    assert len(out["messages"]) == 2 + (2 if tools else 0) + (form == "tool" and end != "block")
    if end == "block":
        assert message.text == BLOCKED
        assert message.id.startswith("lc_run--")
        assert out.get("structured_response") is None
        assert LEAKED not in repr(out)
    else:
        said = out["structured_response"].sentence if form else message.text
        assert said == (GOOD if end == "pass" else BAD)
    assert len([asked for asked in made.model.asked if REVIEW in asked]) == attempts - 1


def test_turns_that_call_tools_and_answers_without_a_claim_pass_unjudged(agent):
    reports = []
    made = agent(
        TrailGuard(judge="local", on_fail="block", on_report=reports.append), worse="I am sorry, I do not know."
    )
    out = made.invoke(TO_TURN, LIMIT)
    assert answered(out).text == "I am sorry, I do not know."
    assert out["trail"]["passed"]
    assert [report.state for report in reports] == ["abstained"]
    empty = agent(TrailGuard(judge="local", on_fail="block"), worse=AIMessage("")).invoke(TO_TURN, LIMIT)
    assert empty["trail"]["state"] == "no_checkable_claims"


def test_feedback_sends_a_model_that_read_nothing_to_its_tools_but_not_for_ever(says):
    """Between one draft and the next the model calls a tool: the agent goes round, and the retries still run out."""
    rules = (FACT, BAD), (REVIEW, CALL), ("", BAD)
    model = says(*rules, tools=True)
    made = create_agent(model, [look_up], middleware=[TrailGuard(judge="local", max_retries=1)])
    out = made.invoke(TO_TURN, LIMIT)
    assert "No source was read" in model.asked[1]
    assert out["trail"]["blocked"]
    assert len(model.asked) == 3

    restless = says((REVIEW, CALL), ("", BAD), tools=True)
    out = create_agent(restless, [look_up], middleware=[TrailGuard(judge="local", max_retries=3)]).invoke(
        TO_TURN, LIMIT
    )
    assert out["trail"]["blocked"]
    assert out["trail"]["attempts"] == 4
    assert "trail_rejected" not in out


def test_feedback_is_no_evidence_for_what_it_repeats(agent):
    """The second draft says again what the review quotes; neither with nor without the handler does that support it."""
    for callbacks in ([], [TrailCallbackHandler(evaluate="never")]):
        out = agent(TrailGuard(judge="local"), better=BAD).invoke(TO_TURN, {**LIMIT, "callbacks": callbacks})
        assert out["trail"]["blocked"]
        for handler in callbacks:
            assert not [node for node in handler.graph().nodes if REVIEW in node.text]
            assert {leaf.text for leaf in handler.graph().leaves()} <= {FACT, ASKED}
            assert handler.errors == []


# ---------------------------------------------------------------------------------------------------- evidence


def test_what_a_model_did_not_see_in_its_messages_is_found_in_the_captured_graph(says, shelf):
    """The tool tells its model a summary; the document behind it is evidence only where the handler heard of it."""
    documents = shelf("The lighthouse of Genoa stands on the hill of Capo di Faro and guides ships at night.")
    reader = says("The lighthouse of Genoa stands on a hill and guides ships at night.")

    @tool
    def research(what: str) -> str:
        """Researches something."""
        found = documents.invoke(what)
        return reader.invoke(f"Sum up: {found[0].page_content}").text

    call = AIMessage("", tool_calls=[{"name": "research", "args": {"what": "it"}, "id": "call-1"}])
    rules = ("guides ships", "The lighthouse of Genoa stands on the hill of Capo di Faro."), ("", call)
    made = create_agent(says(*rules, tools=True), [research], middleware=[TrailGuard(judge="local", on_fail="block")])
    assert made.invoke(TO_TURN, LIMIT)["trail"]["blocked"]
    handler = TrailCallbackHandler(evaluate="never")
    assert made.invoke(TO_TURN, {**LIMIT, "callbacks": [handler]})["trail"]["passed"]
    with trail(evaluate="never"):
        assert made.invoke(TO_TURN, LIMIT)["trail"]["passed"]


# ---------------------------------------------------------------------------------------------------- streams

MODES = ["values", "updates", "messages", "debug", "tasks", "checkpoints", "custom"]


def texts_of(chunks):
    return "".join(chunk.text for chunk, _ in chunks if isinstance(chunk, AIMessage))


@pytest.mark.parametrize("form", [None, "tool"])
@pytest.mark.parametrize("better", [GOOD, BAD], ids=["good", "never good"])
@pytest.mark.parametrize("mode", MODES)
async def test_no_stream_mode_shows_a_rejected_draft(agent, mode, better, form):
    config = {**LIMIT, "configurable": {"thread_id": "1"}}
    for asynchronous in (False, True):
        made = agent(TrailGuard(judge="local"), better=better, form=form, checkpointer=InMemorySaver())
        if asynchronous:
            chunks = [chunk async for chunk in made.astream(TO_TURN, config, stream_mode=mode)]
        else:
            chunks = list(made.stream(TO_TURN, config, stream_mode=mode))
        assert LEAKED not in repr(chunks)
        assert REVIEW not in repr(chunks)
        if mode == "messages" and form is None:
            assert texts_of(chunks) == (GOOD if better is GOOD else BLOCKED)
            assert chunks[-1][0].response_metadata["trail"]["attempts"] == (2 if better is GOOD else 3)
        if mode == "custom":
            (event,) = chunks
            assert event["event"] == "trail.report"
            assert event["data"]["passed"] is (better is GOOD)


@pytest.mark.parametrize("better", [GOOD, BAD], ids=["good", "never good"])
async def test_events_show_the_accepted_draft_token_by_token_and_no_other(agent, better):
    made = agent(TrailGuard(judge="local"), better=better)
    events = [event async for event in made.astream_events(TO_TURN, LIMIT, version="v2")]
    assert LEAKED not in repr(events)
    assert REVIEW not in repr(events)
    tokens = [e["data"]["chunk"].text for e in events if e["event"] == "on_chat_model_stream"]
    assert "".join(tokens) == (GOOD if better is GOOD else "")
    assert len(tokens) > 4 or better is BAD
    ended = [e["data"]["output"].text for e in events if e["event"] == "on_chat_model_end"]
    assert ended == (["", GOOD] if better is GOOD else [""])
    (told,) = [e for e in events if e["event"] == "on_custom_event"]
    assert told["name"] == "trail.report"
    assert told["data"]["blocked"] is (better is BAD)


@pytest.mark.filterwarnings("ignore:.*v3 streaming protocol")
@pytest.mark.parametrize("better", [GOOD, BAD], ids=["good", "never good"])
async def test_the_third_event_protocol(agent, better):
    made = agent(TrailGuard(judge="local"), better=better)
    try:
        events = list(made.stream_events(TO_TURN, LIMIT, version="v3"))
    except (AttributeError, NotImplementedError):
        pytest.skip("this langgraph does not speak it")
    stream = await agent(TrailGuard(judge="local"), better=better).astream_events(TO_TURN, LIMIT, version="v3")
    events += [event async for event in stream]
    assert LEAKED not in repr(events)
    assert repr(events).count(GOOD if better is GOOD else BLOCKED) >= 2


def test_to_annotate_needs_no_buffer_and_streams_as_it_comes(agent):
    chunks = list(agent(TrailGuard(judge="local", on_fail="annotate")).stream(TO_TURN, LIMIT, stream_mode="messages"))
    assert len([chunk for chunk, _ in chunks if isinstance(chunk, AIMessage) and chunk.text]) > 4
    buffered = agent(TrailGuard(judge="local", on_fail="annotate", stream="buffer")).stream(
        TO_TURN, LIMIT, stream_mode="messages"
    )
    (whole,) = [chunk for chunk, _ in buffered if isinstance(chunk, AIMessage) and chunk.text]
    assert whole.response_metadata["trail"]["unsupported"][0]["claim"] == BAD


class Tracer(BaseCallbackHandler):
    def __init__(self):
        self.seen = []

    def on_chat_model_start(self, serialized, messages, **kwargs):
        self.seen.append("start")

    def on_llm_end(self, response, **kwargs):
        self.seen.append(response.generations[0][0].text)


def test_handlers_of_the_app_hear_every_draft(agent):
    tracer = Tracer()
    list(agent(TrailGuard(judge="local")).stream(TO_TURN, {**LIMIT, "callbacks": [tracer]}, stream_mode="messages"))
    assert tracer.seen == ["start", "", "start", BAD, "start", GOOD]


# ---------------------------------------------------------------------------------------------------- the judge


class Hanging:
    """A judge's model that takes until it is let go."""

    name = "hanging"

    def __init__(self):
        self.let_go, self.begun = threading.Event(), asyncio.Event()
        self.waited = self.cancelled = False

    def ask(self, call):
        self.let_go.wait(20)
        self.waited = True
        return Reply(failure=Failure("failed", "let go"))

    async def aask(self, call):
        self.begun.set()
        try:
            await asyncio.sleep(20)
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return Reply(failure=Failure("failed", "let go"))


async def test_a_judge_that_hangs_does_not_hold_up_the_loop_and_is_cancelled(agent):
    model = Hanging()
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    out = await agent(TrailGuard(LLMJudge(model), timeout=2.0, on_error="closed")).ainvoke(TO_TURN, LIMIT)
    ticking.cancel()
    assert answered(out).text == BLOCKED
    assert model.cancelled
    assert ticks > 2  # a loop that is held up ticks once


def strict(call):
    """A judge's model that finds every claim absent."""
    if call.purpose == "claims":
        return {"claims": [{"quote": BAD, "claim": BAD, "checkable": True}], "abstained": False}
    absent = {"claim": "c1", "supporting": [], "comparison": "Not there.", "support": "absent"}
    return {"verdicts": [{**absent, "error_type": "other"}]}


def test_costs_go_on_counting_when_tools_are_called_between_drafts(says):
    reports, model = [], ScriptedModel(strict)
    guard = TrailGuard(LLMJudge(model), budget=Budget(calls=3), max_retries=9, on_report=reports.append)
    out = create_agent(says((REVIEW, CALL), ("", BAD), tools=True), [look_up], middleware=[guard]).invoke(
        TO_TURN, LIMIT
    )
    assert out["trail"]["usage"]["calls"] == len(model.calls) == sum(report.usage.calls for report in reports) == 3
    assert [report.state for report in reports] == ["no_evidence", "error"]
    assert answered(out).text == BLOCKED  # the judge could say no more


@pytest.mark.parametrize("mode", ["messages", "updates", "custom"])
async def test_the_judge_s_words_reach_no_stream_and_no_callback(agent, says, mode):
    """The app's own chat model judges; so does a model that calls a chain of LangChain without care."""
    chat = says("JUDGE-WORDS")

    class Careless:
        name = "careless"

        def ask(self, call):
            return Reply(failure=Failure("failed", (RunnableLambda(lambda x: x) | chat).invoke("judge this").text))

        async def aask(self, call):
            answer = await (RunnableLambda(lambda x: x) | chat).ainvoke("judge this")
            return Reply(failure=Failure("failed", answer.text))

    for judge in (as_model(chat), LLMJudge(Careless())):
        tracer, handler = Tracer(), TrailCallbackHandler(evaluate="never")
        config = {**LIMIT, "callbacks": [tracer, handler]}
        made = agent(TrailGuard(judge, on_error="closed"))
        before = len(chat.asked)
        chunks = list(made.stream(TO_TURN, config, stream_mode=mode))
        chunks += [chunk async for chunk in made.astream(TO_TURN, config, stream_mode=mode)]
        assert len(chat.asked) > before
        assert "JUDGE-WORDS" not in repr(chunks)
        assert "JUDGE-WORDS" not in repr(tracer.seen)
        assert "JUDGE-WORDS" not in handler.graph().to_json()


# ---------------------------------------------------------------------------------------------------- among others


class Watches(AgentMiddleware):
    """Other middleware with hooks after the model: each is a node, and a jump lasts one step."""

    def after_model(self, state, runtime):
        return None


class WatchesToo(Watches):
    pass


class Last(Watches):
    pass


@pytest.mark.parametrize("form", [None, "tool", "provider"])
@pytest.mark.parametrize("tools", [True, False], ids=["tools", "no tools"])
def test_blocking_ends_an_agent_whose_other_middleware_loses_the_jump(agent, tools, form):
    guard = TrailGuard(judge="local", on_fail="block")
    made = agent(guard, tools=tools, form=form, more=[Watches(), WatchesToo(), Last()])
    out = made.invoke(TO_TURN, LIMIT)
    assert answered(out).text == BLOCKED
    assert not out.get("structured_response")
    assert [m.text for m in out["messages"]].count(BLOCKED) == 1


def test_it_is_imported_only_when_asked_for_and_says_what_is_missing():
    code = """
import sys, langchain_trail
assert not {"langchain", "langgraph"} & set(sys.modules), "imported"
assert "TrailGuard" in dir(langchain_trail)
sys.modules["langchain"] = None
try:
    langchain_trail.TrailGuard
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == (
        'TrailGuard needs an optional dependency: pip install "trail-callbacks[langchain-agents]"'
    ), done.stderr


def hidden(text):
    return text.replace("Genoa", "[city]")


@pytest.mark.parametrize("id_", [None, "answer-of-a-provider"])
def test_the_judge_sees_what_the_handler_is_allowed_to_keep(agent, id_):
    seen = []
    handler = TrailCallbackHandler(evaluate="never", redact=hidden)
    wrong = AIMessage("The lighthouse of Genoa is 99 metres tall.", id=id_)
    app = agent(TrailGuard(judge="local", on_report=seen.append), worse=wrong)
    assert answered(app.invoke(TO_TURN, {"callbacks": [handler], **LIMIT})).text == GOOD
    assert [report.hallucination_score for report in seen] == [1.0, 0.0]
    for report in seen:
        assert report.graph.leaves()
        assert "[city]" in report.to_json()
        assert "Genoa" not in report.to_json()
