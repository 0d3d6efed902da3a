"""What LlamaIndex' instrumentor writes: every method is a span, objects are printed, prompts show metadata."""

from __future__ import annotations

import json
from functools import partial

import pytest
import spans_by_hand as made

from trail_callbacks.verify.pipeline import verify


@pytest.fixture
def trace(trace):
    return partial(trace, library="llama_index")


def engine(prompt, text=made.TEXT, metadata='{"file_name": "a.md", "pages": 3}', root=made.ANSWER):
    """The spans of a query, with their private twins."""
    nodes = '["<NodeWithScore(node=TextNode(id_=d-1), score=0.5)>"]'
    query = json.dumps({"query_bundle": {"query_str": made.QUESTION, "embedding": None}})
    document = {"retrieval.documents.0.document.content": text, "retrieval.documents.0.document.id": "d-1",
                "retrieval.documents.0.document.metadata": metadata}  # fmt: skip
    template = {
        "input.value": json.dumps({"prompt": "SelectorPromptTemplate(x=1)"}),
        "input.mime_type": "application/json",
    }
    spans = [
        made.span(1, None, "RetrieverQueryEngine.query", "CHAIN", input__value=made.QUESTION, output__value=root),
        made.span(2, 1, "RetrieverQueryEngine._query", "CHAIN", input__value=query, input__mime_type="application/json"),
        made.span(3, 2, "VectorIndexRetriever.retrieve", "RETRIEVER", input__value=made.QUESTION, output__value=nodes,
                  output__mime_type="application/json", **document),
        made.span(4, 3, "VectorIndexRetriever._retrieve", "RETRIEVER", input__value=query, output__value=nodes,
                  input__mime_type="application/json", output__mime_type="application/json"),
        made.span(5, 2, "CompactAndRefine.synthesize", "CHAIN", input__value=made.QUESTION, output__value=made.ANSWER),
        made.span(6, 5, "TokenTextSplitter.split_text", "CHAIN", input__value=text),
        made.span(7, 5, "Model.predict", "LLM", output__value=made.ANSWER, **template),
        made.span(8, 7, "Model.complete", "LLM", output__value=made.ANSWER, **{"llm.prompts": [prompt], "llm.model_name": "m-1"}),
    ]  # fmt: skip
    for start, end, number in ((2.1, 2.5, 3), (2.2, 2.4, 4), (3, 6, 5), (3.1, 3.2, 6), (4, 5, 7), (4.1, 4.9, 8)):
        spans[number - 1]["start"], spans[number - 1]["end"] = 1_800_000_000 + start, 1_800_000_000 + end
    return spans


def documents(trace):
    return [node.text for node in trace.graph.leaves("answer") if node.kind == "document"]


def test_twins_are_one_step_and_models_are_named_after_who_asks(trace):
    found = trace(engine(f"Answer from this:\n{made.TEXT}\nQuery: {made.QUESTION}"))
    assert (found.question, found.answer, found.lost) == (made.QUESTION, made.ANSWER, ())
    assert [each.step for each in found.retrievals] == ["VectorIndexRetriever"]
    assert [(each.step, each.model) for each in found.calls] == [("CompactAndRefine", "m-1")]
    assert all("<" not in node.text for node in found.graph.nodes)


@pytest.mark.parametrize("head", ["", "pages: 3\n\n", "file_name: a.md\npages: 3\n\n"])
def test_documents_have_the_metadata_that_the_prompt_shows(head, trace):
    found = trace(engine(f"Answer from this:\n{head}{made.TEXT}\nQuery: {made.QUESTION}"))
    assert documents(found) == [f"{head}{made.TEXT}"]


def test_a_document_that_no_prompt_shows_has_all_of_it_but_for_a_window(trace):
    spans = engine("Just answer.", metadata='{"file_name": "a.md", "window": "more"}')
    (candidate,) = trace(spans).retrievals[0].candidates
    assert candidate.text == f"file_name: a.md\n\n{made.TEXT}"


@pytest.mark.parametrize("read_whole", [True, False])
def test_a_window_that_a_prompt_shows_is_the_document(read_whole, trace):
    window = f"It is an old one. {made.TEXT} The toll is two crowns."
    prompt = f"Answer from this:\n{window if read_whole else made.TEXT}\nQuery: {made.QUESTION}"
    metadata = json.dumps({"window": window, "original_text": made.TEXT})
    found = trace(engine(prompt, metadata=metadata))
    assert documents(found) == [window if read_whole else made.TEXT]


def test_what_a_tool_searched_for_is_not_the_users_question(trace):
    spans = engine(made.PROMPT, root="<generator object>")
    spans[0]["attributes"].pop("input.value")
    asked = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Both, please.",
             "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": ""}  # fmt: skip
    first = made.span(9, 1, "Model.achat", "LLM", output__value="assistant: ", **asked)
    tool = made.span(10, 1, "QueryEngineTool.acall", "TOOL", **{"tool.name": "bridges"})
    for each, start, end in ((first, 1.1, 1.2), (tool, 1.5, 8)):
        each["start"], each["end"] = 1_800_000_000 + start, 1_800_000_000 + end
    spans[1]["parent"] = tool["id"]
    found = trace([*spans, first, tool])
    assert found.question == "Both, please."
    assert "the file lacks the output of 1 of 2 model calls" in found.lost
    assert "the file lacks what bridges returned" in found.lost
    assert all("assistant:" not in node.text for node in found.graph.nodes)


