"""What a bench comes to: shares, cost and time of each judge, and every two judges on the same sentences.

Sentences of one answer go wrong together, and so do the rounds of one sentence: intervals take answers as clusters.
What a judge leaves undecided is neither found nor right, and stays in every denominator. What it failed on is in none:
how often that was is a share of its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from operator import add
from typing import Any, Final

import numpy as np

from trail_callbacks.bench.results import Bench, Judged, Label, Labelled, Reading, Said
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Usage
from trail_callbacks.statistics.contrasts import Contrast, contrasted
from trail_callbacks.statistics.rates import FEW, Hit, Rate, as_data, design, rate
from trail_callbacks.taxonomy import UNSUPPORTED

_SILENT = ("undecided", "not_judged", "not_read")
_FEATURES = {"class": "support", "type": "error_type", "entry": "entry"}  # of a label
_NO_WRONG, _NO_RIGHT, _ONCE = "it read no wrong sentence", "it read no right sentence", "no answer was read twice"
SHARES: Final[Mapping[str, str]] = {
    "wrong_found": _NO_WRONG,
    "right_flagged": _NO_RIGHT,
    "precision": "it flagged nothing",
    "not_decided": "it read no sentence",
    **{f"wrong_{each}": _NO_WRONG for each in _SILENT},
    **{f"right_{each}": _NO_RIGHT for each in _SILENT},
    "answers_found": "it read no answer with a wrong sentence",
    "answers_flagged": "it read no answer that is right",
    **{each: f"no wrong sentence has a known {each}" for each in _FEATURES},
    **{f"{each}_of_found": f"nothing with a known {each} was found" for each in _FEATURES},
    "same_flag": _ONCE,
    "same_outcome": _ONCE,
    "failed": "it was asked nothing",
}
"""Names of the shares of `JudgeFigures`, and why there may be none."""

COMPARED: Final = {
    "wrong_found": ("finds more wrong sentences", "wrong sentences found"),
    "right_flagged": ("flags more right sentences", "right sentences flagged"),
}
"""By what judges are compared, in words: what one does, and in what two may be alike."""

_PARTS = ("wrong_found", "right_flagged", "precision", "not_decided")
_THIRD = 1 / 3  # failures from which a judge is not compared


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFigures:
    """What a judge's readings come to."""

    judge: str  # how it was named
    name: str  # what it calls itself
    shares: Mapping[str, Rate]  # by name, see `SHARES`
    by: Mapping[str, Mapping[str, Mapping[str, Rate]]]  # some of them, by `language` and `tag`, then by their values
    readings: int  # answers that it was asked about, each round counted
    usage: Usage  # what all of these cost, failures included
    money: float | None  # likewise, by the given prices
    why: str  # why there is no money; empty if there is
    seconds: tuple[float, float] | None  # of an answer: the median, and of nine in ten; None if all failed

    @property
    def is_comparable(self) -> bool:
        """Whether it failed on less than a third of the answers."""
        return _comparable(self.shares["failed"].k, self.readings)


def figures(bench: Bench) -> tuple[JudgeFigures, ...]:
    """Computes the figures of each judge."""
    answers = {each.id: each for each in bench.answers}
    return tuple(_figures(judged, answers) for judged in bench.judges)


def paired(bench: Bench) -> tuple[Contrast, ...]:
    """Compares every two judges on the sentences that both read, second minus first, with Holm over all comparisons.

    Rounds are no further sentences: of each answer the first that did not fail counts. A judge that failed on a third
    of its answers or more is left out.
    """
    answers = {each.id: each for each in bench.answers}
    counted: dict[str, dict[str, dict[str, bool]]] = {each: defaultdict(dict) for each in COMPARED}
    clusters: dict[str, str] = {}
    known = [each for each in bench.judges if _comparable(len(each.readings) - len(_read(each)), len(each.readings))]
    for judged in known:
        for reading in _read(judged):
            for n, (label, said) in enumerate(zip(answers[reading.answer].labels, reading.said, strict=True)):
                key = f"{n} {reading.answer}"
                clusters[key] = reading.answer
                counted[_measure(label)][judged.judge].setdefault(key, said.outcome in UNSUPPORTED)
    return contrasted(counted, [each.judge for each in known], clusters)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """The judges of a bench, as table, picture and JSON show them; see `side_by_side`."""

    bench: Bench
    judges: tuple[JudgeFigures, ...]
    comparisons: tuple[Contrast, ...]

    def remarks(self) -> Iterator[str]:
        """What a reader must know beside the figures."""
        n = len(self.bench.answers)
        if n < FEW:
            yield f"There are fewer than {FEW} answers: such figures say nothing about others."
        for each, judged in zip(self.judges, self.bench.judges, strict=True):
            failed, hits = each.shares["failed"], each.usage.cache_hits
            if failed.k:
                rest = "its figures are of what it answered" if each.is_comparable else "do not trust its figures"
                first = next(reading.failure for reading in judged.readings if reading.failure)
                yield f"{each.judge} failed on {failed.k:,} of {failed.n:,}: {rest}; the first time: {first}"
            if failed.documents < n:
                yield f"{each.judge} was asked about {failed.documents:,} of {n:,} answers: it is compared on these."
            if hits:
                yield f"{each.judge} had {hits:,} replies from a cache: the first time it costs more and takes longer."
        yield from self.bench.left_out

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        return {
            "data": self.bench.data,
            "digest": self.bench.digest,
            "answers": len(self.bench.answers),
            "judges": as_data(self.judges),
            "comparisons": [each.as_data() for each in self.comparisons],
            "remarks": list(self.remarks()),
        }


