"""Files of which something is missing: no report on them is clean, and nobody's words become a source."""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path

import pytest
import spans_by_hand as made
import test_dialects as dialects

from trail_callbacks.diagnosis import verified
from trail_callbacks.verify.pipeline import verify

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import cut_exports

INVENTED = "It was designed by Ada Quixworth."
ANSWER = f"{made.TEXT} {INVENTED}"


def drafted():
    """A run in which one model writes a draft, and another the answer from it."""
    spans = made.run(answer=ANSWER)
    prompt = f"Finish this draft from this text:\n{made.TEXT}\nDraft: {INVENTED}"
    spans[2]["attributes"]["llm.input_messages.0.message.content"] = prompt
    draft = made.span(4, 1, "drafter", "LLM", **{
        "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": made.QUESTION,
        "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": INVENTED})  # fmt: skip
    draft["start"], draft["end"] = 1_800_000_002.6, 1_800_000_002.9
    return [*spans, draft]


def openllmetry():
    """The same as OpenLLMetry writes it."""
    tagged = {"tags": [], "metadata": {}}
    spans = [
        made.span(1, None, "app.workflow", None, **{"traceloop.span.kind": "workflow", "traceloop.entity.name": "app",
                  "traceloop.entity.input": json.dumps({"inputs": made.QUESTION, **tagged}),
                  "traceloop.entity.output": json.dumps({"outputs": made.ANSWER})}),
        made.span(2, 1, "retrieve", None, **{"traceloop.span.kind": "task", "traceloop.entity.name": "search",
                  "gen_ai.operation.name": "vector_db_retrieve",
                  "traceloop.entity.input": json.dumps({"query": made.QUESTION, **tagged}),
                  "traceloop.entity.output": json.dumps({"documents": [{"page_content": made.TEXT, "metadata": {}}]})}),
        made.span(3, 1, "model.chat", None, **{"gen_ai.request.model": "m-1", "llm.request.type": "chat",
                  "gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": made.PROMPT,
                  "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": made.ANSWER}),
    ]  # fmt: skip
    return [{**each, "end": like["end"]} for each, like in zip(spans, made.run(), strict=True)]


EXPORTS = {
    "openinference": [[made.otlp([each]) for each in drafted()], [made.otlp(made.run())]],
    "openllmetry": [[made.otlp(openllmetry())]],
    "genai": [[made.otlp(dialects.genai())]],
    "langfuse": [dialects.observations("snake"), dialects.observations("camel")],
    "langsmith": [dialects.langsmith()],
}


@pytest.mark.parametrize("dialect", EXPORTS)
def test_no_damaged_file_is_assessed_with_other_verdicts(dialect):
    count = cut_exports.measured(EXPORTS[dialect])
    assert count["changed"] > 40
    assert count["whole assessed"] == (0 if dialect == "genai" else len(EXPORTS[dialect]))
    assert (count["exceptions"], count["other verdicts"], count["clean"]) == (0, 0, 0)


@pytest.mark.skipif("TRAIL_TOOLS" not in os.environ, reason="the libraries of other tools are not installed")
@pytest.mark.parametrize("dialect", cut_exports.DIALECTS)
def test_nor_is_one_of_a_real_app(dialect):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            runs = cut_exports.DIALECTS[dialect]([f"langchain-{i}" for i in (3, 4)])
        except ImportError as error:
            pytest.skip(str(error))
    count = cut_exports.measured(runs, part=7)
    assert (count["exceptions"], count["other verdicts"], count["clean"]) == (0, 0, 0)


def test_what_a_model_that_is_not_in_the_file_may_have_written_is_no_evidence(trace):
    whole, cut = trace(drafted()), trace(drafted()[:3])
    assert [verify(each, cut_exports.Oracle()).state for each in (whole, cut)] == ["assessed", "partial"]
    (unseen,) = [node for node in cut.graph.upstream("answer") if node.origin == "unknown"]
    assert INVENTED in unseen.text
    *others, last = verify(cut, cut_exports.Oracle()).verdicts
    assert [str(each.outcome) for each in (*others[:1], last)] == ["supported", "undecided"]


