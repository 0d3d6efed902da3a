"""Comparing an old and a new report: claims that appeared, vanished or changed, and the change of the score."""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from heapq import nlargest
from typing import Any, Literal, NamedTuple

from trail_callbacks.claims import Claim
from trail_callbacks.language.terms import terms
from trail_callbacks.report import Report, Verdict
from trail_callbacks.report.evaluations import claim_row
from trail_callbacks.report.verdict import weight
from trail_callbacks.statistics.intervals import difference
from trail_callbacks.taxonomy import UNSUPPORTED

_ALIKE = 0.7  # one word in four may differ: `It opened in 1968.` and `It opened in 1986.` are one statement, reworded
_COMPARED = 8  # statements compared word by word with each; those that share most words come first
_PAIRS = 2_000_000  # uses of a word by two statements that are counted
_LONGEST = 300  # words of a statement; comparing them is quadratic
_BLANKS = re.compile(r"\s+")
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


class Likeness(NamedTuple):
    """Two statements with equal or nearly equal words."""

    old: int  # index in the old list
    new: int  # index in the new list
    likeness: float  # share of common words, in order, 0.7 to 1.0; 1.0 if the normalised texts are equal


def normalised(text: str) -> str:
    """Removes what does not change a statement: case, style of whitespace and quotation marks, the final full stop."""
    text = unicodedata.normalize("NFC", text).casefold().translate(_QUOTES)
    return _BLANKS.sub(" ", text).strip().rstrip(".!\u3002\uff01\u0964").rstrip()


def pair(old: Sequence[str], new: Sequence[str]) -> tuple[Likeness, ...]:
    """Pairs statements: first those with equal normalised texts, in order, then the most similar of the rest.

    Likeness is the Ratcliff/Obershelp ratio over words, as in `difflib`. Only the statements that share most words are
    compared, so that 200 with 200 take a fraction of a second. Of thousands that share their words, each is compared
    with those that stand nearest to its own place, so that time grows with their number and not with its square.

    Args:
        old: Statements.
        new: Statements.

    Returns:
        Matches in the order of `new`. No statement occurs twice.
    """
    found = list(_equal(old, new))
    rest_old = sorted(set(range(len(old))) - {match.old for match in found})
    rest_new = sorted(set(range(len(new))) - {match.new for match in found})
    taken: set[tuple[str, int]] = set()
    for match in sorted(_alike(old, rest_old, new, rest_new), key=_preference):
        ends = {("old", match.old), ("new", match.new)}
        if not ends & taken:
            taken |= ends
            found.append(match)
    return tuple(sorted(found, key=lambda match: match.new))


def _preference(match: Likeness) -> tuple[float, int, int, int]:
    return -match.likeness, abs(match.old - match.new), match.old, match.new


def _equal(old: Sequence[str], new: Sequence[str]) -> Iterator[Likeness]:
    places: dict[str, list[int]] = defaultdict(list)
    for i in reversed(range(len(old))):
        places[normalised(old[i])].append(i)
    for j, text in enumerate(new):
        if same := places.get(normalised(text)):
            yield Likeness(same.pop(), j, 1.0)


def _alike(
    old: Sequence[str], rest_old: Sequence[int], new: Sequence[str], rest_new: Sequence[int]
) -> Iterator[Likeness]:
    before, words = {i: _words(old[i]) for i in rest_old}, {j: _words(new[j]) for j in rest_new}
    holding: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for j in rest_new:
        for word, n in Counter(words[j]).items():
            holding[word].append((j, n))
    counted = {i: Counter(mine) for i, mine in before.items()}
    most = _PAIRS // max(1, sum(map(len, counted.values())))  # holders of one word that are looked at
    for i, mine in counted.items():
        shared: Counter[int] = Counter()
        for word, n in mine.items():
            for j, m in _nearest(holding.get(word, ()), i, most):
                shared[j] += min(n, m)
        # The upper bound of the ratio: all shared words are in the same order.
        bounds = ((2 * n / (mine.total() + len(words[j])), -abs(i - j), -j) for j, n in shared.items())
        for bound, _, j in nlargest(_COMPARED, bounds):
            if bound >= _ALIKE:
                ratio = SequenceMatcher(None, before[i], words[-j], autojunk=False).ratio()
                if ratio >= _ALIKE:
                    yield Likeness(i, -j, ratio)


