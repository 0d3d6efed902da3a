"""A judge that needs no model, no key and no network: typed checks, and a risk read off what claim and sources share.

It works in this order. Typed checks compare the claim with the sentences most about it: a wrong number, name, date or
polarity contradicts, a lost attribution or condition makes it partial. Where they find nothing, a logistic regression
over six counts gives the risk that the claim is not supported; a clear risk decides, and in between the share of the
claim's words that sentences hold together. A number or name that no source has is never supported.

It is good at numbers, units, dates, swapped names and flipped negations in sentences close to their source, found for
a known reason and always the same way. It cannot follow paraphrase, inference or sums over sentences. The risk is about
as good as a careful word overlap and not better: `tests/benchmarks/offline.py` prints both, with intervals, and
`tests/benchmarks/checks.py` each check alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from trail_callbacks.claims import Claim, abstains, split
from trail_callbacks.errors import InputError
from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.judges.judge import Assessment, Extraction, Judgement, Purpose, Question
from trail_callbacks.judges.local.checks.overlap import Overlap
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.judges.local.checks.register import CHECKS, WIDE
from trail_callbacks.judges.local.framing import unframed
from trail_callbacks.judges.local.risk import AS_FITTED, Calibration, RiskModel, shipped
from trail_callbacks.judges.local.weighing import Scales, Weighing
from trail_callbacks.language.detect import limits
from trail_callbacks.language.speech import is_question
from trail_callbacks.models.call import Pipeline
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass

__all__ = ["LocalJudge"]

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_LONGEST = 4000  # signs of a claim that are compared; a longer one is a text without punctuation


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalJudge:
    """Judges offline and deterministically by typed checks and word overlap.

    A passage that asks something supports nothing, so a question in the prompt cannot confirm its own answer.

    English first. For claims in other languages only numbers, names and shared words are compared, and the rationale
    says so.

    Attributes:
        without: Checks to leave out, by their names in `trail_callbacks.judges.local.checks.register`: `number`,
            `entity`, `negation`, ...
        supported_below: Risk, 0.0 to 1.0, below which a claim that no check speaks against counts as supported.
        unsupported_at: Risk from which it counts as unsupported; in between `supported_at` decides.
        calibration: How the risk is to be read; see `recalibrate` in `trail_callbacks.judges.local.training`.
        risk_model: Gives the risk; None is the one that comes with the package.
        supported_at: Share of the claim's words, 0.0 to 1.0, that make support where the risk leaves it open, where the
            claim is not in English, and where it is asked whether a step states a claim.
        partial_at: Share from which an unsupported claim is `partially_supported`; below it is `absent`.
        subject_at: Share from which a passage counts as being about the claim, so that a difference contradicts.

    Raises:
        InputError: If a check is unknown or a share is outside 0..1.
    """

    without: tuple[str, ...] = ()
    supported_below: float = 0.4
    unsupported_at: float = 0.55
    calibration: Calibration = AS_FITTED
    risk_model: RiskModel | None = None
    supported_at: float = 0.65
    partial_at: float = 0.5
    subject_at: float = 0.5

    def __post_init__(self) -> None:
        """Checks the settings."""
        for name in self.without:
            if name not in _NAMES:
                raise InputError(f"LocalJudge.without names {name!r}, expected any of {', '.join(_NAMES)}")
        for name in ("supported_below", "unsupported_at", "supported_at", "partial_at", "subject_at"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"LocalJudge.{name} is {getattr(self, name)}, expected a share from 0.0 to 1.0")

    @property
    def name(self) -> str:
        """Name and version; what differs from the settings it comes with is named too, as it changes verdicts."""
        parts = [f"-{check}" for check in self.without]
        if self != LocalJudge(without=self.without):
            settings = (self.supported_below, self.unsupported_at, self.supported_at, self.partial_at, self.subject_at)
            model = self.risk_model or shipped()
            told = repr((settings, self.calibration, model.weights, model.bias))
            parts.append(f"/{sha256(told.encode()).hexdigest()[:8]}")
        return "local/1" + "".join(parts)

    @property
    def model(self) -> None:
        """There is none."""
        return

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """Splits the answer by rules."""
        return Extraction(claims=split(answer, question), abstained=abstains(answer))
        yield ()  # a pipeline is a generator; this one makes no calls

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """Judges claims one by one.

        For `localize` each node is judged by itself, and a claim may drop who said it and is stated all the same. For
        `answerable` see `trail_callbacks.judges.local.answering`.
        """
        desk = self._desk(purpose)
        decide = {"verdicts": desk.verdict, "localize": desk.statement, "answerable": desk.answer}[purpose]
        claims = {question.claim.id: question.claim.text for question in questions if question.claim.checkable}
        return Assessment(
            judgements=tuple(decide(question) for question in questions),
            warnings=limits(claims) if purpose == "verdicts" else (),
        )
        yield ()  # as above

    def weigh(self, questions: Sequence[Question]) -> list[Weighing | None]:
        """Returns how each claim compares with its passages; None where there is nothing to compare."""
        desk = self._desk("verdicts")
        return [desk.weighing(question) for question in questions]

    def _desk(self, purpose: Purpose) -> _Desk:
        checks = [name for name in _NAMES if name not in self.without]
        if purpose == "localize" and "attribution" in checks:
            checks.remove("attribution")
        scales = Scales(
            checks=checks,
            model=(self.risk_model or shipped()) if purpose == "verdicts" else None,
            calibration=self.calibration,
            supported=self.supported_below,
            unsupported=self.unsupported_at,
            enough=self.supported_at,
            partial=self.partial_at,
            subject=self.subject_at,
        )
        return _Desk(scales)


_NAMES = (*CHECKS, *WIDE)


@dataclass(frozen=True, slots=True)
class _Desk:
    """Where questions are decided; what was read for one is not read again for the next."""

    scales: Scales
    readings: dict[str, Reading] = field(default_factory=dict)

    def verdict(self, question: Question) -> Judgement:
        """The class of a claim; where it has several parts, also those that are unsupported."""
        judgement = self._weigh(question)
        parts = split(question.claim.text[:_LONGEST]) if judgement.support is not SupportClass.UNEVALUATABLE else ()
        if len(parts) < 2:  # noqa: PLR2004 - a whole has two
            return judgement
        said = [self._weigh(replace(question, claim=_part(question.claim, part))) for part in parts]
        denied = next((one for one in said if one.support is SupportClass.CONTRADICTED), None)
        if judgement.support is SupportClass.SUPPORTED and denied is not None:  # its words stand there, but apart
            judgement = denied
        if judgement.support is SupportClass.SUPPORTED:
            return judgement
        faults = tuple(
            part.text for part, one in zip(parts, said, strict=True) if part.checkable and one.support in UNSUPPORTED
        )
        return replace(judgement, faults=faults if len(faults) < len(parts) else ())

    def statement(self, question: Question) -> Judgement:
        """Which nodes state the claim, each by itself."""
        by_node: dict[str, list[Passage]] = defaultdict(list)
        for passage in question.passages:
            by_node[passage.node_id].append(passage)
        parts = [self._weigh(replace(question, passages=tuple(passages))) for passages in by_node.values()]
        stating = [part for part in parts if part.support is SupportClass.SUPPORTED]
        if stating:
            return replace(stating[0], evidence=tuple(item for part in stating for item in part.evidence))
        return parts[0] if parts else self._weigh(question)

    def answer(self, question: Question) -> Judgement:
        """Whether passages answer the question that stands in place of the claim."""
        from trail_callbacks.judges.local.answering import answers  # noqa: PLC0415 - few runs need it

        told = [passage for passage in question.passages if not is_question(passage.text)]
        found = answers(
            self._read(question.claim.text[:_LONGEST]), [(self._read(p.text), self._read(p.before)) for p in told]
        )
        if not found:
            rationale = "No sentence holds the words of the question and more; only questions in English are looked at."
            return Judgement(
                claim_id=question.claim.id,
                support=SupportClass.ABSENT,
                error_type=ErrorType.OTHER,
                rationale=rationale,
            )
        return Judgement(
            claim_id=question.claim.id,
            support=SupportClass.SUPPORTED,
            rationale="A sentence holds the words of the question and what it asks for.",
            evidence=tuple(quoted(told[i], "supports") for i in found),
        )

    def _weigh(self, question: Question) -> Judgement:
        claim = question.claim
        if not claim.checkable:
            return Judgement(
                claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale="It states nothing to check."
            )
        weighing = self.weighing(question)
        if weighing is None:
            return Judgement(
                claim_id=claim.id,
                support=SupportClass.ABSENT,
                error_type=ErrorType.OTHER,
                detail="fabricated addition",
                rationale="There is no passage that states anything to compare it with.",
            )
        return weighing.decide()

    def weighing(self, question: Question) -> Weighing | None:
        """Reads a claim and its passages; None if no passage states anything."""
        told = tuple(passage for passage in question.passages if not is_question(passage.text))
        if not told or not question.claim.checkable:
            return None
        overlap = Overlap(
            Reading(unframed(question.claim.text[:_LONGEST])),
            [self._read(_wording(passage)) for passage in told],
            [self._read(passage.before) for passage in told],
            [passage.address != "" for passage in told],
            [passage.node_id for passage in told],
        )
        windows = [self._read(f"{passage.before}\n{_wording(passage)}\n{passage.after}") for passage in told]
        return Weighing(self.scales, replace(question, passages=told), overlap, windows)

    def _read(self, text: str) -> Reading:
        return self.readings.setdefault(text, Reading(_unescaped(text)))


def _wording(passage: Passage) -> str:
    """What a passage says; the cells of a row under the names of their columns."""
    if not passage.address.startswith("row ") or not passage.before:
        return passage.text
    from trail_callbacks.retrieval.tables import labelled  # noqa: PLC0415 - as above

    return labelled(passage.before.splitlines()[-1], passage.text) or passage.text


def _part(claim: Claim, part: Claim) -> Claim:
    return replace(claim, text=part.text, checkable=part.checkable)


def _unescaped(text: str) -> str:
    r"""Text as meant: JSON may write `Caf\u00e9`."""
    if "\\u" not in text:
        return text
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