def side_by_side(bench: Bench) -> SideBySide:
    """Computes all that is shown of a bench."""
    return SideBySide(bench=bench, judges=figures(bench), comparisons=paired(bench))


def merged(benches: Mapping[str, Bench]) -> tuple[Bench, ...]:
    """Puts results on the same data together, in which judges can be compared.

    A judge that is in several of them (of two releases, say) is named with its file.

    Args:
        benches: By file.

    Raises:
        InputError: If files of the same data have other ids or labels.
    """
    by_data: dict[str, dict[str, Bench]] = defaultdict(dict)
    for file, bench in benches.items():
        by_data[bench.digest][file] = bench
    found = []
    for files in by_data.values():
        one, left_out = next(iter(files.values())), {each: None for bench in files.values() for each in bench.left_out}
        if len({tuple((each.id, each.labels) for each in bench.answers) for bench in files.values()}) > 1:
            raise InputError(f"{' and '.join(files)} are of the same data, and their answers have other ids or labels")
        if len({bench.machine for bench in files.values()}) > 1:
            left_out["The files were made on different machines: their seconds cannot be compared."] = None
        often = Counter(judged.judge for bench in files.values() for judged in bench.judges)
        judges = tuple(
            replace(judged, judge=f"{judged.judge} ({file})") if often[judged.judge] > 1 else judged
            for file, bench in files.items()
            for judged in bench.judges
        )
        found.append(replace(one, judges=judges, left_out=tuple(left_out)))
    return tuple(found)


def _comparable(failed: int, asked: int) -> bool:
    return failed < asked * _THIRD


def _read(judged: Judged) -> list[Reading]:
    return [each for each in judged.readings if not each.failure]


def _figures(judged: Judged, answers: Mapping[str, Labelled]) -> JudgeFigures:
    rows = [(answers[each.answer], each) for each in _read(judged)]
    failed = [(each.answer, bool(each.failure)) for each in judged.readings]
    usage = reduce(add, (each.usage for each in judged.readings), Usage())
    money = judged.prices.cost(usage) if judged.prices else None
    unknown = "no prices were given" if usage.calls or usage.cache_hits else "it made no call that was counted"
    by: dict[str, dict[str, list[tuple[Labelled, Reading]]]] = {"language": defaultdict(list), "tag": defaultdict(list)}
    for row in rows:
        by["language"][row[0].language or "unknown"].append(row)
        for tag in row[0].tags:
            by["tag"][tag].append(row)
    seconds = [each.usage.seconds for _, each in rows]
    return JudgeFigures(
        judge=judged.judge,
        name=judged.name,
        shares={**_rates(rows, SHARES), "failed": rate(failed, design([failed]), SHARES["failed"])},
        by={kind: {value: _rates(some, _PARTS) for value, some in sorted(each.items())} for kind, each in by.items()},
        readings=len(judged.readings),
        usage=usage,
        money=money,
        why=unknown if money is None else "",
        seconds=(float(np.median(seconds)), float(np.percentile(seconds, 90))) if seconds else None,
    )


def _rates(rows: Sequence[tuple[Labelled, Reading]], names: Iterable[str]) -> dict[str, Rate]:
    """Shares; until the data tell, rounds are taken to say no more together than one of them."""
    hits, once = _trials(rows), _trials(row for row in rows if row[1].round == 1)
    rounds = len(rows) / max(len({answer.id for answer, _ in rows}), 1)
    return {
        n: rate(hits[n], rounds * design([once[n] or hits[n]]), SHARES[n], rounds if once[n] else 1.0) for n in names
    }


def _trials(rows: Iterable[tuple[Labelled, Reading]]) -> dict[str, list[Hit]]:
    """The trials of each share."""
    found: dict[str, list[Hit]] = defaultdict(list)
    rounds: dict[str, list[Reading]] = defaultdict(list)
    for answer, reading in rows:
        rounds[answer.id].append(reading)
        if answer.labels:
            is_wrong = any(label.wrong for label in answer.labels)
            flagged = any(said.outcome in UNSUPPORTED for said in reading.said)
            found["answers_found" if is_wrong else "answers_flagged"].append((answer.id, flagged))
        for label, said in zip(answer.labels, reading.said, strict=True):
            for name, hit in _of_sentence(label, said):
                found[name].append((answer.id, hit))
    for id_, readings in rounds.items():
        for one, other in combinations(readings, 2):
            both = [(a.outcome, b.outcome) for a, b in zip(one.said, other.said, strict=True)]
            found["same_flag"] += [(id_, (a in UNSUPPORTED) == (b in UNSUPPORTED)) for a, b in both]
            found["same_outcome"] += [(id_, a == b) for a, b in both]
    return found


def _of_sentence(label: Label, said: Said) -> Iterator[tuple[str, bool]]:
    flag = said.outcome in UNSUPPORTED
    yield _measure(label), flag
    yield "not_decided", said.outcome in _SILENT
    for each in _SILENT:
        yield f"{'wrong' if label.wrong else 'right'}_{each}", said.outcome == each
    if flag:
        yield "precision", label.wrong
    told = {"class": said.outcome, "type": said.error_type, "entry": said.entry}
    for name, field in _FEATURES.items():
        if label.wrong and (known := getattr(label, field)) is not None:
            yield name, flag and told[name] == known
            if flag:
                yield f"{name}_of_found", told[name] == known


def _measure(label: Label) -> str:
    return "wrong_found" if label.wrong else "right_flagged"
