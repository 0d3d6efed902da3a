"""The shapes a model is asked to answer in."""

from model_answers import CLAIMS, ask, extract, good
from pydantic import BaseModel

from trail_callbacks.taxonomy import ErrorType, SupportClass


def test_schemas_name_every_label_bound_every_text_and_demand_every_field():
    _, _, model = ask(good)
    extract_model = extract([CLAIMS])[2]
    localize_model = ask([{"verdicts": []}], purpose="localize")[2]
    for call in (model.calls[0], extract_model.calls[0], localize_model.calls[0]):
        assert issubclass(call.schema, BaseModel)
        schema = call.schema.model_json_schema()
        for part in (schema, *schema["$defs"].values()):
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])
            for name, field in part["properties"].items():
                assert field["type"] != "string" or "maxLength" in field or "enum" in field, name
                assert field["type"] != "array" or "maxItems" in field, name
    item = model.calls[0].schema.model_json_schema()["$defs"]["VerdictItem"]["properties"]
    assert list(item) == [
        "claim",
        "supporting",
        "contradicting",
        "comparison",
        "support",
        "analysis",
        "faults",
        "error_type",
        "second_type",
        "detail",
    ]
    assert item["support"]["enum"] == [support.value for support in SupportClass]
    assert set(item["error_type"]["enum"]) == {error.value for error in ErrorType} | {"none"}
