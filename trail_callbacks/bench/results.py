"""What a bench writes and reads: what judges say of labelled sentences, by number, without a word of the texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import TypeAdapter, ValidationError

from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.models.call import Budget, Usage
from trail_callbacks.taxonomy import ErrorType, SupportClass

FORMAT, VERSION = "trail-bench", 1
OUTCOMES = frozenset({*(each.value for each in SupportClass), "undecided", "not_judged", "not_read"})
"""What a judge may say of a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What is known of a sentence, or of a part of an answer that somebody marked.

    Attributes:
        wrong: Whether something in it is unsupported.
        support: Its class, where that is known.
        error_type: What is wrong with it, where that is known.
        entry: Id of the node where it came in, where that is known.
    """

    wrong: bool
    support: SupportClass | None = None
    error_type: ErrorType | None = None
    entry: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """The labels of an answer, in the order of its sentences."""

    id: str
    labels: tuple[Label, ...]
    language: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a judge says of a sentence.

    Attributes:
        outcome: The worst outcome of its claims (see `Verdict.outcome`): a flag before `not_judged` before `undecided`
            before `supported` before `unevaluatable`; `not_read` if no claim of the judge is in it.
        error_type: Of the claim that is flagged.
        entry: Id of the node at which that came in.
        score: The lowest raw score of its claims, see `Judgement.score`; None of a judge that has none.
    """

    outcome: str
    error_type: str | None = None
    entry: str | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a judge says of an answer, in one round.

    Attributes:
        answer: Id of the answer.
        round: From 1.
        said: One for each label.
        usage: What it cost; `seconds` is the wall time of this answer alone.
        failure: Why nothing was decided; empty if something was.
    """

    answer: str
    round: int
    said: tuple[Said, ...]
    usage: Usage
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """All that a judge said.

    Attributes:
        judge: How it was named: `local`, `openai/gpt-5-mini`, `encoder:FOLDER`, `own:module:attribute`.
        name: What it calls itself, with version and settings, see `Judge.name`.
        readings: In the order of the answers, round after round.
        prices: Those of its tokens, if they were given.
        abstains: Whether it leaves undecided what it is not sure of, see `Judge`.
    """

    judge: str
    name: str
    readings: tuple[Reading, ...] = ()
    prices: Budget | None = None
    abstains: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Judges side by side on the same labelled answers.

    Attributes:
        data: Name of the data.
        digest: SHA-256 of what was judged and of its labels: results of the same data can be compared.
        answers: The labels.
        judges: What judges say.
        made: When, in UTC, ISO 8601.
        package: Version of this package.
        machine: Processor and system, for the seconds.
        left_out: What of the data was not used, a sentence each.
    """

    data: str
    digest: str
    answers: tuple[Labelled, ...]
    judges: tuple[Judged, ...]
    made: str = ""
    package: str = ""
    machine: str = ""
    left_out: tuple[str, ...] = ()
    __pydantic_config__: ClassVar = {"allow_inf_nan": False}

    def save(self, path: str | Path) -> None:
        """Writes it as JSON, atomically.

        Raises:
            InputError: If the file cannot be written.
        """
        rows = _BENCH.dump_python(self, mode="json", exclude_defaults=True)
        write(str(path), json.dumps({"format": FORMAT, "version": VERSION, **rows}, ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Bench:
        """Reads what `save` wrote.

        Raises:
            InputError: If it is something else, or of another version.
        """
        try:
            found = json.loads(Path(path).read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"{path} cannot be read as JSON: {error}") from error
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise InputError(f"{path} is no bench: expected what trail bench -o wrote")
        if found.get("version") != VERSION:
            raise InputError(
                f"{path} is a bench of version {found.get('version')!r}, and this release reads version {VERSION}: "
                "repeat it, or read it with the release that wrote it"
            )
        try:
            bench = _BENCH.validate_python(found)
        except ValidationError as error:
            wrong = error.errors()[0]
            raise InputError(
                f"{path} is a damaged bench: {'.'.join(map(str, wrong['loc']))}: {wrong['msg']}"
            ) from error
        for why in _faults(bench):
            raise InputError(f"{path} is a damaged bench: {why}")
        return bench


def _faults(bench: Bench) -> Iterator[str]:
    """What of a bench contradicts itbench."""
    n = {answer.id: len(answer.labels) for answer in bench.answers}
    if len(n) < len(bench.answers) or len({judged.judge for judged in bench.judges}) < len(bench.judges):
        yield "two answers or two judges of it have one name"
    for judged in bench.judges:
        for (id_, number), times in Counter((each.answer, each.round) for each in judged.readings).items():
            if times > 1:
                yield f"{judged.judge} reads the answer {id_!r} twice in round {number}"
        for each in judged.readings:
            said = [one.outcome for one in each.said]
            if n.get(each.answer) != len(said) or not set(said) <= OUTCOMES:
                has = f"which has {n.get(each.answer, 'no')} labels"
                yield f"{judged.judge} says {', '.join(said)} of the answer {each.answer!r}, {has}"


_BENCH = TypeAdapter(Bench)
