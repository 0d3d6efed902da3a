"""The context filter as a node postprocessor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
from pydantic import Field

from trail_callbacks.context_filter import ContextFilter, Filtered, PassageDecision, report_outcome

FILTERED = "trail_filter"
"""The key of a flagged node's metadata that says why. Prompts and embeddings do not show it."""


class TrailContextFilter(BaseNodePostprocessor):
    """Keeps passages from the model that address it or contradict the majority. Offline.

        index.as_query_engine(node_postprocessors=[TrailContextFilter()])

    Nodes are read as prompts show them, with their metadata; those without text are kept. They come back in order and
    unchanged, except that one that was flagged is a copy with `metadata["trail_filter"]`, which no prompt shows. In the
    provenance graph a node that was dropped has no outgoing edge. If the filter fails, all nodes are returned, and a
    warning is logged.

    Attributes:
        filter: What is looked for and what is done about it.
        on_filtered: Called with every outcome, whose passages are the nodes, on the thread of the call; what it raises
            is logged.
    """

    filter: ContextFilter = Field(default_factory=ContextFilter)
    on_filtered: Callable[[Filtered[NodeWithScore]], None] | None = Field(default=None, exclude=True)

    @classmethod
    def class_name(cls) -> str:
        """As LlamaIndex names it in what it saves."""
        return "TrailContextFilter"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002 - LlamaIndex passes it
    ) -> list[NodeWithScore]:
        shown = [(node, text) for node in nodes if (text := node.node.get_content(MetadataMode.LLM)).strip()]
        outcome = self.filter.apply([text for _, text in shown])
        decided = Filtered(
            decisions=tuple(_about(shown[each.index][0], each) for each in outcome.decisions),
            errors=outcome.errors,
            warnings=outcome.warnings,
        )
        report_outcome(decided, self.on_filtered)
        decisions = {id(decision.passage): decision for decision in decided.decisions}
        return [
            node if decision is None else _annotated(decision)
            for node in nodes
            if (decision := decisions.get(id(node))) is None or decision.kept
        ]


def _about(node: NodeWithScore, decision: PassageDecision[Any]) -> PassageDecision[NodeWithScore]:
    return PassageDecision(
        index=decision.index,
        passage=node,
        kept=decision.kept,
        reasons=decision.reasons,
        error=decision.error,
    )


def _annotated(decision: PassageDecision[NodeWithScore]) -> NodeWithScore:
    """The node; if it was flagged a copy that says why, because the original may be in the app's index."""
    if not decision.reasons:
        return decision.passage
    node = decision.passage.node
    note = {"kept": decision.kept, "reasons": [reason.to_dict() for reason in decision.reasons]}
    marked = node.model_copy(
        update={
            "metadata": {**node.metadata, FILTERED: note},
            "excluded_llm_metadata_keys": [*node.excluded_llm_metadata_keys, FILTERED],
            "excluded_embed_metadata_keys": [*node.excluded_embed_metadata_keys, FILTERED],
        }
    )
    return NodeWithScore(node=marked, score=decision.passage.score)
