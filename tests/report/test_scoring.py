"""How classes become one score."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import SupportClass
from trail_callbacks.report.verdict import Scoring, score

S = SupportClass


classes = st.lists(st.sampled_from(list(S)), max_size=30)


@given(classes, st.booleans(), st.booleans(), st.booleans())
def test_a_score_is_a_share_or_nothing_and_never_nan(found, strict, severity, gate):
    value = score(found, Scoring(strict=strict, severity=severity, gate=gate))
    assert value is None or (0.0 <= value <= 1.0 and not math.isnan(value))


def test_scoring_options():
    found = [S.SUPPORTED, S.PARTIALLY_SUPPORTED, S.UNEVALUATABLE]
    assert score(found) == 0.5
    assert score(found, Scoring(strict=True)) == pytest.approx(2 / 3)
    assert score(found, Scoring(severity=True)) == 0.25
    assert score(found, Scoring(gate=True)) == 0.5
    assert score([*found, S.CONTRADICTED], Scoring(gate=True)) == 1.0


def test_the_arithmetic_on_the_page_is_true():
    import doctest

    import trail_callbacks.report.verdict

    assert doctest.testmod(trail_callbacks.report.verdict).failed == 0
    assert doctest.testmod(trail_callbacks.report.verdict).attempted == 3
