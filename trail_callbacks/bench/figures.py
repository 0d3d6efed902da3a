"""What a bench comes to: shares, cost and time of each judge, and every two judges on the same sentences.

Sentences of one answer go wrong together, and so do the rounds of one sentence: intervals take answers as clusters.
What a judge leaves undecided is neither found nor right, and stays in every denominator. What it failed on is in none:
how often that was is a share of its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import reduce
from itertools import combinations
from operator import add
from typing import Any, Final

import numpy as np

from trail_callbacks.bench.results import Bench, Judged, Label, Labelled, Reading, Said
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Usage
from trail_callbacks.statistics.contrasts import Contrast, contrasted
from trail_callbacks.statistics.rates import FEW, Hit, Rate, design, rate
from trail_callbacks.taxonomy import UNSUPPORTED

_FLAGS = frozenset(each.value for each in UNSUPPORTED)
_SILENT = ("undecided", "not_judged", "not_read")
_NO_WRONG, _NO_RIGHT, _NO_FLAG = "no sentence is wrong", "no sentence is right", "it flagged nothing"
_FEATURES = {"class": "support", "type": "error_type", "entry": "entry"}  # of a label
_ONCE = "no answer was read twice"
SHARES: Final[Mapping[str, tuple[str, str]]] = {
    "wrong_found": ("wrong sentences that are flagged", _NO_WRONG),
    "right_flagged": ("right sentences that are flagged", _NO_RIGHT),
    "precision": ("flags that are on wrong sentences", _NO_FLAG),
    "not_decided": ("sentences that are undecided, not judged or not read", "there is no sentence"),
    **{f"wrong_{each}": (f"wrong sentences that are {each.replace('_', ' ')}", _NO_WRONG) for each in _SILENT},
    **{f"right_{each}": (f"right sentences that are {each.replace('_', ' ')}", _NO_RIGHT) for each in _SILENT},
    "answers_found": ("answers with a wrong sentence that have a flag", "no answer is wrong"),
    "answers_flagged": ("right answers that have a flag", "no answer is right"),
    **{each: (f"wrong sentences with this {each}", f"no label has a {each}") for each in _FEATURES},
    **{
        f"{each}_of_found": (f"flagged wrong sentences with this {each}", f"nothing with a known {each} was found")
        for each in _FEATURES
    },
    "same_flag": ("sentences flagged in both of two rounds, or in neither", _ONCE),
    "same_outcome": ("sentences with one outcome in two rounds", _ONCE),
    "failed": ("answers on which it failed", "it read nothing"),
}
"""Names of the shares of `JudgeFigures`: what each is a share of, and why there may be none."""

COMPARED: Final = {
    "wrong_found": ("finds more wrong sentences", "wrong sentences found"),
    "right_flagged": ("flags more right sentences", "right sentences flagged"),
}
"""By what judges are compared, in words: what one does, and in what two may be alike."""

_PARTS = ("wrong_found", "right_flagged", "precision", "not_decided")
_THIRD = 1 / 3  # failures from which a judge is not compared


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFigures:
    """What a judge's readings come to.

    Attributes:
        judge: How it was named.
        name: What it calls itself.
        shares: By name, see `SHARES`.
        parts: Some of them by `language` and `tag`, and their values.
        readings: Answers that it was asked about, each round counted.
        usage: What all of them cost together, failures included.
        money: Likewise, by the given prices; None if it is not known.
        why: Why not.
        seconds: Of an answer that did not fail: the median, and what nine in ten stay within. None if all failed.
    """

    judge: str
    name: str
    shares: Mapping[str, Rate]
    parts: Mapping[str, Mapping[str, Mapping[str, Rate]]]
    readings: int
    usage: Usage
    money: float | None
    why: str
    seconds: tuple[float, float] | None

    @property
    def is_comparable(self) -> bool:
        """Whether it failed on less than a third of the answers."""
        return self.readings > 0 and (self.shares["failed"].value or 0.0) < _THIRD

    def each(self, whole: float | None) -> float | None:
        """A part of the cost, of one answer."""
        return whole / self.readings if whole is not None and self.readings else None

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""

        def data(value: Any) -> Any:
            return value.as_data() if isinstance(value, Rate) else {key: data(each) for key, each in value.items()}

        return {
            "judge": self.judge,
            "name": self.name,
            "readings": self.readings,
            **data(self.shares),
            "by": data(self.parts),
            "usage": asdict(self.usage),
            "money": self.money,
            **({"money_why": self.why} if self.why else {}),
            "seconds": dict(zip(("median", "of_nine_in_ten"), self.seconds, strict=True)) if self.seconds else None,
        }


def figures(bench: Bench) -> tuple[JudgeFigures, ...]:
    """Computes the figures of each judge."""
    answers = {each.id: each for each in bench.answers}
    return tuple(_figures(judged, answers) for judged in bench.judges)


def paired(bench: Bench) -> tuple[Contrast, ...]:
    """Compares every two judges on the sentences that both read, second minus first, with Holm over all comparisons.

    A judge that failed on a third of its answers or more is left out.
    """
    answers = {each.id: each for each in bench.answers}
    counted: dict[str, dict[str, dict[str, bool]]] = {each: defaultdict(dict) for each in COMPARED}
    clusters, names = {}, []
    for judged, found in zip(bench.judges, figures(bench), strict=True):
        if not found.is_comparable:
            continue
        names.append(judged.judge)
        for reading in _read(judged):
            for n, (label, said) in enumerate(zip(answers[reading.answer].labels, reading.said, strict=True)):
                key = f"{reading.round} {n} {reading.answer}"
                clusters[key] = reading.answer
                counted[_measure(label)][judged.judge][key] = said.outcome in _FLAGS
    return contrasted(counted, names, clusters)


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
        for each in self.judges:
            failed, asked = each.shares["failed"], each.shares["failed"].documents
            if failed.k:
                rest = ", do not compare them" if not each.is_comparable else ""
                yield f"{each.judge} failed on {failed.k:,} of {failed.n:,}: its figures are of what it answered{rest}."
            if asked < n:
                yield f"{each.judge} was asked about {asked:,} of {n:,} answers: it is compared on these."
            if each.usage.cache_hits:
                yield (
                    f"{each.judge} had {each.usage.cache_hits:,} replies from a cache: asked for the first time, it "
                    "costs more and takes longer."
                )
        yield from self.bench.left_out

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        labels = [label.wrong for answer in self.bench.answers for label in answer.labels]
        about = {name: getattr(self.bench, name) for name in ("data", "digest", "made", "package", "machine")}
        return {
            **about,
            "answers": len(self.bench.answers),
            "sentences": len(labels),
            "wrong": sum(labels),
            "judges": [each.as_data() for each in self.judges],
            "comparisons": [{**each.as_data(), "needed": each.needed} for each in self.comparisons],
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
        InputError: If files of the same data have other labels.
    """
    by_data: dict[str, dict[str, Bench]] = defaultdict(dict)
    for file, bench in benches.items():
        by_data[bench.digest][file] = bench
    found = []
    for files in by_data.values():
        first, one = next(iter(files.items()))
        for file, other in files.items():
            if other.answers != one.answers:
                raise InputError(f"{first} and {file} say that they are of the same data, and their labels differ")
        often = Counter(judged.judge for bench in files.values() for judged in bench.judges)
        judges = tuple(
            replace(judged, judge=f"{judged.judge} ({file})") if often[judged.judge] > 1 else judged
            for file, bench in files.items()
            for judged in bench.judges
        )
        said: dict[str, list[str]] = {
            name: list(dict.fromkeys(getattr(bench, name) for bench in files.values() if getattr(bench, name)))
            for name in ("made", "package", "machine")
        }
        left_out = dict.fromkeys(words for bench in files.values() for words in bench.left_out)
        if len(said["machine"]) > 1:
            left_out["The files were made on different machines: their seconds cannot be compared."] = None
        made, package, machine = (", ".join(values) for values in said.values())
        found.append(replace(one, judges=judges, left_out=tuple(left_out), made=made, package=package, machine=machine))
    return tuple(found)


