"""The options of the command line, and their equivalents in an ini file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest


def _share(given: str, _: Path) -> float:
    try:
        value = float(given)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise ValueError("0.0 (no unsupported claim) to 1.0")
    return value


def _either(given: str, _: Path) -> str:
    if given not in {"pass", "fail"}:
        raise ValueError("pass or fail")
    return given


def _count(given: str, _: Path) -> int:
    if not given.isdecimal() or int(given) < 1:
        raise ValueError("a number, 1 or more")
    return int(given)


def _file(given: str, here: Path) -> Path:
    path = here / given
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError("a file in a folder that exists")
    return path


def _judge(given: str, _: Path) -> str:
    from trail_callbacks.errors import TrailError  # noqa: PLC0415 - only who names a judge needs the engine
    from trail_callbacks.judges.resolve import resolve  # noqa: PLC0415 - as above

    try:
        resolve(given)
    except TrailError as error:
        raise pytest.UsageError(f"--trail-judge: {error}") from error
    return given


OPTIONS: dict[str, tuple[str, str, Callable[[str, Path], Any]]] = {
    "max-score": ("SCORE", "highest score that assert_grounded accepts, 0.0 to 1.0 (default: 0.0)", _share),
    "on-undecided": ("pass|fail", "what undecided claims do to a test, beside decided ones (default: fail)", _either),
    "judge": ("JUDGE", "judge of trail_check, such as openai/gpt-5-mini (default: the offline judge)", _judge),
    "repeat": ("N", "make each check of a judge with a model N times; most verdicts decide (default: 1)", _count),
    "baseline": ("FILE", "accept the findings in FILE, which --trail-update-baseline writes", _file),
    "report": ("FILE", "write the report of each check to FILE, as JSON lines", _file),
    "canary-probes": ("N", "ask at most N probes in each trail_canary, the same ones each time (default: all)", _count),
}
"""Options that have a value: its name in the help, what it is, and how it is read; a reader says what it expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was chosen."""

    max_score: float = 0.0  # the highest score that passes, 0.0 to 1.0
    on_undecided: Literal["pass", "fail"] = "fail"  # what claims left undecided beside decided ones mean
    judge: str | None = None  # of `trail_check`; None is the offline judge
    repeat: int = 1  # how often a check is made, 1 or more
    baseline: Path | None = None  # the file of accepted findings
    update_baseline: bool = False  # whether that file is rewritten
    report: Path | None = None  # the file that the reports are written to
    canary_probes: int | None = None  # how many probes a `trail_canary` asks, 1 or more; None is all

    @classmethod
    def of(cls, config: pytest.Config) -> Options:
        """Reads the options; one of the command line wins over the ini file.

        Raises:
            pytest.UsageError: If one is not what it should be.
        """
        found: dict[str, Any] = {"update_baseline": config.getoption("trail_update_baseline")}
        for name, (*_, reader) in OPTIONS.items():
            key = name.replace("-", "_")
            given = config.getoption(f"trail_{key}") or config.getini(f"trail_{key}")
            if given:
                try:
                    found[key] = reader(given, config.invocation_params.dir)
                except ValueError as error:
                    raise pytest.UsageError(f"--trail-{name} is {given}, expected {error}") from error
        chosen = cls(**found)
        if chosen.update_baseline and chosen.baseline is None:
            raise pytest.UsageError("--trail-update-baseline needs the file: --trail-baseline FILE")
        return chosen


def add_options(parser: pytest.Parser) -> None:
    """Declares the options."""
    group = parser.getgroup("trail", "grounding of answers")
    for name, (metavar, text, _) in OPTIONS.items():
        group.addoption(f"--trail-{name}", metavar=metavar, help=text)
        parser.addini(f"trail_{name.replace('-', '_')}", text)
    group.addoption(
        "--trail-update-baseline",
        action="store_true",
        help="accept what assert_grounded finds, and write it to the file of --trail-baseline",
    )
