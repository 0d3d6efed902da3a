"""The provenance graph as a Mermaid flowchart, for Markdown: GitHub, GitLab, wikis, notebooks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from trail_callbacks.errors import InputError
from trail_callbacks.graph import EVIDENCE_KINDS, Node
from trail_callbacks.render.columns import Box, Layout, layout
from trail_callbacks.render.labels import WRITTEN, mark, named, origin_words
from trail_callbacks.render.safe_text import plain, shorten
from trail_callbacks.report import Report

__all__ = ["to_mermaid"]

_NAME = 40  # characters of a name
_TEXT = 60  # characters of a text
_LISTED = 6  # claims named at the node where they were introduced
_PARTS = 3  # parts that a model wrote
_EDGES = 400  # Mermaid refuses charts of more than 500
_COLUMNS = 9  # of a graph that is too large
_JOINER = "\u2060"
_INTERPRETED = re.compile(r"direction(?= )|\$(?=\$)|\\(?=n)|:(?=fa)|\ufb02(?=\xb0)|\xb6(?=\xdf)")
_CLASSES = """\
  classDef source fill:#ddeeff,stroke:#33658a,color:#111111
  classDef written fill:#f6f6f6,stroke:#777777,color:#111111
  classDef doubtful fill:#f6f6f6,stroke:#777777,stroke-dasharray:4 3,color:#111111
  classDef answer fill:#ffffff,stroke:#111111,stroke-width:2px,color:#111111
  classDef entry fill:#ffe3e0,stroke:#b42318,stroke-width:4px,stroke-dasharray:6 3,color:#111111
  classDef more fill:#ffffff,stroke:#999999,stroke-dasharray:2 2,color:#111111"""


def to_mermaid(report: Report, *, max_nodes: int = 100) -> str:
    """Writes the provenance graph of a report as a Mermaid flowchart, from the sources down to the answer.

    Steps are subgraphs, stage by stage. A box says who wrote its text unless its kind does, and quotes what of it a
    model wrote; a source that is no evidence as a whole has the class `doubtful` (a thin dashed border). A node where
    unsupported content was introduced has the class `entry` (a thick dashed border) and names the claims. A dotted edge
    is an input that is only known to have been in reach. Untrusted text is shortened, and characters with a meaning in
    Mermaid, Markdown or HTML become entity codes.

    Args:
        report: Any report; without nodes the chart says so.
        max_nodes: Boxes drawn, 10 or more. In a larger graph the stages in the middle are one, and the texts of a
            step; the answer and the nodes that introduced claims are kept apart while there is room.

    Raises:
        InputError: If `max_nodes` is below 10.
    """
    if max_nodes < 10:  # noqa: PLR2004 - as documented
        raise InputError(f"max_nodes is {max_nodes}, expected 10 or more boxes")
    return "\n".join(_lines(report, max_nodes)) + "\n"


def _lines(report: Report, max_nodes: int) -> Iterator[str]:
    yield "flowchart TB"
    if not report.graph.nodes:
        yield '  none["nothing was recorded"]'
        return
    graph, entered = report.graph, _entered(report)
    columns, rows = (len(graph.nodes),) * 2
    if len(graph.nodes) > max_nodes or len(graph.edges) > _EDGES:
        columns = min(_COLUMNS, max_nodes // 3)
        rows = max_nodes // columns
    drawn = layout(graph, max(columns, 3), max(rows, 2), set(list(entered)[: max_nodes // 2]))
    names = {id(box): f"n{i}" for i, box in enumerate(box for column in drawn.columns for box in column.boxes)}
    groups: dict[tuple[int, str], list[Box]] = defaultdict(list)
    for column in drawn.columns:
        for box in column.boxes:
            groups[column.first, _step(box.nodes[0]) if box.steps == 1 else ""].append(box)
    for number, ((stage, step), members) in enumerate(groups.items()):
        last = max(node.stage or 0 for box in members for node in box.nodes)
        title = f"stage {stage}" if last == stage else f"stages {stage} to {last}"
        title += f": {_shown(step, _NAME)}" if step else ""
        yield f'  subgraph g{number}["{title}"]'
        for box in members:
            yield f'    {names[id(box)]}["{_label(box, report, entered)}"]'
        yield "  end"
    for link in drawn.links:
        yield f"  {names[id(link.source)]} {'-.->' if link.weak else '-->'} {names[id(link.target)]}"
    if drawn.hidden:
        yield f'  more["{drawn.hidden} more edges are not drawn"]'
    yield _CLASSES
    for name, boxes in _classes(drawn, entered).items():
        yield f"  class {','.join(names[id(box)] for box in boxes)} {name}"


def _entered(report: Report) -> dict[str, list[str]]:
    """By node, the symbol and id of each claim introduced there."""
    found: dict[str, list[str]] = defaultdict(list)
    for verdict in report.verdicts:
        if verdict.introduced_at is not None:
            found[verdict.introduced_at].append(f"{mark(verdict.outcome).symbol} {verdict.claim_id}")
    return found


def _step(node: Node) -> str:
    return (node.step or "").strip() or node.kind.replace("_", " ")


def _label(box: Box, report: Report, entered: dict[str, list[str]]) -> str:
    if len(box.nodes) > 1:
        lines = [f"{len(box.nodes)} texts"]
    else:
        (node,) = box.nodes
        lines = [_shown(named(node.id, report.graph), _NAME)]
        if origin := origin_words(node):
            lines.append(_shown(origin, _NAME))
        lines.append(_shown(node.text, _TEXT) or "(empty)")
        spans = node.model_spans if node.origin != "model" else ()
        lines += [_shown(f"{WRITTEN}: {node.text[start:end]}", _TEXT) for start, end in spans[:_PARTS]]
        if len(spans) > _PARTS:
            lines.append(f"and {len(spans) - _PARTS} more parts {WRITTEN}")
    claims = [claim for node in box.nodes for claim in entered.get(node.id, ())]
    if claims:
        more = f" and {len(claims) - _LISTED} more" if len(claims) > _LISTED else ""
        lines.append("introduced here: " + ", ".join(_shown(claim, _NAME) for claim in claims[:_LISTED]) + more)
    return "<br/>".join(lines)


def _classes(drawn: Layout, entered: dict[str, list[str]]) -> dict[str, list[Box]]:
    found: dict[str, list[Box]] = defaultdict(list)
    for box in (box for column in drawn.columns for box in column.boxes):
        first = box.nodes[0]
        if any(node.id in entered for node in box.nodes):
            name = "entry"
        elif len(box.nodes) > 1:
            name = "more"
        elif first.kind in EVIDENCE_KINDS and not first.is_evidence:
            name = "doubtful"
        else:
            name = {"answer": "answer", "completion": "written"}.get(first.kind, "source")
        found[name].append(box)
    return found


def _shown(text: str, limit: int) -> str:
    """Shortened text without control characters or anything with a meaning in Mermaid, Markdown or HTML.

    Letters, digits, spaces and commas stay, every other ASCII character becomes an entity code (`#34;`): fewer would do
    in most places, but a label is read by four parsers in turn. What Mermaid 11 would still interpret as the direction
    of a chart, a formula, an icon, a line end or one of its own placeholders is split by an invisible word joiner.
    """
    text = _INTERPRETED.sub(f"\\g<0>{_JOINER}", shorten(plain(text), limit))
    return "".join(c if not c.isascii() or c.isalnum() or c in " ," else f"#{ord(c)};" for c in text)
