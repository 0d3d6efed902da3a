"""Canary runs made by hand: probes of which the outcome under each arm is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trail_callbacks.canary import ARMS, Arm, Finding, Outcome, Probe, Run, Strategy, Trial

_STATES = {"follows_context": "fictive", "leaks_prior": "real"}


def probe(n: int | str, **fields: Any) -> Probe:
    """A probe about the ferry of one town."""
    given = {
        "question": f"How long does ferry {n} take?",
        "real": "40 minutes",
        "fictive": "53 minutes",
        "kind": "number",
        "size": "small",
        "documents": (f"ferry-{n}.md",),
        "real_quote": f"Ferry {n} takes 40 minutes.",
        "fictive_quote": f"Ferry {n} takes 53 minutes.",
    }
    return Probe(**{"id": f"p{n}", **given, **fields})


def trial(probe_: Probe, arm: Arm, outcome: Outcome, strategy: str = "one", **fields: Any) -> Trial:
    """A trial; what the answer states is what its outcome says."""
    finding_fields = {key: fields.pop(key) for key in ("states", "rejects", "how", "reason") if key in fields}
    stated = "real" if arm == "real" and outcome == "follows_context" else _STATES.get(outcome)
    given = {"how": "error" if outcome == "unscorable" else "value", "states": (stated,) if stated else ()}
    finding = Finding(outcome=outcome, **{**given, **finding_fields})
    answer = None if outcome == "unscorable" else f"It takes {probe_.real if stated == 'real' else probe_.fictive}."
    return Trial(
        **{
            "probe": probe_.id,
            "arm": arm,
            "strategy": strategy,
            "answer": answer,
            "finding": finding,
            "served": None if arm in ("closed_book", "empty") else outcome != "retrieval_miss",
            "error": "TimeoutError: 30 s" if outcome == "unscorable" else None,
            **fields,
        }
    )


def run(
    outcomes: Mapping[str, Mapping[Arm, Sequence[Outcome | None]]],
    probes: Sequence[Probe] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    **fields: Any,
) -> Run:
    """A run: of each strategy and arm the outcome of each probe in turn; None was not asked."""
    most = max((len(each) for arms in outcomes.values() for each in arms.values()), default=0)
    asked = list(probes) if probes is not None else [probe(n) for n in range(most)]
    return Run(
        probes={each.id: each for each in asked},
        strategies={name: Strategy(name, (parameters or {}).get(name, {})) for name in outcomes},
        arms=[arm for arm in ARMS if any(arm in arms for arms in outcomes.values())],
        trials=[
            trial(each, arm, outcome, name)
            for name, arms in outcomes.items()
            for arm, found in arms.items()
            for each, outcome in zip(asked, found, strict=False)
            if outcome is not None
        ],
        **fields,
    )
