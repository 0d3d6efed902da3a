"""One claim on the scales: what of it passages hold, what departs from them, and which class that makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from trail_callbacks.evidence import Evidence, Passage, quoted
from trail_callbacks.judges.judge import Judgement, Question
from trail_callbacks.judges.local.checks.entity import known
from trail_callbacks.judges.local.checks.overlap import Overlap
from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.register import CHECKS, NEUTRAL, WIDE, settled
from trail_callbacks.judges.local.features import Features, features
from trail_callbacks.judges.local.risk import Calibration, RiskModel, probability
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["Scales", "Weighing"]

_PEER = 0.8  # passages with at least this share of the best overlap are about the same subject as the best
_RIVAL = 0.7  # the share from which one may speak against the claim
_RELATED = 0.6  # the share at which a passage may state what the best one gives differently
_PEERS = 4  # as many of them are compared
_SAME = 0.8  # share of the rest of a claim that a source must have to be against another that states it


@dataclass(frozen=True, slots=True, kw_only=True)
class Scales:
    """By what claims are weighed.

    Attributes:
        checks: Names of the checks to make.
        model: Gives the risk that a claim is not supported; None leaves the decision to shares of words.
        calibration: How the model's risk is to be read.
        supported: Risk below which a claim counts as supported, 0.0 to 1.0.
        unsupported: Risk from which it counts as unsupported; in between the share of its words decides.
        enough: Share of the claim's words that make support by themselves, 0.0 to 1.0.
        partial: Share from which an unsupported claim is partially supported.
        subject: Share from which a passage is about the claim, so that a difference contradicts.
    """

    checks: Sequence[str]
    model: RiskModel | None
    calibration: Calibration
    supported: float
    unsupported: float
    enough: float
    partial: float
    subject: float


@dataclass(frozen=True)
class Weighing:
    """One claim, its passages and what they have in common.

    Attributes:
        scales: By what it is weighed.
        question: The claim and its passages.
        overlap: What the passages hold of the claim.
        windows: Each passage with what stands before and behind it.
    """

    scales: Scales
    question: Question
    overlap: Overlap
    windows: Sequence[Reading]

    def decide(self) -> Judgement:
        """What a check found decides; what none speaks against, the risk decides.

        The confidence is the probability that the claim is on the side, supported or not, that the class puts it on.
        """
        found = self._departing
        if self.scales.model is None or not self.overlap.claim.english:  # the risk was fitted to English
            return found or self._by_words()
        risk = self._risk(self.scales.model)
        if found is not None:
            return replace(found, confidence=max(risk, 0.5))
        judgement = self._by_words()
        if judgement.support is SupportClass.SUPPORTED and risk >= self.scales.unsupported:
            judgement = self._scattered()
        elif judgement.support is not SupportClass.SUPPORTED and risk < self.scales.supported and self._held_up:
            judgement = self._supported(self._team)
        sure = 1 - risk if judgement.support is SupportClass.SUPPORTED else risk
        return replace(judgement, confidence=max(sure, 0.5))

    @property
    def _held_up(self) -> bool:
        """Whether low risk may make support: half of the words, its subject, its names, and its numbers thereabouts."""
        overlap, everything = self.overlap, self.overlap.without(None)
        have = overlap.covered(self._team)
        named = overlap.subject in have and all(overlap.items[i].kind != "name" for i in everything - have)
        return named and not self.counted.numbers and self._share(have, everything) >= self.scales.partial

    def _risk(self, model: RiskModel) -> float:
        return probability(model.log_odds(self.counted), self.scales.calibration)

    @cached_property
    def counted(self) -> Features:
        """What the risk is read off."""
        found = self._departing
        contradiction = found is not None and found.support is SupportClass.CONTRADICTED
        return features(
            self.overlap,
            [w for w, p in zip(self.windows, self.overlap.passages, strict=True) if not self.overlap.on_another(p)],
            self._team,
            contradiction=contradiction,
            departure=found is not None and not contradiction,
        )

    @cached_property
    def _team(self) -> tuple[int, ...]:
        """The passages that hold most of the claim together."""
        everything = self.overlap.without(None)
        teams = [self.overlap.team(p, everything) for p in self._peers]
        return max(teams, key=lambda team: self._share(self.overlap.covered(team), everything))

    @cached_property
    def _findings(self) -> list[tuple[int, Finding | None]]:
        """For each rival what departs from it, the worst first, unless other passages settle it."""
        return [(p, self._finding(p)) for p in self._rivals]

    @cached_property
    def _departing(self) -> Judgement | None:
        """What single passages speak against, where none state the claim, or several together."""
        return (self._disputed() if self._stated is None else None) or self._by_wide_checks()

    def _disputed(self) -> Judgement | None:
        """Contradictions over weaker findings."""
        found = [(p, finding) for p, finding in self._findings if finding is not None]
        for p, finding in found:
            if finding.support is SupportClass.CONTRADICTED and self._on_subject(p, finding):
                return self._found(finding, p, (p,))
        for p, finding in found:
            if finding.support is not SupportClass.CONTRADICTED:
                rest = self.overlap.without(finding.claim_span) or self.overlap.without(None)
                if finding.error_type is ErrorType.ATTRIBUTION_FAILURE:
                    rest = self.overlap.without(None)
                team = self.overlap.team(p, rest)
                if self._suffices(team, rest):
                    return self._found(finding, p, team)
        return None

    def _by_wide_checks(self) -> Judgement | None:
        """What passages speak against together although its words stand in them: no source says its `because`."""
        claim = self.overlap.claim
        near = [self.overlap.passages[p] for p in dict.fromkeys((*self._peers, *self._team))]
        if not claim.english:
            return None
        for name in self.scales.checks:
            finding = WIDE[name](claim, near) if name in WIDE else None
            if finding is not None:
                return self._found(finding, self._team[0], self._team)
        return None

    @cached_property
    def _stated(self) -> tuple[int, ...] | None:
        """Passages that state the claim by their words, none of which departs from it."""
        everything = self.overlap.without(None)
        raw = {p: self._departure(p, self._checks(self.overlap.claim)) for p in self._peers}
        disputed = any(finding is not None and finding.error_type is ErrorType.NUMBER for finding in raw.values())
        barred = {p for p, finding in raw.items() if finding is not None}  # what differs is no part of the support
        for p in self._peers:
            team = self.overlap.team(p, everything, barred)
            if p not in barred and self._suffices(team, everything, attached=disputed):
                return team
        return None

    def _by_words(self) -> Judgement:
        return self._supported(self._stated) if self._stated is not None else self._uncovered()

    @cached_property
    def _peers(self) -> list[int]:
        """The passages most about the claim."""
        return self._about(_PEER)

    @property
    def _rivals(self) -> list[int]:
        """The passages that may speak against it."""
        return self._about(_RIVAL)

    def _about(self, least: float) -> list[int]:
        """Passages by what they hold of the claim, numbers aside: a number alone makes no common subject."""
        shares = [self.overlap.weight(held, numbers=False) for held in self.overlap.held]
        order = sorted(range(len(shares)), key=lambda p: (-shares[p], -self.overlap.weight(self.overlap.held[p]), p))
        return [p for p in order if shares[p] >= least * shares[order[0]]][:_PEERS]

    def _checks(self, reading: Reading) -> list[str]:
        return [name for name in self.scales.checks if name in CHECKS and (reading.english or name in NEUTRAL)]

    def _finding(self, p: int) -> Finding | None:
        """What departs from a passage, the worst first, unless other passages settle it."""
        standing = self._standing if p in self._peers else self._unsettled([*self._peers, p])
        return self._departure(p, standing, lambda finding: not self._stated_elsewhere(finding, p))

    @cached_property
    def _standing(self) -> list[str]:
        return self._unsettled(self._peers)

    def _unsettled(self, near: Sequence[int]) -> list[str]:
        """The checks that find something in one of some passages which no other of them settles."""
        claim, passages = self.overlap.claim, [self.overlap.passages[p] for p in near]
        return [name for name in self._checks(claim) if settled(CHECKS[name], claim, passages) is not None]

    def _departure(
        self, p: int, checks: Sequence[str], counts: Callable[[Finding], bool] = lambda _: True
    ) -> Finding | None:
        """What departs from a passage and counts, the worst first."""
        claim, passage = self.overlap.claim, self.overlap.passages[p]
        found = [
            finding
            for name in checks
            if passage.english or name in NEUTRAL
            for finding in [CHECKS[name](claim, passage)]
            if finding is not None and counts(finding)
        ]
        return min(found, key=lambda finding: finding.support is not SupportClass.CONTRADICTED, default=None)

    def _stated_elsewhere(self, finding: Finding, p: int) -> bool:
        """Whether a passage nearly as much about the claim has the number or name: then this one is of another."""
        if finding.error_type not in {ErrorType.NUMBER, ErrorType.ENTITY}:
            return False
        overlap = self.overlap
        here = {i for i, item in enumerate(overlap.items) if item.span[0] == finding.claim_span[0]}
        rest = overlap.weight(overlap.held[p] - here, numbers=False)
        return any(
            here <= held
            and overlap.weight(held - here, numbers=False) >= rest * (1.0 if overlap.rows[other] else _RELATED)
            and overlap.linked(p, other)
            for other, held in enumerate(overlap.attached)
            if here
        )

    def _share(self, have: frozenset[int], of: frozenset[int]) -> float:
        total = self.overlap.weight(of)
        return self.overlap.weight(have & of) / total if total else 0.0

    def _suffices(self, team: Sequence[int], of: frozenset[int], *, attached: bool = False) -> bool:
        """Enough words, and every number and name; where a number is disputed, it must stand beside its word."""
        have = self.overlap.covered(team, attached=attached)
        return self._share(have, of) >= self.scales.enough and not any(self.overlap.items[i].binding for i in of - have)

    def _on_subject(self, p: int, finding: Finding) -> bool:
        rest = self.overlap.without(finding.claim_span) or self.overlap.without(None)
        return self._share(self.overlap.held[p], rest) >= self.scales.subject

    def _uncovered(self) -> Judgement:
        """No passage says otherwise, and none says enough."""
        everything, team = self.overlap.without(None), self._team
        have = self.overlap.covered(team)
        share = self._share(have, everything)
        missing = sorted((self.overlap.items[i] for i in everything - have), key=lambda item: item.span)
        words = ", ".join(repr(item.words) for item in missing[:6])
        kinds = {item.kind for item in missing if item.binding}
        if not everything:
            return self._judgement(SupportClass.ABSENT, ErrorType.OTHER, "It has no word that could be compared.", ())
        if share >= self.scales.partial and not kinds and self.overlap.subject in have:
            return self._judgement(
                SupportClass.PARTIALLY_SUPPORTED,
                ErrorType.OTHER,
                f"The passages hold most of it, but not {words or 'in one place'}.",
                tuple(self.question.passages[p] for p in team),
                detail="minor addition",
            )
        error = ErrorType.OTHER
        if share >= self.scales.subject:  # the rest is known, so what is missing names the error
            error = ErrorType.NUMBER if "number" in kinds else ErrorType.ENTITY if "name" in kinds else error
        return self._judgement(
            SupportClass.ABSENT, error, f"No passage holds {words}.", (), detail="fabricated addition"
        )

    def _supported(self, team: Sequence[int]) -> Judgement:
        overlap, have = self.overlap, self.overlap.covered(team)
        share = self._share(have, overlap.without(None))
        lacking = overlap.without(None) - have
        complete = "" if any(overlap.items[i].binding for i in lacking) else ", with every number and name"
        against = self._conflicts(team)
        other = "but another source says otherwise" if against else "and nothing speaks against it"
        judgement = self._judgement(
            SupportClass.SUPPORTED,
            None,
            f"The passages hold {share:.0%} of its words{complete}, {other}.",
            tuple(self.question.passages[p] for p in team),
        )
        return replace(judgement, evidence=(*judgement.evidence, *against))

    def _scattered(self) -> Judgement:
        """The words are there, but nowhere as the claim puts them together."""
        return self._judgement(
            SupportClass.PARTIALLY_SUPPORTED,
            ErrorType.OTHER,
            "The passages hold most of its words, but hardly two of them together.",
            tuple(self.question.passages[p] for p in self._team),
            detail="too-far inference",
        )

    def _conflicts(self, team: Sequence[int]) -> tuple[Evidence, ...]:
        """What other nodes say against a claim that some state: of the same things only, by name and nearly by word."""
        overlap = self.overlap
        stating = {overlap.origins[p] for p in team}
        found = []
        for p, passage in enumerate(self.question.passages):
            if passage.node_id in stating or not self._near(p):
                continue
            finding = self._departure(p, self._checks(overlap.claim))
            if finding is None or finding.support is not SupportClass.CONTRADICTED:
                continue
            rest = overlap.without(finding.claim_span)
            held = overlap.held[p]
            bound = all(i in held for i in rest if overlap.items[i].binding)
            if rest and bound and self._share(held, rest) >= _SAME and not self._of_another(p, finding, team):
                found.append(quoted(passage, "contradicts"))
        return tuple(found[:_PEERS])

    def _near(self, p: int) -> bool:
        """Whether a passage may be of the same things: the checks cost more than this look."""
        overlap = self.overlap
        held, everything = overlap.held[p], overlap.without(None)
        lacking = sum(overlap.items[i].binding for i in everything - held)
        return lacking <= 1 and overlap.weight(held) >= _RELATED * (overlap.weight(everything) - 2)

    def _of_another(self, p: int, finding: Finding, team: Sequence[int]) -> bool:
        """Whether a passage names what neither the claim nor its support does, other than what it disputes."""
        passage, known_in = self.overlap.passages[p], [self.overlap.claim, *(self.overlap.passages[i] for i in team)]
        names = [name for name in passage.names if not finding.span[0] <= name[0].start < finding.span[1]]
        names += Reading(self.question.passages[p].before).names
        return any(not any(known(name, reading) for reading in known_in) for name in names)

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
