"""Runs with gold claims: the true verdicts on an answer, and the nodes that state its errors."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from trail_callbacks.graph import Edge, Node, ProvenanceGraph
from trail_callbacks.judges.llm.layout import line as one_line
from trail_callbacks.judges.prompts import neutral
from trail_callbacks.text import forms, sentences

UNSUPPORTED = frozenset({"contradicted", "absent", "partially_supported"})


@dataclass(frozen=True)
class Fact:
    """One gold claim.

    `states` are the nodes that state it, including the answer, if it is unsupported; `also` are those of them from which
    it did not reach the answer. `faults` are its parts with the nodes that state each, if it was introduced at several
    places. `words` are known wordings of the claim or a part of it: `(claim or part, node, sentence)`.
    """

    id: str
    text: str
    quote: str
    support: str
    error_type: str | None = None
    introduced_at: str | None = None
    carried_through: tuple[str, ...] = ()
    evidence: tuple[tuple[str, str], ...] = ()
    faults: tuple[tuple[str, frozenset[str]], ...] = ()
    also: frozenset[str] = frozenset()
    words: tuple[tuple[str, str, str], ...] = ()

    @property
    def states(self) -> frozenset[str]:
        return frozenset({self.introduced_at, *self.carried_through, *self.also} - {None})

    @property
    def checkable(self) -> bool:
        return self.support != "unevaluatable"


@dataclass(frozen=True)
class Run:
    """A run with its gold claims."""

    id: str
    graph: ProvenanceGraph
    facts: tuple[Fact, ...]
    shape: str = ""
    language: str = "en"

    @cached_property
    def plain(self) -> dict[str, str]:
        """The text of each node as shown in a prompt: whitespace collapsed, nothing that looks like a fence."""
        return {node.id: line(node.text) for node in self.graph.nodes}

    @cached_property
    def above(self) -> dict[str, frozenset[str]]:
        """All nodes upstream of each node, and the node itself."""
        return {n.id: frozenset({n.id, *(u.id for u in self.graph.upstream(n.id))}) for n in self.graph.nodes}

    @cached_property
    def weights(self) -> dict[str, float]:
        """The weight of a word: higher, the rarer it is in the sentences of this run."""
        found = Counter(
            form for node in self.graph.nodes for part in sentences(node.text) for form in set(forms(part.text))
        )
        return {form: 1 / count for form, count in found.items()}

    def overlap(self, claim: str, text: str) -> float:
        """Total weight of the shared words."""
        return sum(self.weights.get(form, 1.0) for form in set(forms(claim)) & set(forms(text)))

    def homes(self, passage: str) -> frozenset[str]:
        """The nodes that contain a passage verbatim."""
        return frozenset(id_ for id_, text in self.plain.items() if passage and passage in text)


def line(text: str) -> str:
    """A text as shown in prompts."""
    return neutral(one_line(text))


def read_run(row: dict) -> Run:
    """Parses one line of a file of planted errors."""
    nodes = [Node(id="question", kind="question", text=row["question"], step="user")]
    edges = [Edge(source="question", target=row["answer_id"])]
    for node in row["nodes"]:
        kind = "answer" if node["id"] == row["answer_id"] else node["kind"]
        nodes.append(Node(id=node["id"], kind=kind, text=node["text"], step=node["step"]))
        edges += [Edge(source=source, target=node["id"]) for source in dict.fromkeys(node["inputs"])]
    facts = tuple(
        Fact(
            id=claim["id"], text=claim["text"], quote=claim["quote"], support=claim["support"],
            error_type=claim["error_type"], introduced_at=claim["introduced_at"],
            carried_through=tuple(claim["carried_through"]),
            evidence=tuple((item["node"], item["quote"]) for item in claim["evidence"]),
            faults=tuple((fault["text"], frozenset(fault["states"])) for fault in claim.get("faults", ())),
        )
        for claim in row["claims"]
    )  # fmt: skip
    graph = ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))
    return Run(id=row["id"], graph=graph, facts=facts, shape=row["shape"], language=row["language"])


def read_runs(path: Path) -> list[Run]:
    return [read_run(json.loads(row)) for row in path.read_text(encoding="utf-8").splitlines() if row.strip()]
