"""Thirty days of a played shop assistant: two rollouts, one of which breaks retrieval for one kind of question.

Questions, passages and answers are made up; judge and diagnosis are real.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from trail_callbacks.capture.events import Event, Piece, RunEnded, RunKind, RunStarted
from trail_callbacks.diagnosis import diagnose
from trail_callbacks.report import Report
from trail_callbacks.trace import Trace
from trail_callbacks.trace.recorded import recorded
from trail_callbacks.verify.pipeline import verify

DAYS = 30
BAD = "returns"
"""The kind of question that the second rollout breaks."""

ROLLOUTS = ((0, "shop-1", "index-1"), (11, "shop-2", "index-1"), (20, "shop-2", "index-2"))
"""Day from which an app and an index answer."""

_DAY = 86_400.0
_SLIPS = 0.04  # share of answers in which the model says another number
_LOST = 0.7  # share of the questions of the bad kind for which the new index brings nothing
_RETRIEVED = 3


class Played(NamedTuple):
    """A run of which it is known what ought to be retrieved."""

    trace: Trace
    gold: str  # id of the passage that answers

    def judged(self) -> Report:
        """Verifies and diagnoses it with the offline judge: with the passage known, shared words decide nothing."""
        report = verify(self.trace)
        return replace(report, diagnosis=diagnose(self.trace, report=report, gold=[self.gold]))


class _Fact(NamedTuple):
    id: str
    kind: str
    question: str
    says: str  # with a place for the number
    number: int


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


def traffic(runs: int, until: float, seed: int = 1) -> Iterator[Played]:
    """Yields runs, the oldest first, evenly over the days before a time.

    Args:
        runs: How many.
        until: When the last one ends, seconds since the epoch.
        seed: The same seed plays the same runs.
    """
    rng = random.Random(seed)  # noqa: S311 - plays traffic
    facts = [
        _Fact(f"{kind}/{name}", kind, question.format(name), says.format(name), rng.randint(low, high))
        for kind, (question, says, (low, high)) in _KINDS.items()
        for name in _NAMES[kind]
    ]
    lost = {fact for fact in facts if fact.kind == BAD and rng.random() < _LOST}
    for n in range(runs):
        at, day = until - DAYS * _DAY * (1 - n / runs), DAYS * n / runs
        _, app, index = [each for each in ROLLOUTS if each[0] <= day][-1]
        asked = rng.choice(facts)
        others = rng.sample([fact for fact in facts if fact is not asked], _RETRIEVED)
        found = [asked, *others[1:]] if index == "index-1" or asked not in lost else []
        rng.shuffle(found)
        right = rng.random() >= _SLIPS
        said = asked.says.format(asked.number if right else asked.number + rng.randint(1, 9))
        metadata = {
            "query_class": asked.kind,
            "tenant": rng.choice(["north", "south"]),
            "app_version": app,
            "index_version": index,
        }
        said = said if asked in found else "I do not know that."
        run = _run(f"run-{seed}-{n:05}", at, metadata, question=asked.question, found=found, answer=said)
        yield Played(run, asked.id)


def _run(
    run: str, at: float, metadata: Mapping[str, str], *, question: str, found: Sequence[_Fact], answer: str
) -> Trace:
    """A run of three steps, whose events are a tenth of a second apart."""
    texts = {fact.id: fact.says.format(fact.number) for fact in found}
    events: list[Event] = []

    def start(name: str, kind: RunKind, text: str, path: str = "") -> None:
        seq = len(events) + 1
        events.append(
            RunStarted(
                seq=seq,
                run_id=f"{run}{name}",
                parent_id=run if name else None,
                kind=kind,
                name=name.removeprefix(".") or run,
                inputs=(Piece(text=text, path=(path,) if path else ()),),
                at=at + seq / 10,
                metadata={} if name else metadata,
            )
        )

    def end(name: str, *outputs: Piece) -> None:
        seq = len(events) + 1
        events.append(RunEnded(seq=seq, run_id=f"{run}{name}", outputs=outputs, at=at + seq / 10))

    start("", "chain", question, "input")
    start(".search", "retriever", question, "query")
    pieces = (
        Piece(
            text=texts[each.id],
            path=("documents", n),
            form="document",
            id=each.id,
            attributes={"source": f"{each.kind}.md"},
        )
        for n, each in enumerate(found)
    )
    end(".search", *pieces)
    start(".answer", "model", "\n".join([*texts.values(), "", question]))
    end(".answer", Piece(text=answer, form="message", role="assistant"))
    end("", Piece(text=answer))
    return recorded(run, events)
