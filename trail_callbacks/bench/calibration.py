"""How far a judge can be relied on: its verdicts compared with what people say of them.

Shares have 95 % Wilson intervals, for which claims of one answer go wrong together; those of kappa and of the
calibration error are percentiles of a bootstrap over answers. What people did not mark says nothing: recall is of the
claims that they looked at, so mark some that were not flagged too.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field, TypeAdapter, ValidationError

from trail_callbacks.errors import InputError
from trail_callbacks.statistics.intervals import joined
from trail_callbacks.statistics.rates import Rate, as_data, design, rate
from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass

_BINS = 10
_DRAWS = 1_000
_WANTED = 0.9
_CLASSES = tuple(each.value for each in SupportClass)
_OUTCOMES = (*_CLASSES, "undecided", "not_judged")
RULES = ("agreement", "kappa", "precision", "recall")
"""What can be required of a calibration, see `failures`."""

Interval = tuple[float, float]
Figures: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedClaim:
    """A verdict that somebody looked at.

    Attributes:
        run: The answer that the claim is of.
        outcome: What the judge said, see `Verdict.outcome`.
        right: Whether somebody says that this is right.
        label: The class that it has after them; None if they name none.
        judge: Name of the judge.
        confidence: The judge's, 0.0 to 1.0; None if it has none.
        segments: Values of the run's segments, by name.
    """

    run: str
    outcome: Annotated[str, Field(pattern=f"^({'|'.join(_OUTCOMES)})$")]
    right: bool
    label: Annotated[str, Field(pattern=f"^({'|'.join(_CLASSES)})$")] | None = None
    judge: str = ""
    confidence: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    segments: Mapping[str, str] = field(default_factory=dict)


_MARK = TypeAdapter(JudgedClaim)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Verdicts of about one confidence: in a calibrated judge its mean is the share that is right."""

    low: float  # the confidences are above this one, up to `high`; those of the first bin also equal it
    high: float
    confidence: float  # their mean
    right: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """The smallest confidence from which on as many verdicts are right as was wanted."""

    confidence: float
    right: Rate  # of the verdicts from it on
    kept: float  # share of the verdicts that are, 0.0 to 1.0

    def reaches(self, wanted: float) -> bool:
        """Whether the whole interval does, and not only the share."""
        return (self.right.low or 0.0) >= wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A judge compared with people.

    Attributes:
        judge: Its name.
        agreement: Share of verdicts that people call right.
        kappa: Cohen's kappa (1960) of their classes, -1.0 to 1.0; None if it cannot be computed.
        kappa_interval: Its 95 % interval.
        precision: Of claims that were flagged, those that people call unsupported.
        recall: Of claims that people call unsupported, those that were flagged.
        classes: Precision and recall of each class.
        table: Claims by what the judge said, then by what people say.
        bins: Verdicts by confidence, for a reliability picture; empty for a judge without.
        error: Expected calibration error over these bins (Naeini et al., AAAI 2015), 0.0 to 1.0; None without.
        error_interval: Its 95 % interval.
        wanted: The share of right verdicts that `threshold` reaches.
        threshold: None if no confidence reaches it.
        segments: Agreement by segment, by name and value.
        left_out: What was not counted, a sentence each.
    """

    judge: str
    agreement: Rate
    kappa: float | None
    kappa_interval: Interval | None
    precision: Rate
    recall: Rate
    classes: Mapping[str, tuple[Rate, Rate]]
    table: Mapping[str, Mapping[str, int]]
    bins: tuple[Bin, ...] = ()
    error: float | None = None
    error_interval: Interval | None = None
    wanted: float = _WANTED
    threshold: Threshold | None = None
    segments: Mapping[str, Mapping[str, Rate]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """JSON-like, as `drift` reads it."""
        return {"format": "trail-calibration", "version": 1, **as_data(self)}

    def drift(self, before: Mapping[str, Any]) -> dict[str, tuple[float, float, float]]:
        """Returns how agreement, precision and recall changed since another calibration, with 95 % intervals.

        Args:
            before: What `as_data` returned then.

        Raises:
            InputError: If it is something else.
        """
        if before.get("format") != "trail-calibration" or before.get("version") != 1:
            raise InputError("not a calibration that this release can read: expected what trail calibrate -o wrote")
        changes = {}
        for name in ("agreement", "precision", "recall"):
            now, then = getattr(self, name), before[name]
            if now.value is not None and then["value"] is not None:
                limits = joined(then["value"], (then["low"], then["high"]), now.value, (now.low, now.high))
                changes[name] = (now.value - then["value"], *limits)
        return changes


def calibrated(
    claims: Iterable[JudgedClaim], judge: str | None = None, segment: str | None = None, wanted: float = _WANTED
) -> Calibration:
    """Compares a judge with people.

    Args:
        claims: What people looked at.
        judge: Name of the judge; None is the one with the most marks.
        segment: Name of a segment by which agreement is told apart too.
        wanted: Share of right verdicts that a threshold is to reach, above 0.0 to 1.0.

    Raises:
        InputError: If there are no marks, none of this judge, or a number is out of range.
    """
    if not 0.0 < wanted <= 1.0:
        raise InputError(f"the wanted precision is {wanted}, expected a share above 0.0 and up to 1.0")
    given = list(claims)
    judges = Counter(each.judge for each in given)
    if not given or (judge is not None and judge not in judges):
        of = f" of {judge!r}, only of {', '.join(sorted(judges))}" if judges else ""
        raise InputError(f"there are no marks{of}: mark claims as right or wrong on the page of trail serve")
    name = judges.most_common(1)[0][0] if judge is None else judge
    ours = [each for each in given if each.judge == name]
    known = [each for each in ours if each.label is not None]
    sure = [(each, each.confidence) for each in ours if each.confidence is not None]
    prior = design([[(each.run, each.right) for each in ours]])

    def share(of: Iterable[JudgedClaim], hit: Callable[[JudgedClaim], bool], why: str) -> Rate:
        return rate([(each.run, hit(each)) for each in of], prior, why)

    def both(is_one: Callable[[str | None], bool], what: str) -> tuple[Rate, Rate]:
        said, meant = ([e for e in known if is_one(e.outcome)], [e for e in known if is_one(e.label)])
        found = share(said, lambda each: is_one(each.label), f"the judge called none {what}")
        return found, share(meant, lambda each: is_one(each.outcome), f"people called none {what}")

    precision, recall = both(UNSUPPORTED.__contains__, "unsupported")
    bins = tuple(_bins(sure, share))
    table: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(_CLASSES, 0))
    for each in known:
        table[each.outcome][str(each.label)] += 1
    values = sorted({value for each in ours if (value := each.segments.get(segment or "")) is not None})
    by_value = {
        v: share([e for e in ours if e.segments.get(segment or "") == v], lambda e: e.right, "") for v in values
    }
    same, same_interval = _bootstrapped([(e.run, _cell(e.outcome, e.label)) for e in known if e.label], _kappas)
    error, error_interval = _bootstrapped([(e.run, _distance(e.right, at)) for e, at in sure], _errors)
    return Calibration(
        judge=name,
        agreement=share(ours, lambda each: each.right, "no marks"),
        kappa=same,
        kappa_interval=same_interval,
        precision=precision,
        recall=recall,
        classes={each: both(lambda one, each=each: one == each, each) for each in _CLASSES},  # type: ignore[misc]
        table=table,
        bins=bins,
        error=error,
        error_interval=error_interval,
        wanted=wanted,
        threshold=_threshold(sure, wanted, share),
        segments={segment: by_value} if segment else {},
        left_out=tuple(_left_out(judges, name, len(ours) - len(known), len(ours) - len(sure), bool(sure))),
    )


def failures(found: Any, required: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """Returns which requirements a judge misses, and which cannot be told: no data, or an interval around the limit.

    Args:
        found: Its calibration, or whatever else has such rates.
        required: Least values by name, see `RULES`.

    Raises:
        InputError: If a name is unknown.
    """
    missed, open_ = [], []
    for name, least in required.items():
        if name not in RULES:
            raise InputError(f"{name!r} cannot be required, expected one of {', '.join(RULES)}")
        one = getattr(found, name)
        low, high = (one.low, one.high) if isinstance(one, Rate) else found.kappa_interval or (None, None)
        value = one.value if isinstance(one, Rate) else one
        if value is None or low is None or high is None:
            open_.append(f"{name} is not known, {least} is required")
        elif high < least:
            missed.append(f"{name} is {value:.2f} ({low:.2f} to {high:.2f}), {least} is required")
        elif low < least:
            open_.append(f"{name} is {value:.2f} ({low:.2f} to {high:.2f}): too few marks to tell it from {least}")
    return missed, open_


def read_marks(lines: Iterable[bytes | str], on_error: Callable[[InputError], object]) -> Iterator[JudgedClaim]:
    """Reads marks as the page exports them (`/feedback.jsonl`), a JSON object a line.

    Args:
        lines: The lines.
        on_error: Called with what is wrong with a line, which is left out.
    """
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                yield _MARK.validate_json(line, strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = f"{'.'.join(map(str, first['loc']))}: " if first["loc"] else ""
            on_error(InputError(f"line {number} is no mark as /feedback.jsonl has it: {where}{first['msg']}"))


_Share = Callable[[Iterable[JudgedClaim], Callable[[JudgedClaim], bool], str], Rate]
_Sure = Sequence[tuple[JudgedClaim, float]]


def _bin_of(confidence: float) -> int:
    return min(_BINS - 1, max(0, int(np.ceil(confidence * _BINS)) - 1))


def _bins(sure: _Sure, share: _Share) -> Iterator[Bin]:
    by_bin: dict[int, list[tuple[JudgedClaim, float]]] = defaultdict(list)
    for each, confidence in sure:
        by_bin[_bin_of(confidence)].append((each, confidence))
    for place, members in sorted(by_bin.items()):
        yield Bin(
            low=place / _BINS,
            high=(place + 1) / _BINS,
            confidence=sum(confidence for _, confidence in members) / len(members),
            right=share([each for each, _ in members], lambda each: each.right, ""),
        )


def _threshold(sure: _Sure, wanted: float, share: _Share) -> Threshold | None:
    best = None
    ordered = sorted(sure, key=lambda pair: -pair[1])
    right = 0
    for n, (each, confidence) in enumerate(ordered, 1):
        right += each.right
        last = n == len(ordered) or ordered[n][1] < confidence  # all of one confidence stand together
        if last and right >= wanted * n:
            best = n, confidence
    if best is None:
        return None
    n, confidence = best
    kept = [each for each, _ in ordered[:n]]
    return Threshold(confidence=confidence, right=share(kept, lambda e: e.right, ""), kept=n / len(ordered))


def _kappas(tables: Figures) -> Figures:
    """Cohen's kappa of tables of two raters, a line each."""
    n = tables.sum(axis=1)
    square = tables.reshape(len(tables), len(_OUTCOMES), len(_OUTCOMES))
    same = np.trace(square, axis1=1, axis2=2) / n
    chance = (square.sum(axis=2) * square.sum(axis=1)).sum(axis=1) / n**2
    found: Figures = (same - chance) / (1.0 - chance)
    return found


