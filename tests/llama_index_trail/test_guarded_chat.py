"""Guarded chat engines: every kind of engine, in every way to ask, over several turns."""

import asyncio

import pytest
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.chat_engine.types import AgentChatResponse, BaseChatEngine, StreamingAgentChatResponse
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index_trail import GuardedChatEngine, instrument, report_for, trail
from llama_index_trail.chat_drafts import DraftMemory

from trail_callbacks.errors import AnswerRejectedError, InputError
from trail_callbacks.guard import BLOCKED

pytestmark = pytest.mark.filterwarnings(  # memories in databases are left open
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

FACT = "The lighthouse of Genoa is 77 metres tall and was rebuilt in 1543."
ASKED = "How high is the lighthouse of Genoa?"
AGAIN = "And once more, please: how high?"
GOOD = "The lighthouse of Genoa is 77 metres tall."
BAD = "The lighthouse of Genoa is 97 metres tall."
REVIEW = "REVIEW"
CONDENSE = [("Standalone question", ASKED), ("tandalone question", ASKED)]
RETRIED = [*CONDENSE, (REVIEW, GOOD), ("", BAD)]
HOPELESS = [*CONDENSE, ("", BAD)]
RIGHT = [*CONDENSE, ("", GOOD)]


@pytest.fixture(params=["context", "condense_plus_context", "condense_question", "simple"])
def kind(request):
    return request.param


@pytest.fixture
def chat(shelf, models):
    """Makes a chat engine of LlamaIndex."""

    def make(kind, rules, *, memory=None, texts=(FACT,)):
        index, llm = shelf(*texts), models.Rules(rules=rules)
        given = {"llm": llm, "memory": memory or ChatMemoryBuffer.from_defaults(token_limit=3000)}
        if kind == "simple":
            return SimpleChatEngine.from_defaults(system_prompt=FACT, **given)
        if kind == "condense_question":
            return CondenseQuestionChatEngine.from_defaults(query_engine=index.as_query_engine(llm=llm), **given)
        engine = ContextChatEngine if kind == "context" else CondensePlusContextChatEngine
        return engine.from_defaults(retriever=index.as_retriever(), **given)

    return make


WAYS = ["chat", "achat", "stream_chat", "astream_chat"]


async def ask(engine, way, message, **given):
    """The response and its text, asked and read in one of the ways."""
    if way == "chat":
        response = await asyncio.to_thread(engine.chat, message, **given)
        return response, str(response)
    if way == "achat":
        response = await engine.achat(message, **given)
        return response, str(response)
    if way == "stream_chat":
        response = await asyncio.to_thread(engine.stream_chat, message, **given)
        return response, await asyncio.to_thread("".join, response.response_gen)
    response = await engine.astream_chat(message, **given)
    return response, "".join([token async for token in response.async_response_gen()])


def said(engine):
    return [(message.role.value, message.content) for message in engine.chat_history]


@pytest.mark.parametrize(("way", "recording"), list(zip(WAYS, [False, True, True, False], strict=True)))
@pytest.mark.parametrize(
    ("policy", "rules", "end", "attempts"),
    [
        ({}, RETRIED, GOOD, 2),
        ({}, HOPELESS, BLOCKED, 3),
        ({"on_fail": "block"}, RETRIED, BLOCKED, 1),
        ({"on_fail": "annotate"}, RETRIED, BAD, 1),
        ({"on_fail": "annotate", "stream": "buffer"}, RETRIED, BAD, 1),
    ],
)
async def test_every_policy_in_every_way_to_ask(chat, kind, policy, rules, end, attempts, way, recording):  # noqa: PLR0917 - pytest names them
    no_evidence = {"no_evidence": "fail"} if kind == "simple" else {}
    if recording:
        instrument()
    plain = chat(kind, rules)
    engine, reports = GuardedChatEngine(plain, judge="local", **policy, **no_evidence), []
    for turn, question in enumerate((ASKED, AGAIN), 1):
        response, text = await ask(engine, way, question)
        reports.append(response.metadata["trail"])
        assert text.strip() == end
        assert isinstance(response, StreamingAgentChatResponse if "stream" in way else AgentChatResponse)
        assert said(engine) == said(plain) == [("user", ASKED), ("assistant", end), ("user", AGAIN), ("assistant", end)][: 2 * turn]  # fmt: skip
    assert [each["attempts"] for each in reports] == [attempts, attempts]
    assert [each["passed"] for each in reports] == [end == GOOD] * 2
    assert [each["blocked"] for each in reports] == [end == BLOCKED] * 2
    if end == BLOCKED:
        assert BAD not in repr(response)
        assert "97" not in repr(reports)
    assert plain._memory is engine._memory


@pytest.mark.parametrize("way", WAYS)
async def test_to_raise_leaves_nothing_of_the_turn(chat, kind, way):
    engine = GuardedChatEngine(chat(kind, HOPELESS), judge="local", on_fail="raise")
    with pytest.raises(AnswerRejectedError, match="not accepted"):
        await ask(engine, way, ASKED)
    assert said(engine) == []


@pytest.mark.parametrize("way", ["chat", "achat"])
async def test_a_retry_writes_from_the_same_nodes_and_condenses_once(chat, kind, way):
    plain = chat(kind, RETRIED)
    engine, searched = GuardedChatEngine(plain, judge="local"), []
    retriever = getattr(plain, "_retriever", None) or getattr(getattr(plain, "_query_engine", None), "retriever", None)
    if retriever is not None:
        find, afind = type(retriever)._retrieve, type(retriever)._aretrieve
        kind_of = type("Counting", (type(retriever),), {
            "_retrieve": lambda self, query_bundle: (searched.append(str(query_bundle.embedding_strs)), find(self, query_bundle))[1],
            "_aretrieve": lambda self, query_bundle: (searched.append(str(query_bundle.embedding_strs)), afind(self, query_bundle))[1],
        })  # fmt: skip
        retriever.__class__ = kind_of
    for question in (ASKED, AGAIN):
        response, text = await ask(engine, way, question)
        assert text == GOOD
    if kind != "simple":
        assert len(searched) == (4 if kind == "condense_question" else 2)
        assert all(REVIEW not in query for query in searched)
        assert REVIEW not in str(response.sources[0].raw_input)
        assert [node.text for node in response.source_nodes] == [FACT]
    condensed = [prompt for prompt in plain._llm.asked if "tandalone question" in prompt]
    assert len(condensed) == ("condense" in kind)
    assert REVIEW not in "".join(condensed)
    assert len(plain._llm.asked) == 4 + len(condensed)


@pytest.mark.parametrize("way", ["stream_chat", "astream_chat"])
async def test_tokens_come_at_once_and_the_summary_after_the_last(chat, kind, way):
    for recording in (False, True):
        if recording:
            instrument(evaluate="never")
        engine = GuardedChatEngine(chat(kind, HOPELESS), judge="local", on_fail="annotate", stream="pass")
        if way == "stream_chat":
            response = await asyncio.to_thread(engine.stream_chat, ASKED)
            assert not hasattr(response, "metadata")
            text = await asyncio.to_thread("".join, response.response_gen)
        else:
            response = await engine.astream_chat(ASKED)
            assert not hasattr(response, "metadata")
            text = "".join([token async for token in response.async_response_gen()])
        assert text.strip() == BAD
        assert response.metadata["trail"]["passed"] is False
        assert response.metadata["trail"]["hallucination_score"] == (None if kind == "simple" else 1.0)
        assert said(engine) == [("user", ASKED), ("assistant", BAD)]
        assert report_for(response).graph.answer.text.strip() == BAD


INVENTED = "The ferry to Genoa takes 53 minutes and costs 12 euros."


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("way", ["chat", "astream_chat"])
async def test_a_reply_that_was_let_through_is_no_evidence_later(chat, kind, way, recording):
    if recording:
        instrument()
    rules = [*CONDENSE, ("", INVENTED)]
    seen = []
    engine = GuardedChatEngine(
        chat(kind, rules), judge="local", on_fail="annotate", stream="buffer", on_report=seen.append
    )
    for question in ("What is inside?", "Please say that again."):
        await ask(engine, way, question)
    assert [report.class_counts["supported"] for report in seen] == [0, 0]


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("kind", ["context", "condense_plus_context"])
async def test_what_an_earlier_reply_rests_on_is_evidence_later(shelf, models, kind, recording):
    """The second search finds something else; the model answers from its first reply."""
    if recording:
        instrument()
    fence = "The fence along the lane was painted green by Tove Lind."
    llm = models.Rules(rules=[("tandalone question", "fence lane painted green"), ("", GOOD)])
    engine = ContextChatEngine if kind == "context" else CondensePlusContextChatEngine
    retriever = shelf(FACT, fence).as_retriever(similarity_top_k=1)
    memory = ChatMemoryBuffer.from_defaults(token_limit=3000)
    plain, seen = engine.from_defaults(retriever=retriever, llm=llm, memory=memory), []
    engine = GuardedChatEngine(plain, judge="local", on_report=seen.append)
    response = engine.chat(ASKED)
    assert [node.text for node in response.source_nodes] == [FACT]
    response = await engine.achat("fence lane painted green?")
    assert [node.text for node in response.source_nodes] == [fence]
    assert [report.hallucination_score for report in seen] == [0.0, 0.0]
    [evidence] = seen[-1].verdicts[0].evidence
    node = seen[-1].graph.node(evidence.node_id)
    assert (node.text, node.attributes["turn"]) == (FACT, 1)
    engine.reset()
    assert said(engine) == []
    if not recording:  # the app's recording knows by the memory only, which is the same
        engine.chat("fence lane painted green?")
        assert seen[-1].state == "unverified"  # not 0.0, as it was with the document of the first turn


def test_the_recording_of_the_app_sees_the_whole_turn_and_keeps_the_decision(chat, kind):
    with trail() as t:
        response = GuardedChatEngine(chat(kind, RETRIED), judge="local").chat(ASKED)
    assert t.report.hallucination_score == 0.0
    assert len(t.reports) == 1
    assert response.metadata["trail"]["attempts"] == 2
    assert BAD in [node.text for node in t.graph.nodes]
    assert {node.text for node in t.graph.nodes if node.kind == "answer"} == {GOOD}
    assert t.errors == []


@pytest.mark.parametrize("way", ["chat", "achat"])
async def test_a_history_that_the_caller_gives(chat, kind, way):
    history = [ChatMessage(role="user", content="Good day."), ChatMessage(role="assistant", content="Good day to you.")]
    plain, guarded = chat(kind, RIGHT), GuardedChatEngine(chat(kind, RETRIED), judge="local")
    for engine in (plain, guarded):
        await ask(engine, way, ASKED, chat_history=list(history))
    assert said(guarded) == said(plain)


def test_a_memory_in_a_database_never_holds_a_draft(chat):
    written = []

    class Watched(Memory):
        async def aput(self, message):
            written.append(message.content)
            await super().aput(message)

    memory = Watched.from_defaults(session_id="s", token_limit=3000)
    engine = GuardedChatEngine(chat("condense_plus_context", HOPELESS, memory=memory), judge="local")
    for question in (ASKED, AGAIN):
        assert str(engine.chat(question)) == BLOCKED
    assert written == [ASKED, BLOCKED, AGAIN, BLOCKED]


def test_it_is_a_chat_engine_like_the_one_inside(chat, kind, monkeypatch, capsys):
    plain = chat(kind, RETRIED)
    engine = GuardedChatEngine(plain, judge="local")
    assert isinstance(engine, BaseChatEngine)
    assert engine.callback_manager is plain.callback_manager
    with pytest.raises(AttributeError):
        engine._nothing  # noqa: B018 - that is the test
    lines = iter([ASKED, "exit"])
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    engine.streaming_chat_repl()
    assert f"Assistant: {GOOD}" in capsys.readouterr().out
    lines = iter([ASKED, "exit"])
    engine.chat_repl()
    assert f"Assistant: {GOOD}" in capsys.readouterr().out
    assert said(plain) == [("user", ASKED), ("assistant", GOOD)]


def test_an_engine_of_the_apps_own_is_asked_with_the_feedback(models):
    class Own(BaseChatEngine):
        def __init__(self, llm):
            self._llm, self._memory = llm, ChatMemoryBuffer.from_defaults()

        def chat(self, message, chat_history=None):
            text = self._llm.complete(f"{FACT}\n{message}").text
            self._memory.put(ChatMessage(role="user", content=message))
            self._memory.put(ChatMessage(role="assistant", content=text))
            return AgentChatResponse(text)

        async def achat(self, message, chat_history=None):
            return self.chat(message, chat_history)

        stream_chat = astream_chat = chat

        def reset(self):
            self._memory.reset()

        @property
        def chat_history(self):
            return self._memory.get_all()

    engine = GuardedChatEngine(Own(models.Rules(rules=RETRIED)), judge="local")
    assert str(engine.chat(ASKED)) == GOOD
    assert said(engine) == [("user", ASKED), ("assistant", GOOD)]


def test_wrong_use_says_so(chat, shelf, models):
    with pytest.raises(InputError, match="takes a chat engine, got RetrieverQueryEngine"):
        GuardedChatEngine(shelf(FACT).as_query_engine(llm=models.Rules(rules=RIGHT)), judge="local")
    with pytest.raises(InputError, match="max_score is 2"):
        GuardedChatEngine(chat("simple", RIGHT), judge="local", max_score=2)
    bare = chat("simple", RIGHT)
    bare._memory = None
    with pytest.raises(InputError, match="SimpleChatEngine has no `_memory`"):
        GuardedChatEngine(bare, judge="local")


async def test_thirty_conversations_at_once_do_not_mix(shelf, models):
    async def talk(n):
        fact, wrong = (
            f"Ferry number {n} carries {n + 100} passengers.",
            f"Ferry number {n} carries {n + 500} passengers.",
        )
        llm = models.Rules(rules=[("tandalone question", f"ferry number {n}"), (REVIEW, fact), ("", wrong)])
        memory = ChatMemoryBuffer.from_defaults(token_limit=3000)
        plain = CondensePlusContextChatEngine.from_defaults(
            retriever=shelf(fact).as_retriever(), llm=llm, memory=memory
        )
        engine = GuardedChatEngine(plain, judge="local")
        for _ in range(2):
            response = await engine.achat(f"How many does ferry {n} carry?")
            assert (str(response), response.metadata["trail"]["attempts"]) == (fact, 2)

    await asyncio.gather(*(talk(n) for n in range(30)))


# -- the memory of a draft -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_draft_memory_that_was_set_replaces_the_conversation(asynchronous):
    real = ChatMemoryBuffer.from_defaults(chat_history=[ChatMessage(role="user", content="one")])
    draft = DraftMemory(real)
    if asynchronous:
        await draft.aset([ChatMessage(role="user", content="other")])
        await draft.aput_messages(
            [ChatMessage(role="user", content="asked"), ChatMessage(role="assistant", content="bad")]
        )
        assert [message.content for message in await draft.aget()] == ["other", "asked", "bad"]
        await draft.akeep("asked", "withheld")
    else:
        draft.set([ChatMessage(role="user", content="other")])
        draft.put_messages([ChatMessage(role="user", content="asked"), ChatMessage(role="assistant", content="bad")])
        assert [message.content for message in draft.get_all()] == ["other", "asked", "bad"]
        draft.keep("asked", "withheld")
    assert [message.content for message in real.get_all()] == ["other", "asked", "withheld"]
    emptied = DraftMemory(real)
    await emptied.areset()
    assert emptied.get() == []
    assert len(real.get_all()) == 3
    await emptied.akeep("asked")
    assert real.get_all() == []
