"""Edits written by a model that the user named. Nothing it writes is taken unchecked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, EditKind
from trail_callbacks.canary.facts.protected import uneditable
from trail_callbacks.canary.perturbers.edit_checks import WRITTEN, EditChecks, Written
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Call, Pipeline, Reply
from trail_callbacks.models.salvage import objects
from trail_callbacks.prompts import Fence, load
from trail_callbacks.text import encodable, sentences

__all__ = ["EditsReply", "edits_by_model"]

_PROMPT: Final = "canary_edits"
_PASSAGE: Final = 2_400  # characters
_BATCH: Final = 3  # passages a call
_EDITS: Final = 3  # of a passage
_ROOM: Final = (128, 420)  # tokens of a reply: for itself, and for each passage
_FIELD: Final = 800  # characters that are read of what a model wrote

Made = tuple[tuple[Edit, ...], tuple[Skipped, ...]]


def _read_text(value: Any) -> str:
    return encodable(value)[:_FIELD] if isinstance(value, str) else ""


_Text = Annotated[str, BeforeValidator(_read_text)]


class _Item(BaseModel):
    """An edit as a model writes it."""

    model_config = ConfigDict(extra="ignore")

    passage: Annotated[str, BeforeValidator(lambda value: str(value).strip(" []'\"`")[:40])]
    kind: _Text
    old: _Text
    new: _Text = ""
    real: _Text = ""
    fictive: _Text = ""


def _read(value: Any) -> _Item | None:
    try:
        return value if isinstance(value, _Item) else _Item.model_validate(value)
    except ValidationError:
        return None


def _whole(value: Any) -> Any:
    return [item for each in value if (item := _read(each)) is not None] if isinstance(value, list) else value


class EditsReply(BaseModel):
    """Edits of several passages."""

    edits: Annotated[list[_Item], BeforeValidator(_whole), Field(json_schema_extra={"maxItems": _BATCH * _EDITS})]


@dataclass(frozen=True, slots=True)
class _Passage:
    document: str
    start: int
    end: int


def edits_by_model(corpus: Corpus, *, kinds: Sequence[EditKind] = WRITTEN, most: int | None = None) -> Pipeline[Made]:
    """Lets a model write edits: what rules cannot do, such as names in scripts without capitals, or denials elsewhere.

    The model is shown passages between fences and copies the words that it replaces. Each edit is checked in code: its
    words stand there, its kind is one that may be written, it changes nothing else, and all other mentions of the name
    or sentences that say the same are found and changed too; otherwise it is refused.

    Args:
        corpus: The documents. Those that repeat an earlier one are not shown again.
        kinds: What may be changed.
        most: Passages shown at most; None shows all.

    Returns:
        Edits with an empty id, for `perturb(..., proposed=...)`, and what was refused, with the reason.

    Raises:
        InputError: A kind is none that a model may write, or `most` is below 1.
    """
    unknown = [kind for kind in kinds if kind not in WRITTEN]
    if unknown or not kinds or (most is not None and most < 1):
        raise InputError(
            f"kinds={list(kinds)!r}, most={most}: give kinds of {', '.join(WRITTEN)}, and 1 passage or more"
        )
    passages = list(_passages(corpus))[:most]
    batches = [passages[at : at + _BATCH] for at in range(0, len(passages), _BATCH)]
    replies: Sequence[Reply] = []
    if batches:
        replies = yield [_call(batch, corpus, kinds) for batch in batches]
    checks = EditChecks(corpus)
    edits: dict[tuple[tuple[str, int], ...], Edit] = {}
    skipped: list[Skipped] = []
    for batch, reply in zip(batches, replies, strict=True):
        if reply.failure and not reply.text:
            skipped.append(Skipped(batch[0].document, f"the model did not answer: {reply.failure.kind}"))
        for item in _items(reply):
            made = _made(item, batch, checks, kinds)
            if isinstance(made, Edit):
                edits.setdefault(tuple((each.document, each.start) for each in made.replacements), made)
            else:
                skipped.append(made)
    return tuple(edits.values()), tuple(skipped)


def _items(reply: Reply) -> list[_Item]:
    if isinstance(reply.value, EditsReply):
        return reply.value.edits
    return [item for each in objects(reply.text or "") if (item := _read(each)) is not None]


def _made(item: _Item, batch: Sequence[_Passage], checks: EditChecks, kinds: Sequence[EditKind]) -> Edit | Skipped:
    passage = {f"p{n}": each for n, each in enumerate(batch, 1)}.get(item.passage)
    if passage is None:
        return Skipped(batch[0].document, f"the model's edit is of no passage that it was shown: {item.passage!r}")
    if item.kind not in kinds:
        found: Edit | str = f"its kind {item.kind[:40]!r} was not asked for"
    else:
        written = Written(item.kind, item.old, item.new, item.real or item.old, item.fictive or item.new)
        found = checks.edit(written, passage.document, passage.start, passage.end)
    if isinstance(found, Edit):
        return found
    return Skipped(f"{passage.document}: {item.kind[:40]} {item.old[:80]!r}", f"the model's edit was refused: {found}")


def _passages(corpus: Corpus) -> Iterator[_Passage]:
    """Stretches of whole sentences."""
    shown: set[str] = set()
    for document in corpus:
        if document.text in shown or uneditable(document.text):
            continue
        shown.add(document.text)
        start = end = None
        for each in sentences(document.text):
            if start is not None and end is not None and each.end - start > _PASSAGE:
                yield _Passage(document.id, start, end)
                start = None
            start = each.start if start is None else start
            end = min(each.end, start + _PASSAGE)
        if start is not None and end is not None:
            yield _Passage(document.id, start, end)


def _call(batch: Sequence[_Passage], corpus: Corpus, kinds: Sequence[EditKind]) -> Call:
    texts = [corpus[each.document].text[each.start : each.end] for each in batch]
    fence = Fence(*texts)
    shown = "\n\n".join(f"Passage `p{n}`:\n{fence.block('PASSAGE', text)}" for n, text in enumerate(texts, 1))
    return Call(
        messages=load(_PROMPT).messages(passages=shown, kinds=", ".join(f"`{kind}`" for kind in kinds)),
        schema=EditsReply,
        purpose=_PROMPT,
        max_tokens=_ROOM[0] + _ROOM[1] * len(texts),
    )
