"""Fit the offline judge to your own labels, so that its confidence is calibrated on your texts.

No model is simulated. The labels here come from a template, so that the recipe is self-contained; replace `labelled` by
claims that you or your users have labelled, a random sample with a few dozen supported and unsupported ones. With
hundreds of each, `fit` retrains the whole risk model: `LocalJudge(risk_model=fit(rows))`.

    pip install "trail-callbacks[local]"
    python cookbook/recalibrate_offline_judge.py
"""

from trail_callbacks import LocalJudge, check
from trail_callbacks.judges.local.training import LabelledClaim, recalibrate

TOWNS = ["Alder", "Brom", "Calder", "Dunmore", "Eskby", "Farrow", "Gale", "Halden", "Ilm", "Jarrow", "Kelder", "Lund"]


def labelled() -> list[LabelledClaim]:
    """Your rows: a claim, its sources, whether they support it, and a group that shares sources."""
    rows = []
    for n, town in enumerate(TOWNS):
        source = f"The library of {town} lends books and {n + 2} kinds of tools. It is closed on Mondays."
        true = [f"The library of {town} lends tools.", f"Books are lent by the library of {town}, too."]
        false = [f"The library of {town} has a cinema for children.", f"A fine of {town} library grows day by day."]
        rows += [LabelledClaim(claim=claim, sources=(source,), supported=True, group=town) for claim in true]
        rows += [LabelledClaim(claim=claim, sources=(source,), supported=False, group=town) for claim in false]
    return rows


before = LocalJudge()
after = recalibrate(before, labelled())
print("calibration to keep:", after.calibration)

answer = "The library of Wyke lends tools. It runs a cinema in summer."
source = "The library of Wyke lends books and nine kinds of tools. It is closed on Mondays."
for name, judge in (("before", before), ("after", after)):
    report = check(answer, [source], judge=judge)
    for claim, verdict in zip(report.claims, report.verdicts, strict=True):
        print(f"{name}: {claim.text} {verdict.support}, confidence {verdict.confidence:.2f}")
