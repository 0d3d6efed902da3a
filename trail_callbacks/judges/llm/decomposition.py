"""Taking claims apart with a language model, several a call."""

from __future__ import annotations

from collections.abc import Sequence

from trail_callbacks.claims import Claim
from trail_callbacks.judges.llm.layout import bare, line
from trail_callbacks.judges.llm.schema import PartsItem, PartsReply, salvage
from trail_callbacks.judges.prompts import Fence, load
from trail_callbacks.models.call import Call, Pipeline

__all__ = ["decompose"]


def decompose(claims: Sequence[Claim], claims_per_call: int) -> Pipeline[tuple[tuple[str, ...], ...]]:
    """Splits claims into simpler statements. See `Tracer.decompose`.

    Nothing is asked again: a claim that stays whole is only searched for less well.
    """
    keyed = [(f"c{n}", claim.text) for n, claim in enumerate(claims, 1)]
    batches = [keyed[i : i + claims_per_call] for i in range(0, len(keyed), claims_per_call)]
    parts: dict[str, tuple[str, ...]] = {}
    for batch, reply in zip(batches, (yield [_call(batch) for batch in batches]), strict=True):
        asked = {key for key, _ in batch}
        items = reply.value.claims if isinstance(reply.value, PartsReply) else salvage(reply.text, PartsItem)
        for item in items:
            statements = tuple(filter(None, (" ".join(part.split()) for part in item.parts)))
            if bare(item.claim) in asked and statements:
                parts.setdefault(bare(item.claim), statements)
    return tuple(parts.get(key, (text,)) for key, text in keyed)


def _call(batch: Sequence[tuple[str, str]]) -> Call:
    claims = "\n".join(f"[{key}] {line(text)}" for key, text in batch)
    return Call(
        messages=load("decompose").messages(claims=Fence(claims).block("STATEMENTS", claims)),
        schema=PartsReply,
        purpose="decompose",
        max_tokens=128 + sum(2 * len(text.encode()) for _, text in batch),
    )
