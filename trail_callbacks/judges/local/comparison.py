"""A comparison: one claim, its passages, which of them state it and which depart from it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.evidence import Evidence, Passage, quoted
from trail_callbacks.judges.judge import Question
from trail_callbacks.judges.local.checks.entity import known
from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.registry import ANY_LANGUAGE, CHECKS
from trail_callbacks.judges.local.overlap import Overlap
from trail_callbacks.judges.local.risk import Calibration, Features, RiskModel, features
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["Comparison", "Departure", "Settings"]

_CLOSE = 0.8  # passages with at least this share of the best overlap are about the same subject as the best
_NEAR = 0.7  # the share from which a passage may contradict the claim
_RELATED = 0.6  # the share at which a passage may state what the best one gives differently
_MOST = 4  # passages that the checks compare, and conflicts that are named
_SAME = 0.8  # share of the rest of a claim that a source must have to contradict another that states it


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How claims are compared and decided; see `LocalJudge` for the thresholds.

    Attributes:
        checks: Names of the checks to make.
        model: Gives the risk that a claim is not supported; None leaves the decision to shares of words.
        calibration: How the model's risk is to be read.
        supported_below: Risk, 0.0 to 1.0.
        supported_at: Share of the claim's words, 0.0 to 1.0.
        partial_at: Share of the claim's words, 0.0 to 1.0.
        subject_at: Share of the claim's words, 0.0 to 1.0.
    """

    checks: Sequence[str]
    model: RiskModel | None
    calibration: Calibration
    supported_below: float
    supported_at: float
    partial_at: float
    subject_at: float


@dataclass(frozen=True, slots=True)
class Departure:
    """Where a claim departs from what passages say.

    Attributes:
        finding: What a check found.
        passages: Indices of the passages that show it: the one that contradicts, or those that hold the rest.
    """

    finding: Finding
    passages: tuple[int, ...]


