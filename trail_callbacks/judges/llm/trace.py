"""A language model as tracer: it takes claims apart and points at evidence, several claims and texts a call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.llm.layout import letters, line, passage_lines
from trail_callbacks.judges.llm.schema import FoundItem, FoundReply, PartsItem, PartsReply, salvage
from trail_callbacks.judges.tracer import Search, Selection
from trail_callbacks.models.call import Call, Pipeline, Reply
from trail_callbacks.prompts import Fence, load

__all__ = ["decompose", "select"]

_LONGEST = 24_000  # signs of text in one call
_SHARE = 4  # times as many claims share the reading of texts as get a verdict in one call: the answers are short
_SPLIT = ("length:", "refused:", "rejected: too long")  # failures that fewer claims or texts may cure


def decompose(claims: Sequence[Claim], claims_per_call: int) -> Pipeline[tuple[tuple[str, ...], ...]]:
    """Splits claims into simpler statements. See `Tracer.decompose`."""
    keyed = [(f"c{n}", claim.text) for n, claim in enumerate(claims, 1)]
    size = _together(claims_per_call)
    batches = [keyed[i : i + size] for i in range(0, len(keyed), size)]
    parts: dict[str, tuple[str, ...]] = {}
    for batch, reply in zip(batches, (yield [_decomposing(batch) for batch in batches]), strict=True):
        asked = {key for key, _ in batch}
        items = reply.value.claims if isinstance(reply.value, PartsReply) else salvage(reply.text, PartsItem)
        for item in items:
            found = tuple(filter(None, (" ".join(part.split()) for part in item.parts)))
            if _bare(item.claim) in asked and found:
                parts.setdefault(_bare(item.claim), found)
    return tuple(parts.get(key, (text,)) for key, text in keyed)  # unsplit, a claim is only searched for less well


def _together(claims_per_call: int) -> int:
    return claims_per_call if claims_per_call == 1 else claims_per_call * _SHARE


def _bare(id_: str) -> str:
    return id_.strip(" []().:'\"")


def _decomposing(batch: Sequence[tuple[str, str]]) -> Call:
    claims = "\n".join(f"[{key}] {line(text)}" for key, text in batch)
    return Call(
        messages=load("decompose").messages(claims=Fence(claims).block("STATEMENTS", claims)),
        schema=PartsReply,
        purpose="decompose",
        max_tokens=128 + sum(2 * len(text.encode()) for _, text in batch),
    )


@dataclass(frozen=True, slots=True)
class _Task:
    """What one call reads.

    Attributes:
        searches: Numbers of the searches, with the claim's key.
        texts: Passages, by node.
        again: Whether a reply that cannot be used may be asked for again.
        widened: Whether the reply's room was already doubled.
    """

    searches: tuple[int, ...]
    texts: tuple[tuple[Passage, ...], ...]
    again: bool = True
    widened: bool = False


def select(searches: Sequence[Search], claims_per_call: int) -> Pipeline[tuple[Selection, ...]]:
    """Points at evidence, reading each text once for all claims that need it. See `Tracer.select`."""
    chosen: list[dict[str, Passage]] = [{} for _ in searches]
    summaries: list[dict[str, list[str]]] = [defaultdict(list) for _ in searches]
    errors: list[str | None] = [None] * len(searches)
    todo = list(_tasks(searches, claims_per_call))
    while todo:
        replies = yield [_selecting(searches, task) for task in todo]
        later: list[_Task] = []
        for task, reply in zip(todo, replies, strict=True):
            further, error = _further(task, reply)
            later += further
            if error is not None:
                errors = [error if n in task.searches else known for n, known in enumerate(errors)]
            for n, passages, summary in _found(searches, task, reply) if not further else ():
                chosen[n] |= {passage.id: passage for passage in passages}
                summaries[n][passages[0].node_id].append(summary)
        todo = later
    return tuple(
        Selection(error=errors[n])
        if errors[n] is not None
        else Selection(
            passages=tuple(passage for passage in search.passages if passage.id in chosen[n]),
            summaries={id_: " ".join(filter(None, said)) for id_, said in summaries[n].items()},
        )
        for n, search in enumerate(searches)
    )


def _tasks(searches: Sequence[Search], claims_per_call: int) -> Iterator[_Task]:
    size = _together(claims_per_call)
    for i in range(0, len(searches), size):
        batch = range(i, min(i + size, len(searches)))
        by_node: dict[str, dict[str, Passage]] = defaultdict(dict)
        for n in batch:
            for passage in searches[n].passages:
                by_node[passage.node_id][passage.id] = passage
        for texts in _packed([tuple(passages.values()) for passages in by_node.values()]):
            shown = {passage.node_id for text in texts for passage in text}
            concerned = tuple(n for n in batch if any(p.node_id in shown for p in searches[n].passages))
            yield _Task(concerned, texts)


def _packed(texts: Sequence[tuple[Passage, ...]]) -> Iterator[tuple[tuple[Passage, ...], ...]]:
    """Fills calls with texts; one that is too long for a call is read in parts."""
    pack: list[list[Passage]] = []
    room = _LONGEST
    for text in texts:
        if pack and sum(len(passage.text) for passage in text) > room:
            yield tuple(map(tuple, pack))
            pack, room = [], _LONGEST
        pack.append([])
        for passage in text:
            if len(passage.text) > room and pack[-1]:
                yield tuple(map(tuple, pack))
                pack, room = [[]], _LONGEST
            pack[-1].append(passage)
            room -= len(passage.text)
    if pack:
        yield tuple(map(tuple, pack))


def _selecting(searches: Sequence[Search], task: _Task) -> Call:
    passages = passage_lines({passage.id: passage for text in task.texts for passage in text})
    shown = {passage.node_id: letters(i) for i, text in enumerate(task.texts) for passage in text}
    claims = "\n".join(_claim(n, searches[n], shown) for n in task.searches)
    fence = Fence(passages, claims)
    room = 256 + 96 * len(task.searches) * min(len(task.texts), 4)
    return Call(
        messages=load("select").messages(passages=fence.block("TEXTS", passages), claims=fence.block("CLAIMS", claims)),
        schema=FoundReply,
        purpose="select",
        max_tokens=room * 2 if task.widened else room,
    )


def _claim(n: int, search: Search, shown: dict[str, str]) -> str:
    mine = dict.fromkeys(shown[p.node_id] for p in search.passages if p.node_id in shown)
    texts = "" if len(mine) == len(shown) else f" (only texts {', '.join(mine)})"
    parts = [f"    - {line(part)}" for part in search.parts]
    return "\n".join([f"[c{n + 1}]{texts} {line(search.claim.text)}", *parts])


def _found(searches: Sequence[Search], task: _Task, reply: Reply) -> Iterator[tuple[int, tuple[Passage, ...], str]]:
    """Returns what the reply says that holds: known claims, and sentences that they were to be looked for in."""
    items = reply.value.found if isinstance(reply.value, FoundReply) else salvage(reply.text, FoundItem)
    asked = {f"c{n + 1}": n for n in task.searches}
    shown = {passage.id: passage for text in task.texts for passage in text}
    for item in items:
        n = asked.get(_bare(item.claim))
        if n is None:
            continue
        nodes = {passage.node_id for passage in searches[n].passages}
        known = [shown[id_] for id_ in map(_bare, item.sentences) if id_ in shown and shown[id_].node_id in nodes]
        for node_id in dict.fromkeys(passage.node_id for passage in known):
            mine = tuple(passage for passage in known if passage.node_id == node_id)
            # A summary over several texts would let one speak for the other.
            yield n, mine, item.summary if len(mine) == len(known) else ""


def _further(task: _Task, reply: Reply) -> tuple[list[_Task], str | None]:
    """Says what must be read again after a reply, or else why the search failed."""
    if reply.error is None:
        return [], None
    if reply.error.startswith("invalid:"):
        return ([replace(task, again=False)], None) if task.again else ([], reply.error)
    if reply.error.startswith(_SPLIT):
        parts = _halves(task, sentences=not reply.error.startswith("length:"))
        if parts or not task.widened:
            return parts or [replace(task, widened=True)], None
    return [], reply.error


def _halves(task: _Task, *, sentences: bool) -> list[_Task]:
    """Divides the claims of a task, else its texts, else the sentences of its text; nothing if each is one."""
    if len(task.searches) > 1:
        half = (len(task.searches) + 1) // 2
        return [replace(task, searches=part) for part in (task.searches[:half], task.searches[half:])]
    if len(task.texts) > 1:
        half = (len(task.texts) + 1) // 2
        return [replace(task, texts=part) for part in (task.texts[:half], task.texts[half:])]
    half = (len(task.texts[0]) + 1) // 2
    halves = (task.texts[0][:half], task.texts[0][half:])
    return [replace(task, texts=(part,)) for part in halves] if sentences and all(halves) else []
