"""Fit the offline judge to your own labels: its confidence then means how often it is right on your texts.

Nothing is played. The labels are made up here from a template, so that the recipe runs alone; replace `labelled` by the
claims that you or your users have judged, a few dozen of each kind, as they come. With hundreds of each, `fit`
trains the whole risk model anew: `LocalJudge(risk_model=fit(rows))`.

    pip install "trail-callbacks[local]"
    python cookbook/recalibrate_offline_judge.py
"""

from trail_callbacks import LocalJudge, check
from trail_callbacks.judges.local.training import LabelledClaim, recalibrate

TOWNS = ["Alder", "Brom", "Calder", "Dunmore", "Eskby", "Farrow", "Gale", "Halden", "Ilm", "Jarrow", "Kelder", "Lund"]


def labelled() -> list[LabelledClaim]:
    """Your rows: a claim, the sources it was judged by, whether they support it, and what belongs together."""
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
