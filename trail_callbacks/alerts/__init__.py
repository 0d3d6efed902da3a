"""Alerts: which stage burns its error budget, in which segment, and who is called.

Start with `evaluation`. `objectives` reads what is wanted from TOML, `burn` says when an excess is worth a call, and
`causes` why a later stage burns. `history` and `webhook` tell others; `rules`, `exposition` and `dashboard` do the same
for Prometheus and Grafana.
"""

from trail_callbacks.alerts.burn import BURN_RATES, BurnRate, Severity
from trail_callbacks.alerts.evaluation import Alert, AlertState, evaluate
from trail_callbacks.alerts.objectives import Objective, Objectives, Stage, parse, read

__all__ = [
    "BURN_RATES",
    "Alert",
    "AlertState",
    "BurnRate",
    "Objective",
    "Objectives",
    "Severity",
    "Stage",
    "evaluate",
    "parse",
    "read",
]
