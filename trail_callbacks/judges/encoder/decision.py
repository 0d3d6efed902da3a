"""From what models make of a claim to a judgement.

| what a model says | class |
| --- | --- |
| support clearly above its threshold | supported |
| contradiction of at least 0.8, higher than support, by a sentence on the subject | contradicted |
| support within the margin of the threshold | undecided |
| some sentences supported, others not; or few words unbacked, no number or name among them | partially_supported |
| anything else | absent |

A model with two classes never says contradicted. A text too long to be read and an answer that is not a number are
errors, never absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from trail_callbacks.evidence import Evidence, quoted
from trail_callbacks.judges.encoder.reading import Reading
from trail_callbacks.judges.judge import Judgement
from trail_callbacks.language.terms import keys
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["Thresholds", "decide", "states"]

Outcome: TypeAlias = SupportClass | Literal["undecided"]

CONTRADICTED_AT = 0.8
"""Probability from which a sentence contradicts: over many chunks a lower one comes up by chance."""

_MINOR = 0.5  # share of a claim's characters below which what is unbacked is a part of it
_SHOWN = 4  # unbacked parts that a rationale names


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where lines are drawn.

    Attributes:
        support: Probability from which a claim is supported.
        margin: How far from that a probability must be to decide.
    """

    support: float
    margin: float


def states(reading: Reading, thresholds: Thresholds) -> bool:
    """Tells whether what was read states a claim; either it does or it does not."""
    return reading.failure is None and reading.support >= thresholds.support


def decide(
    claim_id: str, parts: Sequence[tuple[str, Reading]], thresholds: Thresholds, *, contradictions: bool
) -> Judgement:
    """Makes the judgement on a claim.

    Args:
        claim_id: The claim.
        parts: Its sentences, each with what was read of it; at least one.
        thresholds: Where lines are drawn.
        contradictions: Whether a model was asked that can tell contradicted from absent.
    """
    failed = next((reading.failure for _, reading in parts if reading.failure is not None), None)
    if failed is not None:
        return Judgement(claim_id=claim_id, error=failed)
    outcomes = [_outcome(text, reading, thresholds) for text, reading in parts]
    first: Outcome
    for first, make in ((SupportClass.CONTRADICTED, _contradicted), ("undecided", _undecided)):
        if first in outcomes:
            return make(claim_id, parts[outcomes.index(first)][1], thresholds)
    if all(outcome is SupportClass.SUPPORTED for outcome in outcomes):
        return _supported(claim_id, [reading for _, reading in parts])
    whole = SupportClass.ABSENT
    if any(outcome in {SupportClass.SUPPORTED, SupportClass.PARTIALLY_SUPPORTED} for outcome in outcomes):
        whole = SupportClass.PARTIALLY_SUPPORTED
    judgement = _unsupported(claim_id, whole, parts, outcomes, contradictions=contradictions)
    unsupported = tuple(text for (text, _), o in zip(parts, outcomes, strict=True) if o is not SupportClass.SUPPORTED)
    return replace(judgement, faults=unsupported if len(unsupported) < len(parts) else ())


def _outcome(text: str, reading: Reading, thresholds: Thresholds) -> Outcome:
    against = reading.against or 0.0
    if against >= CONTRADICTED_AT and against > reading.support and _on_subject(text, reading):
        return SupportClass.CONTRADICTED
    above = round(reading.support - thresholds.support, 9)  # 0.6 is 0.1 above 0.5
    if above >= thresholds.margin:
        return SupportClass.SUPPORTED
    if above > -thresholds.margin:
        return "undecided"
    minor = 0.0 < reading.share < _MINOR and not any(_is_fact(part, text) for part in reading.unbacked)
    return SupportClass.PARTIALLY_SUPPORTED if minor else SupportClass.ABSENT


def _is_fact(part: str, text: str) -> bool:
    """Whether words hold a number or a name, which is no minor part; the capital that begins a claim is no name."""
    words = part.split()
    names = words[1:] if text.lstrip().startswith(part) else words
    return any(sign.isdigit() for sign in part) or any(word.lstrip("\"'(")[:1].isupper() for word in names)


def _on_subject(text: str, reading: Reading) -> bool:
    """A model also finds that texts about two different things exclude each other."""
    opposing = reading.opposing
    return opposing is not None and not set(keys(text)).isdisjoint(keys(f"{opposing.before}\n{opposing.text}"))


def _supported(claim_id: str, readings: Sequence[Reading]) -> Judgement:
    evidence = [quoted(one.supporting, "supports") for one in readings if one.supporting is not None]
    against = [
        quoted(one.opposing, "contradicts")
        for one in readings
        if one.opposing is not None and (one.against or 0.0) >= CONTRADICTED_AT and one.opposing != one.supporting
    ]
    least = min(one.support for one in readings)
    other = "; another passage seems to say otherwise" if against else ""
    return Judgement(
        claim_id=claim_id,
        support=SupportClass.SUPPORTED,
        rationale=f"The model finds it supported (score {least:.2f}){other}.",
        evidence=_distinct([*evidence, *against]),
    )


def _contradicted(claim_id: str, reading: Reading, thresholds: Thresholds) -> Judgement:
    evidence = [] if reading.opposing is None else [quoted(reading.opposing, "contradicts")]
    if reading.supporting is not None and states(reading, thresholds):
        evidence.append(quoted(reading.supporting, "supports"))
    return Judgement(
        claim_id=claim_id,
        support=SupportClass.CONTRADICTED,
        error_type=ErrorType.OTHER,
        rationale=f"The model finds it contradicted (score {reading.against or 0.0:.2f}).",
        evidence=_distinct(evidence),
    )


def _undecided(claim_id: str, reading: Reading, thresholds: Thresholds) -> Judgement:
    near = f"within {thresholds.margin:.2f} of the {thresholds.support:.2f} from which it supports"
    return Judgement(
        claim_id=claim_id,
        undecided=f"the model's score of {reading.support:.2f} is {near}",
        evidence=() if reading.supporting is None else (quoted(reading.supporting, "nearest"),),
    )


def _unsupported(
    claim_id: str,
    support: SupportClass,
    parts: Sequence[tuple[str, Reading]],
    outcomes: Sequence[Outcome],
    *,
    contradictions: bool,
) -> Judgement:
    lacking = [reading for (_, reading), one in zip(parts, outcomes, strict=True) if one is not SupportClass.SUPPORTED]
    words = [repr(part) for reading in lacking for part in reading.unbacked][:_SHOWN]
    found = f"The model finds nothing for {', '.join(words)}" if words else "The model finds no support"
    said = [f"{found} (score {min(reading.support for reading in lacking):.2f})."]
    if not contradictions:
        said.append("It cannot tell contradicted from absent.")
    read, there = max((reading.read, reading.chunks) for reading in lacking)
    if read < there:
        said.append(f"Of {there} parts of the sources it read the {read} that share most words with the claim.")
    held = support is SupportClass.PARTIALLY_SUPPORTED
    evidence = [
        quoted(reading.supporting, "supports")
        for (_, reading), one in zip(parts, outcomes, strict=True)
        if held and reading.supporting is not None and one is not SupportClass.ABSENT
    ]
    return Judgement(
        claim_id=claim_id,
        support=support,
        error_type=ErrorType.OTHER,
        rationale=" ".join(said),
        evidence=_distinct(evidence),
    )


def _distinct(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys(evidence))
