"""trail-callbacks for LlamaIndex: which sentence of the answer is made up, and which step made it up."""

from typing import TYPE_CHECKING

from trail_callbacks.errors import AnswerRejectedError, MissingExtraError

try:
    import llama_index_instrumentation
except ImportError as error:
    raise MissingExtraError("llama_index_trail", "llama-index") from error

from llama_index_trail.instrument import Status, Trail, instrument, status, trail, uninstrument
from llama_index_trail.results import areport_for, report_for
from trail_callbacks.session import Recording

if TYPE_CHECKING:
    from llama_index_trail.canary import CanaryRetriever, FictiveFilter, canary_app
    from llama_index_trail.context_filter import TrailContextFilter
    from llama_index_trail.evaluator import TrailEvaluationResult, TrailEvaluator
    from llama_index_trail.guarded_agent import guard_agent
    from llama_index_trail.guarded_chat import GuardedChatEngine
    from llama_index_trail.guarded_engine import GuardedQueryEngine
    from llama_index_trail.models import areplay, as_model, replay

__all__ = [
    "AnswerRejectedError",
    "CanaryRetriever",
    "FictiveFilter",
    "GuardedChatEngine",
    "GuardedQueryEngine",
    "Recording",
    "Status",
    "Trail",
    "TrailContextFilter",
    "TrailEvaluationResult",
    "TrailEvaluator",
    "areplay",
    "areport_for",
    "as_model",
    "canary_app",
    "guard_agent",
    "instrument",
    "replay",
    "report_for",
    "status",
    "trail",
    "uninstrument",
]

del llama_index_instrumentation

_LAZY = {
    "CanaryRetriever": "canary",
    "FictiveFilter": "canary",
    "GuardedChatEngine": "guarded_chat",
    "GuardedQueryEngine": "guarded_engine",
    "TrailContextFilter": "context_filter",
    "TrailEvaluationResult": "evaluator",
    "TrailEvaluator": "evaluator",
    "areplay": "models",
    "canary_app": "canary",
    "guard_agent": "guarded_agent",
    "as_model": "models",
    "replay": "models",
}


def __getattr__(name: str) -> object:
    """Imports on first use what needs LlamaIndex itself, because that takes seconds."""
    if name in _LAZY:
        from importlib import import_module  # noqa: PLC0415 - see above

        return getattr(import_module(f"llama_index_trail.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Lists the public names, those not yet imported too."""
    return sorted({*globals(), *__all__})