def _nearest(holders: Sequence[tuple[int, int]], i: int, most: int) -> Sequence[tuple[int, int]]:
    if len(holders) <= most:
        return holders
    start = max(0, min(bisect_left(holders, (i, 0)) - most // 2, len(holders) - most))
    return holders[start : start + most]


def _words(text: str) -> list[str]:
    return [term.form for term in terms(text)][:_LONGEST]


Aspect = Literal["class", "error_type", "entry"]

_WRITTEN = (
    "claim_id", "claim", "quote", "support", "error_type", "introduced_at", "step", "evidence", "error", "undecided",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedClaim:
    """A claim of one of the two reports, with its verdict."""

    claim: Claim
    verdict: Verdict  # the verdict on it
    # name of the entry step of unsupported content (the node's kind if it has no name); None if there is none. Node ids
    # are numbered anew in each run, so they are not compared
    entry: str | None
    row: Mapping[str, Any] = field(default_factory=dict, repr=False)  # all that its report says of it, see `claim_row`

    @property
    def unsupported(self) -> bool:
        """Whether it is contradicted, absent or partially supported."""
        return self.verdict.support in UNSUPPORTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A claim that both reports have."""

    old: JudgedClaim  # as in the old report
    new: JudgedClaim  # as in the new report
    likeness: float  # similarity of the two wordings, 0.7 to 1.0

    @property
    def reworded(self) -> bool:
        """Whether the words changed, not just case, whitespace, style of quotation marks or the final full stop."""
        return normalised(self.old.claim.text) != normalised(self.new.claim.text)

    @property
    def changed(self) -> tuple[Aspect, ...]:
        """What is judged differently, `class` also if the judge decided only one of the two.

        Error type and entry step are only compared if both are unsupported.
        """
        before, after = self.old.verdict, self.new.verdict
        if before.outcome != after.outcome:
            return ("class",)
        if not self.new.unsupported:
            return ()
        aspects: list[Aspect] = ["error_type"] if before.error_type is not after.error_type else []
        return (*aspects, "entry") if self.old.entry != self.new.entry else tuple(aspects)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreChange:
    """The change of the hallucination score; above 0 is worse."""

    old: float | None  # the old score, 0.0 to 1.0, or None
    new: float | None  # the new score
    change: float | None = None  # `new - old`, -1.0 to 1.0; None if unknown
    # its 95 % interval, see `trail_callbacks.statistics.intervals.difference`; None if unknown
    interval: tuple[float, float] | None = None
    reason: str = ""  # why change or interval is None; empty if neither is


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The differences between two reports.

    Attributes:
        old: The old report.
        new: The new report.
        pairs: Claims that both have, in the order of the new answer.
        appeared: Claims that only the new report has.
        vanished: Claims that only the old report has.
    """

    old: Report
    new: Report
    pairs: tuple[Pair, ...]
    appeared: tuple[JudgedClaim, ...]
    vanished: tuple[JudgedClaim, ...]

    @property
    def changed(self) -> tuple[Pair, ...]:
        """The pairs that are judged differently."""
        return tuple(each for each in self.pairs if each.changed)

    @property
    def reworded(self) -> tuple[Pair, ...]:
        """The pairs whose words changed, whether or not they are judged differently."""
        return tuple(each for each in self.pairs if each.reworded)

    @property
    def unchanged(self) -> int:
        """Number of pairs that are judged the same, reworded or not."""
        return len(self.pairs) - len(self.changed)

    @cached_property
    def score(self) -> ScoreChange:
        """The change of the score. For its interval, claims that both reports count are paired samples."""
        before, after = self.old.hallucination_score, self.new.hallucination_score
        for which, report, value in (("old", self.old, before), ("new", self.new, after)):
            if value is None:
                return ScoreChange(old=before, new=after, reason=f"the {which} report has no score ({report.state})")
        if before is None or after is None or self.old.scoring != self.new.scoring:
            return ScoreChange(old=before, new=after, reason="the two scores are computed with different options")
        change = after - before
        if self.old.interval is None or self.new.interval is None:
            reason = "a contradiction set a score to 1.0, so that it is not a share of claims"
            return ScoreChange(old=before, new=after, change=change, reason=reason)
        return ScoreChange(old=before, new=after, change=change, interval=self._interval())

    def _interval(self) -> tuple[float, float]:
        scoring = self.new.scoring
        both = [(weight(e.old.verdict.support, scoring), weight(e.new.verdict.support, scoring)) for e in self.pairs]
        paired = [(x, y) for x, y in both if x is not None and y is not None]
        old = [x for x, _ in paired] + [x for x, y in both if x is not None and y is None]
        new = [y for _, y in paired] + [y for x, y in both if y is not None and x is None]
        old += [x for each in self.vanished if (x := weight(each.verdict.support, scoring)) is not None]
        new += [y for each in self.appeared if (y := weight(each.verdict.support, scoring)) is not None]
        return difference(old, new, len(paired))

    @property
    def warnings_appeared(self) -> tuple[str, ...]:
        """Warnings of the new report that the old one does not have."""
        return _without(self.new.warnings, self.old.warnings)

    @property
    def warnings_vanished(self) -> tuple[str, ...]:
        """Warnings of the old report that the new one does not have."""
        return _without(self.old.warnings, self.new.warnings)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Differences other than the answer that may explain a change."""
        found = []
        if self.old.judge != self.new.judge:
            found.append(
                f"judged by {self.old.judge or 'unknown'}, now by {self.new.judge or 'unknown'}: "
                "verdicts may differ because of that"
            )
        questions = [report.graph.question for report in (self.old, self.new)]
        if len({normalised(question.text) if question else None for question in questions}) > 1:
            found.append("the two answers reply to different questions")
        undecided = [len(report.undecided) for report in (self.old, self.new)]
        if undecided[0] != undecided[1]:
            found.append(
                f"claims that the judge left undecided: {undecided[0]} before, {undecided[1]} now; they are in no score"
            )
        return tuple(found)

    def to_json(self) -> str:
        """Serialises the differences; the reports themselves are not included."""
        return json.dumps(
            {
                "score": asdict(self.score),
                "state": {"old": self.old.state, "new": self.new.state},
                "judge": {"old": self.old.judge, "new": self.new.judge},
                "counts": {
                    "old": len(self.old.claims),
                    "new": len(self.new.claims),
                    "unchanged": self.unchanged,
                    "changed": len(self.changed),
                    "reworded": len(self.reworded),
                    "appeared": len(self.appeared),
                    "vanished": len(self.vanished),
                },
                "changed": [_pair_as_dict(each) for each in self.changed],
                "reworded": [_pair_as_dict(each) for each in self.reworded],
                "appeared": [_claim_as_dict(each) for each in self.appeared],
                "vanished": [_claim_as_dict(each) for each in self.vanished],
                "warnings": {"appeared": list(self.warnings_appeared), "vanished": list(self.warnings_vanished)},
                "remarks": list(self.remarks),
            },
            ensure_ascii=False,
        )


def compare(old: Report, new: Report) -> Comparison:
    """Compares two reports, usually on answers of one app at two times.

    Claims are the same if their texts are equal up to case, whitespace, style of quotation marks and a final full stop.
    Of the others, two that share at least 70 % of their words, in order, are one claim reworded; the most similar are
    paired first.

    Args:
        old: The old report.
        new: The new report.
    """
    before, after = _judged(old), _judged(new)
    matches = pair([each.claim.text for each in before], [each.claim.text for each in after])
    kept_old, kept_new = {match.old for match in matches}, {match.new for match in matches}
    return Comparison(
        old=old,
        new=new,
        pairs=tuple(Pair(old=before[m.old], new=after[m.new], likeness=m.likeness) for m in matches),
        appeared=tuple(each for i, each in enumerate(after) if i not in kept_new),
        vanished=tuple(each for i, each in enumerate(before) if i not in kept_old),
    )


def _judged(report: Report) -> list[JudgedClaim]:
    rows = [(claim, claim_row(report, claim)) for claim in report.claims]
    return [JudgedClaim(claim=each, verdict=report.verdict(each.id), entry=row["step"], row=row) for each, row in rows]


def _without(these: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple((Counter(these) - Counter(others)).elements())


def _pair_as_dict(each: Pair) -> dict[str, Any]:
    return {
        "old": _claim_as_dict(each.old),
        "new": _claim_as_dict(each.new),
        "changed": list(each.changed),
        "reworded": each.reworded,
        "likeness": round(each.likeness, 3),
    }


def _claim_as_dict(each: JudgedClaim) -> dict[str, Any]:
    decisive = [item.quote for item in each.verdict.evidence if item.decides]
    return {name: each.row[name] for name in _WRITTEN} | {"evidence": decisive}
