"""The labelled sets that the offline judge is measured on, as claims with their sources."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from trail_callbacks.claims import split

UNSUPPORTED = {"contradicted", "absent", "partially_supported"}
LEAVES = {"document", "tool_result"}
NEVER_FITTED = {"fables"}  # its licence asks for that


class Item(NamedTuple):
    """One claim.

    Attributes:
        group: Key of claims with the same source; folds and bootstrap samples never split a group.
        support: The class, or None where only `unsupported` is known.
        response: For claims of a whole answer, which one.
        span: Offsets of the claim in that answer.
        fitted: False for rows that nothing may be fitted to.
    """

    claim: str
    sources: tuple[str, ...]
    group: str
    unsupported: bool
    support: str | None = None
    error_type: str | None = None
    response: int = -1
    span: tuple[int, int] = (0, 0)
    fitted: bool = True


class Response(NamedTuple):
    text: str
    hallucinated: bool
    spans: tuple[tuple[int, int], ...]
    group: str
    source: str


def ragtruth(folder: Path) -> tuple[list[Response], list[Item]]:
    """Answers with annotated spans, and their claims as our splitter finds them; a claim is wrong if it overlaps a span."""
    responses, items = [], []
    for row in _rows(folder / "ragtruth_dev.jsonl.gz"):
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
    """Single claims with their source; unevaluatable ones are only left out of the binary metrics."""
    return [
        Item(
            row["claim"],
            (row["source"],),
            f"c{row['group']}",
            row["binary"] == "not_supported",
            row["label"],
            fitted=row["dataset"] not in NEVER_FITTED,
        )
        for row in _rows(folder / "claims_dev.jsonl.gz")
        if row["binary"] or row["label"]
    ]


def planted(folder: Path) -> list[Item]:
    """Gold claims of multi-step runs with the sources of their run."""
    found = []
    for row in _rows(folder / "planted_dev.jsonl"):
        sources = tuple(node["text"] for node in row["nodes"] if node["kind"] in LEAVES)
        for claim in row["claims"]:
            wrong = claim["support"] in UNSUPPORTED
            found.append(Item(claim["text"], sources, f"p{row['id']}", wrong, claim["support"], claim["error_type"]))
    return found


def _rows(path: Path) -> Iterator[dict]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
