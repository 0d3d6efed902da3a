"""Questions written, and probes checked, by a model that the user named. Nothing it writes is taken unchecked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.questions.checking import LONGEST, names, problem
from trail_callbacks.canary.questions.cloze import GAP
from trail_callbacks.canary.questions.facts import EditedSentence
from trail_callbacks.canary.questions.making import Maker
from trail_callbacks.canary.twin import Edit, Twin
from trail_callbacks.judges.llm.schema import salvage, whole
from trail_callbacks.judges.prompts import Fence, load
from trail_callbacks.models.call import Call, Pipeline, Reply
from trail_callbacks.text import encodable

_BATCH: Final = 8  # items a call
_SENTENCE: Final = 600  # characters of a sentence or passage that are shown
_LONGEST_ANSWER: Final = 200  # characters
_ROOM: Final = (128, 120)  # tokens of a reply: for itself, and for each item

Made = tuple[tuple[Probe, ...], tuple[Skipped, ...]]


def _line(longest: int) -> BeforeValidator:
    def read(value: Any) -> str:
        return " ".join(encodable(str(value)).split())[:longest] if isinstance(value, str | int | float) else ""

    return BeforeValidator(read)


class _Item(BaseModel):
    """What a model writes about one item, under the name that the prompt gives it."""

    model_config = ConfigDict(extra="ignore")

    id: Annotated[str, BeforeValidator(lambda value: str(value).strip(" []'\"")[:40])]
    question: Annotated[str, _line(LONGEST + 1)] = ""
    answer: Annotated[str, _line(_LONGEST_ANSWER)] = ""


class ProbesReply(BaseModel):
    """Questions or answers, one for each item."""

    items: Annotated[list[_Item], whole(_Item), Field(json_schema_extra={"maxItems": 64})]


def improved(twin: Twin, probes: Sequence[Probe], skipped: Sequence[Skipped]) -> Pipeline[Made]:
    """Has a model write questions where rules made a gap, or none, and check all probes.

    A gap stays where the model's question is refused. Returns the probes that pass, in the order of the edits, and the
    edits without one with the reason.
    """
    gaps = {each.id for each in probes if GAP in each.question}
    left = gaps | {each.place for each in skipped}
    written, refused = yield from probes_by_model(twin, edits=[each for each in twin.edits if each.id in left])
    found = {each.id: each for each in (*probes, *written)}
    kept, unfit = yield from checked_by_model([found[each.id] for each in twin.edits if each.id in found], twin)
    return kept, (*(each for each in refused if each.place not in gaps), *unfit)


def probes_by_model(twin: Twin, *, edits: Sequence[Edit] | None = None) -> Pipeline[Made]:
    """Has a model write questions about edits (None is all), which are checked as those by rules are.

    It is shown the sentence of the corpus, the value, and the words that its question may not have.
    """
    maker = Maker(twin)
    wanted = twin.edits if edits is None else edits
    facts = {edit.id: fact for edit in wanted if (fact := next(maker.facts.of(edit), None)) is not None}
    written = yield from _asked({id_: _about(fact) for id_, fact in facts.items()}, "canary_questions")
    probes: list[Probe] = []
    skipped: list[Skipped] = []
    for edit in wanted:
        item = written.get(edit.id, "no sentence states its value by itself")
        if isinstance(item, str) or not item.question:
            skipped.append(Skipped(edit.id, item if isinstance(item, str) else "the model found no question"))
            continue
        made = maker.sound(facts[edit.id], item.question)
        if isinstance(made, Probe):
            probes.append(replace(made, origin="model"))
        else:
            skipped.append(Skipped(edit.id, f"the model's question was refused: {made}"))
    return tuple(probes), tuple(skipped)


def checked_by_model(probes: Sequence[Probe], twin: Twin | None = None) -> Pipeline[Made]:
    """Asks a model each question with its passage, which has to give the answer.

    Probes without a passage are checked by code only, and so are those for which the model gives no answer at all (a
    failure). What a model knows without a passage is no fault of a probe: only of that can it leak anything.
    """
    sound = {probe.id: probe for probe in probes if problem(probe, twin) is None}
    skipped = [Skipped(probe.id, str(problem(probe, twin))) for probe in probes if probe.id not in sound]
    shown = {
        id_: f"question: {each.question}\npassage: {each.real_quote[:_SENTENCE]}"
        for id_, each in sound.items()
        if each.real_quote
    }
    found = yield from _asked(shown, "canary_answers")
    for id_, item in found.items():
        real, forms = sound[id_].real, sound[id_].real_forms
        if isinstance(item, _Item) and not any(names(item.answer, each) for each in (real, *forms)):
            said = f"answered {item.answer!r}" if item.answer else "found no answer"
            why = f"it cannot be answered from its passage: with it the model {said}, not {real!r}"
            skipped.append(Skipped(id_, why))
    unfit = {each.place for each in skipped}
    return tuple(each for id_, each in sound.items() if id_ not in unfit), tuple(skipped)


def _about(fact: EditedSentence) -> str:
    edit = fact.edit
    forbidden = [each for each in (edit.real, edit.fictive, edit.also, *fact.foreign) if each]
    context = f"\nbefore it: {fact.before[:_SENTENCE]}" if fact.before else ""
    return f"sentence: {fact.text[:_SENTENCE]}{context}\nvalue: {edit.real}\nforbidden: {'; '.join(forbidden)}"


def _asked(items: Mapping[str, str], prompt: str) -> Pipeline[dict[str, _Item | str]]:
    """Asks about items, several a call; gives for each what the model wrote, or why it wrote nothing."""
    ids = list(items)
    batches = [ids[at : at + _BATCH] for at in range(0, len(ids), _BATCH)]
    found: dict[str, _Item | str] = {}
    replies: Sequence[Reply] = []
    if batches:
        replies = yield [_call([items[id_] for id_ in batch], prompt) for batch in batches]
    for batch, reply in zip(batches, replies, strict=True):
        read = reply.value.items if isinstance(reply.value, ProbesReply) else salvage(reply.text, _Item)
        by_key = {item.id: item for item in reversed(read)}
        lost = f"the model did not answer: {reply.failure.kind}" if reply.failure else "the model left it out"
        found |= {id_: by_key.get(f"i{n}", lost) for n, id_ in enumerate(batch, 1)}
    return found


def _call(texts: Sequence[str], prompt: str) -> Call:
    fence = Fence(*texts)
    shown = "\n\n".join(f"Item `i{n}`:\n{fence.block('ITEM', text)}" for n, text in enumerate(texts, 1))
    return Call(
        messages=load(prompt).messages(items=shown),
        schema=ProbesReply,
        purpose=prompt,
        max_tokens=_ROOM[0] + _ROOM[1] * len(texts),
    )
