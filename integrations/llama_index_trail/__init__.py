"""trail-callbacks for LlamaIndex: which sentence of the answer is made up, and which step made it up."""

from trail_callbacks.errors import MissingExtraError

try:
    import llama_index_instrumentation
except ImportError as error:
    raise MissingExtraError("llama_index_trail", "llama-index") from error

from llama_index_trail.context import Recording, Trail, trail
from llama_index_trail.instrument import Status, instrument, status, uninstrument
from llama_index_trail.models import as_model
from llama_index_trail.results import report_for

__all__ = [
    "Recording",
    "Status",
    "Trail",
    "as_model",
    "instrument",
    "report_for",
    "status",
    "trail",
    "uninstrument",
]

del llama_index_instrumentation
