"""What a model says of answers that code could not read: several a call, every reply checked.

The candidates have letters in an order that follows from the probe's id alone. So a model can neither learn which
letter is the real value nor be told so by the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from trail_callbacks.canary.outcomes.statement import AnswerStatement, Scored
from trail_callbacks.canary.outcomes.values import forms_of
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Stated
from trail_callbacks.judges.llm.asking import Heard, ask
from trail_callbacks.judges.llm.layout import bare, line
from trail_callbacks.judges.llm.schema import whole
from trail_callbacks.judges.prompts import Fence, load
from trail_callbacks.models.call import Call, Failure, Pipeline, Reply
from trail_callbacks.text import encodable, locate

_ONCE, _EACH = 64, 180  # tokens of a reply: once, and for each answer
_LONGEST = 8000  # characters that are shown of an answer
_LONGEST_QUOTE, _MOST = 400, 64  # characters of a quote, items of a reply
_SKIPPED = Failure("invalid", "the model skipped this answer")

_Found = Mapping[str, AnswerStatement | Failure]
"""What replies said so far, by the key of an answer: a statement, or why there is none."""


def _demand_all(schema: dict[str, Any]) -> None:
    """Makes the schema as strict modes want it."""
    schema["required"] = list(schema["properties"])
    schema["additionalProperties"] = False
    for each in schema["properties"].values():
        each.pop("default", None)
        each.pop("title", None)


def _cut(value: Any) -> str:
    return "" if value is None else encodable(str(value))[:_LONGEST_QUOTE]


def _letters(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [each.strip(" []().:'\"")[:1].upper() for each in values[:3] if isinstance(each, str)]


class AnswerItem(BaseModel):
    """What one answer gives; the order of the fields is that of the reasoning."""

    model_config = ConfigDict(json_schema_extra=_demand_all)

    item: Annotated[str, BeforeValidator(_cut), Field(max_length=_LONGEST_QUOTE)]
    quote: Annotated[str, BeforeValidator(_cut), Field(max_length=_LONGEST_QUOTE)]
    gives: Annotated[
        list[Annotated[str, Field(json_schema_extra={"enum": ["A", "B", "C"]})]],
        BeforeValidator(_letters),
        Field(json_schema_extra={"maxItems": 3}),
    ]
    other: bool = False
    declines: bool = False
    rejects: bool = False
    unsure: bool = False


class OutcomesReply(BaseModel):
    """What several answers give."""

    model_config = ConfigDict(json_schema_extra=_demand_all)

    items: Annotated[list[AnswerItem], whole(AnswerItem), Field(json_schema_extra={"maxItems": _MOST})]


def lettered(probe: Probe) -> dict[str, Stated]:
    """The values of a probe by letter, in an order that its id decides."""
    names = sorted(forms_of(probe), key=lambda name: sha256(f"{probe.id}\0{name}".encode()).digest())
    return dict(zip("ABC", names, strict=False))


def read_by_model(answers: Sequence[Scored], *, per_call: int = 8) -> Pipeline[list[AnswerStatement | Failure]]:
    """Asks a model what answers give, at most `per_call` a call: for each a statement, or why there is none."""
    keyed = {f"a{n}": each for n, each in enumerate(answers, 1)}
    listed = tuple(keyed.items())
    found: dict[str, AnswerStatement | Failure] = {}
    for read in (yield from ask([_Batch(listed[at : at + per_call]) for at in range(0, len(listed), per_call)])):
        found |= read
    return [found[key] for key in keyed]


@dataclass(frozen=True, slots=True)
class _Batch:
    """Answers read in one call, by their keys; an `Inquiry`."""

    answers: tuple[tuple[str, Scored], ...]

    def call(self, note: str) -> Call:
        fence = Fence(*(text for _, each in self.answers for text in (each.probe.question, each.answer or "")))
        items = "\n\n".join(_shown(key, each, fence) for key, each in self.answers)
        return Call(
            messages=load("outcomes").messages(items=items, note=note),
            schema=OutcomesReply,
            purpose="outcomes",
            max_tokens=_ONCE + _EACH * len(self.answers),
        )

    def read(self, reply: Reply) -> Heard[_Found]:
        listed = reply.value.items if isinstance(reply.value, OutcomesReply) else ()
        items = {bare(item.item): item for item in reversed(listed)}  # the first of a key counts
        lost = reply.failure or _SKIPPED
        said = {key: _checked(items[key], each) if key in items else lost for key, each in self.answers}
        faults = {key: found for key, found in said.items() if isinstance(found, Failure)}
        good = {key: found for key, found in said.items() if key not in faults}
        if not faults:
            return Heard(good)
        left = replace(self, answers=tuple((key, each) for key, each in self.answers if key in faults))
        note = f"An earlier reply could not be used. {'; '.join(f'{key}: {why.detail}' for key, why in faults.items())}"
        return Heard(good, left, lost, dict(faults), note)

    def smaller(self, _: Failure) -> Sequence[_Batch]:
        half = (len(self.answers) + 1) // 2
        return [_Batch(self.answers[:half]), _Batch(self.answers[half:])] if len(self.answers) > 1 else []


def _shown(key: str, each: Scored, fence: Fence) -> str:
    forms = forms_of(each.probe)
    candidates = "\n".join(
        f"{letter}: {'; also written: '.join(line(form) for form in forms[name][:4])}"
        for letter, name in lettered(each.probe).items()
    )
    parts = (("QUESTION", line(each.probe.question)), ("CANDIDATES", candidates), ("ANSWER", each.answer or ""))
    return "\n".join((f"Item [{key}]", *(fence.block(name, text[:_LONGEST]) for name, text in parts)))


def _checked(item: AnswerItem, each: Scored) -> AnswerStatement | Failure:
    """Takes a reading over if it can be so: known letters, and words that the answer has."""
    letters = lettered(each.probe)
    if not set(item.gives) <= set(letters):
        return Failure("invalid", "there is no such candidate")
    quote = item.quote.strip(" \"'\u201c\u201d\u2026.")
    if quote and locate(quote, (each.answer or "")[:_LONGEST]) is None:
        return Failure("invalid", "the quote is not in the answer")
    if item.gives and not quote:
        return Failure("invalid", "there is no quote for what the answer gives")
    gives = tuple(dict.fromkeys(letters[letter] for letter in item.gives))
    return AnswerStatement(
        states=None if item.unsure else gives,
        rejects=item.rejects,
        declines=item.declines,
        other=item.other and not gives,
        reason=f"the judge: `{' '.join(quote.split())[:120]}`" if quote else "the judge found no value",
    )
