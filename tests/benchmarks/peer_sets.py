"""The labelled answers that `peers.py` measures on: every tool gets the same question, sources and answer."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gold_runs import UNSUPPORTED
from relay_sets import SEED
from relay_sets import SETS as ITEMS

from trail_callbacks.text import locate

WRONG, RIGHT = 16, 24  # of ragtruth: wrong answers are one in five there, too few of a sample of 40
ALL = 10**6
UNASKED = "What do the sources say?"
"""Half of natural came without a question, which two of the tools refuse."""


@dataclass(frozen=True)
class Case:
    """An answer and whether it says anything wrong; `sentences` are `(start, end, wrong)`, where they have labels."""

    set: str
    id: str
    question: str
    sources: list[str]
    answer: str
    wrong: bool
    sentences: tuple[tuple[int, int, bool], ...] = ()


def natural(folder: Path) -> list[Case]:
    found = []
    for line in (folder / "natural_dev.jsonl").read_text(encoding="utf-8").splitlines():
        row, at, sentences = json.loads(line), 0, []
        for one in row["sentences"]:
            start, at = locate(one["text"], row["answer"], at)
            sentences.append((start, at, not one["ok"]))
        wrong = any(bad for *_, bad in sentences)
        found.append(
            Case(
                "natural", row["id"], row["question"] or UNASKED, row["sources"], row["answer"], wrong, tuple(sentences)
            )
        )
    return found


def ragtruth(folder: Path) -> list[Case]:
    items = list(ITEMS["ragtruth"](folder, ALL))
    chosen = []
    for wrong, size in ((True, WRONG), (False, RIGHT)):
        side = [item for item in items if item.row["hallucinated"] is wrong]
        chosen += random.Random(SEED).sample(side, min(size, len(side)))  # noqa: S311 - a sample, no secret
    return [
        Case("ragtruth", one.id, one.row["question"], one.sources, one.row["response"], one.row["hallucinated"])
        for one in chosen
    ]


def planted(folder: Path) -> list[Case]:
    """The answers of the multi-step runs, with what the runs read: no tool is shown the steps between."""
    return [
        Case(
            "planted", item.id, item.graph.question.text, item.sources, item.graph.answer.text,
            any(fact.support in UNSUPPORTED for fact in item.facts),
        )
        for item in ITEMS["planted"](folder, 0)
    ]  # fmt: skip


SETS: dict[str, Callable[[Path], list[Case]]] = {"natural": natural, "ragtruth": ragtruth, "planted": planted}


def cases(name: str, folder: Path, limit: int) -> list[Case]:
    """The cases of a set in a fixed mixed order, which says nothing about labels; the first `limit`, or all."""
    found = SETS[name](folder)
    random.Random(SEED).shuffle(found)  # noqa: S311 - as above
    return found[: limit or None]


if __name__ == "__main__":
    print("a part of peers.py; measures nothing by itself", file=sys.stderr)
