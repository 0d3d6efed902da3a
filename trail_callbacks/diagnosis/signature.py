"""The signature of a run: what its figures look like together. The earliest confirmed break wins.

A break is confirmed by the caller's gold passages, by what code can see (a query that lost a name, a passage that was
dropped), or by a judge's reading. What only shared words suggest wins if nothing is confirmed.
"""

from __future__ import annotations

from dataclasses import dataclass

from trail_callbacks.diagnosis.breaks import breaks_of, conflicts
from trail_callbacks.diagnosis.case import Case
from trail_callbacks.report.diagnosis import Break, Signature

__all__ = ["LOOK_AT", "Outcome", "decide"]

LOOK_AT: dict[Signature, tuple[str, ...]] = {
    "rewrite_loss": ("Compare the queries with the request: a rewriter must keep names, dates and conditions.",),
    "recall_failure": (
        "Is the passage in the index at all? If it is, search for it by the request and by its own words.",
        "Then look at the number of candidates, the embedding, the filters and the chunks.",
    ),
    "selection_failure": (
        "Look at the ranks before and after the step named: the passage was there and was left out.",
        "Then look at the number that is kept, the score cutoff and the token budget.",
    ),
    "truncation": ("Look at the chunk size and the token budget of the prompt: the part that matters was cut off.",),
    "source_conflict": ("Decide which source is right, and remove, date or rank down the other.",),
    "grounding_failure": ("Retrieval and selection did their part: look at prompt and model, and guard the answer.",),
    "right_by_memory": (
        "The model knew it; do not rely on that. Look at the stage that lost the passage.",
        "Then tell the model to answer from its passages only.",
    ),
    "should_have_abstained": ("Tell the model to say so when its passages do not answer; a guard can enforce it.",),
    "none": (),
    "undetermined": ("Diagnose again with a model as judge, and with gold passages if you know them.",),
}  # fmt: skip
"""What to look at next, by signature, in the order retrieval, selection, grounding."""


@dataclass(frozen=True)
class Outcome:
    """What is decided.

    Attributes:
        signature: The signature.
        breaks: The confirmed breaks, the earliest first; with nothing confirmed, what shared words suggest.
        reasons: What the signature rests on.
    """

    signature: Signature
    breaks: tuple[Break, ...]
    reasons: tuple[str, ...]


def decide(case: Case) -> Outcome:
    """Decides the signature of a run."""
    conflict = bool(list(conflicts(case)))
    symptoms = bool(case.wrong or case.memories or case.abstained or conflict)
    if not symptoms and not case.undecided:
        return Outcome("none", (), _nothing(case))
    found = tuple(breaks_of(case))
    breaks = tuple(each for each in found if each.certainty != "low") or found
    if case.memories and not (case.wrong or conflict or case.abstained):
        held = f"{len(case.memories)} claims hold by texts that the model was not shown"
        return Outcome("right_by_memory", breaks, (held, *(breaks[0].reasons if breaks else ())))
    if breaks:
        return Outcome(breaks[0].signature, breaks, breaks[0].reasons)
    if case.abstained and (case.enough is False or case.unanswerable):
        return Outcome("none", (), ("the answer declines, and nothing that was retrieved answers the question",))
    return Outcome("undetermined", (), _unknown(case))


def _nothing(case: Case) -> tuple[str, ...]:
    figure = case.coverage.answer
    return (
        (f"all {figure.n} decided claims are supported by the prompt",) if figure.n else ("the answer states nothing",)
    )


def _unknown(case: Case) -> tuple[str, ...]:
    reasons = []
    if case.survey.error:
        reasons.append(f"the question was not surveyed: {case.survey.error}")
    if case.undecided:
        n = len(case.report.undecided)
        reasons.append(f"{n} claim{'' if n == 1 else 's'} undecided (state: {case.report.state})")
    if not case.reach.candidates:
        reasons.append("no retrieval was recorded before the answer")
    elif not case.reach.packs:
        reasons.append("no prompt behind the answer was recorded: what was selected is unknown")
    if case.survey.answers is None:
        reasons.append("whether the passages answer the question was not judged")
    return tuple(reasons) or ("no figure shows where it began",)
