"""`guard_agent`: an agent of which only supported answers come out, and nothing of what was rejected stays."""

import pytest
from llama_index.core.agent.workflow import (
    AgentInput,
    AgentOutput,
    AgentStream,
    AgentWorkflow,
    CodeActAgent,
    FunctionAgent,
    ReActAgent,
    ToolCallResult,
)
from llama_index.core.agent.workflow.base_agent import BaseWorkflowAgent
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.tools import FunctionTool, QueryEngineTool
from llama_index_trail import AnswerRejectedError, guard_agent, instrument, report_for

from trail_callbacks.errors import InputError
from trail_callbacks.guard import BLOCKED

# LlamaIndex's agents use what pydantic and workflows deprecate, and leave databases open.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

FACT = "The lighthouse of Genoa is 77 metres tall and was rebuilt in 1543."
ASKED = "How high is the lighthouse of Genoa?"
GOOD = "The lighthouse of Genoa is 77 metres tall."
BAD = "The lighthouse of Genoa was designed by Quixodoro Vexx."
LEAKED = "Quixodoro"
REVIEW = "<<<REVIEW"
LOOK = [("look", {"subject": "Genoa"})]


def look(subject: str) -> str:
    """Looks a subject up."""
    return FACT


@pytest.fixture(params=["unrecorded", "recorded"])
def recording(request):
    return instrument(evaluate="never") if request.param == "recorded" else None


@pytest.fixture
def turns(models):
    return lambda *steps: models.Turns(steps=list(steps))


def react(thought, answer=None):
    if answer is None:
        return f'Thought: {thought}\nAction: look\nAction Input: {{"subject": "Genoa"}}'
    return f"Thought: {thought}\nAnswer: {answer}"


@pytest.fixture
def react_agent(models):
    """A ReAct agent that looks once, then says the bad thing until it is told."""

    def make(better=GOOD, **options):
        rules = [(REVIEW, react("I was told.", better)), (FACT, react("I know.", BAD)), ("", react("I look."))]
        return ReActAgent(tools=[look], llm=models.Rules(rules=rules), **options)

    return make


async def run(agent, asked=ASKED, **options):
    """The output, all messages in memory, and the events shown."""
    memory = ChatMemoryBuffer.from_defaults(token_limit=100_000)
    handler = agent.run(asked, memory=memory, **options)
    events = [event async for event in handler.stream_events()]
    return await handler, memory.get_all(), events


def shown(events):
    return "".join(event.delta for event in events if isinstance(event, AgentStream))


def is_clean(messages, events):
    kept = [str(message.model_dump()) for message in messages] + [str(event.model_dump()) for event in events]
    return not any(LEAKED in text or REVIEW in text for text in kept)


