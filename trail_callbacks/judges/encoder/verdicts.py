"""Judgements on several claims at once, by models that are loaded: on evidence, on who states them, on their errors.

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

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence, Passage, quoted
from trail_callbacks.judges.encoder.inference import Asked, Grounding, likeliest, statements
from trail_callbacks.judges.encoder.readers import Reader, TokenReader
from trail_callbacks.judges.judge import Judgement, Question, absent
from trail_callbacks.language.terms import keys
from trail_callbacks.models.call import Pipeline
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass
from trail_callbacks.text import encodable, sentences

_Outcome: TypeAlias = SupportClass | Literal["undecided"]

_CONTRADICTED_AT = 0.8
"""Probability from which a sentence contradicts: over many chunks a lower one comes up by chance."""

_MINOR = 0.5  # share of a claim's characters below which what is unbacked is a part of it
_SHOWN = 4  # unbacked parts that a rationale names
_COMPARED = 12  # sentences in which the offline checks look for the type of an error


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The probability from which a claim is supported, and how far from that one must be to decide."""

    support: float
    margin: float


def verdicts(
    questions: Sequence[Question],
    settled: dict[int, Judgement],
    first: Reader,
    second: Reader | None,
    thresholds: Thresholds,
) -> Pipeline[list[Judgement]]:
    """Judges claims by what models read."""
    asks: list[Asked] = []
    places: list[tuple[int, ...]] = []
    for n, question in enumerate(questions):
        passages = statements(question.passages)
        texts = () if n in settled else _parts(question.claim.text, first)
        places.append(tuple(range(len(asks), len(asks) + len(texts))))
        asks += [Asked(text, passages) for text in texts]
    readings = yield from first.read(asks)
    if second is not None:
        readings = yield from _contradictions(asks, readings, second, thresholds)
    told = second is not None or any(reading.against is not None for reading in readings)
    decided = [
        settled[n]
        if n in settled
        else decide(
            question.claim.id, [(asks[i].text, readings[i]) for i in places[n]], thresholds, contradictions=told
        )
        for n, question in enumerate(questions)
    ]
    near = [tuple(p for i in places[n] for p in readings[i].near) for n in range(len(questions))]
    return (yield from _typed(questions, decided, near))


def _parts(claim: str, reader: Reader) -> tuple[str, ...]:
    """The sentences of a claim: pair classifiers were trained on one; token classifiers take it as it is."""
    if isinstance(reader, TokenReader):
        return (claim,)
    return tuple(one.text for one in sentences(encodable(claim)) if keys(one.text)) or (claim,)


def _contradictions(
    asks: Sequence[Asked], readings: Sequence[Grounding], second: Reader, thresholds: Thresholds
) -> Pipeline[list[Grounding]]:
    """Has a second model read what the first does not clearly support."""
    enough = thresholds.support + thresholds.margin
    open_ = [i for i, reading in enumerate(readings) if reading.failure is None and reading.support < enough]
    merged = list(readings)
    found = yield from second.read([asks[i] for i in open_])
    for i, other in zip(open_, found, strict=True):
        if other.failure is not None:
            merged[i] = Grounding(failure=other.failure)
        else:
            merged[i] = replace(readings[i], against=other.against, opposing=other.opposing)
    return merged


def stating(questions: Sequence[Question], reader: Reader, thresholds: Thresholds) -> Pipeline[list[Judgement]]:
    """Which nodes state each claim, each node read by itself."""
    asks: list[Asked] = []
    places: list[range] = []
    for question in questions:
        by_node: dict[str, list[Passage]] = {}
        for passage in statements(question.passages):
            by_node.setdefault(passage.node_id, []).append(passage)
        places.append(range(len(asks), len(asks) + len(by_node)))
        asks += [Asked(question.claim.text, tuple(passages)) for passages in by_node.values()]
    readings = yield from reader.read(asks)
    judgements = []
    for question, place in zip(questions, places, strict=True):
        ours = [readings[i] for i in place]
        failed = next((reading.failure for reading in ours if reading.failure is not None), None)
        stating = [one.supporting for one in ours if states(one, thresholds) and one.supporting is not None]
        if failed is not None:
            judgements.append(Judgement(claim_id=question.claim.id, error=failed))
        elif stating:
            judgements.append(
                Judgement(
                    claim_id=question.claim.id,
                    support=SupportClass.SUPPORTED,
                    rationale=f"The model finds it stated (score {max(reading.support for reading in ours):.2f}).",
                    evidence=tuple(quoted(passage, "supports") for passage in stating),
                )
            )
        else:
            judgements.append(absent(question.claim.id, "The model finds it stated nowhere here."))
    return judgements


