"""Canary runs to open as pages: an ordinary one, and one whose every field holds texts that try to be more."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

from hostile import report

from trail_callbacks import check
from trail_callbacks.canary import ARMS, KINDS, OUTCOMES, Arm, Finding, Outcome, Probe, Run, Skipped, Strategy, Trial
from trail_callbacks.canary.report.page import to_page
from trail_callbacks.canary.report.results import assess

_NUMBER = 40


def ordinary(folder: Path) -> Run:
    """Forty probes, four strategies, four arms; the runs of some trials were really judged."""
    probes = [
        Probe(
            id=f"number-{n}", question=f"How long does the ferry to isle {n} take?", real="40 minutes",
            fictive=None if KINDS[n % 10] == "unanswerable" else "53 minutes",
            also="61 minutes" if KINDS[n % 10] == "inconsistent" else None, documents=(f"ferries-{n // 4}.md",),
            real_quote=f"The ferry to isle {n} takes 40 minutes.", kind=KINDS[n % 10],
            fictive_quote=f"The ferry to isle {n} takes 53 minutes.", subject=("Fähren", "渡し船")[n % 2],
            size=(None, "small", "large")[n % 3],
        )
        for n in range(_NUMBER)
    ]  # fmt: skip
    names = ("sentence, html", "sentence, plain", "500/100, html", "مقاطع، 1000/200")
    trials = []
    for number, name in enumerate(names):
        for arm in ARMS:
            outcomes = islice(cycle(OUTCOMES[: 1 + number * 2] if arm == "fictive" else OUTCOMES), _NUMBER)
            trials += [_trial(probe, arm, name, outcome) for probe, outcome in zip(probes, outcomes, strict=True)]
    for n in range(0, len(trials), 37):
        asked = next(each for each in probes if each.id == trials[n].probe)
        found = check(
            trials[n].answer or "", [f"Dogs are welcome. {asked.fictive_quote} Bring a coat."], asked.question
        )
        (folder / f"{n}.json").write_text(found.to_json(), "utf-8")
        trials[n] = replace(trials[n], report=f"{n}.json")
    return Run(
        probes={each.id: each for each in probes},
        strategies={name: Strategy(name, {"model": f"model-{n % 2}"}) for n, name in enumerate(names)},
        arms=ARMS,
        trials=trials,
        skipped=[Skipped("number-77", "its passage is gone")],
        settings={"twin": "9f3c", "seed": 0, "judge": "local"},
        stopped="the budget of 4,000 calls is spent",
        folder=folder,
    )


def _trial(probe: Probe, arm: Arm, strategy: str, outcome: Outcome) -> Trial:
    value = {"follows_context": probe.fictive, "leaks_prior": probe.real, "blends": "40 or 53 minutes"}.get(outcome)
    return Trial(
        probe=probe.id, arm=arm, strategy=strategy,
        answer=None if outcome == "unscorable" else f"It takes {value}." if value else "I do not know.",
        finding=Finding(outcome=outcome, how="error" if outcome == "unscorable" else "value", reason="40 min = 40 min"),
        error="TimeoutError: 30 s" if outcome == "unscorable" else None, served=outcome != "retrieval_miss",
    )  # fmt: skip


def page(folder: Path) -> str:
    """The page of the ordinary run."""
    return to_page(assess(ordinary(folder)))


def hostile_page(folder: Path, texts: Sequence[str]) -> str:
    """The page of a run in which every field holds one of these texts."""
    said = list(islice(cycle(texts), max(len(texts), len(OUTCOMES))))
    probes = [
        Probe(
            id=f"p{n} {text}", question=text, real=f"real {text}", fictive=f"fictive {text}", also=text,
            documents=(text,), real_quote=f"It is real {text}", fictive_quote=f"It is fictive {text}", kind="number",
            subject=f"{n} {text}", edit=text,
        )
        for n, text in enumerate(said)
    ]  # fmt: skip
    names = [f"s{n} {text}" for n, text in enumerate(texts)]
    trials = [
        Trial(
            probe=probe.id, arm="fictive", strategy=name, answer=text, error=f"{n} {text}", served=True,
            finding=Finding(outcome=OUTCOMES[(n + shift) % len(OUTCOMES)], how="words", reason=text),
        )
        for shift, name in enumerate(names[:3])
        for n, (probe, text) in enumerate(zip(probes, said, strict=True))
    ]  # fmt: skip
    whole = report(*texts).to_json()
    (folder / "hostile.json").write_text(json.dumps(json.loads(whole)), "ascii")
    trials = [replace(each, report="hostile.json") for each in trials]
    run = Run(
        probes={each.id: each for each in probes},
        strategies={name: Strategy(name, {"model": text}) for name, text in zip(names, texts, strict=True)},
        arms=ARMS,
        trials=trials,
        skipped=[Skipped(text, text) for text in texts],
        settings=dict(zip(texts, texts, strict=True)),
        stopped=texts[0],
        folder=folder,
    )
    return to_page(assess(run), title=texts[0])
