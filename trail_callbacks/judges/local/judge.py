"""A judge that needs no model, no key and no network: typed checks, and a risk computed from shared words.

It works in this order. Typed checks compare the claim with the sentences most about it: a wrong number, name, date or
polarity contradicts, a lost attribution makes it partial. Where they find nothing, the share of the claim's words that
sentences hold together decides, and a logistic regression over six counts gives the risk that the claim is not
supported: the confidence, and support for a claim whose risk is low. A number or name that no source has is never
supported.

It is good at numbers, units, dates, names and negations in sentences close to their source, and gives the same result
for the same texts. It cannot follow paraphrase, inference or sums over sentences. The risk is about as good as a
careful word overlap and not better: `tests/benchmarks/offline.py` prints both, with intervals, and
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
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.judges.local.checks.registry import CHECKS
from trail_callbacks.judges.local.comparison import Comparison, Settings
from trail_callbacks.judges.local.decision import decide
from trail_callbacks.judges.local.overlap import Overlap
from trail_callbacks.judges.local.risk import AS_FITTED, Calibration, RiskModel, shipped
from trail_callbacks.language.detect import limits
from trail_callbacks.language.speech import is_question
from trail_callbacks.models.call import Pipeline
from trail_callbacks.splitting.frames import unframed
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass

__all__ = ["LocalJudge"]

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_LONGEST = 4000  # characters of a claim that are compared; a longer one is a text without punctuation


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalJudge:
    """Judges offline and deterministically by typed checks and word overlap.

    A passage that is a question supports nothing, so a question in the prompt cannot confirm its own answer.

    For claims that are not in English only numbers, names and shared words are compared, and the rationale says so.

    Attributes:
        without: Checks to leave out, by their names in `trail_callbacks.judges.local.checks.registry`: `number`,
            `entity`, `negation`, ...
        supported_below: Risk, 0.0 to 1.0, below which a claim that no check contradicts counts as supported if its
            subject, its names and its numbers are there.
        calibration: How the risk is to be read; see `recalibrate` in `trail_callbacks.judges.local.training`.
        risk_model: Gives the risk; None is the one that comes with the package.
        supported_at: Share of the claim's words, 0.0 to 1.0, that makes support if every number and name is there.
        partial_at: Share from which an unsupported claim is `partially_supported`; below it is `absent`.
        subject_at: Share from which a passage counts as being about the claim, so that a difference contradicts.

    Raises:
        InputError: If a check is unknown or a share is outside 0..1.
    """

    without: tuple[str, ...] = ()
    supported_below: float = 0.4
    calibration: Calibration = AS_FITTED
    risk_model: RiskModel | None = None
    supported_at: float = 0.65
    partial_at: float = 0.5
    subject_at: float = 0.5

    def __post_init__(self) -> None:
        """Checks the settings."""
        for name in self.without:
            if name not in CHECKS:
                raise InputError(f"LocalJudge.without names {name!r}, expected any of {', '.join(CHECKS)}")
        for name in ("supported_below", "supported_at", "partial_at", "subject_at"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"LocalJudge.{name} is {getattr(self, name)}, expected a share from 0.0 to 1.0")

    @property
    def name(self) -> str:
        """Name and version; what differs from the settings it comes with is named too, as it changes verdicts."""
        parts = [f"-{check}" for check in self.without]
        if self != LocalJudge(without=self.without):
            thresholds = (self.supported_below, self.supported_at, self.partial_at, self.subject_at)
            model = self.risk_model or shipped()
            settings = repr((thresholds, self.calibration, model.weights, model.bias))
            parts.append(f"/{sha256(settings.encode()).hexdigest()[:8]}")
        return "local/2" + "".join(parts)

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

        For `localize` each node is judged by itself, and a claim that leaves out who said it counts as stated. For
        `answerable` see `trail_callbacks.judges.local.answering`.
        """
        assessor = self._assessor(purpose)
        method = {"verdicts": assessor.verdict, "localize": assessor.statement, "answerable": assessor.answer}[purpose]
        claims = {question.claim.id: question.claim.text for question in questions if question.claim.checkable}
        return Assessment(
            judgements=tuple(method(question) for question in questions),
            warnings=limits(claims) if purpose == "verdicts" else (),
        )
        yield ()  # as above

    def compare(self, questions: Sequence[Question]) -> list[Comparison | None]:
        """Returns how each claim compares with its passages; None where there is nothing to compare."""
        assessor = self._assessor("verdicts")
        return [assessor.comparison(question) for question in questions]

    def _assessor(self, purpose: Purpose) -> _Assessor:
        dropped = {*self.without, "attribution"} if purpose == "localize" else self.without
        return _Assessor(
            Settings(
                checks=[name for name in CHECKS if name not in dropped],
                model=(self.risk_model or shipped()) if purpose == "verdicts" else None,
                calibration=self.calibration,
                supported_below=self.supported_below,
                supported_at=self.supported_at,
                partial_at=self.partial_at,
                subject_at=self.subject_at,
            )
        )


