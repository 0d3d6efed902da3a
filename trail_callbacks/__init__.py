"""Finds which sentences of an answer are made up, and which step of a LangChain or LlamaIndex app made them up.

The public names are here. To read the code, start with `graph` (the data), then `capture` (how a run becomes a graph),
`verify` (how a graph becomes a report) and `report`. Judges are in `judges`; what people see is in `render`, `export`
and `cli`. Adapters for frameworks are separate packages and import this one, never the other way round.
"""

from typing import TYPE_CHECKING

import trail_callbacks.forking
import trail_callbacks.render  # noqa: F401 - registers how graphs and reports are drawn
from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Edge, Node, ProvenanceGraph
from trail_callbacks.judges.cascade import CascadeJudge
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.judges.local.judge import LocalJudge
from trail_callbacks.models.call import Budget
from trail_callbacks.report import Report, Verdict
from trail_callbacks.report.verdict import Scoring
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import acheck, averify, check, verify

if TYPE_CHECKING:
    from trail_callbacks.judges.encoder.judge import EncoderJudge
    from trail_callbacks.session.settings import Retention
    from trail_callbacks.verify.veritrail import averitrail, veritrail

__all__ = [
    "Budget",
    "CascadeJudge",
    "Claim",
    "Edge",
    "EncoderJudge",
    "ErrorType",
    "Evidence",
    "LLMJudge",
    "LocalJudge",
    "Node",
    "ProvenanceGraph",
    "Report",
    "Retention",
    "Scoring",
    "SupportClass",
    "Verdict",
    "VerifyOptions",
    "acheck",
    "averify",
    "averitrail",
    "check",
    "verify",
    "veritrail",
]


_LAZY = {
    "EncoderJudge": "judges.encoder.judge",
    "Retention": "session.settings",
    "averitrail": "verify.veritrail",
    "veritrail": "verify.veritrail",
}


def __getattr__(name: str) -> object:
    """Imports on first use what few need."""
    if name in _LAZY:
        from importlib import import_module  # noqa: PLC0415 - see above

        return getattr(import_module(f"trail_callbacks.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Lists the public names, those not yet imported too."""
    return sorted({*globals(), *__all__})