@dataclass(frozen=True)
class Comparison:
    """One claim, its passages and what they have in common.

    Attributes:
        settings: How claims are compared.
        question: The claim and its passages.
        overlap: What the passages hold of the claim.
        windows: Each passage with the text before and after it.
    """

    settings: Settings
    question: Question
    overlap: Overlap
    windows: Sequence[Reading]

    @cached_property
    def features(self) -> Features:
        """What the risk is computed from."""
        contradicted = self.departure is not None and self.departure.finding.support is SupportClass.CONTRADICTED
        return features(
            self.overlap,
            [w for w, p in zip(self.windows, self.overlap.passages, strict=True) if not self.overlap.on_another(p)],
            self.best,
            contradiction=contradicted,
            departure=self.departure is not None and not contradicted,
        )

    @cached_property
    def closest(self) -> list[int]:
        """The passages most about the claim, which may state it."""
        return self._about(_CLOSE)

    def _about(self, least: float) -> list[int]:
        """Passages by what they hold of the claim, numbers aside: a number alone is not a common subject."""
        overlap = self.overlap
        shares = [overlap.weight(held, numbers=False) for held in overlap.held]
        order = sorted(range(len(shares)), key=lambda p: (-shares[p], -overlap.weight(overlap.held[p]), p))
        return [p for p in order if shares[p] >= least * shares[order[0]]][:_MOST]

    @cached_property
    def best(self) -> tuple[int, ...]:
        """The passages that hold most of the claim together."""
        everything = self.overlap.everything
        groups = [self._group(p, everything) for p in self.closest]
        return max(groups, key=lambda group: self.overlap.share(self.overlap.covered(group), everything))

    @cached_property
    def stating(self) -> tuple[int, ...] | None:
        """Passages that state the claim by their words, none of which departs from it; None if there are none."""
        everything = self.overlap.everything
        findings = {p: found for p in self.closest if (found := self._worst(self._findings(p))) is not None}
        disputed = any(finding.error_type is ErrorType.NUMBER for finding in findings.values())
        for p in self.closest:
            group = self._group(p, everything, findings.keys())
            if p not in findings and self._suffices(group, everything, attached=disputed):
                return group
        return None

    @cached_property
    def departure(self) -> Departure | None:
        """What a passage says differently, if no passages state the claim; a contradiction before what is weaker."""
        if self.stating is not None:
            return None
        findings = {
            p: found
            for p in self._about(_NEAR)
            if (found := self._worst([f for f in self._findings(p) if not self._stated_elsewhere(f, p)])) is not None
        }
        for p, finding in findings.items():
            if finding.support is SupportClass.CONTRADICTED and self._on_subject(p, finding):
                return Departure(finding, (p,))
        for p, finding in findings.items():
            if finding.support is not SupportClass.CONTRADICTED:
                rest = self._rest(finding)
                group = self._group(p, rest)
                if self._suffices(group, rest):
                    return Departure(finding, group)
        return None

    @property
    def nearly_stated(self) -> bool:
        """Whether low risk may make support: enough words for a part, the subject, all names, and numbers nearby."""
        overlap, everything = self.overlap, self.overlap.everything
        have = overlap.covered(self.best)
        named = overlap.subject in have and all(overlap.items[i].kind != "name" for i in everything - have)
        return named and not self.features.numbers and overlap.share(have, everything) >= self.settings.partial_at

    def conflicts(self, stating: Sequence[int]) -> tuple[Evidence, ...]:
        """Returns what other nodes say against a claim that some passages state: of the same things only.

        Args:
            stating: Indices of the passages that state it.
        """
        overlap = self.overlap
        nodes = {overlap.nodes[p] for p in stating}
        contradicting = []
        for p, passage in enumerate(self.question.passages):
            if passage.node_id in nodes or not self._maybe_of_the_same(p):
                continue
            finding = self._worst(self._findings(p))
            if finding is None or finding.support is not SupportClass.CONTRADICTED:
                continue
            rest, held = overlap.without(finding.claim_span), overlap.held[p]
            required = all(i in held for i in rest if overlap.items[i].required)
            if required and overlap.share(held, rest) >= _SAME and not self._names_another(p, finding, stating):
                contradicting.append(passage)
        return tuple(quoted(passage, "contradicts") for passage in contradicting[:_MOST])

    def passages(self, indices: Sequence[int]) -> tuple[Passage, ...]:
        """Returns the passages at the given indices."""
        return tuple(self.question.passages[i] for i in indices)

    def _group(self, p: int, wanted: frozenset[int], excluded: Collection[int] = ()) -> tuple[int, ...]:
        """A passage and what others add; `capital: Bergen` is not stated by two of which one has neither's sense."""
        claim = self.question.claim
        field = claim.path and claim.text != " ".join(claim.quote.split())
        return (p,) if field else self.overlap.together(p, wanted, excluded)

    def _findings(self, p: int) -> list[Finding]:
        """What departs from a passage, by all checks that may be made."""
        claim, passage = self.overlap.claim, self.overlap.passages[p]
        english = claim.english and passage.english
        checks = [CHECKS[name] for name in self.settings.checks if english or name in ANY_LANGUAGE]
        return [finding for check in checks if (finding := check(claim, passage)) is not None]

    @staticmethod
    def _worst(findings: Sequence[Finding]) -> Finding | None:
        return min(findings, key=lambda finding: finding.support is not SupportClass.CONTRADICTED, default=None)

    def _stated_elsewhere(self, finding: Finding, p: int) -> bool:
        """Whether a passage nearly as much about the claim has the number or name: then this one is of another."""
        if finding.error_type not in {ErrorType.NUMBER, ErrorType.ENTITY}:
            return False
        overlap = self.overlap
        disputed = {i for i, item in enumerate(overlap.items) if item.span[0] == finding.claim_span[0]}
        rest = overlap.weight(overlap.held[p] - disputed, numbers=False)
        return any(
            disputed <= held
            and overlap.weight(held - disputed, numbers=False) >= rest * (1.0 if overlap.tabular[other] else _RELATED)
            and overlap.same_subject(p, other)
            for other, held in enumerate(overlap.attached)
            if disputed
        )

    def _suffices(self, group: Sequence[int], wanted: frozenset[int], *, attached: bool = False) -> bool:
        """Enough words, and every number and name; where a number is disputed, it must stand beside its word."""
        have = self.overlap.covered(group, attached=attached)
        complete = not any(self.overlap.items[i].required for i in wanted - have)
        return complete and self.overlap.share(have, wanted) >= self.settings.supported_at

    def _rest(self, finding: Finding) -> frozenset[int]:
        """The items of the claim that a finding does not dispute; all of them where it disputes the whole claim."""
        return self.overlap.without(finding.claim_span) or self.overlap.everything

    def _on_subject(self, p: int, finding: Finding) -> bool:
        return self.overlap.share(self.overlap.held[p], self._rest(finding)) >= self.settings.subject_at

    def _maybe_of_the_same(self, p: int) -> bool:
        """Whether a passage may be of the same things: the checks cost more than this look."""
        overlap = self.overlap
        held, everything = overlap.held[p], overlap.everything
        lacking = sum(overlap.items[i].required for i in everything - held)
        return lacking <= 1 and overlap.weight(held) >= _RELATED * (overlap.weight(everything) - 2)

    def _names_another(self, p: int, finding: Finding, stating: Sequence[int]) -> bool:
        """Whether a passage names what neither the claim nor its support does, other than what it disputes."""
        overlap = self.overlap
        expected = [overlap.claim, *(overlap.passages[i] for i in stating)]
        names = [name for name in overlap.passages[p].names if not finding.span[0] <= name[0].start < finding.span[1]]
        names += Reading(self.question.passages[p].before).names
        return any(not any(known(name, reading) for reading in expected) for name in names)
