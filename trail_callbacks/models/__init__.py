"""Language models behind one small protocol, and the drivers that carry out their calls."""

from trail_callbacks.models.call import Call, Message, Model, Pipeline, Reply, Usage

__all__ = ["Call", "Message", "Model", "Pipeline", "Reply", "Usage"]
