"""The cheapest judge, or cascade of judges, that reaches a wanted precision and recall, by what a bench holds of them.

Nobody is asked again. What a cascade says of a sentence is composed from what its judges say alone: exact where the
sentence holds one claim; of several, one of which is open, the later judge is taken at its word on all. Costs are an
upper bound: a later judge is asked about open claims only, in a call that reads the same sources, and here it is
charged for the whole answer wherever a sentence of it is open. Only the search for the step at which a claim came in is
not charged where an earlier judge flags it.

A band is the cheapest one by which the wanted figures are reached, by a standard error more. They are cross-validated
over answers: what is flagged in each fifth goes by the band that the other fifths choose; of 21 divisions into fifths
the median stands.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from trail_callbacks.bench.calibration import failures
from trail_callbacks.bench.results import Bench, Judged, Reading
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.judges.cascade import FORMAT, VERSION, Band
from trail_callbacks.models.call import Budget
from trail_callbacks.statistics.intervals import least, quantile, wilson
from trail_callbacks.statistics.rates import FEW, Rate, as_data, design, rate
from trail_callbacks.taxonomy import UNSUPPORTED

COSTS = ("calls", "tokens", "money", "seconds")
_FOLDS, _REPEATS = 5, 21
_OPEN, _FLAGGED, _PASSED = range(3)  # what a judge that is not the last one makes of a sentence

Figures: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A judge or a cascade, and what may be expected of it.

    Attributes:
        stages: Its judges in their order, each with its band: see `CascadeJudge`.
        asked: Share of the answers about which each is asked, 0.0 to 1.0.
        decides: Share of the sentences on which each has the last word.
        wanted: The `precision` and `recall` that it is to reach.
        answers: Number of answers on which it was measured.
        precision: Of sentences that it flags, those that are wrong; cross-validated if it has a band.
        recall: Of wrong sentences, those that it flags; likewise.
        costs: Of an answer: `calls`, `tokens`, `money` (None if a price is missing) and, on that machine, `seconds`.
    """

    stages: tuple[tuple[str, Band | None], ...]
    asked: tuple[float, ...]
    decides: tuple[float, ...]
    wanted: Mapping[str, float]
    answers: int
    precision: Rate
    recall: Rate
    costs: Mapping[str, float | None]

    @property
    def name(self) -> str:
        """Its judges and bands."""
        return " + ".join(judge + ("[{:g}, {:g}]".format(*band) if band else "") for judge, band in self.stages)

    @property
    def short(self) -> float:
        """By how much precision and recall together miss what is wanted, 0.0 to 2.0; whatever their intervals."""
        return sum(max(0.0, wanted - (getattr(self, name).value or 0.0)) for name, wanted in self.wanted.items())

    @property
    def outcome(self) -> str:
        """`worse` if a whole interval misses what is wanted, `not_enough_data` if part of one does, else `passes`."""
        missed, open_ = failures(self, self.wanted)
        return "worse" if missed else "not_enough_data" if open_ else "passes"

    @property
    def needed(self) -> int | None:
        """Answers that would tell that it reaches what is wanted, if shares stay as they are; None if none would."""
        shares = [(getattr(self, name), wanted) for name, wanted in self.wanted.items()]

        def enough(n: int) -> bool:
            limits = [wilson(one.value, n * one.effective / self.answers, quantile(max(n, FEW))) for one, _ in shares]
            return all(low >= wanted for (low, _), (_, wanted) in zip(limits, shares, strict=True))

        return least(enough) if all(one.n for one, _ in shares) else None

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        return {
            "stages": [{"judge": judge} | ({"band": band} if band else {}) for judge, band in self.stages],
            "measured": as_data({name: getattr(self, name) for name in self.__slots__[1:]}),
        }

    def save(self, path: str | Path, bench: Bench) -> None:
        """Writes the file that `CascadeJudge.from_file` and `judge="cascade:FILE"` read.

        Raises:
            InputError: If it cannot be written.
        """
        data = self.as_data()
        data["measured"] |= {name: getattr(bench, name) for name in ("data", "digest", "machine")}
        text = json.dumps({"format": FORMAT, "version": VERSION, **data}, ensure_ascii=False, indent=2)
        write(str(path), text + "\n", public=True)


