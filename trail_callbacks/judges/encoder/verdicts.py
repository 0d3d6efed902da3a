"""Judgements on several claims at once, by a model that is loaded: on evidence, on who states them, on their errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.judges.encoder.chunks import statements
from trail_callbacks.judges.encoder.decision import Thresholds, decide, states
from trail_callbacks.judges.encoder.reading import Ask, Reader, Reading
from trail_callbacks.judges.encoder.tokens import TokenReader
from trail_callbacks.judges.judge import Assessment, Judgement, Question
from trail_callbacks.language.terms import keys
from trail_callbacks.models.call import Pipeline
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass
from trail_callbacks.text import encodable, sentences

__all__ = ["absent", "answerable", "stating", "verdicts"]

_COMPARED = 12  # sentences in which the offline checks look for the type of an error


def verdicts(
    questions: Sequence[Question],
    settled: dict[int, Judgement],
    first: Reader,
    second: Reader | None,
    thresholds: Thresholds,
) -> Pipeline[list[Judgement]]:
    """Judges claims by what models read.

    Args:
        questions: Claims with their passages.
        settled: Judgements that are made already, by index of the question.
        first: Decides what is supported.
        second: Tells contradicted from absent where the first finds no support; None if nobody does.
        thresholds: Where lines are drawn.
    """
    asks: list[Ask] = []
    places: list[tuple[int, ...]] = []
    for n, question in enumerate(questions):
        passages = statements(question.passages)
        texts = () if n in settled else _parts(question.claim.text, first)
        places.append(tuple(range(len(asks), len(asks) + len(texts))))
        asks += [Ask(text, passages) for text in texts]
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
    asks: Sequence[Ask], readings: Sequence[Reading], second: Reader, thresholds: Thresholds
) -> Pipeline[list[Reading]]:
    """Has a second model read what the first does not clearly support."""
    enough = thresholds.support + thresholds.margin
    open_ = [i for i, reading in enumerate(readings) if reading.failure is None and reading.support < enough]
    merged = list(readings)
    found = yield from second.read([asks[i] for i in open_])
    for i, other in zip(open_, found, strict=True):
        if other.failure is not None:
            merged[i] = Reading(failure=other.failure)
        else:
            merged[i] = replace(readings[i], against=other.against, opposing=other.opposing)
    return merged


def stating(questions: Sequence[Question], reader: Reader, thresholds: Thresholds) -> Pipeline[list[Judgement]]:
    """Which nodes state each claim, each node read by itself."""
    asks: list[Ask] = []
    places: list[range] = []
    for question in questions:
        by_node: dict[str, list[Passage]] = {}
        for passage in statements(question.passages):
            by_node.setdefault(passage.node_id, []).append(passage)
        places.append(range(len(asks), len(asks) + len(by_node)))
        asks += [Ask(question.claim.text, tuple(passages)) for passages in by_node.values()]
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
            judgements.append(absent(question, "The model finds it stated nowhere here."))
    return judgements


def answerable(questions: Sequence[Question]) -> Pipeline[Assessment]:
    """Tells by the offline judge's rules whether passages answer questions: no such model was trained for that."""
    from trail_callbacks.judges.local.judge import LocalJudge  # noqa: PLC0415 - only where an answer declines

    local = LocalJudge()
    found = yield from local.assess(questions, "answerable")
    return replace(found, judgements=tuple(replace(one, judge=local.name) for one in found.judgements))


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
    wanted = set(keys(text))
    order = sorted(passages, key=lambda one: -len(wanted.intersection(keys(one.text))))
    return Question(claim=replace(claim, text=text), passages=tuple(order[:_COMPARED]))


def absent(question: Question, rationale: str) -> Judgement:
    """The judgement on a claim for which nothing was found."""
    return Judgement(
        claim_id=question.claim.id, support=SupportClass.ABSENT, error_type=ErrorType.OTHER, rationale=rationale
    )
