"""Answers with the outcome that a reader gave them.

A line has the id of a probe, the arm (`!` behind it: no passage with the fact was served), the outcome (`+r`: it also
rejects the documents), and the answer, in which `\\n` is a line break.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from trail_callbacks.canary import Arm, Outcome, Probe

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Labelled:
    probe: Probe
    arm: Arm
    served: bool | None
    outcome: Outcome
    rejects: bool
    answer: str


def probes(name: str = "probes.json") -> dict[str, Probe]:
    return {each["id"]: Probe(**each) for each in json.loads((HERE / name).read_text(encoding="utf-8"))}


def labelled(name: str = "answers.tsv", of: str = "probes.json") -> list[Labelled]:
    known, found = probes(of), []
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        id_, arm, outcome, answer = line.split("\t", 3)
        label, _, rejects = outcome.partition("+")
        found.append(
            Labelled(
                known[id_],
                cast("Arm", arm.rstrip("!")),
                False if arm.endswith("!") else None,
                cast("Outcome", label),
                rejects == "r",
                answer.replace("\\n", "\n"),
            )
        )
    return found
