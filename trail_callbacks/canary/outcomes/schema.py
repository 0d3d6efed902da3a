"""The shape in which a model says what answers give."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from trail_callbacks.text import encodable

__all__ = ["OutcomesReply", "ReadItem"]

_LONGEST = 400  # characters of a quote
_MOST = 64  # items of a reply


def _demand_all(schema: dict[str, Any]) -> None:
    """Makes the schema as strict modes want it."""
    schema["required"] = list(schema["properties"])
    schema["additionalProperties"] = False
    for field in schema["properties"].values():
        field.pop("default", None)
        field.pop("title", None)


def _cut(value: Any) -> str:
    return "" if value is None else encodable(str(value))[:_LONGEST]


def _letters(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [each.strip(" []().:'\"")[:1].upper() for each in values[:3] if isinstance(each, str)]


class ReadItem(BaseModel):
    """What one answer gives; the order of the fields is that of the reasoning."""

    model_config = ConfigDict(json_schema_extra=_demand_all)

    item: Annotated[str, BeforeValidator(_cut), Field(max_length=_LONGEST)]
    quote: Annotated[str, BeforeValidator(_cut), Field(max_length=_LONGEST)]
    gives: Annotated[
        list[Annotated[str, Field(json_schema_extra={"enum": ["A", "B", "C"]})]],
        BeforeValidator(_letters),
        Field(json_schema_extra={"maxItems": 3}),
    ]
    other: bool = False
    declines: bool = False
    rejects: bool = False
    unsure: bool = False


def _whole(value: Any) -> Any:
    """Keeps the items that can be read: a broken one does not sink the rest."""
    if not isinstance(value, list):
        return value
    kept = []
    for each in value:
        try:
            kept.append(ReadItem.model_validate(each))
        except ValidationError:
            continue
    return kept


class OutcomesReply(BaseModel):
    """What several answers give."""

    model_config = ConfigDict(json_schema_extra=_demand_all)

    items: Annotated[list[ReadItem], BeforeValidator(_whole), Field(json_schema_extra={"maxItems": _MOST})]
