"""Language models behind one small protocol, and the drivers that carry out their calls.

What a model of one's own needs is imported from here.
"""

from trail_callbacks.models.call import Call, Message, Model, Pipeline, Reply, Usage
from trail_callbacks.models.failure import Failure

__all__ = ["Call", "Failure", "Message", "Model", "Pipeline", "Reply", "Usage"]
