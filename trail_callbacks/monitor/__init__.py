"""What operations know of judged runs, and do about it: figures, alerts, release gates, triage.

One run is one `observation`, which is bad or not by each signal. Claims of one answer go wrong together, so that shares
over claims are too sure of themselves: everything here counts runs. `objectives` say what is promised, `evaluation`
which stage burns its error budget and who is called, `rules` the same to Prometheus and Grafana; `gate` and `decision`
whether a release may go out; `triage` where to look when runs go wrong.

Only the first is here: an app that stores its runs waits for neither numpy nor pydantic.
"""

from trail_callbacks.monitor.observation import (
    SIGNALS,
    BrokenAt,
    DocumentUse,
    FigureName,
    Observation,
    Signal,
    SignalName,
    Tally,
    described,
    figures_of,
    observe,
    question_key,
    recorded,
)

__all__ = [
    "SIGNALS", "BrokenAt", "DocumentUse", "FigureName", "Observation", "Signal", "SignalName", "Tally", "described",
    "figures_of", "observe", "question_key", "recorded",
]  # fmt: skip
