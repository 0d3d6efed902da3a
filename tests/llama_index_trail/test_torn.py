"""Runs that go on from a state: of a restored context, of a memory, of a call before."""

import json

import pytest
from llama_index.core.llms import ChatMessage
from llama_index.core.workflow import Context, StartEvent, StopEvent, Workflow, step
from llama_index_trail import instrument

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

DRAFT = "The ferry to Osk takes 53 minutes."


class Writes(Workflow):
    """Keeps a draft in its store, and answers from it when it is run again."""

    llm: object = None

    @step
    async def write(self, ctx: Context, ev: StartEvent) -> StopEvent:
        draft = await ctx.store.get("draft", default=None)
        if draft is None:
            await ctx.store.set("draft", (await self.llm.acomplete("Write something about the ferry.")).text)
            return StopEvent(result="kept")
        return StopEvent(result=(await self.llm.acomplete(f"You edit texts for the web.\n{draft}")).text)


@pytest.fixture
def flow(models):
    made = Writes()
    made.llm = models.Rules(rules=[("", DRAFT)])
    return made


async def report_of(recording, flow, ctx):
    await flow.run(ctx=ctx)
    return await recording.areport()


async def test_a_restored_state_is_no_evidence_and_the_report_says_what_to_do(flow):
    kept = flow.run()
    await kept
    state = json.loads(json.dumps(kept.ctx.to_dict()))
    assert "trail" not in str(state)  # a name is kept only for a store
    report = await report_of(instrument(), flow, Context.from_dict(flow, state))
    assert report.state != "assessed"
    assert report.verdicts[0].support is None
    assert "(draft); who wrote it was not recorded" in report.warnings[0]


async def test_a_state_that_the_app_set_itself_is_evidence_as_before(flow):
    ctx = Context(flow)
    await ctx.store.set("draft", DRAFT)
    report = await report_of(instrument(), flow, ctx)
    assert (report.state, report.hallucination_score) == ("assessed", 0.0)


async def test_an_earlier_message_counts_only_where_no_source_supports_the_answer(models):
    recording = instrument()
    before = [ChatMessage(role="user", content="Hello, who is it?"), ChatMessage(role="assistant", content=DRAFT)]
    asked = ChatMessage(role="user", content="The quay was built in 1846.\nTell me about the town.")
    for said, assessed in ((DRAFT, False), ("The quay was built in 1846.", True)):
        await models.Rules(rules=[("", said)]).achat([*before, asked])
        assert ((await recording.areport()).state == "assessed") is assessed


def test_the_draft_of_a_call_before_is_no_evidence_for_the_next(models):
    recording = instrument()
    draft = models.Rules(rules=[("", DRAFT)]).complete("Write something.\nAbout a ferry.").text
    models.Rules(rules=[("", DRAFT)]).complete(f"Write it again:\n{draft}")
    assert recording.report.hallucination_score != 0.0


class OnThread(Workflow):
    """Its step is no coroutine."""

    @step
    def say(self, ctx: Context, ev: StartEvent) -> StopEvent:
        return StopEvent(result=DRAFT)


async def test_with_a_store_a_context_has_a_name_and_a_step_on_a_thread_does_not_mind(flow, tmp_path):
    pytest.importorskip("sqlalchemy")
    recording = instrument(store=tmp_path / "runs.db")
    kept = flow.run()
    await kept
    assert "trail" in str(kept.ctx.to_dict())
    assert await OnThread().run() == DRAFT
    assert recording.flush(20)
    assert recording.errors == []