def chosen(choices: Sequence[Choice]) -> Choice | None:
    """The first one, which is the cheapest, that reaches what is wanted; None if none does."""
    return next((each for each in choices if not each.short), None)


def cascades(bench: Bench, precision: float = 0.9, recall: float = 0.8) -> tuple[Choice, ...]:
    """Combines judges: each alone, any two, and a screen before an encoder before a model.

    First goes who has scores, within a band that is searched, or abstains. All are measured on the answers that every
    judge has read; one that failed on all of them is left out.

    Args:
        bench: What judges say.
        precision: Wanted share of the flagged sentences that are wrong, above 0.0 to 1.0.
        recall: Wanted share of the wrong sentences that are flagged, likewise.

    Returns:
        The cheapest first: by money if all prices are known, else by tokens, or by calls where these are not counted;
        by seconds if nothing of that is spent. Of those whose costs cannot be told apart, the one with fewer judges.

    Raises:
        InputError: If a figure is out of range, or no answer was read by all judges.
    """
    for name, value in (("precision", precision), ("recall", recall)):
        if not 0.0 < value <= 1.0:
            raise InputError(f"the wanted {name} is {value}, expected a share above 0.0 and up to 1.0")
    sheet = _Sheet(bench, {"precision": precision, "recall": recall})
    return tuple(_ordered([sheet.measured(path) for path in _paths(sheet.heard, several=len(sheet.ids) > 1)]))


class _Heard:
    """What a judge says of sentences, in the order of a sheet, and its costs, a line a reading."""

    def __init__(self, judged: Judged, readings: Sequence[Reading]) -> None:
        self.judge, said = judged.judge, [each for reading in readings for each in reading.said]
        outcomes = np.array([each.outcome for each in said])
        self.flags = np.isin(outcomes, list(UNSUPPORTED))
        known = [nan if each.score is None else each.score for each in said]
        self.scores = np.where(np.isin(outcomes, ["unevaluatable", "not_read"]), nan, known)
        self.failed = outcomes == "not_judged"
        decided = judged.abstains & ~self.failed & (outcomes != "undecided")
        self.states = np.where(decided, np.where(self.flags, _FLAGGED, _PASSED), _OPEN)
        self.states[outcomes == "not_read"] = _PASSED  # no claim of the first judge is in it: nobody is asked about any
        usages, prices = [reading.usage for reading in readings], judged.prices or Budget()
        money = [prices.cost(each) if each.calls else 0.0 for each in usages]
        counts = [(each.calls, each.prompt_tokens + each.completion_tokens, each.seconds) for each in usages]
        self.costs = np.insert(np.array(counts, dtype=float), 2, np.array(money, dtype=float), axis=1)  # None is NaN
        self.scored = not np.isnan(self.scores).all()
        self.goes_first = (self.scored or judged.abstains) and not self.judge.startswith("cascade:")

    def within(self, band: Band | None) -> Figures:
        """What becomes of sentences, as `CascadeJudge` has it."""
        if band is None:
            return self.states
        passed = np.where(self.failed, _OPEN, _PASSED)  # what is not judged has no score that is high
        found = np.where(self.scores >= band[1], passed, np.where(self.scores <= band[0], _FLAGGED, _OPEN))
        return np.where(np.isnan(self.scores), self.states, found)

    def bands(self) -> list[Band]:
        """Those that are tried: their ends are twentieths of the scores."""
        ends = np.nanquantile(self.scores, np.linspace(0.0, 1.0, 21))
        grid = np.unique([0.0, *ends, 1.0]).tolist()
        return [(low, high) for n, low in enumerate(grid) for high in grid[n:]]


