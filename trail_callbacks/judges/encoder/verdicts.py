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
from trail_callbacks.evidence import Evidence, Passage, Relation, quoted
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
        else _decided(question, [(asks[i].text, readings[i]) for i in places[n]], thresholds, contradictions=told)
        for n, question in enumerate(questions)
    ]
    near = [tuple(p for i in places[n] for p in readings[i].near) for n in range(len(questions))]
    return (yield from _typed(questions, decided, near))


def _decided(
    question: Question, parts: Sequence[tuple[str, Grounding]], thresholds: Thresholds, *, contradictions: bool
) -> Judgement:
    """The judgement with its score: that of the part that is supported least."""
    judgement = decide(question.claim.id, parts, thresholds, contradictions=contradictions)
    return judgement if judgement.error else replace(judgement, score=min(reading.support for _, reading in parts))


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
    readings = [reading for _, reading in parts]
    failed = next((reading.failure for reading in readings if reading.failure is not None), None)
    if failed is not None:
        return Judgement(claim_id=claim_id, error=failed)
    outcomes = [_outcome(text, reading, thresholds) for text, reading in parts]
    if SupportClass.CONTRADICTED in outcomes:
        denied = readings[outcomes.index(SupportClass.CONTRADICTED)]
        stated = denied.supporting if states(denied, thresholds) else None
        return Judgement(
            claim_id=claim_id,
            support=SupportClass.CONTRADICTED,
            error_type=ErrorType.OTHER,
            rationale=f"The model finds it contradicted (score {denied.against or 0.0:.2f}).",
            evidence=_cited((denied.opposing, "contradicts"), (stated, "supports")),
        )
    if "undecided" in outcomes:
        open_ = readings[outcomes.index("undecided")]
        near = f"within {thresholds.margin:.2f} of the {thresholds.support:.2f} from which it supports"
        return Judgement(
            claim_id=claim_id,
            undecided=f"the model's score of {open_.support:.2f} is {near}",
            evidence=_cited((open_.supporting, "nearest")),
        )
    if all(outcome is SupportClass.SUPPORTED for outcome in outcomes):
        disputed = [r for r in readings if (r.against or 0.0) >= _CONTRADICTED_AT and r.opposing != r.supporting]
        against = _cited(*((reading.opposing, "contradicts") for reading in disputed))
        other = "; another passage seems to say otherwise" if against else ""
        return Judgement(
            claim_id=claim_id,
            support=SupportClass.SUPPORTED,
            rationale=f"The model finds it supported (score {min(r.support for r in readings):.2f}){other}.",
            evidence=(*_cited(*((reading.supporting, "supports") for reading in readings)), *against),
        )
    lacking = [(text, r, o) for (text, r), o in zip(parts, outcomes, strict=True) if o is not SupportClass.SUPPORTED]
    held = any(outcome is not SupportClass.ABSENT for outcome in outcomes)
    partly = [reading for _, reading, outcome in lacking if outcome is not SupportClass.ABSENT]
    return Judgement(
        claim_id=claim_id,
        support=SupportClass.PARTIALLY_SUPPORTED if held else SupportClass.ABSENT,
        error_type=ErrorType.OTHER,
        rationale=_lacking([reading for _, reading, _ in lacking], contradictions=contradictions),
        evidence=_cited(*((reading.supporting, "supports") for reading in partly)),
        faults=tuple(text for text, _, _ in lacking) if len(lacking) < len(parts) else (),
    )


def _lacking(readings: Sequence[Grounding], *, contradictions: bool) -> str:
    """What the model lacks for a claim, or for parts of it."""
    words = [repr(part) for reading in readings for part in reading.unbacked][:_SHOWN]
    found = f"The model finds nothing for {', '.join(words)}" if words else "The model finds no support"
    said = [f"{found} (score {min(reading.support for reading in readings):.2f})."]
    if not contradictions:
        said.append("It cannot tell contradicted from absent.")
    read, there = max((reading.read, reading.chunks) for reading in readings)
    if read < there:
        said.append(f"Of {there} parts of the sources it read the {read} that share most words with the claim.")
    return " ".join(said)


def _cited(*passages: tuple[Passage | None, Relation]) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys(quoted(passage, relation) for passage, relation in passages if passage is not None))


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
