"""The labelled sets that the offline judge is measured on, as claims with their sources."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from labelled_sets import rows

from trail_callbacks.claims import split

UNSUPPORTED = {"contradicted", "absent", "partially_supported"}
LEAVES = {"document", "tool_result"}


class Item(NamedTuple):
    """One claim.

    Attributes:
        group: Key of claims with the same source.
        support: The class, or None where only `unsupported` is known.
        response: For claims of a whole answer, which one.
        span: Offsets of the claim in that answer.
    """

    claim: str
    sources: tuple[str, ...]
    group: str
    unsupported: bool
    support: str | None = None
    error_type: str | None = None
    response: int = -1
    span: tuple[int, int] = (0, 0)


class Response(NamedTuple):
    text: str
    hallucinated: bool
    spans: tuple[tuple[int, int], ...]
    group: str
    source: str


def ragtruth(folder: Path) -> tuple[list[Response], list[Item]]:
    """Answers with annotated spans, and their claims as our splitter finds them; a claim is wrong if it overlaps a span."""
    responses, items = [], []
    for row in rows(folder / "ragtruth_dev.jsonl.gz"):
        spans = tuple((span["start"], span["end"]) for span in row["spans"])
        group = f"r{row['source_id']}"
        for claim in split(row["response"], row["question"]):
            if claim.checkable:
                wrong = any(a < claim.end and claim.start < b for a, b in spans)
                span = (claim.start, claim.end)
                items.append(Item(claim.text, (row["source"],), group, wrong, response=len(responses), span=span))
        responses.append(Response(row["response"], row["hallucinated"], spans, group, row["source"]))
    return responses, items


def claims(folder: Path) -> list[Item]:
    """Single claims with their source; some are unevaluatable."""
    return [
        Item(
            row["claim"],
            (row["source"],),
            f"c{row['group']}",
            row["binary"] == "not_supported",
            row["label"],
        )
        for row in rows(folder / "claims_dev.jsonl.gz")
        if row["binary"] or row["label"]
    ]


def planted(folder: Path) -> list[Item]:
    """Gold claims of multi-step runs with the sources of their run."""
    found = []
    for row in rows(folder / "planted_dev.jsonl"):
        sources = tuple(node["text"] for node in row["nodes"] if node["kind"] in LEAVES)
        for claim in row["claims"]:
            wrong = claim["support"] in UNSUPPORTED
            found.append(Item(claim["text"], sources, f"p{row['id']}", wrong, claim["support"], claim["error_type"]))
    return found


def everyday(folder: Path) -> list[Item]:
    """Sentences about invented documents, half of them wrong by a small change of meaning."""
    return [
        Item(
            one["text"], tuple(row["passages"]), row["id"], one["label"] != "supported", one["label"], one["error_type"]
        )
        for row in rows(folder / "everyday_train.jsonl")
        for one in row["sentences"]
    ]


def natural(folder: Path) -> list[Item]:
    """Sentences of everyday answers, free and close."""
    return [
        Item(one["text"], tuple(row["sources"]), row["id"], not one["ok"])
        for row in rows(folder / "natural_dev.jsonl")
        for one in row["sentences"]
    ]
