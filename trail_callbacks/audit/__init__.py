"""Auditing many answers that were recorded: in bounded memory, within a budget, and so that it can be interrupted.

Start with `run`. `inputs` reads records, `items` says what is to be judged, `judging` judges one, an `engine` has many
judged (by a `crew` of workers, each of which runs `worker`: `processes`, or actors of a `cluster`; or in `rounds`
through the `batch` endpoint of a provider), the `journal` keeps what is done, `outputs` and `summary` are what comes of
it. What it may cost is kept by `trail_callbacks.work`.
"""

from trail_callbacks.audit.batch import BatchEngine
from trail_callbacks.audit.cluster import RayEngine
from trail_callbacks.audit.engine import Engine, LocalEngine, cores
from trail_callbacks.audit.judging import AuditOutcome, AuditTask
from trail_callbacks.audit.results import AuditSummary, AuditTally
from trail_callbacks.audit.run import AuditProgress, audit
from trail_callbacks.models.call import Budget
from trail_callbacks.work import Grants

__all__ = [
    "AuditOutcome",
    "AuditProgress",
    "AuditSummary",
    "AuditTally",
    "AuditTask",
    "BatchEngine",
    "Budget",
    "Engine",
    "Grants",
    "LocalEngine",
    "RayEngine",
    "audit",
    "cores",
]
