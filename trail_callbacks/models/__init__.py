"""Language models behind one small protocol, and the drivers that execute their calls.

Start with `call` (calls, replies, and the pipelines that yield them), then `drive`, or `adrive` for asyncio. Retries,
rate limits, budgets and caching are here; prompts and what a reply means are in `judges.llm`. A custom model imports
what it needs from here.
"""

from trail_callbacks.models.call import Call, Failure, Message, Model, Pipeline, Reply, Usage

__all__ = ["Call", "Failure", "Message", "Model", "Pipeline", "Reply", "Usage"]
