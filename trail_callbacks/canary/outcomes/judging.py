"""What a model says of answers that code could not read: several a call, every reply checked.

The candidates have letters in an order that follows from the probe's id alone. So a model can neither learn which
letter is the real value nor be told so by the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from trail_callbacks.canary.outcomes.mention import values_of
from trail_callbacks.canary.outcomes.schema import OutcomesReply, ReadItem
from trail_callbacks.canary.outcomes.statements import Statement
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Stated
from trail_callbacks.judges.llm.asking import Reading, Rest, ask
from trail_callbacks.judges.llm.layout import bare, line
from trail_callbacks.models.call import Call, Pipeline, Reply
from trail_callbacks.models.failure import Failure
from trail_callbacks.prompts import Fence, load
from trail_callbacks.text import locate

__all__ = ["Unread", "lettered", "read_by_model"]

_ONCE, _EACH = 64, 180  # tokens of a reply: once, and for each answer
_LONGEST = 8000  # characters of an answer that are shown
_MOST_SHOWN = 24_000  # characters of all answers of a call
_SKIPPED = Failure("invalid", "the model skipped this answer")


@dataclass(frozen=True, slots=True)
class Unread:
    """An answer that code could not read."""

    probe: Probe
    answer: str


@dataclass(frozen=True, slots=True)
class _Read:
    """What replies said so far, by the key of an answer: a statement, or why there is none."""

    said: Mapping[str, Statement | Failure] = field(default_factory=dict)


def lettered(probe: Probe) -> dict[str, Stated]:
    """The values of a probe by letter, in an order that its id decides."""
    names = sorted(values_of(probe), key=lambda name: sha256(f"{probe.id}\0{name}".encode()).digest())
    return dict(zip("ABC", names, strict=False))


def read_by_model(answers: Sequence[Unread], *, per_call: int = 8) -> Pipeline[list[Statement | Failure]]:
    """Asks a model what answers give.

    Args:
        answers: The answers.
        per_call: Answers in a call at most.

    Returns:
        For each answer a statement, or why there is none.
    """
    keyed = tuple((f"a{n}", each) for n, each in enumerate(answers, 1))
    found: dict[str, Statement | Failure] = {}
    for read in (yield from ask(_batches(keyed, per_call))):
        found |= read.said
    return [found[key] for key, _ in keyed]


def _batches(keyed: Sequence[tuple[str, Unread]], per_call: int) -> list[_Batch]:
    parts: list[list[tuple[str, Unread]]] = []
    shown = 0
    for key, each in keyed:
        size = min(len(each.answer), _LONGEST)
        if not parts or len(parts[-1]) >= per_call or shown + size > _MOST_SHOWN:
            parts.append([])
            shown = 0
        parts[-1].append((key, each))
        shown += size
    return [_Batch(tuple(part)) for part in parts]


@dataclass(frozen=True, slots=True)
class _Batch:
    """Answers read in one call; a `Task`."""

    answers: tuple[tuple[str, Unread], ...]

    def call(self, note: str) -> Call:
        fence = Fence(*(text for _, each in self.answers for text in (each.probe.question, each.answer)))
        return Call(
            messages=load("outcomes").messages(
                items="\n\n".join(_shown(key, each, fence) for key, each in self.answers), note=note
            ),
            schema=OutcomesReply,
            purpose="outcomes",
            max_tokens=_ONCE + _EACH * len(self.answers),
        )

    def read(self, reply: Reply) -> Reading[_Read]:
        items: dict[str, ReadItem] = {}
        if isinstance(reply.value, OutcomesReply):
            for item in reply.value.items:
                items.setdefault(bare(item.item), item)
        said: dict[str, Statement | Failure] = {}
        faults: dict[str, Failure] = {}
        for key, each in self.answers:
            found = _checked(items[key], each) if key in items else reply.failure or _SKIPPED
            if isinstance(found, Failure):
                faults[key] = found
            else:
                said[key] = found
        if not faults:
            return Reading(_Read(said))
        left = tuple((key, each) for key, each in self.answers if key in faults)
        note = f"An earlier reply could not be used. {'; '.join(f'{key}: {why.detail}' for key, why in faults.items())}"
        rest = Rest(replace(self, answers=left), reply.failure or _SKIPPED, _Read(dict(faults)), note)
        return Reading(_Read(said), rest)

    def smaller(self, _: Failure) -> Sequence[_Batch]:
        half = (len(self.answers) + 1) // 2
        parts = (self.answers[:half], self.answers[half:])
        return [replace(self, answers=part) for part in parts] if all(parts) else []


def _shown(key: str, each: Unread, fence: Fence) -> str:
    values = values_of(each.probe)
    candidates = "\n".join(
        f"{letter}: {'; also written: '.join(line(form) for form in values[name][:4])}"
        for letter, name in lettered(each.probe).items()
    )
    return "\n".join(
        (
            f"Item [{key}]",
            fence.block("QUESTION", line(each.probe.question)),
            fence.block("CANDIDATES", candidates),
            fence.block("ANSWER", each.answer[:_LONGEST]),
        )
    )


def _checked(item: ReadItem, each: Unread) -> Statement | Failure:
    """Takes a reading over if it can be so: known letters, and words that the answer has."""
    letters = lettered(each.probe)
    if not set(item.gives) <= set(letters):
        return Failure("invalid", "there is no such candidate")
    quote = item.quote.strip(" \"'\u201c\u201d\u2026.")
    if quote and locate(quote, each.answer[:_LONGEST]) is None:
        return Failure("invalid", "the quote is not in the answer")
    if item.gives and not quote:
        return Failure("invalid", "there is no quote for what the answer gives")
    gives = tuple(dict.fromkeys(letters[letter] for letter in item.gives))
    reason = f"the judge: `{' '.join(quote.split())[:120]}`" if quote else "the judge found no value"
    states = None if item.unsure else gives
    return Statement(
        states=states, rejects=item.rejects, declines=item.declines, other=item.other and not gives, reason=reason
    )
