"""Language models behind one small protocol, and the drivers that execute their calls.

Start with `call` (calls, replies, and the pipelines that yield them), then `drive`, or `adrive` for asyncio. Retries,
rate limits, budgets and caching are here; prompts and what a reply means are in `judges.llm`.
"""

from trail_callbacks.models.call import Call, Message, Model, Pipeline, Reply, Usage

__all__ = ["Call", "Message", "Model", "Pipeline", "Reply", "Usage"]
