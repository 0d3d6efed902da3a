"""What a model of LlamaIndex returns beside its answer is judged, or named; in the strict setting it is left out."""

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock, ThinkingBlock
from llama_index.core.tools import FunctionTool
from llama_index_trail import guard_agent

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

FACT = "The lighthouse of Genoa is 77 metres tall and was rebuilt in 1543."
ASKED = "How high is the lighthouse of Genoa?"
GOOD = "The lighthouse of Genoa is 77 metres tall."
BAD = "The lighthouse of Genoa is 97 metres tall."


def assistant(*blocks, **extra):
    return ChatMessage(role="assistant", blocks=list(blocks), additional_kwargs=extra)


BESIDE = {
    "thinking": (assistant(ThinkingBlock(content=BAD), TextBlock(text=GOOD)), "reasoning"),
    "key": (assistant(TextBlock(text=GOOD), reasoning_content=BAD), "reasoning"),
    "other key": (assistant(TextBlock(text=GOOD), audio={"transcript": BAD}), "audio"),
}


@pytest.fixture
def replies(models):
    """An agent's model that replies with one message."""

    class Replies(models.Turns):
        reply: ChatMessage

        def _turn(self, messages):
            self.asked.append("")
            return ChatResponse(message=self.reply, delta=self.reply.content or "", raw={"text": str(self.reply)})

    return lambda reply: Replies(steps=[], reply=reply)


async def run(agent):
    handler = agent.run(ASKED)
    events = [event async for event in handler.stream_events()]
    return await handler, events


@pytest.mark.parametrize("name", BESIDE)
async def test_what_is_beside_the_answer_is_named_or_left_out(replies, name):
    message, kind = BESIDE[name]
    output, _ = await run(guard_agent(FunctionAgent(llm=replies(message), system_prompt=FACT), judge="local"))
    assert output["trail"]["unjudged"] == [kind]
    assert str(output) == GOOD
    strict = guard_agent(FunctionAgent(llm=replies(message), system_prompt=FACT), judge="local", on_undecided="fail")
    output, events = await run(strict)
    assert str(output) == GOOD
    assert BAD not in repr(output)
    assert BAD not in repr(events)


async def test_an_answer_names_what_was_beside_earlier_messages_of_the_run(models):
    class Talkative(models.Turns):
        def _turn(self, messages):
            reply = super()._turn(messages)
            if reply.message.additional_kwargs:
                reply.message.blocks.append(TextBlock(text=BAD))
            return reply

    tool = FunctionTool.from_defaults(lambda: FACT, name="look")
    agent = FunctionAgent(tools=[tool], llm=Talkative(steps=[[("look", {})], f"{GOOD}\n\n$$h = 97$$"]))
    output, _ = await run(guard_agent(agent, judge="local"))
    assert output["trail"]["passed"]
    assert output["trail"]["unjudged"] == ["text beside tool calls", "code or formulas"]


async def test_a_refusal_is_judged(replies):
    agent = FunctionAgent(llm=replies(assistant(refusal=BAD)), system_prompt=FACT)
    output, events = await run(guard_agent(agent, judge="local", on_fail="block"))
    assert output["trail"]["blocked"]
    assert BAD not in repr([output, events])


@pytest.mark.parametrize("strict", ["pass", "fail"])
async def test_what_a_tool_returns_directly(models, strict):
    def look() -> str:
        """Looks it up."""
        return BAD

    tool = FunctionTool.from_defaults(look, return_direct=True)
    agent = FunctionAgent(tools=[tool], llm=models.Turns(steps=[[("look", {})]]))
    output, _ = await run(guard_agent(agent, judge="local", on_undecided=strict))
    assert output["trail"] == {
        "unjudged": ["result of the tool look"],
        "passed": False,
        "blocked": strict == "fail",
    }
    assert (BAD in str(output)) is (strict == "pass")