@dataclass(frozen=True, slots=True)
class _Assessor:
    """Decides questions; a text that was read for one is not read again for the next."""

    settings: Settings
    readings: dict[str, Reading] = field(default_factory=dict)

    def verdict(self, question: Question) -> Judgement:
        """The class of a claim; where it has several parts, also those that are unsupported."""
        judgement = self._decide(question)
        parts = split(question.claim.text[:_LONGEST]) if judgement.support is not SupportClass.UNEVALUATABLE else ()
        if len(parts) < 2:  # noqa: PLR2004 - a whole has two
            return judgement
        decided = [self._decide(replace(question, claim=_part(question.claim, part))) for part in parts]
        contradicted = next((one for one in decided if one.support is SupportClass.CONTRADICTED), None)
        if judgement.support is SupportClass.SUPPORTED and contradicted is not None:  # its words are there, but apart
            judgement = contradicted
        if judgement.support is SupportClass.SUPPORTED:
            return judgement
        faults = tuple(
            part.text for part, one in zip(parts, decided, strict=True) if part.checkable and one.support in UNSUPPORTED
        )
        return replace(judgement, faults=faults if len(faults) < len(parts) else ())

    def statement(self, question: Question) -> Judgement:
        """Which nodes state the claim, each by itself."""
        by_node: dict[str, list[Passage]] = defaultdict(list)
        for passage in question.passages:
            by_node[passage.node_id].append(passage)
        decided = [self._decide(replace(question, passages=tuple(passages))) for passages in by_node.values()]
        stating = [one for one in decided if one.support is SupportClass.SUPPORTED]
        if stating:
            return replace(stating[0], evidence=tuple(item for one in stating for item in one.evidence))
        return decided[0] if decided else self._decide(question)

    def answer(self, question: Question) -> Judgement:
        """Whether passages answer the question that stands in place of the claim."""
        from trail_callbacks.judges.local.answering import answers  # noqa: PLC0415 - few runs need it

        passages = _statements(question)
        indices = answers(
            self._read(question.claim.text[:_LONGEST]), [(self._read(p.text), self._read(p.before)) for p in passages]
        )
        if not indices:
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
            evidence=tuple(quoted(passages[i], "supports") for i in indices),
        )

    def _decide(self, question: Question) -> Judgement:
        claim = question.claim
        if not claim.checkable:
            return Judgement(
                claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale="It states nothing to check."
            )
        comparison = self.comparison(question)
        if comparison is None:
            return Judgement(
                claim_id=claim.id,
                support=SupportClass.ABSENT,
                error_type=ErrorType.OTHER,
                detail="fabricated addition",
                rationale="There is no passage that states anything to compare it with.",
            )
        return decide(comparison)

    def comparison(self, question: Question) -> Comparison | None:
        """Reads a claim and its passages; None if no passage states anything."""
        passages = _statements(question)
        if not passages or not question.claim.checkable:
            return None
        overlap = Overlap(
            Reading(unframed(question.claim.text[:_LONGEST])),
            [self._read(_wording(passage)) for passage in passages],
            [self._read(passage.before) for passage in passages],
            [passage.address != "" for passage in passages],
            [passage.node_id for passage in passages],
        )
        windows = [self._read(f"{passage.before}\n{_wording(passage)}\n{passage.after}") for passage in passages]
        return Comparison(self.settings, replace(question, passages=passages), overlap, windows)

    def _read(self, text: str) -> Reading:
        return self.readings.setdefault(text, Reading(_unescaped(text)))


def _statements(question: Question) -> tuple[Passage, ...]:
    return tuple(passage for passage in question.passages if not is_question(passage.text))


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