def test_that_a_postprocessor_shortened_a_document_is_said(trace):
    text = f"{made.TEXT} The toll is two crowns for each car."
    found = trace(engine(f"Answer from this:\n{made.TEXT}\nQuery: {made.QUESTION}", text=text))
    (sentence,) = found.lost
    assert "of 1 documents the prompts show a part only" in sentence
    assert verify(found).state == "partial"


@pytest.mark.parametrize(
    ("printed", "answer"),
    [
        ("StopEvent(result='It\\'s the bridge.')", "It's the bridge."),
        ("Response(response='The bridge opened.', source_nodes=[NodeWithScore(node=TextNode(id_='1...", "The bridge opened."),
        (("AgentOutput(response=ChatMessage(role=<MessageRole.ASSISTANT: 'assistant'>, additional_kwargs={}, "
         "blocks=[TextBlock(block_type='text', text='The bridge.')]), structured_resp..."), "The bridge."),
        (("StopEvent(result=AgentOutput(response=ChatMessage(role=<MessageRole.ASSISTANT: 'assistant'>, "
         "additional_kwargs={}, blocks=[TextBlock(block_type='text', text='The brid..."), made.ANSWER),
        ("<generator object>", made.ANSWER),
    ],
)  # fmt: skip
def test_an_answer_that_was_printed_is_read_or_else_the_models(printed, answer, trace):
    assert trace(engine(made.PROMPT, root=printed)).answer == answer


def test_a_reasoning_agent_returns_what_comes_after_its_thoughts(trace):
    spans = engine(made.PROMPT, root="<generator object>")
    for each in spans[6:]:
        each["attributes"]["output.value"] = f"Thought: I can say it.\nAnswer: {made.ANSWER}"
    assert trace(spans).answer == made.ANSWER


def test_the_reason_of_a_hand_over_is_no_evidence(trace):
    reason = "Agent b is now handling the request due to the following reason: the bridge opened in 1986."
    call = {"id": "c-1", "function": {"name": "handoff", "arguments": '{"to_agent": "b"}'}}
    first = made.span(2, 1, "Model.achat", "LLM", **{
        "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": made.QUESTION,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": call["id"],
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "handoff",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"to_agent": "b"}'})  # fmt: skip
    tool = made.span(3, 1, "FunctionTool.acall", "TOOL", output__value=reason, **{"tool.name": "handoff"})
    second = made.span(4, 1, "Model.achat", "LLM", **{
        "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": made.QUESTION,
        "llm.input_messages.1.message.role": "tool", "llm.input_messages.1.message.content": reason,
        "llm.input_messages.1.message.tool_call_id": "c-1",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "The bridge opened in 1986."})  # fmt: skip
    for each, start in ((first, 2), (tool, 3), (second, 4)):
        each["start"], each["end"] = 1_800_000_000 + start, 1_800_000_000.5 + start
    found = trace([made.span(1, None, "AgentWorkflow.run", "CHAIN", input__value="{}"), first, tool, second])
    assert found.answer == "The bridge opened in 1986."
    assert all(reason not in node.text for node in found.graph.leaves("answer"))


@pytest.mark.parametrize(
    ("context", "is_known"),
    [
        (made.TEXT, True),
        (repr([made.TEXT]), True),
        (f"Sub question: {made.QUESTION}\nResponse: {made.TEXT}", True),
        ("[('bridge', 'length', 1968, 'metres')]", False),
        (f"{made.TEXT} The toll is two crowns for each car.", False),
        ("", True),
    ],
)
def test_text_of_a_context_that_no_step_brought_is_no_evidence(context, is_known, trace):
    metadata = json.dumps({"title": "Die Brücken über den großen Fluss"})
    spans = engine(f"Answer from this:\n{context}\nQuery: {made.QUESTION}", metadata=metadata)
    spans[6]["attributes"]["llm.prompt_template.template"] = "Answer from this:\n{context_str}\nQuery: {query_str}"
    variables = {"context_str": context, "query_str": made.QUESTION}
    spans[6]["attributes"]["llm.prompt_template.variables"] = json.dumps(variables)
    found = trace(spans).graph.upstream("answer")
    assert any(node.origin == "unknown" for node in found) != is_known
    assert all("Answer from this" in node.text for node in found if node.origin == "template")


def test_what_a_postprocessor_dropped_is_read_of_the_ids_that_it_printed(trace):
    spans = engine(f"Answer from this:\n{made.TEXT}\nQuery: {made.QUESTION}")
    other = "The museum is closed on Mondays."
    spans[2]["attributes"] |= {
        "retrieval.documents.1.document.content": other,
        "retrieval.documents.1.document.id": "d-2",
    }
    first, second = (f"<NodeWithScore(node=TextNode(id_=d-{n}), score={n}.0)>" for n in (1, 2))
    postprocessor = made.span(9, 2, "LLMRerank._postprocess_nodes", "CHAIN", **{
        "input.value": json.dumps({"nodes": [second, first]}), "input.mime_type": "application/json",
        "output.value": json.dumps([first]), "output.mime_type": "application/json"})  # fmt: skip
    postprocessor["start"], postprocessor["end"] = 1_800_000_002.6, 1_800_000_002.8
    (reranking,) = trace([*spans, postprocessor]).rerankings
    assert [(each.rank_in, each.rank_out) for each in reranking.ranked] == [(1, None), (2, 1)]
