import subprocess
import sys

import pytest

from trail_callbacks import LocalJudge, check
from trail_callbacks.errors import InputError, MissingExtraError
from trail_callbacks.judges.local import training
from trail_callbacks.judges.local.training import LabelledClaim, fit, measure, recalibrate

TOWNS = ["Alder", "Brom", "Calder", "Dunmore", "Eskby", "Farrow", "Gale", "Halden", "Ilm", "Jarrow", "Kelder", "Lund"]


def rows(supported=12, unsupported=12):
    for town in TOWNS[:supported]:
        source = f"The library of {town} lends books and tools. It is closed on Mondays."
        yield LabelledClaim(claim=f"The library of {town} lends tools.", sources=(source,), supported=True)
    for town in TOWNS[:unsupported]:
        source = f"The library of {town} lends books and tools. It is closed on Mondays."
        yield LabelledClaim(claim=f"The {town} library has a cinema for children.", sources=(source,), supported=False)


def test_recalibrating_makes_the_judge_surer_where_it_is_right():
    pytest.importorskip("sklearn")
    before = LocalJudge(without=("hyperbole",))
    after = recalibrate(before, list(rows()))
    assert after.calibration.slope > 1
    assert (after.without, after.risk_model) == (before.without, before.risk_model)
    for claim in ("The library of Wyke lends tools.", "The Wyke library has a cinema for grown-ups."):
        source = "The library of Wyke lends books and tools. It is closed on Mondays."
        was, now = (check(claim, [source], judge=judge).verdicts[0] for judge in (before, after))
        assert was.support == now.support
        assert was.confidence < now.confidence < 1.0  # a dozen rows make nothing certain


def test_base_rates_are_heeded():
    pytest.importorskip("sklearn")
    few, many = (recalibrate(LocalJudge(), list(rows(*counts))) for counts in ((12, 10), (10, 12)))
    assert few.calibration.offset < many.calibration.offset


def test_the_same_rows_give_the_same_judge():
    pytest.importorskip("sklearn")
    assert recalibrate(LocalJudge(), list(rows())).name == recalibrate(LocalJudge(), list(rows())).name


def test_fitting_anew_tells_the_rows_apart_and_goes_through_json():
    pytest.importorskip("sklearn")
    labelled = list(rows())
    model = fit(labelled, source="libraries")
    judge = LocalJudge(risk_model=type(model).from_json(model.to_json()))
    assert judge.risk_model == model
    assert judge.risk_model.source == "libraries"
    counted = measure(labelled, judge)
    odds = [model.log_odds(features) for features in counted]
    assert max(odds[:12]) < min(odds[12:])


@pytest.mark.parametrize("train", [lambda given: recalibrate(LocalJudge(), given), fit])
def test_too_few_rows_are_refused(train):
    with pytest.raises(InputError, match=r"12 supported and 3 unsupported rows .* at least 10 of each"):
        train(list(rows(12, 3)))
    with pytest.raises(InputError):
        train([])


def test_labels_the_wrong_way_round_are_noticed():
    pytest.importorskip("sklearn")
    turned = [LabelledClaim(claim=row.claim, sources=row.sources, supported=not row.supported) for row in rows()]
    with pytest.raises(InputError, match="the right way round"):
        recalibrate(LocalJudge(), turned)


def test_rows_without_anything_to_compare_count_for_nothing():
    empty = LabelledClaim(claim="The library lends tools.", sources=(), supported=False)
    assert measure([empty, next(iter(rows()))])[0] is None


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(training, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"trail-callbacks\[local\]"):
        recalibrate(LocalJudge(), list(rows()))


def test_judging_loads_no_training_library():
    code = (
        "import sys, trail_callbacks as t; t.check('The mill is old.', ['The mill is old.']);"
        "print(sorted(m for m in sys.modules if m in {'sklearn', 'scipy'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
