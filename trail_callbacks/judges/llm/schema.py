"""The shapes a model answers in. Strict towards the model, lenient towards what it sends.

The JSON schema names every label and bounds every string and list, so that servers with grammars cannot run away. It is
the same for every call of a kind, because providers compile and cache it, and the prompt behind it: no id stands in it.
Reading keeps every item that is whole: labels are checked later in code, and one broken item does not sink the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, TypeVar, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    model_validator,
)

from trail_callbacks.models.salvage import objects
from trail_callbacks.report.diagnosis import FacetKind
from trail_callbacks.taxonomy import ErrorDetail, ErrorType, SupportClass
from trail_callbacks.text import encodable

Item = TypeVar("Item", bound=BaseModel)

_MOST_IDS = 64  # a claim may be traced through as many texts
_MOST_FAULTS = 3  # more are no parts of one claim
_LONGEST_FAULT = 300  # characters


def _demand(*fields: str, hidden: str = "") -> Callable[[dict[str, Any]], None]:
    """Makes the schema demand some fields, or all; the others are written only where there is something to say.

    All is what OpenAI's strict mode wants; a field that is missing all the same gets its default. Titles and
    descriptions go: models read them, and every call pays for its schema, too.
    """

    def trim(schema: dict[str, Any]) -> None:
        schema["properties"].pop(hidden, None)
        schema.pop("description", None)
        schema["required"] = list(fields or schema["properties"])
        schema["additionalProperties"] = False
        for field in schema["properties"].values():
            field.pop("default", None)
            field.pop("title", None)

    return trim


def _text(longest: int) -> Any:
    return Annotated[str, BeforeValidator(lambda value: _as_text(value)[:longest]), Field(max_length=longest)]


def _as_text(value: Any) -> str:
    return "" if value is None else encodable(str(value))


def _label(kind: type[SupportClass | ErrorType | ErrorDetail], *others: str) -> Any:
    labels: list[JsonValue] = [*(member.value for member in kind), *others]
    return Annotated[str, BeforeValidator(_as_text), Field(json_schema_extra={"enum": labels})]


def _ids(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [str(item).strip(" []'\"")[:40] for item in values[:_MOST_IDS] if isinstance(item, str | int)]


def _statements(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [item[:_LONGEST_FAULT] for item in values[:_MOST_FAULTS] if isinstance(item, str)]


Ids = Annotated[list[Annotated[str, Field(max_length=40)]], BeforeValidator(_ids), Field(max_length=_MOST_IDS)]
Statements = Annotated[
    list[Annotated[str, Field(max_length=_LONGEST_FAULT)]],
    BeforeValidator(_statements),
    Field(max_length=_MOST_FAULTS),
]


class _Strict(BaseModel):
    model_config = ConfigDict(json_schema_extra=_demand())


class ClaimItem(_Strict):
    """One statement of the answer; without `claim` its quote stands alone."""

    # An item without a quote is read all the same, so that it can be counted as lost.
    quote: _text(600) = ""  # type: ignore[valid-type]  # an annotation by a function: mypy cannot follow, pydantic does
    claim: _text(800) = ""  # type: ignore[valid-type]  # as above
    checkable: bool = True

    model_config = ConfigDict(json_schema_extra=_demand("quote"))

    @model_validator(mode="before")
    @classmethod
    def _plain_text(cls, value: Any) -> Any:
        """A claim that is not an object is its own quote, where the answer holds it."""
        return {"quote": value} if isinstance(value, str) else value


class _Keyed(_Strict):
    claim: _text(40)  # type: ignore[valid-type]  # as above


class _Judged(_Strict):
    """A verdict; the order of the fields is the order of the reasoning. Those for errors may be left out."""

    supporting: Ids = Field(default_factory=list)
    contradicting: Ids = Field(default_factory=list)
    comparison: _text(700) = ""  # type: ignore[valid-type]  # as above
    support: _label(SupportClass) = ""  # type: ignore[valid-type]  # as above
    error_type: _label(ErrorType, "none") = "none"  # type: ignore[valid-type]  # as above
    second_type: _label(ErrorType, "none") = "none"  # type: ignore[valid-type]  # as above
    detail: _label(ErrorDetail, "none") = "none"  # type: ignore[valid-type]  # as above
    faults: Statements = Field(default_factory=list)


class VerdictItem(_Judged, _Keyed):
    """One judged claim, by its id."""

    model_config = ConfigDict(json_schema_extra=_demand("claim", "support"))


class OnePassItem(_Judged, ClaimItem):
    """One statement of the answer with its verdict; what is missing of the verdict can be asked for by itself."""

    model_config = ConfigDict(json_schema_extra=_demand("quote", "support", hidden="checkable"))

    @model_validator(mode="after")
    def _no_statement(self) -> OnePassItem:
        """What gets no class for a reason is a statement; what gets none without is a greeting or the like."""
        self.checkable = self.support != SupportClass.UNEVALUATABLE or bool(self.comparison)
        return self

    def verdict(self, claim: str) -> VerdictItem:
        """Its verdict, under the id of a claim."""
        return VerdictItem.model_validate({**self.model_dump(include=set(VerdictItem.model_fields)), "claim": claim})


class StatedItem(_Keyed):
    """Whether passages state one claim."""

    comparison: _text(600) = ""  # type: ignore[valid-type]  # as above
    evidence: Ids = Field(default_factory=list)
    stated: bool

    def verdict(self) -> VerdictItem:
        """The verdict that it comes to."""
        support = "supported" if self.stated else "absent"
        return VerdictItem.model_construct(
            claim=self.claim, supporting=self.evidence, comparison=self.comparison, support=support
        )


def whole(item: type[BaseModel]) -> BeforeValidator:
    """Keeps the items of a list that can be read."""

    def keep(value: Any) -> Any:
        if isinstance(value, dict) and all(isinstance(entry, dict) for entry in value.values()):  # by claim id
            value = [{"claim": key, **entry} for key, entry in value.items()]
        elif isinstance(value, dict):  # one item, without the list
            value = [value]
        if not isinstance(value, list):
            return value
        return [read for entry in value if (read := _read(item, entry)) is not None]

    return BeforeValidator(keep)


def _read(item: type[Item], entry: Any) -> Item | None:
    try:
        return item.model_validate(entry)
    except ValidationError:
        return None


class ClaimsReply(_Strict):
    """The claims of a text."""

    abstained: bool = False
    claims: Annotated[list[ClaimItem], whole(ClaimItem), Field(json_schema_extra={"maxItems": 200})]


class OnePassReply(_Strict):
    """The claims of a text and a verdict for each."""

    abstained: bool = False
    claims: Annotated[list[OnePassItem], whole(OnePassItem), Field(json_schema_extra={"maxItems": 64})]


class VerdictsReply(_Strict):
    """A verdict for each claim."""

    verdicts: Annotated[list[VerdictItem], whole(VerdictItem), Field(json_schema_extra={"maxItems": 64})]


class StatedReply(_Strict):
    """Which claims are stated."""

    verdicts: Annotated[list[StatedItem], whole(StatedItem), Field(json_schema_extra={"maxItems": 64})]


class FoundItem(_Keyed):
    """What one text says about one claim."""

    text: _text(40) = ""  # type: ignore[valid-type]  # as above
    sentences: Ids = Field(default_factory=list)
    summary: _text(800) = ""  # type: ignore[valid-type]  # as above


class FoundReply(_Strict):
    """What texts say about claims."""

    found: Annotated[list[FoundItem], whole(FoundItem), Field(json_schema_extra={"maxItems": 200})]


class PartsItem(_Keyed):
    """The statements that one statement consists of."""

    parts: Annotated[list[_text(500)], Field(json_schema_extra={"maxItems": 12})]  # type: ignore[valid-type]  # as above


class PartsReply(_Strict):
    """The parts of several statements."""

    claims: Annotated[list[PartsItem], whole(PartsItem), Field(json_schema_extra={"maxItems": 64})]


class FacetItem(_Strict):
    """One thing that a question asks for."""

    id: _text(40)  # type: ignore[valid-type]  # as above
    text: _text(200) = ""  # type: ignore[valid-type]  # as above
    kind: Annotated[str, BeforeValidator(_as_text), Field(json_schema_extra={"enum": [*get_args(FacetKind)]})] = "topic"
    weight: Annotated[int, Field(json_schema_extra={"enum": [1, 2, 3]})] = 1
    passages: Ids = Field(default_factory=list)
    in_query: bool | None = None


class SurveyReply(_Strict):
    """What a question asks for, and what of it was retrieved."""

    facets: Annotated[list[FacetItem], whole(FacetItem), Field(json_schema_extra={"maxItems": 16})]
    missing: _text(300) = ""  # type: ignore[valid-type]  # as above
    answers: Annotated[list[Ids], Field(json_schema_extra={"maxItems": 8})] = Field(default_factory=list)
    conflicts: Annotated[list[Ids], Field(json_schema_extra={"maxItems": 8})] = Field(default_factory=list)


class QueriesReply(_Strict):
    """Queries for what a search did not bring."""

    queries: Annotated[list[_text(300)], Field(json_schema_extra={"maxItems": 3})]  # type: ignore[valid-type]  # as above


def own(items: Sequence[Item], shown: Iterable[str], item: type[Item]) -> list[Item]:
    """Returns the items of a reply that do not stand, as JSON, in a text that the model was shown: those are forged."""
    forged = [_plain(read) for text in shown if "{" in text for read in salvage(text, item)]
    return [mine for mine in items if not forged or _plain(mine) not in forged]


def _plain(item: BaseModel) -> dict[str, Any]:
    """The fields of an item, however its texts were broken into lines."""
    return {k: " ".join(v.split()) if isinstance(v, str) else v for k, v in item.model_dump().items()}


def salvage(text: str | None, item: type[Item]) -> list[Item]:
    """Returns the whole items of a reply that could not be parsed as one."""
    return [read for entry in objects(text or "") if (read := _read(item, entry)) is not None]
