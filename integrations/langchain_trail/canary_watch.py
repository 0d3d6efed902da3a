"""What one run of an app costs, and whether its models are shown an earlier one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from langchain_core.callbacks import UsageMetadataCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import LLMResult

from trail_callbacks.models.call import Usage

__all__ = ["Watch"]


class Watch(UsageMetadataCallbackHandler):
    """The callbacks of one run.

    Args:
        before: What models wrote in earlier runs of the app, by question.

    Attributes:
        remembers: A model was shown a question of before with what a model wrote then.
        written: What models wrote in this run.
    """

    def __init__(self, before: Mapping[str, Collection[str]]) -> None:
        super().__init__()
        self.calls = 0
        self.remembers = False
        self.written: set[str] = set()
        self._before = before

    def on_chat_model_start(self, serialized: Any, messages: list[list[BaseMessage]], **kwargs: Any) -> None:  # noqa: ARG002 - LangChain's signature
        """Looks at the conversation that a model is shown."""
        for conversation in messages:
            asked: list[str] = []
            for message in conversation:
                if isinstance(message, HumanMessage):
                    asked.append(message.text)
                elif isinstance(message, AIMessage) and message.text not in self.written:
                    self.remembers |= any(message.text in self._before.get(question, ()) for question in asked)

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        """Counts."""
        super().on_llm_end(response, **kwargs)
        self.calls += 1
        self.written |= {each.text for listed in response.generations for each in listed if each.text}

    @property
    def usage(self) -> Usage:
        """What the models of the run read and wrote."""
        counted = self.usage_metadata.values()
        return Usage(
            calls=self.calls,
            prompt_tokens=sum(each["input_tokens"] for each in counted),
            completion_tokens=sum(each["output_tokens"] for each in counted),
        )
