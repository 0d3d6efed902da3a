"""trail-callbacks for LangChain and LangGraph: which sentence of the answer is made up, and which step made it up."""

from typing import TYPE_CHECKING

from trail_callbacks.errors import AnswerRejectedError, MissingExtraError

try:
    import langchain_core
except ImportError as error:
    raise MissingExtraError("langchain_trail", "langchain") from error

from langchain_trail.handler import Trail, TrailCallbackHandler, trail

if TYPE_CHECKING:
    from langchain_trail.canary import CanaryRetriever, canary_app
    from langchain_trail.context_filter import TrailContextFilter
    from langchain_trail.guard import TrailGuard
    from langchain_trail.guarded_runnable import guarded
    from langchain_trail.models import areplay, as_model, replay
    from langchain_trail.node import trail_node
    from langchain_trail.wrap import TrailResult, traced

__all__ = [
    "AnswerRejectedError",
    "CanaryRetriever",
    "Trail",
    "TrailCallbackHandler",
    "TrailContextFilter",
    "TrailGuard",
    "TrailResult",
    "areplay",
    "as_model",
    "canary_app",
    "guarded",
    "replay",
    "traced",
    "trail",
    "trail_node",
]

del langchain_core


_LAZY = {
    "CanaryRetriever": "canary",
    "TrailContextFilter": "context_filter",
    "TrailGuard": "guard",
    "TrailResult": "wrap",
    "areplay": "models",
    "as_model": "models",
    "canary_app": "canary",
    "guarded": "guarded_runnable",
    "replay": "models",
    "traced": "wrap",
    "trail_node": "node",
}


def __getattr__(name: str) -> object:
    """Imports on first use what needs more than langchain-core, or is rarely used."""
    if name in _LAZY:
        from importlib import import_module  # noqa: PLC0415 - see above

        return getattr(import_module(f"langchain_trail.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Lists the public names, those not yet imported too."""
    return sorted({*globals(), *__all__})
