"""Real words that reached a model under an arm which must not see them: such a trial says nothing."""

from __future__ import annotations

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.passages.translation import Translator
from trail_callbacks.canary.serving.exposure import Exposure
from trail_callbacks.errors import InputError, TrailError
from trail_callbacks.graph import Node, ProvenanceGraph

__all__ = ["RealTextServedError", "refuse_memory", "refuse_real_words", "refuse_unseen"]

_SHOWN = 3


class RealTextServedError(TrailError):
    """An app was to see the twin, or nothing, and read the real text of an edit, so that its answer is no leak."""


def refuse_real_words(graph: ProvenanceGraph, translator: Translator, exposure: Exposure, question: str = "") -> None:
    """Raises if a model of a recorded run read the real text of an edit, or the answer rests on it.

    A second retriever that is not wrapped, a cache, a history, a parent document that was looked up after retrieval: an
    answer with the real value is then no proof of memory. What models of the run wrote is not looked at.

    Args:
        graph: The run.
        translator: Of the corpus and its twin.
        exposure: What the run could see, and was served. What was served is right, also where it stands in other
            documents, in which it was edited.
        question: What was asked. It may name a real value of another edit, or be a real sentence ("Is this right?"):
            its words are no source.

    Raises:
        RealTextServedError: If it does; the message names steps and edits, and quotes nothing.
    """
    arm = exposure.arm
    if arm not in ("fictive", "empty"):
        return
    served = sorted({each for each in (*exposure.passages, question) if each.strip()}, key=len, reverse=True)
    found = []
    for node in _read(graph):
        rest = "" if any(node.text in passage for passage in served) else node.text
        for passage in served:
            rest = rest.replace(passage, "\n")
        if edits := translator.real(rest):
            found.append((node.step or node.kind, edits))
    if found:
        named = "; ".join(f"{step}: {', '.join(edits[:_SHOWN])}" for step, edits in found[:_SHOWN])
        raise RealTextServedError(
            f"under arm {arm!r} the app read real words of edits ({named}), which the CanaryRetriever did not serve: "
            "wrap every retriever, and what looks documents up after it"
        )


def _read(graph: ProvenanceGraph) -> list[Node]:
    """Evidence that led to what a model wrote, or to the answer, which a step in between may have cut off from it."""
    written = [node.id for node in graph.nodes if node.kind == "completion"]
    return list({node.id: node for id_ in (None, *written) for node in graph.leaves(id_)}.values())


def refuse_memory(remembers: bool) -> None:
    """Raises `InputError` if a model was shown an earlier run of the app, which may have been of another arm."""
    if remembers:
        raise InputError(
            "app: its model was shown what it was asked before, and answered under another arm perhaps: make the app "
            "without a memory, or with a new one for each question"
        )


def refuse_unseen(arm: Arm, calls: int, outside: int) -> None:
    """Raises if an arm's retriever was called outside of the arm only, where it serves real texts.

    Args:
        arm: What the run could see.
        calls: Calls of the retriever within the run.
        outside: Calls outside of any run while it went on.

    Raises:
        RealTextServedError: If the calls were outside.
    """
    if arm in ("fictive", "empty") and not calls and outside:
        raise RealTextServedError(
            f"under arm {arm!r} the retriever was called {outside} times outside of the run, in a thread without its "
            "context, where it returns real texts: make the app by a function of the retriever, so that it gets "
            "retriever.under(arm)"
        )
