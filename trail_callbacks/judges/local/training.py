"""Training: the offline judge fitted to labelled claims of one's own, by its calibration alone or as a whole.

    from trail_callbacks.judges.local.training import LabelledClaim, recalibrate

    rows = [LabelledClaim(claim="...", sources=("...",), supported=True), ...]
    judge = recalibrate(LocalJudge(), rows)

A few dozen rows of each kind are enough for `recalibrate`, which fits two numbers; `fit` fits seven and needs hundreds.
Needs scikit-learn: `pip install "trail-callbacks[local]"`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from trail_callbacks.claims import Claim
from trail_callbacks.errors import InputError, MissingExtraError
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Question
from trail_callbacks.judges.local.judge import LocalJudge
from trail_callbacks.judges.local.risk import Calibration, Features, RiskModel, shipped

__all__ = ["LabelledClaim", "fit", "fitted", "measure", "recalibrate", "scaled"]

_PASSAGES = 8  # as many as a verification shows by default
_LEAST = 10  # rows of each label
_STRENGTH = 1.0  # inverse of the L2 penalty over standardised features
_FREE = 1e6  # practically no penalty


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledClaim:
    """A claim that a person has judged.

    Attributes:
        claim: A statement that stands alone.
        sources: The texts that it was judged by.
        supported: Whether they support it. What they state only in part, contradict or do not mention is unsupported.
        group: What rows belong together, such as the document or run they come from; for honest cross-validation.
    """

    claim: str
    sources: tuple[str, ...]
    supported: bool
    group: str = ""


def measure(rows: Sequence[LabelledClaim], judge: LocalJudge | None = None) -> list[Features | None]:
    """Counts the features that the risk is computed from, for each row; None where there is nothing to compare.

    Args:
        rows: Labelled claims.
        judge: Whose checks and passages are used.
    """
    judge = judge or LocalJudge()
    counted = []
    for row in rows:
        claim = Claim(id="c1", text=row.claim, quote=row.claim, start=0, end=len(row.claim))
        nodes = [Node(id=f"d{i}", kind="document", text=text) for i, text in enumerate(row.sources)]
        passages = candidates([claim], nodes, _PASSAGES)[claim.id]
        (comparison,) = judge.compare([Question(claim=claim, passages=passages)])
        counted.append(comparison.features if comparison else None)
    return counted


def recalibrate(judge: LocalJudge, rows: Sequence[LabelledClaim]) -> LocalJudge:
    """Fits the judge's confidence to how often it is right on labelled rows, by Platt's scaling (1999).

    The rows should be as they come: how many of them are unsupported tells the judge how often to expect that.

    Args:
        judge: The judge; its calibration is replaced, everything else stays.
        rows: Labelled claims, at least ten supported and ten not.

    Returns:
        A judge with another calibration. Keep `judge.calibration`, two numbers, to have it again.

    Raises:
        InputError: If there are too few rows of a label, or higher risk goes with fewer errors.
        MissingExtraError: If scikit-learn is not installed.
    """
    given = [(f, not row.supported) for f, row in zip(measure(rows, judge), rows, strict=True) if f is not None]
    model = judge.risk_model or shipped()
    calibration = scaled([model.log_odds(features) for features, _ in given], [label for _, label in given])
    return replace(judge, calibration=calibration)


def scaled(log_odds: Sequence[float], unsupported: Sequence[bool]) -> Calibration:
    """Fits a calibration to log-odds of a risk model that were computed before. See `recalibrate`.

    Args:
        log_odds: What `RiskModel.log_odds` gave each row.
        unsupported: Labels.
    """
    ones = sum(unsupported)
    zeros = len(unsupported) - ones
    # Platt's targets: not 1 and 0, so that labels which are told apart without a mistake do not make it certain.
    targets = [(ones + 1) / (ones + 2) if label else 1 / (zeros + 2) for label in unsupported]
    regression = _regression(
        [[z] for z in (*log_odds, *log_odds)],
        [True] * len(targets) + [False] * len(targets),
        strength=_FREE,
        weights=[*targets, *(1 - target for target in targets)],
        counts=(zeros, ones),
    )
    slope = float(regression.coef_[0][0])
    if slope <= 0:
        raise InputError("on these rows the risk is higher for supported claims: are the labels the right way round?")
    return Calibration(slope=slope, offset=float(regression.intercept_[0]))


def fit(rows: Sequence[LabelledClaim], judge: LocalJudge | None = None, *, source: str = "") -> RiskModel:
    """Fits a risk model anew: logistic regression with an L2 penalty, both labels weighed the same.

    Args:
        rows: Labelled claims, hundreds of each label.
        judge: Whose checks are used.
        source: What the rows are, in words; kept with the model.

    Returns:
        A model for `LocalJudge(risk_model=...)`; `to_json` and `from_json` keep it.

    Raises:
        InputError: If there are too few rows of a label.
        MissingExtraError: If scikit-learn is not installed.
    """
    given = [(f, not row.supported) for f, row in zip(measure(rows, judge), rows, strict=True) if f is not None]
    return fitted([features for features, _ in given], [label for _, label in given], source=source)


def fitted(
    counted: Sequence[Features],
    unsupported: Sequence[bool],
    *,
    weights: Sequence[float] | None = None,
    source: str = "",
) -> RiskModel:
    """Fits a risk model to features that were counted before. See `fit`.

    Args:
        counted: Features, a row each.
        unsupported: Labels.
        weights: What each row counts; None makes both labels count the same.
        source: What the rows are, in words.
    """
    import numpy as np  # noqa: PLC0415 - judging does not need it

    if not counted:
        raise InputError("there are no rows that a risk model could be fitted to")
    values = np.array([features.values() for features in counted])
    mean, scale = values.mean(axis=0), values.std(axis=0)
    scale[scale == 0] = 1.0
    ones = sum(unsupported)
    zeros = len(unsupported) - ones
    even = [0.5 * len(unsupported) / (ones if label else zeros) for label in unsupported]
    regression = _regression(
        (values - mean) / scale,
        unsupported,
        strength=_STRENGTH,
        weights=weights or even,
        counts=(zeros, ones),
    )
    plain = regression.coef_[0] / scale
    bias = float(regression.intercept_[0] - (plain * mean).sum())
    return RiskModel(weights=tuple(map(float, plain)), bias=bias, source=source)


def _regression(
    values: Any, labels: Sequence[bool], *, strength: float, weights: Sequence[float], counts: tuple[int, int]
) -> Any:
    if min(counts) < _LEAST:
        raise InputError(
            f"{counts[0]} supported and {counts[1]} unsupported rows can be compared with their sources; "
            f"expected at least {_LEAST} of each"
        )
    if find_spec("sklearn") is None:
        raise MissingExtraError("training the offline judge", "local")
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - an extra

    return LogisticRegression(C=strength, max_iter=1000).fit(values, labels, sample_weight=weights)
