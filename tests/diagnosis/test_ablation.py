"""Which passages cause which claims: answers generated again without some passages, by a model that reads its prompt."""

import asyncio
from random import Random
from threading import Lock

import langchain_trail
import llama_index_trail
import pytest
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from llama_index.core import Settings, SummaryIndex
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.schema import TextNode

from trail_callbacks.diagnosis import aablate, ablate, ablation_cost
from trail_callbacks.errors import InputError
from trail_callbacks.trace import Trace

LENGTH = "The Halden Bridge is 200 metres long."
OPENED = "The Halden Bridge was opened in 1931."
FERRY = "Ferries leave Orvik every hour."
PAINT = "It is painted green every spring."


def said(prompt):
    """Repeats what the prompt holds of two facts, and adds one of its own."""
    return " ".join([*(each for each in (LENGTH, OPENED) if each in prompt), PAINT])


class Reader(BaseChatModel):
    """A chat model that answers from its prompt."""

    @property
    def _llm_type(self):
        return "reader"

    def _generate(self, messages, stop=None, run_manager=None, **_):
        text = said("\n".join(str(message.content) for message in messages))
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


class Fixed(BaseRetriever):
    texts: list[str]

    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(text) for text in self.texts]


def langchain_run(*texts):
    handler = langchain_trail.TrailCallbackHandler(evaluate="never")
    prompt = ChatPromptTemplate.from_messages([("system", "Passages:\n{context}"), ("human", "{question}")])
    context = Fixed(texts=list(texts)) | (lambda found: "\n\n".join(each.page_content for each in found))
    chain = {"context": context, "question": RunnablePassthrough()} | prompt | Reader()
    chain.invoke("Tell me about the Halden Bridge.", config={"callbacks": [handler]})
    return handler.trace()


class ReaderLLM(CustomLLM):
    """The same for LlamaIndex."""

    @property
    def metadata(self):
        return LLMMetadata(context_window=100_000)

    @llm_completion_callback()
    def complete(self, prompt, formatted=False, **_):
        return CompletionResponse(text=said(prompt))

    @llm_completion_callback()
    def stream_complete(self, prompt, formatted=False, **_):
        yield CompletionResponse(text=said(prompt), delta=said(prompt))


def llama_index_run(*texts):
    Settings.tokenizer = str.split
    engine = SummaryIndex([TextNode(text=text) for text in texts]).as_query_engine(llm=ReaderLLM())
    with llama_index_trail.trail(evaluate="never") as t:
        engine.query("Tell me about the Halden Bridge.")
    return t.trace


RUNS = {
    "langchain": (langchain_run, langchain_trail.replay(Reader()), langchain_trail.areplay(Reader())),
    "llama_index": (llama_index_run, llama_index_trail.replay(ReaderLLM()), llama_index_trail.areplay(ReaderLLM())),
}


def by_quote(found):
    """Texts of the passages that cause each claim."""
    return {claim.quote: found.causes[claim.id] for claim in found.claims}


@pytest.mark.parametrize("framework", RUNS)
def test_each_claim_is_caused_by_its_passage(framework):
    run, rerun, arerun = RUNS[framework]
    trace = run(LENGTH, FERRY, OPENED)
    text = {c.node_id: c.text for r in trace.retrievals for c in r.candidates}
    found = ablate(trace, rerun)
    causes = {
        quote: [tuple(text[id_] for id_ in group) for group in groups] for quote, groups in by_quote(found).items()
    }
    assert causes == {LENGTH: [(LENGTH,)], OPENED: [(OPENED,)], PAINT: []}
    assert [claim.quote for claim in found.claims if claim.id in found.from_memory] == [PAINT]
    assert found.unstable == ()
    assert found.reruns == ablation_cost(trace).reruns == 15
    assert asyncio.run(aablate(trace, arerun)) == found


def test_a_claim_that_two_passages_carry_in_turn_goes_with_all_of_them():
    trace = langchain_run(LENGTH, FERRY, f"{LENGTH} Trains cross it.", OPENED)
    found = ablate(trace, RUNS["langchain"][1])
    assert [len(group) for group in by_quote(found)[LENGTH]] == [4]


def test_an_answer_that_differs_by_itself_is_told_from_a_cause():
    random, lock = Random(3), Lock()  # noqa: S311 - a seed

    def moody(replay):
        with lock:
            mood = random.random() < 0.5
        return said("\n".join(turn.text for turn in replay.turns)) if mood else PAINT

    found = ablate(langchain_run(LENGTH, OPENED), moody, concurrency=1)
    assert found.unstable
    assert all(not effect.causes or effect.baseline > effect.stated for effect in found.effects)


def test_the_words_of_a_passage_are_gone_and_nothing_else():
    seen = []

    def look(replay):
        seen.append(replay)
        return PAINT

    ablate(langchain_run(LENGTH, FERRY), look, repeats=1, concurrency=1)
    texts = ["\n".join(turn.text for turn in replay.turns) for replay in seen]
    assert LENGTH in texts[0]
    assert FERRY in texts[0]
    assert seen[0].dropped == ()
    for replay, text in zip(seen[1:], texts[1:], strict=True):
        assert all(each.text not in text for each in replay.dropped)
        assert all(each.text in text for each in replay.kept)
        assert "Tell me about the Halden Bridge." in text
    assert [turn.role for turn in seen[0].turns] == ["system", "user"]


def test_a_budget_keeps_what_was_measured():
    found = ablate(langchain_run(LENGTH, FERRY, OPENED), RUNS["langchain"][1], budget=7)
    assert found.reruns == 7
    assert any("budget of 7 answers" in warning for warning in found.warnings)
    assert found.claims


def test_answers_that_fail_are_warnings():
    def broken(_):
        raise ConnectionError("gone")

    found = ablate(langchain_run(LENGTH), broken)
    assert found.effects == ()
    assert any("ConnectionError: gone" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("settings", "why"),
    [({"repeats": 0}, "repeats"), ({"budget": 0}, "budget"), ({"concurrency": 0}, "concurrency")],
)
def test_wrong_settings_are_refused(settings, why):
    with pytest.raises(InputError, match=why):
        ablate(langchain_run(LENGTH), RUNS["langchain"][1], **settings)


def test_a_run_without_an_answer_cannot_be_generated_again():
    with pytest.raises(InputError, match="nothing to generate again"):
        ablate(Trace(id="x", events=()), RUNS["langchain"][1])
