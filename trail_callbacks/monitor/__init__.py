"""What operations know of judged runs, and do about it: figures, alerts, release gates, triage.

One run is one `observation`, by whose `signals` it is bad. Claims of one answer go wrong together, so that shares over
claims are too sure of themselves: everything here counts runs. `evaluation` says which stage burns its error budget and
who is called, `rules` say the same to Prometheus and Grafana; `gate` whether a release may go out;
`triage` where to look when runs go wrong.
"""

from typing import TYPE_CHECKING

from trail_callbacks.monitor.decision import Decision, Policy, to_junit, to_markdown
from trail_callbacks.monitor.observation import (
    SIGNALS,
    DocumentUse,
    FigureName,
    Observation,
    Signal,
    SignalName,
    Tally,
    figures_of,
    observe,
    question_key,
    recorded,
)

if TYPE_CHECKING:
    from trail_callbacks.monitor.evaluation import Alert, evaluate
    from trail_callbacks.monitor.gate import decide
    from trail_callbacks.monitor.objectives import BURN_RATES, Objectives, parse, read

__all__ = [
    "BURN_RATES", "SIGNALS", "Alert", "Decision", "DocumentUse", "FigureName", "Objectives", "Observation", "Policy",
    "Signal", "SignalName", "Tally", "decide", "evaluate", "figures_of", "observe", "parse",
    "question_key", "read", "recorded", "to_junit", "to_markdown",
]  # fmt: skip

_MODULES = {
    "trail_callbacks.monitor.evaluation": ("Alert", "evaluate"),
    "trail_callbacks.monitor.gate": ("decide",),
    "trail_callbacks.monitor.objectives": ("BURN_RATES", "Objectives", "parse", "read"),
}
_LAZY = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """Imports on first use what needs numpy or pydantic: an app that only stores its runs waits for neither."""
    if name in _LAZY:
        from importlib import import_module  # noqa: PLC0415 - see above

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Lists the public names, those not yet imported too."""
    return sorted({*globals(), *__all__})