def _read(judged: Judged) -> list[Reading]:
    return [each for each in judged.readings if not each.failure]


def _figures(judged: Judged, answers: Mapping[str, Labelled]) -> JudgeFigures:
    rows = [(answers[each.answer], each) for each in _read(judged)]
    hits = _trials(rows)
    hits["failed"] = [(each.answer, bool(each.failure)) for each in judged.readings]
    prior = design([hits[each] for each in _PARTS])
    usage = reduce(add, (each.usage for each in judged.readings), Usage())
    money = judged.prices.cost(usage) if judged.prices else None
    unknown = "no prices were given" if usage.calls or usage.cache_hits else "it made no call that was counted"
    languages, tags = defaultdict(list), defaultdict(list)
    for row in rows:
        if row[0].language:
            languages[row[0].language].append(row)
        for tag in row[0].tags:
            tags[tag].append(row)
    seconds = [each.usage.seconds for _, each in rows]
    return JudgeFigures(
        judge=judged.judge,
        name=judged.name,
        shares={name: rate(hits[name], prior, why) for name, (_, why) in SHARES.items()},
        parts={
            kind: {value: _part(_trials(some), prior) for value, some in sorted(values.items())}
            for kind, values in (("language", languages), ("tag", tags))
        },
        readings=len(judged.readings),
        usage=usage,
        money=money,
        why=unknown if money is None else "",
        seconds=(float(np.median(seconds)), float(np.percentile(seconds, 90))) if seconds else None,
    )


def _part(hits: Mapping[str, list[Hit]], prior: float) -> dict[str, Rate]:
    return {name: rate(hits[name], prior, SHARES[name][1]) for name in _PARTS}


def _trials(rows: Iterable[tuple[Labelled, Reading]]) -> dict[str, list[Hit]]:
    """The trials of each share."""
    found: dict[str, list[Hit]] = defaultdict(list)
    rounds: dict[str, list[Reading]] = defaultdict(list)
    for answer, reading in rows:
        rounds[answer.id].append(reading)
        if answer.labels:
            is_wrong = any(label.wrong for label in answer.labels)
            flagged = any(said.outcome in _FLAGS for said in reading.said)
            found["answers_found" if is_wrong else "answers_flagged"].append((answer.id, flagged))
        for label, said in zip(answer.labels, reading.said, strict=True):
            for name, hit in _of_sentence(label, said):
                found[name].append((answer.id, hit))
    for id_, readings in rounds.items():
        for one, other in combinations(readings, 2):
            both = [(a.outcome, b.outcome) for a, b in zip(one.said, other.said, strict=True)]
            found["same_flag"] += [(id_, (a in _FLAGS) == (b in _FLAGS)) for a, b in both]
            found["same_outcome"] += [(id_, a == b) for a, b in both]
    return found


def _of_sentence(label: Label, said: Said) -> Iterator[tuple[str, bool]]:
    flag = said.outcome in _FLAGS
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