def test_an_answer_that_was_cut_off_is_not_judged_whole(trace):
    spans = made.run(answer=f"{ANSWER} It is red.")
    for end in (20, len(ANSWER), 64):  # after a word, after a sentence, in a word
        spans[0]["attributes"]["output.value"] = ANSWER[:end]
        assert "texts of app end where others of the file go on" in trace(spans).lost[0]
    spans[2]["attributes"]["llm.output_messages.0.message.content"] = ANSWER[:64]
    assert "end after 64 characters" in trace(spans).lost[0]
    assert verify(trace(spans)).state != "assessed"


@pytest.mark.parametrize("found", [
    [{"text": made.TEXT, "score": 0.5}],
    [{"id": "d-1", "text": made.TEXT}],
    {"matches": [{"id": "d-1", "score": 0.5, "metadata": {"text": "no"}, "content": made.TEXT}]},
    [{"node": {"id_": "d-1", "text": made.TEXT}, "score": 0.5}],
    [made.TEXT],
])  # fmt: skip
def test_scores_and_ids_of_a_retriever_are_no_documents(found, tmp_path):
    rows = dialects.observations("camel")
    rows[1]["output"] = found
    path = tmp_path / "rows.jsonl"
    path.write_text(made.lines(rows), encoding="utf-8")
    (trace,) = cut_exports.read(path)
    assert [each.text for each in trace.retrievals[0].candidates] == [made.TEXT]
    assert trace.lost == ()


def test_a_retriever_alone_gave_no_answer(tmp_path):
    path = tmp_path / "spans.jsonl"
    path.write_text(made.lines([made.otlp([{**made.run()[1], "parent": None}])]), encoding="utf-8")
    with pytest.raises(cut_exports.InputError, match="none of an app with a language model"):
        list(cut_exports.read(path))


def test_texts_that_were_not_captured_are_named_with_the_switch(trace):
    spans = dialects.genai()
    for key in ("gen_ai.input.messages", "gen_ai.output.messages"):
        del spans[2]["attributes"][key]
    found = trace(spans)
    assert any("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT" in each for each in found.lost)
    assert verify(found).state == "error"


def test_openllmetry_is_read_and_so_are_texts_in_events(trace):
    whole = trace(openllmetry())
    assert (whole.question, whole.answer, whole.lost) == (made.QUESTION, made.ANSWER, ())
    assert [each.text for each in whole.retrievals[0].candidates] == [made.TEXT]
    spans = dialects.genai()
    held = {key: spans[2]["attributes"].pop(key) for key in ("gen_ai.input.messages", "gen_ai.output.messages")}
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in held.items()]
    spans[2]["more"] = {"events": [{"name": "gen_ai.client.inference.operation.details", "attributes": attributes}]}
    assert trace(spans).answer == made.ANSWER


def test_json_of_messages_that_is_cut_off_is_no_document(trace):
    spans = dialects.genai()
    spans[2]["attributes"]["gen_ai.input.messages"] = spans[2]["attributes"]["gen_ai.input.messages"][:90]
    found = trace(spans)
    assert "the recorded JSON of chat m-1 is cut off" in " ".join(found.lost)
    assert all("parts" not in node.text for node in found.graph.nodes)


def test_a_diagnosis_is_not_certain_of_what_the_file_does_not_hold(trace):
    spans = made.run(answer="The bridge opened in 1986.")
    for key in [key for key in spans[1]["attributes"] if key.startswith("retrieval.")]:
        del spans[1]["attributes"][key]
    report = verified(trace(spans))
    assert report.diagnosis is not None
    assert all(each.certainty != "high" for each in report.diagnosis.breaks)
    assert "nothing was retrieved" not in str(report.diagnosis)
