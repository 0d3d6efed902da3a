import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import LocalJudge, check
from trail_callbacks.errors import InputError
from trail_callbacks.judges.local.risk import Calibration, Features, RiskModel, probability, shipped
from trail_callbacks.judges.local.training import LabelledClaim, measure

NOTHING = Features(covered=0.0, missing=3.0, runs=0.0, numbers=2, contradiction=0.0, departure=0.0)
ALL = Features(covered=1.0, missing=0.0, runs=1.0, numbers=0, contradiction=0.0, departure=0.0)
SOURCE = "The orchard of Penwick has 340 trees. Visitors may pick fruit in September."


def counted(text):
    (features,) = measure([LabelledClaim(claim=text, sources=(SOURCE,), supported=True)], LocalJudge())
    return features


def test_a_claim_that_is_its_source_lacks_nothing():
    assert counted("The orchard of Penwick has 340 trees.").values() == (1.0, 0.0, 1.0, 0, 0.0, 0.0)


def test_what_is_missing_is_counted():
    invented = counted("A brewery from Dover bought 12 cellars.")
    assert invented.covered < 0.5
    assert invented.missing > 1.0
    assert (invented.runs, invented.numbers) == (0.0, 1)


def test_findings_are_counted_by_their_class():
    assert counted("The orchard of Penwick has 430 trees.").contradiction == 1.0
    weaker = counted("Visitors will pick fruit in September.")
    assert (weaker.contradiction, weaker.departure) == (0.0, 1.0)


def test_values_stand_in_the_order_of_the_attributes():
    features = Features(covered=1, missing=2, runs=3, numbers=4, contradiction=5, departure=6)
    assert features.values() == (1, 2, 3, 4, 5, 6)


def risk(features):
    return probability(shipped().log_odds(features), Calibration())


def test_the_more_sources_hold_the_lower_the_risk():
    assert risk(ALL) < 0.2
    assert risk(NOTHING) > 0.8
    for better, worse in (
        (ALL, replace(ALL, covered=0.5)),
        (ALL, replace(ALL, missing=1.0)),
        (ALL, replace(ALL, runs=0.0)),
        (ALL, replace(ALL, numbers=1)),
        (ALL, replace(ALL, contradiction=1.0)),
        (ALL, replace(ALL, departure=1.0)),
    ):
        assert risk(better) < risk(worse)


@given(st.floats(allow_nan=False), st.floats(0.001, 100), st.floats(-100, 100))
def test_a_probability_is_one_whatever_the_log_odds(log_odds, slope, offset):
    assert 0.0 <= probability(log_odds, Calibration(slope=slope, offset=offset)) <= 1.0


def test_calibration_moves_the_risk_and_keeps_the_order():
    fewer = Calibration(slope=2.0, offset=-1.0)
    odds = [-3.0, -0.5, 0.0, 0.5, 3.0]
    moved = [probability(z, fewer) for z in odds]
    assert moved == sorted(moved)
    assert moved[2] == pytest.approx(1 / (1 + math.e))


@pytest.mark.parametrize("values", [{"slope": 0.0}, {"slope": -1.0}, {"offset": math.nan}, {"slope": math.inf}])
def test_a_calibration_that_turns_risk_round_is_refused(values):
    with pytest.raises(InputError, match="expected finite, slope over 0"):
        Calibration(**values)


def test_a_model_comes_back_from_json():
    model = shipped()
    assert RiskModel.from_json(json.loads(json.dumps(model.to_json()))) == model
    assert model.source


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"bias": 1.0, "weights": {"covered": 1.0}},
        {"bias": "x", "weights": shipped().to_json()["weights"]},
        {"bias": 1.0, "weights": {**shipped().to_json()["weights"], "more": 1.0}},
        {"bias": math.nan, "weights": shipped().to_json()["weights"]},
        [],
        None,
    ],
)
def test_what_is_not_a_model_is_refused(data):
    with pytest.raises(InputError, match="not a risk model"):
        RiskModel.from_json(data)


ORCHARD = "The orchard of Penwick has 340 trees. Most of them are apple trees. Visitors may pick fruit in September."


def test_confidence_is_for_the_side_of_the_class():
    report = check("The orchard of Penwick has 340 trees. A brewery from Dover bought its cellars.", [ORCHARD])
    held, invented = report.verdicts
    assert (str(held.support), str(invented.support)) == ("supported", "absent")
    assert held.confidence > 0.7
    assert invented.confidence > 0.6


def test_what_no_source_has_is_never_supported_however_much_they_share():
    (verdict,) = check(
        "The orchard of Penwick has 340 trees, most of them apple trees, and 25 beehives.", [ORCHARD]
    ).verdicts
    assert str(verdict.support) != "supported"
    (verdict,) = check(
        "Visitors of the orchard of Penwick may pick fruit with Holger in September.", [ORCHARD]
    ).verdicts
    assert str(verdict.support) != "supported"


def test_a_threshold_moves_what_is_left_open():
    claim = "Visitors pick ripe golden fruit in September."
    strict = LocalJudge(supported_below=0.0, supported_at=1.0)
    lenient = LocalJudge(supported_below=1.0, partial_at=0.3)
    assert str(check(claim, [ORCHARD], judge=strict).verdicts[0].support) != "supported"
    assert str(check(claim, [ORCHARD], judge=lenient).verdicts[0].support) == "supported"


def test_settings_that_change_verdicts_change_the_name():
    names = {
        LocalJudge().name,
        LocalJudge(supported_at=0.6).name,
        LocalJudge(calibration=Calibration(offset=-1.0)).name,
        LocalJudge(risk_model=RiskModel(weights=(0.0,) * 6, bias=0.0)).name,
        LocalJudge(without=("number",)).name,
    }
    assert len(names) == 5
    assert LocalJudge().name == "local/2"
    assert LocalJudge(calibration=Calibration()).name == "local/2"


def test_claims_in_other_languages_have_no_confidence():
    (verdict,) = check("Der Apfelgarten von Penwick hat 340 Bäume und ist im Herbst geöffnet.", [ORCHARD]).verdicts
    assert verdict.confidence is None
