"""A judge that needs no model, no key and no network: typed checks over word overlap. Version 0, and weak.

What it is good at: numbers, units, dates, swapped names and flipped negations in sentences close to their source,
found for a known reason and always the same way. What it cannot do: paraphrase, inference, arithmetic over sentences.

How weak: on the two sets it was tuned on, 121 and 390 claims, it gives 0.48 and 0.38 of the claims their right one of
five classes (macro-F1 0.41 and 0.37; plain word overlap has 0.19), and tells supported from unsupported with a balanced
accuracy of 0.58 and 0.65, which is no better than word overlap with the best threshold for each set. Its contradictions
are rare and mostly right; its `absent` often means that a paraphrase was not understood. Measured by
`tests/benchmarks/local_judge.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from trail_callbacks.claims import abstains, split
from trail_callbacks.errors import InputError
from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.judges.checks import attribution, entity, hyperbole, negation, number, quantifier, role, temporal
from trail_callbacks.judges.checks.overlap import Overlap
from trail_callbacks.judges.checks.reading import Finding, Reading
from trail_callbacks.judges.judge import Assessment, Extraction, Judgement, Purpose, Question
from trail_callbacks.models.call import Pipeline
from trail_callbacks.speech import is_question
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["LocalJudge"]

_CHECKS: dict[str, Callable[[Reading, Reading], Finding | None]] = {
    "number": number.compare,
    "entity": entity.compare,
    "role": role.compare,
    "negation": negation.compare,
    "temporal": temporal.compare,
    "quantifier": quantifier.compare,
    "hyperbole": hyperbole.compare,
    "attribution": attribution.compare,
}
_NEUTRAL = ("number", "entity")  # checks that need no English grammar
_LONGEST = 4000  # signs of a claim that are compared; a longer one is a text without punctuation
_PEER = 0.8  # passages with at least this share of the best overlap are about the same subject as the best
_RELATED = 0.6  # the share at which a passage may state what the best one gives differently
_PEERS = 4  # as many of them are compared


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalJudge:
    """Judges offline and deterministically by typed checks and word overlap.

    A passage that asks something supports nothing, so a question in the prompt cannot confirm its own answer.

    English first. For claims in other languages only numbers, names and shared words are compared, and the rationale
    says so.

    Attributes:
        without: Checks to leave out: `number`, `entity`, `role`, `negation`, `temporal`, `quantifier`, `hyperbole`,
            `attribution`.
        supported_at: Share of the claim's words, 0.0 to 1.0, that passages must hold for `supported`.
        partial_at: The share for `partially_supported`; below it a claim is `absent`.
        subject_at: The share from which a passage counts as being about the claim, so that a difference contradicts.

    Raises:
        InputError: If a check is unknown or a share is outside 0..1.
    """

    without: tuple[str, ...] = ()
    supported_at: float = 0.65
    partial_at: float = 0.5
    subject_at: float = 0.5

    def __post_init__(self) -> None:
        """Checks the settings."""
        for name in self.without:
            if name not in _CHECKS:
                raise InputError(f"LocalJudge.without names {name!r}, expected any of {', '.join(_CHECKS)}")
        for field in ("supported_at", "partial_at", "subject_at"):
            if not 0.0 <= getattr(self, field) <= 1.0:
                raise InputError(f"LocalJudge.{field} is {getattr(self, field)}, expected a share from 0.0 to 1.0")

    @property
    def name(self) -> str:
        """Name and version; checks that were left out are named too."""
        return "local/0" + "".join(f"-{check}" for check in self.without)

    @property
    def model(self) -> None:
        """There is none."""
        return

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """Splits the answer by rules."""
        return Extraction(claims=split(answer, question), abstained=abstains(answer))
        yield ()  # a pipeline is a generator; this one makes no calls

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """Judges claims one by one. For `localize`, a claim may drop who said it and is stated all the same."""
        readings: dict[str, Reading] = {}
        checks = [name for name in _CHECKS if name not in self.without]
        if purpose == "localize" and "attribution" in checks:
            checks.remove("attribution")
        return Assessment(judgements=tuple(self._judge(question, checks, readings) for question in questions))
        yield ()  # as above

    def _judge(self, question: Question, checks: Sequence[str], readings: dict[str, Reading]) -> Judgement:
        claim = question.claim
        if not claim.checkable:
            return Judgement(
                claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale="It states nothing to check."
            )
        told = tuple(passage for passage in question.passages if not is_question(passage.text))
        if not told:
            return Judgement(
                claim_id=claim.id,
                support=SupportClass.ABSENT,
                error_type=ErrorType.OTHER,
                detail="fabricated addition",
                rationale="There is no passage that states anything to compare it with.",
            )
        read = [readings.setdefault(passage.text, Reading(passage.text)) for passage in told]
        overlap = Overlap(Reading(claim.text[:_LONGEST]), read)
        return _Weighing(self, replace(question, passages=told), overlap, checks).decide()


@dataclass(frozen=True, slots=True)
class _Weighing:
    """One claim on the scales."""

    judge: LocalJudge
    question: Question
    overlap: Overlap
    checks: Sequence[str]

    def decide(self) -> Judgement:
        """Supports win over everything, contradictions over weaker findings, findings over missing words."""
        everything = self.overlap.without(None)
        found = [(p, finding) for p in self._peers() for finding in [self._finding(p)]]
        disputed = any(f is not None and f.error_type is ErrorType.NUMBER for _, f in found)
        barred = {p for p, finding in found if finding is not None}  # what differs is no part of the support
        for p, finding in found:
            team = self.overlap.team(p, everything, barred)
            if finding is None and self._suffices(team, everything, attached=disputed):
                return self._supported(team)
        for p, finding in found:
            if finding is not None and finding.support is SupportClass.CONTRADICTED and self._on_subject(p, finding):
                return self._found(finding, p, (p,))
        for p, finding in found:
            if finding is not None and finding.support is not SupportClass.CONTRADICTED:
                rest = self.overlap.without(finding.claim_span) or everything
                if finding.error_type is ErrorType.ATTRIBUTION_FAILURE:
                    rest = everything
                team = self.overlap.team(p, rest)
                if self._suffices(team, rest):
                    return self._found(finding, p, team)
        return self._uncovered(everything)

    def _peers(self) -> list[int]:
        """The passages most about the claim, numbers aside: a number alone makes no common subject."""
        shares = [self.overlap.weight(held, numbers=False) for held in self.overlap.held]
        order = sorted(range(len(shares)), key=lambda p: (-shares[p], -self.overlap.weight(self.overlap.held[p]), p))
        return [p for p in order if shares[p] >= _PEER * shares[order[0]]][:_PEERS]

    def _finding(self, p: int) -> Finding | None:
        """What departs from a passage, the worst first, unless another passage states it."""
        claim, passage = self.overlap.claim, self.overlap.passages[p]
        english = claim.english and passage.english
        found = [
            finding
            for name in self.checks
            if english or name in _NEUTRAL
            for finding in [_CHECKS[name](claim, passage)]
            if finding is not None and not self._stated_elsewhere(finding, p)
        ]
        return min(found, key=lambda finding: finding.support is not SupportClass.CONTRADICTED, default=None)

    def _stated_elsewhere(self, finding: Finding, p: int) -> bool:
        """Whether a passage nearly as much about the claim has the number or name: then this one is of another."""
        if finding.error_type not in {ErrorType.NUMBER, ErrorType.ENTITY}:
            return False
        overlap = self.overlap
        here = {i for i, item in enumerate(overlap.items) if item.span[0] == finding.claim_span[0]}
        level = _RELATED * overlap.weight(overlap.held[p] - here, numbers=False)
        return any(
            here <= held and overlap.weight(held - here, numbers=False) >= level for held in overlap.attached if here
        )

    def _share(self, have: frozenset[int], of: frozenset[int]) -> float:
        total = self.overlap.weight(of)
        return self.overlap.weight(have & of) / total if total else 0.0

    def _suffices(self, team: Sequence[int], of: frozenset[int], *, attached: bool = False) -> bool:
        """Enough words, and every number and name; where a number is disputed, it must stand beside its word."""
        have = self.overlap.covered(team, attached=attached)
        return self._share(have, of) >= self.judge.supported_at and not any(
            self.overlap.items[i].binding for i in of - have
        )

    def _on_subject(self, p: int, finding: Finding) -> bool:
        rest = self.overlap.without(finding.claim_span) or self.overlap.without(None)
        return self._share(self.overlap.held[p], rest) >= self.judge.subject_at

    def _uncovered(self, everything: frozenset[int]) -> Judgement:
        """No passage says otherwise, and none says enough."""
        teams = [self.overlap.team(p, everything) for p in self._peers()]
        team = max(teams, key=lambda t: self._share(self.overlap.covered(t), everything))
        have = self.overlap.covered(team)
        share = self._share(have, everything)
        missing = sorted((self.overlap.items[i] for i in everything - have), key=lambda item: item.span)
        words = ", ".join(repr(item.words) for item in missing[:6])
        kinds = {item.kind for item in missing if item.binding}
        if not everything:
            return self._judgement(SupportClass.ABSENT, ErrorType.OTHER, "It has no word that could be compared.", ())
        if share >= self.judge.partial_at and not kinds:
            return self._judgement(
                SupportClass.PARTIALLY_SUPPORTED,
                ErrorType.OTHER,
                f"The passages hold most of it, but not {words or 'in one place'}.",
                tuple(self.question.passages[p] for p in team),
                detail="minor addition",
            )
        error = ErrorType.OTHER
        if share >= self.judge.subject_at:  # the rest is known, so what is missing names the error
            error = ErrorType.NUMBER if "number" in kinds else ErrorType.ENTITY if "name" in kinds else error
        return self._judgement(
            SupportClass.ABSENT, error, f"No passage holds {words}.", (), detail="fabricated addition"
        )

    def _supported(self, team: Sequence[int]) -> Judgement:
        share = self._share(self.overlap.covered(team), self.overlap.without(None))
        return self._judgement(
            SupportClass.SUPPORTED,
            None,
            f"The passages hold {share:.0%} of its words, with every number and name, and nothing speaks against it.",
            tuple(self.question.passages[p] for p in team),
        )

    def _found(self, finding: Finding, p: int, team: Sequence[int]) -> Judgement:
        if finding.evidence_words:
            rationale = f"{finding.error_type.value}: {finding.claim_words!r} against {finding.evidence_words!r}."
        else:
            rationale = f"{finding.error_type.value}: {finding.claim_words!r} is in no passage on the subject."
        used = (
            (self.question.passages[p],)
            if finding.support is SupportClass.CONTRADICTED
            else tuple(self.question.passages[i] for i in team)
        )
        return self._judgement(finding.support, finding.error_type, rationale, used, detail=finding.detail)

    def _judgement(
        self,
        support: SupportClass,
        error: ErrorType | None,
        rationale: str,
        passages: Sequence[Passage],
        detail: str | None = None,
    ) -> Judgement:
        if not self.overlap.claim.english:
            rationale += " The claim is not in English: only numbers, names and shared words were compared."
        relation: Literal["supports", "contradicts"] = (
            "contradicts" if support is SupportClass.CONTRADICTED else "supports"
        )
        return Judgement(
            claim_id=self.question.claim.id,
            support=support,
            error_type=error,
            detail=detail,
            rationale=rationale,
            evidence=tuple(quoted(passage, relation) for passage in passages),
        )