_Path: TypeAlias = tuple[_Heard, ...]


def _paths(heard: Sequence[_Heard], *, several: bool) -> Iterator[_Path]:
    firsts = [each for each in heard if each.goes_first and (several or not each.scored)]  # no band is tried on itself
    models = [each for each in heard if each.costs[:, 0].any()]
    yield from ((each,) for each in heard)
    yield from ((first, other) for first in firsts for other in heard if first is not other)
    pairs = [(a, b) for a in firsts for b in firsts if b.scored and not a.scored]
    yield from ((*pair, model) for pair in pairs for model in models if model not in pair)


class _Sheet:
    """The sentences of all answers that all judges have read, answer by answer, each in all its rounds."""

    def __init__(self, bench: Bench, wanted: Mapping[str, float]) -> None:
        of: list[tuple[Judged, dict[str, list[Reading]]]] = []
        for judged in bench.judges:
            by: dict[str, list[Reading]] = defaultdict(list)
            for reading in judged.readings:
                if not reading.failure:
                    by[reading.answer].append(reading)
            of += [(judged, by)] if by else []
        answers = [each for each in bench.answers if each.labels and all(each.id in by for _, by in of)]
        if not of or not answers:
            raise InputError(f"no labelled answer of {bench.data} was read by all judges: finish the bench first")
        # a judge that was asked less often says the same again
        rounds = [max(len(by[each.id]) for _, by in of) for each in answers]
        asked = [(each, n) for each, times in zip(answers, rounds, strict=True) for n in range(times)]
        self.heard = [_Heard(judged, [by[a.id][n % len(by[a.id])] for a, n in asked]) for judged, by in of]
        self.ids, self.wanted, self.rounds = [each.id for each in answers], wanted, np.array(rounds)
        self.wrong = np.array([label.wrong for each, _ in asked for label in each.labels], dtype=bool)
        ends = np.cumsum([0, *(len(each.labels) for each, _ in asked)])
        self.readings = ends[:-1]  # where the sentences of each reading begin
        self.first = np.cumsum([0, *rounds])[:-1]  # the first reading of each answer
        asking = [each.costs for each in self.heard if each.costs[:, 0].any()]
        known = all(not np.isnan(each).any() for each in asking)
        self.unit = 0 if not all(each[:, 1].any() for each in asking) else 2 if known else 1  # of `COSTS`

    def measured(self, path: _Path) -> tuple[Choice, Figures]:
        """What may be expected of some judges one after the other, and the costs of each answer, see `COSTS`."""
        at = next((n for n, each in enumerate(path[:-1]) if each.scored), -1)
        bands = path[at].bands() if at >= 0 else [None]
        tried = [self._composed(path, at, band) for band in bands]
        flags = np.array([each[0] for each in tried])
        begins = self.readings[self.first]
        hits, flagged, (wrong,) = (
            np.add.reduceat(each, begins, axis=1, dtype=int) for each in (flags & self.wrong, flags, self.wrong[None])
        )
        costs = np.array([np.add.reduceat(each[1], self.first) / self.rounds[:, None] for each in tried])
        counts = (hits, flagged, wrong, costs[:, :, self.unit])
        best = self._best(counts, np.ones(len(wrong), dtype=bool))
        means = [None if np.isnan(each) else float(each) for each in costs[best].mean(axis=0)]
        precision, recall = self._rates(*self._validated(counts), wrong)
        choice = Choice(
            stages=tuple((each.judge, bands[best] if n == at else None) for n, each in enumerate(path)),
            asked=tuple(tried[best][2]),
            decides=tuple(tried[best][3]),
            wanted=self.wanted,
            answers=len(wrong),
            precision=precision,
            recall=recall,
            costs=dict(zip(COSTS, means, strict=True)),
        )
        return choice, costs[best][:, [self.unit, -1]]

    def _composed(self, path: _Path, at: int, band: Band | None) -> tuple[Figures, Figures, list[float], list[float]]:
        """What is flagged, the costs of each reading, and of each judge how much it is asked and decides."""
        left, flags = np.ones(len(self.wrong), dtype=bool), np.zeros(len(self.wrong), dtype=bool)
        costs, asked, decides = np.zeros_like(path[0].costs), [], []
        for n, one in enumerate(path):
            open_ = np.logical_or.reduceat(left, self.readings)
            costs += np.where(open_[:, None], one.costs, 0.0)
            last = np.where(one.flags, _FLAGGED, _PASSED)
            states = last if one is path[-1] else one.within(band if n == at else None)
            flags |= left & (states == _FLAGGED)
            asked.append(float(open_.mean()))
            decides.append(float((left & (states != _OPEN)).mean()))
            left &= states == _OPEN
        return flags, costs, asked, decides

    def _best(self, counts: Sequence[Figures], of: Figures) -> int:
        """The cheapest band that reaches what is wanted on some answers, or the one that misses it least."""
        hits, flagged, cost = (each[:, of].sum(axis=1) for each in (counts[0], counts[1], counts[3]))
        short = np.zeros(len(hits))
        for n, wanted in zip((flagged, counts[2][of].sum()), self.wanted.values(), strict=True):
            whole = np.maximum(n, 1)
            more = np.minimum(1.0, wanted + np.sqrt(wanted * (1 - wanted) / whole))
            short += np.maximum(0.0, more - hits / whole)
        return int(np.lexsort((cost, short.round(9)))[0])

    def _validated(self, counts: Sequence[Figures]) -> tuple[Figures, Figures]:
        """How many are found and flagged of each answer, by a band that was chosen without it."""
        hits, flagged, wrong, _ = counts
        random, every = np.random.default_rng(0), np.arange(len(wrong))
        found = []
        for _ in range(_REPEATS if len(hits) > 1 else 1):
            fold, band = random.permutation(every) % _FOLDS, np.zeros_like(every)
            for each in np.unique(fold) if len(hits) > 1 else ():
                band[fold == each] = self._best(counts, fold != each)
            found.append((hits[band, every], flagged[band, every]))
        found.sort(key=lambda each: each[0].sum() / max(1, each[1].sum()) + each[0].sum() / max(1, wrong.sum()))
        return found[len(found) // 2]

    def _rates(self, hits: Figures, flagged: Figures, wrong: Figures) -> tuple[Rate, Rate]:
        """Precision and recall; the sentences of one answer go wrong together."""
        precise, found = (
            [(id_, n < k) for id_, k, whole in zip(self.ids, hits.tolist(), each, strict=True) for n in range(whole)]
            for each in (flagged, wrong)
        )
        prior, rounds = design([precise, found]), float(self.rounds.mean())
        nothing, no_wrong = "nothing is flagged", "no sentence is wrong"
        return rate(precise, prior, nothing, rounds), rate(found, prior, no_wrong, rounds)


def _ordered(found: list[tuple[Choice, Figures]]) -> Iterator[Choice]:
    """The cheapest first, and of those whose costs may differ by chance the one with the fewest judges."""
    left = sorted(found, key=lambda each: tuple(each[1].mean(axis=0)))
    while left:
        alike = [each for each in left if _tied(left[0][1], each[1])]
        best = min(alike, key=lambda each: len(each[0].stages))
        yield best[0]
        left = [each for each in left if each is not best]


def _tied(one: Figures, other: Figures) -> bool:
    spent = 0 if one[:, 0].any() or other[:, 0].any() else 1
    change = (other - one)[:, spent]
    n = len(change)
    return abs(float(change.mean())) <= (quantile(n) * float(change.std(ddof=1)) / sqrt(n) if n > 1 else inf)
