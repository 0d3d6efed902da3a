"""trail-callbacks for LangChain and LangGraph: which sentence of the answer is made up, and which step made it up."""

from trail_callbacks.errors import MissingExtraError

try:
    import langchain_core
except ImportError as error:
    raise MissingExtraError("langchain_trail", "langchain") from error

from langchain_trail.context import Trail, trail
from langchain_trail.handler import TrailCallbackHandler
from langchain_trail.models import as_model
from langchain_trail.wrap import TrailResult, traced

__all__ = ["Trail", "TrailCallbackHandler", "TrailResult", "as_model", "traced", "trail"]

del langchain_core
