"""What a file lost is said, and no report on it is clean; texts of documents, rerankers, tools are read whole."""

from __future__ import annotations

import json

import pytest
import spans_by_hand as made

from trail_callbacks.diagnosis import verified
from trail_callbacks.verify.pipeline import verify


def changed(number, drop=(), more=None, **attributes):
    """The run with other attributes of one span; `__` in their names stands for a dot."""
    spans = made.run()
    known = spans[number]["attributes"]
    for key in drop:
        known.pop(key)
    known.update({key.replace("__", "."): value for key, value in attributes.items()})
    spans[number]["more"] = more or {}
    return spans


def numbered(*numbers):
    return {
        f"retrieval.documents.{number}.document.content": f"Passage {number} is about the bridge." for number in numbers
    }


LOSSES = {
    "dropped attributes": (changed(1, more={"droppedAttributesCount": 77}), "dropped 77 attributes of search"),
    "a gap between documents": (changed(1, **numbered(1, 4)), "2 documents of search are not in the file"),
    "a hidden text": (changed(2, **{"llm.prompts.0.prompt.text": "__REDACTED__"}), "texts of model were hidden"),
    "JSON cut off": (
        changed(1, output__value='{"documents": [{"page_con', output__mime_type="application/json"),
        "the recorded JSON of search is cut off",
    ),
    "texts cut off": (
        changed(1, **{f"retrieval.documents.{n}.document.content": f"{n} " + "the bridge at the end of the bay " * 9 + "and"
                      for n in range(1, 6)}),
        "texts of search end after 302 characters",
    ),
    "no prompt": (
        changed(2, drop=["llm.input_messages.0.message.role", "llm.input_messages.0.message.content"]),
        "the file lacks the prompt of 1 of 1 model calls",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("spans", "sentence"), LOSSES.values(), ids=LOSSES)
def test_what_is_missing_is_said_and_makes_the_report_partial(spans, sentence, trace):
    found = trace(spans)
    assert any(sentence in each for each in found.lost), found.lost
    assert set(found.lost) <= set(found.warnings)
    for report in (verify(found), verified(found)):
        assert report.state in {"partial", "no_evidence"}
        assert set(found.lost) <= set(report.warnings)


def test_a_whole_run_has_lost_nothing_and_its_report_is_whole(trace):
    found = trace(made.run())
    assert found.lost == ()
    assert verify(found).state == "assessed"


def test_a_hidden_text_is_neither_source_nor_answer(trace):
    spans = made.run()
    for each in spans:
        for key in ("input.value", "output.value", "retrieval.documents.0.document.content"):
            if key in each["attributes"]:
                each["attributes"][key] = "__REDACTED__"
    found = trace(spans)
    assert all("REDACTED" not in node.text for node in found.graph.nodes)
    assert found.answer == made.ANSWER  # the model's message was not hidden


def test_the_answer_of_a_root_that_holds_a_state_or_a_stream_is_what_the_model_wrote(trace):
    stream = json.dumps(
        {"response_gen": "<generator object>", "source_nodes": ["<NodeWithScore(node=TextNode(id_=1))>"]}
    )
    assert trace(changed(0, output__value=stream, output__mime_type="application/json")).answer == made.ANSWER
    assert trace(changed(0, output__value="<generator object>")).answer == made.ANSWER
    assert trace(changed(0, drop=["output.value"])).answer == made.ANSWER
    state = {"messages": [
        {"type": "human", "data": {"content": made.QUESTION, "type": "human", "id": "1"}},
        {"type": "ai", "data": {"content": made.ANSWER, "type": "ai", "id": "2", "tool_calls": []}},
    ]}  # fmt: skip
    found = trace(changed(0, output__value=json.dumps(state), output__mime_type="application/json"))
    assert found.answer == made.ANSWER


def test_a_reranker_shows_what_it_dropped(trace):
    spans = changed(1, **numbered(1))
    reranker = made.span(4, 1, "rerank", "RERANKER", **{
        "reranker.query": made.QUESTION,
        "reranker.input_documents.0.document.content": made.TEXT,
        "reranker.input_documents.0.document.id": "d-1",
        "reranker.input_documents.1.document.content": "Passage 1 is about the bridge.",
        "reranker.output_documents.0.document.content": made.TEXT,
        "reranker.output_documents.0.document.id": "d-1",
        "reranker.output_documents.0.document.score": 0.9,
    })  # fmt: skip
    reranker["start"], reranker["end"] = 1_800_000_002.6, 1_800_000_002.7
    (reranking,) = trace([*spans, reranker]).rerankings
    assert reranking.step == "rerank"
    assert [(each.rank_in, each.rank_out) for each in reranking.ranked] == [(1, 1), (2, None)]


def test_guardrails_and_evaluators_are_no_part_of_the_answer(trace):
    judge = made.span(5, 1, "judge", "EVALUATOR", input__value=made.ANSWER, output__value="It opened in 1492, I think.")
    found = trace([*made.run(), judge])
    assert all("1492" not in node.text for node in found.graph.nodes)


def test_whose_run_it_was(trace):
    found = trace(
        changed(0, session__id="s-1", user__id="u-1", metadata=json.dumps({"tenant": "t", "ls_provider": "x"}))
    )
    context = found.context
    assert (context.session, context.user, context.tenant, context.metadata) == ("s-1", "u-1", "t", {})
    assert found.versions.model == "m-1"
    assert context.started == 1_800_000_001


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ('{"x": "Caf\\u00e9 by the bridge"}', '{"x": "Caf\\u00e9 by the bridge"}'),
        ('{\n "x": "By the bridge"\n}', '{\n "x": "By the bridge"\n}'),
        ('{"x": "Café by the bridge"}', "Café by the bridge"),  # as the instrumentor writes an object
    ],
)
def test_an_answer_that_the_app_made_json_of_stays_as_it_was(written, answer, trace):
    found = trace(changed(0, output__value=written, output__mime_type="application/json"))
    assert found.answer == answer


def branches(one, other):
    """Two branches of one step, with a model each, and a model that reads what they wrote."""
    both = json.dumps({"a": one, "b": other})
    spans = [
        made.span(1, None, "RunnableSequence", "CHAIN", input__value=made.QUESTION, output__value=made.ANSWER),
        made.span(2, 1, "RunnableParallel<a,b>", "CHAIN", input__value=made.QUESTION, output__value=both,
                  output__mime_type="application/json"),
        made.span(3, 1, "model", "LLM", **{"llm.prompts": [f"Sum up: {one}"], "output.value": made.ANSWER}),
    ]  # fmt: skip
    for number, text in ((4, one), (5, other)):
        branch = made.span(number, 2, "RunnableSequence", "CHAIN", input__value=made.QUESTION, output__value=text)
        model = made.span(
            number + 2, number, "model", "LLM", **{"llm.prompts": [f"Number {number}"]}, output__value=text
        )
        spans += [branch, model]
    times = {1: (0, 9), 2: (1, 5), 3: (6, 8), 4: (2, 4), 5: (2, 4), 6: (2.5, 3), 7: (2.5, 3)}
    for each in spans:
        start, end = times[int(each["id"], 16)]
        each["start"], each["end"] = 1_800_000_000 + start, 1_800_000_000 + end
    return spans


def test_that_two_branches_wrote_the_same_is_said(trace):
    found = trace(branches("Yes.", "Yes."))
    assert found.lost == ("branches of RunnableParallel<a,b> wrote the same text, and the file does not show which is which",)  # fmt: skip
    assert verify(found).state != "assessed"
    assert trace(branches("Yes, it did.", "No, it did not.")).lost == ()
