"""The options of the command line, and their equivalents in an ini file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

OPTIONS = {
    "max-score": ("SCORE", "highest hallucination score that assert_grounded accepts, 0.0 to 1.0 (default: 0.0)"),
    "on-undecided": ("pass|fail", "what claims left undecided beside decided ones do to a test (default: fail)"),
    "judge": ("JUDGE", "judge of trail_check, such as openai/gpt-5-mini (default: the offline judge)"),
    "repeat": ("N", "make each check of a judge with a model N times; most verdicts decide (default: 1)"),
    "baseline": ("FILE", "accept the findings in FILE, which --trail-update-baseline writes"),
    "report": ("FILE", "write the report of each check to FILE, as JSON lines"),
    "canary-probes": ("N", "ask at most N probes in each trail_canary, the same ones each time (default: all)"),
}
"""Options that have a value, with its name in the help and what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was chosen.

    Attributes:
        max_score: The highest score that passes, 0.0 to 1.0.
        on_undecided: What claims left undecided beside decided ones mean.
        judge: The judge of `trail_check`; None is the offline judge.
        repeat: How often a check is made, 1 or more.
        baseline: The file of accepted findings.
        update_baseline: Whether that file is rewritten.
        report: The file that the reports are written to.
        canary_probes: How many probes a `trail_canary` asks, 1 or more; None is all.
    """

    max_score: float = 0.0
    on_undecided: Literal["pass", "fail"] = "fail"
    judge: str | None = None
    repeat: int = 1
    baseline: Path | None = None
    update_baseline: bool = False
    report: Path | None = None
    canary_probes: int | None = None

    @classmethod
    def of(cls, config: pytest.Config) -> Options:
        """Reads the options; one of the command line wins over the ini file.

        Raises:
            pytest.UsageError: If one is not what it should be.
        """
        chosen = cls(
            max_score=_max_score(_value(config, "max-score")),
            on_undecided=_on_undecided(_value(config, "on-undecided") or "fail"),
            judge=_value(config, "judge"),
            repeat=_count(config, "repeat", "checks") or 1,
            canary_probes=_count(config, "canary-probes", "probes"),
            baseline=_file(config, "baseline"),
            update_baseline=config.getoption("trail_update_baseline"),
            report=_file(config, "report"),
        )
        if chosen.update_baseline and chosen.baseline is None:
            raise pytest.UsageError("--trail-update-baseline needs the file: --trail-baseline FILE")
        if chosen.judge is not None:
            _check_judge(chosen.judge)
        return chosen


def add_options(parser: pytest.Parser) -> None:
    """Declares the options."""
    group = parser.getgroup("trail", "grounding of answers")
    for name, (metavar, text) in OPTIONS.items():
        group.addoption(f"--trail-{name}", metavar=metavar, help=text)
        parser.addini(f"trail_{name.replace('-', '_')}", text)
    group.addoption(
        "--trail-update-baseline",
        action="store_true",
        help="accept what assert_grounded finds, and write it to the file of --trail-baseline",
    )


def _value(config: pytest.Config, name: str) -> str | None:
    key = f"trail_{name.replace('-', '_')}"
    return config.getoption(key) or config.getini(key) or None


def _max_score(given: str | None) -> float:
    try:
        value = float(given or 0.0)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise pytest.UsageError(f"--trail-max-score is {given}, expected 0.0 (no unsupported claim) to 1.0")
    return value


def _on_undecided(given: str) -> Literal["pass", "fail"]:
    if given not in {"pass", "fail"}:
        raise pytest.UsageError(f"--trail-on-undecided is {given}, expected pass or fail")
    return given  # type: ignore[return-value]  # one of them


def _count(config: pytest.Config, name: str, of: str) -> int | None:
    given = _value(config, name)
    if given is None:
        return None
    try:
        value = int(given)
    except ValueError:
        value = 0
    if value < 1:
        raise pytest.UsageError(f"--trail-{name} is {given}, expected a number of {of}, 1 or more")
    return value


def _file(config: pytest.Config, name: str) -> Path | None:
    given = _value(config, name)
    if given is None:
        return None
    path = config.invocation_params.dir / given
    if path.is_dir() or not path.parent.is_dir():
        raise pytest.UsageError(f"--trail-{name} is {given}, expected a file in a folder that exists")
    return path


def _check_judge(judge: str) -> None:
    from trail_callbacks.errors import TrailError  # noqa: PLC0415 - only who names a judge needs the engine
    from trail_callbacks.judges.resolve import resolve  # noqa: PLC0415 - as above

    try:
        resolve(judge)
    except TrailError as error:
        raise pytest.UsageError(f"--trail-judge: {error}") from error
