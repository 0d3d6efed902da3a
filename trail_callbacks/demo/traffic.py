"""Thirty days of a played shop assistant: two rollouts, one of which breaks retrieval for one kind of question.

Questions, passages and answers are made up; judge and diagnosis are real.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trail_callbacks.capture.events import Event, Piece, RunEnded, RunKind, RunStarted
from trail_callbacks.trace import Trace
from trail_callbacks.trace.recorded import recorded

DAYS = 30
BAD = "returns"
"""The kind of question that the second rollout breaks."""

ROLLOUTS = ((0, "shop-1", "index-1"), (11, "shop-2", "index-1"), (20, "shop-2", "index-2"))
"""Day from which an app and an index answer."""

_DAY = 86_400.0
_SLIPS = 0.04  # share of answers in which the model says another number
_LOST = 0.7  # share of the passages on the bad kind that the new index lacks
_RETRIEVED = 3


@dataclass(frozen=True, slots=True)
class _Fact:
    kind: str
    question: str
    says: str  # with a place for the number
    number: int

    @property
    def passage(self) -> str:
        return self.says.format(self.number)


_KINDS = {
    "billing": ("What does the {} plan cost?", "The {} plan costs {{}} crowns a month.", (9, 80)),
    "delivery": ("How long does a delivery to {} take?", "A delivery to {} takes {{}} days.", (2, 14)),
    BAD: ("For how long can I return {}?", "Customers can return {} for {{}} days.", (10, 90)),
}
_NAMES = {
    "billing": ("small", "family", "garden", "studio", "harbour", "night", "student", "workshop"),
    "delivery": ("Aldhaven", "Brackwater", "Corrin", "Dunmere", "Eskford", "Fallow Hill", "Gorseby", "Hollowell"),
    BAD: ("lamps", "carpets", "kettles", "tents", "bicycles", "curtains", "radios", "boots"),
}


def traffic(runs: int, until: float, seed: int = 1) -> Iterator[Trace]:
    """Yields runs, the oldest first, evenly over the days before a time.

    Args:
        runs: How many.
        until: When the last one ends, seconds since the epoch.
        seed: The same seed plays the same runs.
    """
    rng = random.Random(seed)  # noqa: S311 - plays traffic
    facts = [_fact(kind, name, rng) for kind, names in _NAMES.items() for name in names]
    lost = {fact.passage for fact in facts if fact.kind == BAD and rng.random() < _LOST}
    for n in range(runs):
        at = until - DAYS * _DAY * (1 - n / runs)
        day = DAYS * n / runs
        _, app, index = [each for each in ROLLOUTS if each[0] <= day][-1]
        asked = rng.choice(facts)
        others = rng.sample([fact for fact in facts if fact is not asked], _RETRIEVED)
        found = [asked, *others[1:]] if index == "index-1" or asked.passage not in lost else others
        rng.shuffle(found)
        right = rng.random() >= _SLIPS
        said = asked.says.format(asked.number if right else asked.number + rng.randint(1, 9))
        said = said if asked in found else "I do not know that."
        metadata = {
            "query_class": asked.kind,
            "tenant": rng.choice(["north", "south"]),
            "app_version": app,
            "index_version": index,
        }
        passages = [fact.passage for fact in found]
        yield _run(_Log(at, metadata), f"run-{seed}-{n:05}", asked.question, passages, said)


def _fact(kind: str, name: str, rng: random.Random) -> _Fact:
    question, says, (low, high) = _KINDS[kind]
    return _Fact(kind, question.format(name), says.format(name), rng.randint(low, high))


class _Log:
    """The events of one run, a tenth of a second apart."""

    def __init__(self, at: float, metadata: Mapping[str, str]) -> None:
        self.events: list[Event] = []
        self._at, self._metadata = at, metadata

    def start(self, run: str, kind: RunKind, given: Piece, parent: str | None = None) -> None:
        seq = len(self.events) + 1
        self.events.append(
            RunStarted(
                seq=seq,
                run_id=run,
                parent_id=parent,
                kind=kind,
                name=run.rsplit(".", maxsplit=1)[-1],
                inputs=(given,),
                at=self._at + seq / 10,
                metadata={} if parent else self._metadata,
            )
        )

    def end(self, run: str, *outputs: Piece) -> None:
        seq = len(self.events) + 1
        self.events.append(RunEnded(seq=seq, run_id=run, outputs=outputs, at=self._at + seq / 10))


def _run(log: _Log, run: str, question: str, passages: Sequence[str], answer: str) -> Trace:
    documents = [
        Piece(text=text, path=("documents", n), form="document", id=f"{run}.{n}", attributes={"source": _source(text)})
        for n, text in enumerate(passages)
    ]
    log.start(run, "chain", Piece(text=question, path=("input",)))
    log.start(f"{run}.search", "retriever", Piece(text=question, path=("query",)), run)
    log.end(f"{run}.search", *documents)
    log.start(f"{run}.answer", "model", Piece(text="\n".join([*passages, "", question])), run)
    log.end(f"{run}.answer", Piece(text=answer, form="message", role="assistant"))
    log.end(run, Piece(text=answer))
    return recorded(run, log.events)


def _source(passage: str) -> str:
    kind = next(kind for kind, (_, says, _) in _KINDS.items() if passage.startswith(says.split("{", 1)[0]))
    return f"{kind}.md"