def _typed(
    questions: Sequence[Question], decided: Sequence[Judgement], near: Sequence[tuple[Passage, ...]]
) -> Pipeline[list[Judgement]]:
    """Names the error of unsupported claims, as far as the offline checks see one: an encoder sees none."""
    from trail_callbacks.judges.local.judge import LocalJudge  # noqa: PLC0415 - only where a claim is unsupported

    open_ = [i for i, one in enumerate(decided) if one.support in UNSUPPORTED and near[i]]
    typed = list(decided)
    if not open_:
        return typed
    asked = [_nearest(questions[i].claim, near[i]) for i in open_]
    checks = yield from LocalJudge().assess(asked)
    for i, check in zip(open_, checks.judgements, strict=True):
        if check.support in UNSUPPORTED and check.error_type not in {None, ErrorType.OTHER}:
            typed[i] = replace(decided[i], error_type=check.error_type, detail=check.detail)
    return typed


def _nearest(claim: Claim, passages: Sequence[Passage]) -> Question:
    text = encodable(claim.text)
    return Question(claim=replace(claim, text=text), passages=tuple(likeliest(text, passages)[:_COMPARED]))


def states(reading: Grounding, thresholds: Thresholds) -> bool:
    """Tells whether what was read states a claim; either it does or it does not."""
    return reading.failure is None and reading.support >= thresholds.support


def decide(
    claim_id: str, parts: Sequence[tuple[str, Grounding]], thresholds: Thresholds, *, contradictions: bool
) -> Judgement:
    """Makes the judgement on a claim."""
    failed = next((reading.failure for _, reading in parts if reading.failure is not None), None)
    if failed is not None:
        return Judgement(claim_id=claim_id, error=failed)
    outcomes = [_outcome(text, reading, thresholds) for text, reading in parts]
    first: _Outcome
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


def _outcome(text: str, reading: Grounding, thresholds: Thresholds) -> _Outcome:
    against = reading.against or 0.0
    if against >= _CONTRADICTED_AT and against > reading.support and _on_subject(text, reading):
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


def _on_subject(text: str, reading: Grounding) -> bool:
    """A model also finds that texts about two different things exclude each other."""
    opposing = reading.opposing
    return opposing is not None and not set(keys(text)).isdisjoint(keys(f"{opposing.before}\n{opposing.text}"))


def _supported(claim_id: str, readings: Sequence[Grounding]) -> Judgement:
    evidence = [quoted(one.supporting, "supports") for one in readings if one.supporting is not None]
    against = [
        quoted(one.opposing, "contradicts")
        for one in readings
        if one.opposing is not None and (one.against or 0.0) >= _CONTRADICTED_AT and one.opposing != one.supporting
    ]
    least = min(one.support for one in readings)
    other = "; another passage seems to say otherwise" if against else ""
    return Judgement(
        claim_id=claim_id,
        support=SupportClass.SUPPORTED,
        rationale=f"The model finds it supported (score {least:.2f}){other}.",
        evidence=_distinct([*evidence, *against]),
    )


def _contradicted(claim_id: str, reading: Grounding, thresholds: Thresholds) -> Judgement:
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


def _undecided(claim_id: str, reading: Grounding, thresholds: Thresholds) -> Judgement:
    near = f"within {thresholds.margin:.2f} of the {thresholds.support:.2f} from which it supports"
    return Judgement(
        claim_id=claim_id,
        undecided=f"the model's score of {reading.support:.2f} is {near}",
        evidence=() if reading.supporting is None else (quoted(reading.supporting, "nearest"),),
    )


def _unsupported(
    claim_id: str,
    support: SupportClass,
    parts: Sequence[tuple[str, Grounding]],
    outcomes: Sequence[_Outcome],
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