def _errors(sums: Figures) -> Figures:
    """The mean distance of confidence and right verdicts over the bins, whose sums are in a line, then their number."""
    found: Figures = np.abs(sums[:, :-1]).sum(axis=1) / sums[:, -1]
    return found


def _bootstrapped(
    claims: Sequence[tuple[str, Sequence[float]]], figure: Callable[[Figures], Figures]
) -> tuple[float | None, Interval | None]:
    """A figure of sums over claims, and its 95 % percentile interval, from answers drawn with replacement.

    Args:
        claims: Each with its answer, and its addends.
        figure: Of sums, a line each.
    """
    by_run: dict[str, list[Sequence[float]]] = defaultdict(list)
    for run, addends in claims:
        by_run[run].append(addends)
    sums = np.array([np.sum(each, axis=0) for each in by_run.values()], dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = figure(sums.sum(axis=0, keepdims=True))[0] if len(sums) else math.nan
        if math.isnan(value) or len(sums) < 2:  # noqa: PLR2004 - nothing to draw from
            return (None if math.isnan(value) else float(value)), None
        n = len(sums)
        values = figure(np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=_DRAWS) @ sums)
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return float(value), (float(low), float(high))


def _cell(outcome: str, label: str) -> Sequence[float]:
    cells = np.zeros((len(_OUTCOMES), len(_OUTCOMES)))
    cells[_OUTCOMES.index(outcome), _OUTCOMES.index(label)] = 1.0
    return cells.ravel().tolist()


def _distance(right: bool, confidence: float) -> Sequence[float]:
    return [right - confidence if place == _bin_of(confidence) else 0.0 for place in range(_BINS)] + [1.0]


def _left_out(judges: Mapping[str, int], name: str, unsaid: int, unsure: int, has: bool) -> Iterator[str]:
    for other, n in judges.items():
        if other != name:
            yield f"{n} marks are of {other}"
    if unsaid:
        yield f"{unsaid} marks name no class that would be right: they count for agreement alone"
    if has and unsure:
        yield f"{unsure} verdicts have no confidence"