async def test_a_function_agent_is_asked_again(recording, turns):
    llm = turns(LOOK, BAD, GOOD)
    output, messages, events = await run(guard_agent(FunctionAgent(tools=[look], llm=llm), judge="local"))
    assert str(output) == GOOD
    assert output["trail"]["passed"] is True
    assert output["trail"]["attempts"] == 2
    assert [message.role.value for message in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages[-1].content == GOOD
    assert shown(events) == GOOD
    assert is_clean(messages, events)
    assert BAD in llm.asked[-1]
    assert REVIEW in llm.asked[-1]


@pytest.mark.parametrize("streaming", [True, False])
@pytest.mark.parametrize(
    ("policy", "steps", "end"),
    [
        ({}, (BAD, BAD, BAD), BLOCKED),
        ({"exhausted": "annotate"}, (BAD, BAD, BAD), BAD),
        ({"on_fail": "block", "message": "No."}, (BAD,), "No."),
        ({"on_fail": "annotate"}, (BAD,), BAD),
        ({"on_fail": "annotate", "stream": "buffer"}, (BAD,), BAD),
        ({"max_score": 1.0}, (BAD,), BAD),
    ],
)
async def test_every_policy(recording, turns, policy, steps, end, streaming):  # noqa: PLR0917 - pytest names them
    agent = FunctionAgent(tools=[look], llm=turns(LOOK, *steps), streaming=streaming)
    output, messages, events = await run(guard_agent(agent, judge="local", **policy))
    assert str(output) == messages[-1].content == end
    assert output["trail"]["blocked"] is (end != BAD)
    assert shown(events) == (end if streaming else "")
    if end != BAD:
        assert is_clean(messages, events)
        assert LEAKED not in str(output.model_dump())


@pytest.mark.parametrize("policy", [{"on_fail": "raise"}, {"max_retries": 1, "exhausted": "raise"}])
async def test_to_raise(turns, policy):
    with pytest.raises(AnswerRejectedError) as caught:
        await run(guard_agent(FunctionAgent(tools=[look], llm=turns(LOOK, BAD, BAD)), judge="local", **policy))
    assert LEAKED not in str(caught.value)


async def test_feedback_may_send_the_model_to_its_tools_and_that_is_no_new_chance(recording, turns):
    llm = turns(BAD, LOOK, BAD, LOOK, BAD)
    output, messages, events = await run(
        guard_agent(FunctionAgent(tools=[look], llm=llm), judge="local", max_retries=2)
    )
    assert str(output) == BLOCKED
    assert output["trail"]["attempts"] == 3
    assert len(llm.asked) == 5
    assert is_clean(messages, events)


async def test_a_react_agent_is_asked_again(recording, react_agent):
    output, messages, events = await run(guard_agent(react_agent(), judge="local"))
    assert str(output) == GOOD
    assert shown(events).endswith(GOOD)
    assert is_clean(messages, events)
    assert GOOD in messages[-1].content


async def test_a_code_agent(models, recording):
    rules = [(REVIEW, GOOD), (f"Result of executing the code given:\n\n{FACT}", BAD), ("", "<execute>look()</execute>")]
    agent = CodeActAgent(code_execute_fn=lambda code: FACT, tools=[look], llm=models.Rules(rules=rules))
    output, messages, events = await run(guard_agent(agent, judge="local"))
    assert str(output) == GOOD
    assert is_clean(messages, events)


class Own(BaseWorkflowAgent):
    """An agent of the app's author that keeps no notes."""

    async def take_step(self, ctx, llm_input, tools, memory):
        response = await self.llm.achat(llm_input)
        return AgentOutput(response=response.message, current_agent_name=self.name)

    async def handle_tool_call_results(self, ctx, results, memory):
        raise NotImplementedError

    async def finalize(self, ctx, output, memory):
        await memory.aput(output.response)
        return output


async def test_an_agent_that_keeps_no_notes(recording, turns):
    llm = turns(BAD, GOOD)
    output, messages, _ = await run(guard_agent(Own(llm=llm, system_prompt=FACT), judge="local", max_retries=1))
    assert f"{BAD}\n{REVIEW}" in llm.asked[-1]
    assert [message.content for message in messages] == [ASKED, str(output)]
    assert str(output) == GOOD
    output, messages, _ = await run(guard_agent(Own(llm=turns(BAD, BAD, BAD), system_prompt=FACT), judge="local"))
    assert [message.content for message in messages] == [ASKED, BLOCKED]
    assert str(output) == BLOCKED


async def test_a_workflow_guards_all_its_agents_and_lets_hand_offs_pass(recording, turns):
    first = FunctionAgent(
        name="desk",
        description="takes questions",
        tools=[look],
        llm=turns(LOOK, [("handoff", {"to_agent": "tower", "reason": f"they say: {BAD}"})]),
    )
    second = FunctionAgent(name="tower", description="knows towers", tools=[look], llm=turns(BAD, GOOD))
    seen = []
    workflow = guard_agent(
        AgentWorkflow(agents=[first, second], root_agent="desk"), judge="local", on_report=seen.append
    )
    output, messages, _ = await run(workflow)
    assert str(output) == GOOD
    assert output.current_agent_name == "tower"
    assert [report.hallucination_score for report in seen] == [1.0, 0.0]
    assert messages[-1].content == GOOD
    assert not any(REVIEW in str(message.model_dump()) for message in messages)


def the_engine(ask, says, return_direct):
    return QueryEngineTool.from_defaults(
        ask([FACT], says), name="towers", description="towers", return_direct=return_direct
    )


TOWERS = [("towers", {"input": ASKED})]


@pytest.mark.parametrize("kind", ["function", "react"])
async def test_what_a_query_engine_returns_directly_is_judged(recording, ask, turns, models, kind):
    tool = the_engine(ask, BAD, True)
    if kind == "function":
        agent = FunctionAgent(tools=[tool], llm=turns(TOWERS))
    else:
        step = f'Thought: I look.\nAction: towers\nAction Input: {{"input": "{ASKED}"}}'
        agent = ReActAgent(tools=[tool], llm=models.Rules(rules=[("", step)]))
    output, messages, events = await run(guard_agent(agent, judge="local"))
    assert str(output) == BLOCKED
    assert output["trail"]["blocked"] is True
    assert output.raw is None
    assert not any(LEAKED in str(message.model_dump()) for message in messages)
    assert LEAKED not in str([e.model_dump() for e in events if not isinstance(e, ToolCallResult)])


async def test_what_any_other_tool_returns_directly_is_a_source(recording, turns):
    seen = []
    tool = FunctionTool.from_defaults(look, return_direct=True)
    agent = guard_agent(FunctionAgent(tools=[tool], llm=turns(LOOK)), judge="local", on_report=seen.append)
    output, messages, _ = await run(agent)
    assert str(output) == messages[-1].content == FACT
    assert seen == []


async def test_a_query_engines_answer_is_no_evidence_for_the_agents(recording, ask, turns):
    """What an engine made up must not become true because an agent repeats it."""
    seen = []
    llm = turns(TOWERS, BAD, GOOD)
    agent = guard_agent(
        FunctionAgent(tools=[the_engine(ask, BAD, False)], llm=llm), judge="local", on_report=seen.append
    )
    output, _, _ = await run(agent)
    assert str(output) == GOOD
    assert {leaf.text for leaf in seen[0].graph.leaves() if leaf.kind == "document"} == {FACT}
    assert not any(LEAKED in leaf.text for leaf in seen[0].graph.leaves())


async def test_an_agent_that_runs_out_of_steps(recording, turns):
    llm = turns(LOOK, LOOK)

    class Ends(type(llm)):
        async def astream_chat(self, messages, **kwargs):
            async def parts():
                for each in [self._turn(messages)]:
                    yield each

            return parts()

    llm = Ends(steps=[LOOK, LOOK, BAD, GOOD])
    agent = FunctionAgent(tools=[look], llm=llm, early_stopping_method="generate")
    output, messages, events = await run(guard_agent(agent, judge="local"), max_iterations=2)
    assert str(output) == GOOD
    assert output["trail"]["attempts"] == 2
    assert is_clean(messages, events)


@pytest.mark.parametrize("in_workflow", [False, True])
async def test_no_structure_is_made_of_a_withheld_answer(recording, turns, in_workflow):
    made = []

    def structured(messages):
        made.append(messages[-1].content)
        return {"says": messages[-1].content}

    agent = FunctionAgent(tools=[look], llm=turns(LOOK, BAD, LOOK, GOOD), structured_output_fn=structured)
    guarded = guard_agent(AgentWorkflow(agents=[agent]) if in_workflow else agent, judge="local", on_fail="block")
    output, _, _ = await run(guarded)
    assert (str(output), output.structured_response, made) == (BLOCKED, None, [])
    output, _, _ = await run(guarded)
    assert (str(output), output.structured_response, made) == (GOOD, {"says": GOOD}, [GOOD])


async def test_live_events_come_as_they_are(turns):
    output, _, events = await run(
        guard_agent(FunctionAgent(tools=[look], llm=turns(LOOK, BAD)), judge="local", on_fail="annotate")
    )
    assert shown(events) == BAD
    assert output["trail"]["passed"] is False
    kinds = [type(event) for event in events]
    assert kinds.index(AgentInput) < kinds.index(AgentStream) < kinds.index(AgentOutput)


async def test_the_agent_that_was_given_is_not_changed(turns):
    agent = FunctionAgent(name="one", tools=[look], llm=turns(LOOK, BAD), system_prompt="Be brief.", timeout=7)
    guarded = guard_agent(agent, judge="local", on_fail="block")
    assert type(agent) is FunctionAgent
    assert isinstance(guarded, FunctionAgent)
    assert type(guarded).__name__ == "FunctionAgent"
    assert (guarded.name, guarded.system_prompt, guarded.tools) == ("one", "Be brief.", agent.tools)
    output, _, _ = await run(agent)
    assert str(output) == BAD
    agent.llm.asked.clear()
    output, _, _ = await run(guarded)
    assert str(output) == BLOCKED


async def test_the_recording_keeps_the_decision_and_finds_the_report(turns):
    instrument()
    output, _, _ = await run(guard_agent(FunctionAgent(tools=[look], llm=turns(LOOK, BAD, GOOD)), judge="local"))
    assert output["trail"]["attempts"] == 2
    assert report_for(output).hallucination_score == 0.0


async def test_the_judge_sees_what_the_recording_is_allowed_to_see(turns):
    instrument(evaluate="never", redact=lambda text: text.replace("Genoa", "[city]"))
    seen = []
    agent = guard_agent(FunctionAgent(tools=[look], llm=turns(LOOK, BAD, GOOD)), judge="local", on_report=seen.append)
    output, _, _ = await run(agent)
    assert str(output) == GOOD
    assert [report.hallucination_score for report in seen] == [1.0, 0.0]
    assert not any("Genoa" in node.text for report in seen for node in report.graph.nodes)


async def test_the_system_prompt_and_the_user_may_support_an_answer(turns):
    agent = FunctionAgent(llm=turns(GOOD), system_prompt=FACT)
    assert str((await run(guard_agent(agent, judge="local")))[0]) == GOOD
    agent = FunctionAgent(llm=turns(GOOD))
    assert str((await run(guard_agent(agent, judge="local"), f"{FACT} {ASKED}"))[0]) == GOOD


def test_it_takes_agents_only(turns):
    with pytest.raises(InputError, match="takes an agent"):
        guard_agent("agent", judge="local")
    with pytest.raises(InputError):
        guard_agent(FunctionAgent(llm=turns()), judge="local", max_score=2.0)
    with pytest.raises(InputError):
        guard_agent(FunctionAgent(llm=turns()), judge="local", stream="pass")


async def test_a_react_agents_answer_is_withheld(recording, react_agent):
    output, messages, events = await run(guard_agent(react_agent(better=BAD), judge="local"))
    assert str(output) == BLOCKED
    assert output["trail"]["hallucination_score"] == 1.0
    assert is_clean(messages, events)
    assert BLOCKED in messages[-1].content
