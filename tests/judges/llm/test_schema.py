"""The shapes a model is asked to answer in."""

import json

from model_answers import CLAIMS, SOURCES, ask, claim, extract, good, passages
from pydantic import BaseModel

from trail_callbacks.judges.judge import Question
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.models.drive import drive
from trail_callbacks.taxonomy import ErrorDetail, ErrorType, SupportClass
from trail_callbacks.testing import ScriptedModel


def test_schemas_name_every_label_bound_every_text_and_demand_every_field():
    _, _, model = ask(good)
    extract_model = extract([CLAIMS])[2]
    localize_model = ask([{"verdicts": []}], purpose="localize")[2]
    at_once = ScriptedModel([{"claims": []}])
    drive(LLMJudge(at_once).judge_answer("It is so.", None, SOURCES), at_once)
    for call in (model.calls[0], extract_model.calls[0], localize_model.calls[0], at_once.calls[0]):
        assert issubclass(call.schema, BaseModel)
        schema = call.schema.model_json_schema()
        for part in (schema, *schema["$defs"].values()):
            assert part["additionalProperties"] is False
            needed = {"quote", "claim"} if "checkable" not in part["properties"] else {"quote"}
            needed = {"quote", "support"} if {"quote", "support"} <= part["properties"].keys() else needed | {"support"}
            may_lack = {"quote", "support"} & part["properties"].keys()
            assert not may_lack or set(part["required"]) == needed & part["properties"].keys()
            assert may_lack or part["required"] == list(part["properties"])
            for name, field in part["properties"].items():
                assert field["type"] != "string" or "maxLength" in field or "enum" in field, name
                assert field["type"] != "array" or "maxItems" in field, name
    item = model.calls[0].schema.model_json_schema()["$defs"]["VerdictItem"]["properties"]
    both = at_once.calls[0].schema.model_json_schema()["$defs"]["OnePassItem"]["properties"]
    stated = extract_model.calls[0].schema.model_json_schema()["$defs"]["ClaimItem"]["properties"]
    assert list(both) == ["quote", *item]
    assert both == {**item, "quote": stated["quote"], "claim": stated["claim"]}
    assert list(item) == [
        "claim",
        "supporting",
        "contradicting",
        "comparison",
        "support",
        "error_type",
        "second_type",
        "detail",
        "faults",
    ]
    assert item["support"]["enum"] == [support.value for support in SupportClass]
    assert set(item["detail"]["enum"]) == {detail.value for detail in ErrorDetail} | {"none"}
    assert set(item["error_type"]["enum"]) == {error.value for error in ErrorType} | {"none"}


def test_the_schema_is_the_same_whatever_is_asked_so_that_providers_can_cache_it():
    def sent(calls):
        return {json.dumps(call.schema.model_json_schema()) for call in calls}

    for purpose in ("verdicts", "localize", "answerable"):
        few = [Question(claim=claim(1), passages=SOURCES[:1])]
        many = [Question(claim=claim(n), passages=passages(*"abcdefgh")) for n in range(1, 30)]
        first = ask(lambda call: {"verdicts": []}, few, purpose)[2].calls
        assert len(sent([*first, *ask(lambda call: {"verdicts": []}, many, purpose)[2].calls])) == 1
    short, long = extract([CLAIMS])[2], extract(lambda call: CLAIMS, "It is so. " * 300)[2]
    assert len(sent([*short.calls, *long.calls])) == 1
