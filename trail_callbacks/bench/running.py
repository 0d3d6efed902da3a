"""Judges asked about the same labelled answers; what they say is kept as it comes: nothing is paid for twice."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from math import ceil
from os import cpu_count
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from pydantic import TypeAdapter

from trail_callbacks.bench.items import Item
from trail_callbacks.bench.results import Bench, Judged, Reading, Said
from trail_callbacks.errors import InputError
from trail_callbacks.judges.judge import Assessment, Judge, Purpose, Question, abstains, reads_whole
from trail_callbacks.judges.resolve import JudgeLike, resolve
from trail_callbacks.models.cache import digest
from trail_callbacks.models.call import Budget, Failure, Model, Pipeline, Usage
from trail_callbacks.models.drive import drive
from trail_callbacks.models.lane import AT_ONCE, abreast
from trail_callbacks.report import Report
from trail_callbacks.text import shorten
from trail_callbacks.verify.estimate import Estimate, estimate
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import pipeline
from trail_callbacks.work import Granted, Journal, Ledger, granted

_FORM = "trail-bench-1"
_THIRD = 3  # a judge that fails on one answer in so many is not asked any more,
_PATIENCE = 5  # but after so many failures at the least
_FLAGS = ("contradicted", "absent", "partially_supported")
_RANK = (*_FLAGS, "not_judged", "undecided", "supported", "unevaluatable")  # outcomes, the worst first
_LONGEST = 200  # characters of a failure
_READING = TypeAdapter(Reading)
OnProgress = Callable[[str, int, float, Usage, float | None], object]
_ABILITIES = ("judge_answer", "decompose", "select", "survey", "seek")


def bench(
    items: Sequence[Item],
    judges: Mapping[str, JudgeLike],
    *,
    folder: str | Path,
    rounds: int = 1,
    budget: Budget | None = None,
    prices: Mapping[str, Budget] | None = None,
    concurrency: int = AT_ONCE,
    data: str = "",
    left_out: Sequence[str] = (),
    on_cost: Callable[[str, Estimate], object] = lambda _, __: None,
    on_progress: OnProgress = lambda *_: None,
) -> Bench:
    """Lets judges read labelled answers, one judge after the other, and returns what they say of each label.

    The same call again, with the same folder, asks only for what is missing or failed. No reply comes from a cache.

    Args:
        items: The labelled answers.
        judges: The judges, by the names that they get in the file.
        folder: Where each reading is kept as it comes; made if it does not exist.
        rounds: How often each judge reads each answer, 1 or more.
        budget: What all of it may cost, calls of earlier commands included, and how fast each judge may ask. Its prices
            are those of judges without their own.
        prices: Those of a million tokens, by the name of the judge.
        concurrency: Answers in work at once, of a judge that asks a model. Others read one after the other.
        data: Name of the data.
        left_out: What of the data was not used.
        on_cost: Called for each judge with what is missing of it, before anything is sent.
        on_progress: Called after each reading with words, how many are done, as a share too, and what was paid.

    Returns:
        The bench. It lacks what the budget did not reach, and what a judge that failed on a third was spared.

    Raises:
        InputError: If there is nothing to judge, a number is out of range, or the folder cannot be used.
        JudgeError: If a judge is unknown.
    """
    if not items or not judges:
        raise InputError(f"there is {'no judge' if items else 'no labelled answer'} to measure")
    if len({item.labelled.id for item in items}) < len(items):
        raise InputError("two of the labelled answers have one id")
    if rounds < 1 or concurrency < 1:
        raise InputError(f"rounds is {rounds} and concurrency {concurrency}, expected 1 or more")
    limits = (budget or Budget()).of_many()
    usual = limits if limits.price_in is not None and limits.price_out is not None else None
    try:
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be used: {error.strerror or error}") from error
    with closing(Journal(Path(folder) / "bench.sqlite", _FORM, "bench")) as kept:
        readers = [
            _Reader(
                called=name,
                judge=resolve(judge),
                items=items,
                rounds=rounds,
                journal=kept,
                prices=(prices or {}).get(name, usual),
                on_progress=on_progress,
            )
            for name, judge in judges.items()
        ]
        for each in readers:
            on_cost(each.called, expected([turn.item for turn in each.open], each.judge))
        for each in readers:
            each.read(_room(limits, each, [other for other in readers if other is not each]), concurrency)
        found = tuple(each.judged() for each in readers)
    return Bench(
        data=data,
        digest=digest([[item.digest, item.spans, [asdict(each) for each in item.labelled.labels]] for item in items]),
        answers=tuple(item.labelled for item in items),
        judges=found,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        package=version("trail-callbacks"),
        machine=f"{platform.system()} {platform.machine()}, {cpu_count()} processors",
        left_out=tuple(left_out),
    )


def expected(items: Sequence[Item], judge: JudgeLike) -> Estimate:
    """Estimates what a judge would cost on labelled answers, without calling a model; one may come twice."""
    times = Counter(item.labelled.id for item in items)
    once = {item.labelled.id: item for item in items}
    costs = [(times[id_], estimate(item.graph, judge)) for id_, item in once.items()]
    return Estimate(**{one.name: sum(n * getattr(cost, one.name) for n, cost in costs) for one in fields(Estimate)})


def _room(limits: Budget, reader: _Reader, others: Sequence[_Reader]) -> Budget:
    """What the others leave of a budget."""
    spent, prices = sum((other.spent for other in others), Usage()), reader.prices or limits
    used = {
        "calls": spent.calls,
        "tokens": spent.prompt_tokens + spent.completion_tokens,
        "money": sum(other.money or 0.0 for other in others),
    }
    room = {name: max(0, limit - used[name]) for name in used if (limit := getattr(limits, name)) is not None}
    return replace(limits, price_in=prices.price_in, price_out=prices.price_out, **room)


class _Turn(NamedTuple):
    """An answer to be read, in a round; `key` is what the reading is kept under."""

    item: Item
    round: int
    key: str


@dataclass(slots=True, kw_only=True)
class _Reader:
    """A judge that reads all answers."""

    called: str
    judge: Judge
    items: Sequence[Item]
    rounds: int
    journal: Journal
    prices: Budget | None
    on_progress: OnProgress
    spent: Usage = field(init=False)  # earlier commands too
    turns: list[_Turn] = field(init=False)
    readings: dict[str, Reading] = field(default_factory=dict, init=False)
    failed: int = field(default=0, init=False)  # readings of this command

    def __post_init__(self) -> None:
        about = version("trail-callbacks"), self.called, self.judge.name, getattr(self.judge.model, "parameters", None)
        self.turns = [
            _Turn(item, n, digest([*about, item.digest, item.spans, n]))
            for n in range(1, self.rounds + 1)
            for item in self.items
        ]
        calls, prompt, completion = self.journal.about.get("costs", {}).get(self.called, (0, 0, 0))
        self.spent = Usage(calls=calls, prompt_tokens=prompt, completion_tokens=completion)
        for turn in self.turns:
            if (found := self.journal.result(turn.key)) is not None:
                with self.journal.told():  # says that it is damaged
                    self.readings[turn.key] = _READING.validate_json(found.data)

    @property
    def money(self) -> float | None:
        """What it cost; None without prices."""
        return None if self.prices is None else self.prices.cost(self.spent)

    @property
    def open(self) -> list[_Turn]:
        """What is still to be read."""
        return [turn for turn in self.turns if _is_lacking(self.readings.get(turn.key))]

    def judged(self) -> Judged:
        return Judged(
            judge=self.called,
            name=str(self.judge.name),
            readings=tuple(  # which may be kept from an answer of another name
                replace(self.readings[turn.key], answer=turn.item.labelled.id)
                for turn in self.turns
                if turn.key in self.readings
            ),
            prices=self.prices and Budget(price_in=self.prices.price_in, price_out=self.prices.price_out),
            abstains=abstains(self.judge),
        )

    def read(self, budget: Budget, concurrency: int) -> None:
        """Reads what is missing, and keeps each reading, whatever ends it."""
        ledger = Ledger(budget, self.spent)
        coming = (turn for turn in self.open if ledger.exhausted is None and not self._is_given_up)
        found: Generator[tuple[_Turn, Reading | None]]
        if (model := self.judge.model) is None:
            found = (self._reading(turn, ledger) for turn in coming)
        else:
            found = abreast((partial(self._areading, turn, ledger, model) for turn in coming), concurrency)
        try:
            for turn, reading in found:
                self._keep(turn, reading, ledger.spent)
        except BaseException:  # an interrupt above all: what is in work is not to ask for more
            ledger.stop("the bench was stopped")
            raise
        finally:
            found.close()
            self._commit(ledger.spent)

    @property
    def _is_given_up(self) -> bool:
        return self.failed >= max(_PATIENCE, ceil(len(self.turns) / _THIRD))

    def _keep(self, turn: _Turn, reading: Reading | None, spent: Usage) -> None:
        if reading is not None:
            self.failed += bool(reading.failure)
            known = self.readings.get(turn.key)
            if not reading.failure or known is None or known.failure:  # else what is known of a part stays
                self.readings[turn.key] = reading
                self.journal.keep(turn.key, None, _READING.dump_json(reading).decode())
        self._commit(spent)
        done, total = len(self.readings), len(self.turns)
        words = f"{self.called}: {done} of {total}" + (f", {self.failed} failed" if self.failed else "")
        self.on_progress(words, done, done / total, self.spent, self.money)

    def _commit(self, spent: Usage) -> None:
        self.spent, costs = spent, self.journal.about.get("costs", {})
        self.journal.tell(costs={**costs, self.called: [spent.calls, spent.prompt_tokens, spent.completion_tokens]})
        self.journal.commit(spent)

    def _reading(self, turn: _Turn, ledger: Ledger) -> tuple[_Turn, Reading | None]:
        hearing = _Hearing(self.judge, turn, ledger)
        try:
            return turn, hearing.reading(*drive(hearing.work(), None, *VerifyOptions().limits))
        except Exception as error:  # noqa: BLE001 - a judge of the user may raise anything, and others follow
            return turn, hearing.failed(error)

    async def _areading(self, turn: _Turn, ledger: Ledger, model: Model, _: bool) -> tuple[_Turn, Reading | None]:
        from trail_callbacks.models.drive import adrive  # noqa: PLC0415 - see there

        hearing = _Hearing(self.judge, turn, ledger)
        try:
            return turn, hearing.reading(*await adrive(hearing.work(), hearing.granted(model), *VerifyOptions().limits))
        except Exception as error:  # noqa: BLE001 - as above
            return turn, hearing.failed(error)


class _Hearing:
    """A judge at one answer: its raw scores are written down by claim, and whether it was refused a call."""

    def __init__(self, judge: Judge, turn: _Turn, ledger: Ledger) -> None:
        self._judge, self._turn, self._ledger = judge, turn, ledger
        self._scores, self._refused, self._began = dict[str, float](), False, monotonic()
        self.name, self.model, self.extract = judge.name, judge.model, judge.extract
        self.reads_whole, self.abstains = reads_whole(judge), abstains(judge)
        self.wants_nearest = getattr(judge, "wants_nearest", False)
        for able in _ABILITIES:  # an attribute of the object: see `CascadeJudge`
            if hasattr(judge, able):
                setattr(self, able, getattr(judge, able))

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        found = yield from self._judge.assess(questions, purpose)
        for each in found.judgements if purpose == "verdicts" else ():
            if each.score is not None:  # of a claim that is asked about twice, by the passages that support it best
                if not 0.0 <= (score := float(each.score)) <= 1.0:
                    raise InputError(f"its score of {each.claim_id} is {score}, expected 0.0 to 1.0")
                self._scores[each.claim_id] = max(score, self._scores.get(each.claim_id, 0.0))
        return found

    def admit(self, tokens: int) -> float | Failure:
        found = self._ledger.admit(tokens)
        self._refused |= isinstance(found, Failure)
        return found

    def settle(self, tokens: int, usage: Usage, retry_after: float | None) -> None:
        self._ledger.settle(tokens, usage, retry_after)

    def granted(self, model: Model) -> Granted:
        return Granted(model, self)

    def work(self) -> Pipeline[Report]:
        return granted(pipeline(self._turn.item.graph, self, VerifyOptions()), self.granted)

    def failed(self, error: Exception) -> Reading | None:
        """The reading of a judge that raised."""
        return self._made((), Usage(seconds=monotonic() - self._began), f"{type(error).__name__}: {error}")

    def reading(self, report: Report, usage: Usage) -> Reading | None:
        """What a report says of each label; None if the budget cut it short."""
        pairs = [pair for pair in zip(report.claims, report.verdicts, strict=True) if not pair[0].uncovered]
        said = []
        for start, end in self._turn.item.spans:
            inside = [verdict for claim, verdict in pairs if claim.start < end and start < claim.end]
            scores = [self._scores[each.claim_id] for each in inside if each.claim_id in self._scores]
            worst = min(inside, key=lambda each: _RANK.index(each.outcome), default=None)
            said.append(
                Said(
                    outcome=worst.outcome if worst else "not_read",
                    error_type=worst.error_type.value if worst and worst.error_type else None,
                    entry=worst.introduced_at if worst else None,
                    score=min(scores, default=None),
                )
            )
        errors = [verdict.error for claim, verdict in pairs if claim.checkable]
        if report.state == "error":
            return self._made((), usage, next(iter(report.warnings), "the verification failed"))
        return self._made(said, usage, (errors[0] or "") if errors and None not in errors else "")

    def _made(self, said: Sequence[Said], usage: Usage, failure: str) -> Reading | None:
        if self._refused:
            return None
        said = [Said(outcome="not_judged")] * len(self._turn.item.spans) if failure else said
        return Reading(
            answer=self._turn.item.labelled.id,
            round=self._turn.round,
            said=tuple(said),
            usage=usage,
            failure=shorten(failure, _LONGEST).encode("utf-8", "replace").decode(),
        )


def _is_lacking(reading: Reading | None) -> bool:
    """Whether the same command asks again."""
    return reading is None or bool(reading.failure) or any(each.outcome == "not_judged" for each in reading.said)
