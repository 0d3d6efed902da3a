"""The provenance graph as a Mermaid flowchart, for Markdown: GitHub, GitLab, wikis, notebooks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from trail_callbacks.errors import InputError
from trail_callbacks.graph import EVIDENCE_KINDS, Node, ProvenanceGraph, named
from trail_callbacks.render.excerpt import plain
from trail_callbacks.render.labels import WRITTEN, listed, mark, origin_words
from trail_callbacks.report import Report
from trail_callbacks.text import shorten

_NAME = 40  # characters of a name
_TEXT = 60  # characters of a text
_LISTED = 6  # claims named at the node where they were introduced
_PARTS = 3  # parts that a model wrote
_EDGES = 400  # Mermaid refuses charts of more than 500
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
        max_nodes: Boxes drawn, 10 or more. In a larger graph the texts of a step share a box, and what is still too
            much shares the last; the answer and the nodes that introduced claims are kept apart while there is room.

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
    boxes = _boxes(graph, max_nodes, set(list(entered)[: max_nodes // 2]))
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    for number, nodes in enumerate(boxes):
        steps = {_step(node) for node in nodes}
        groups[nodes[0].stage or 0, steps.pop() if len(steps) == 1 else ""].append(number)
    for group, ((stage, step), members) in enumerate(sorted(groups.items())):
        last = max(node.stage or 0 for number in members for node in boxes[number])
        title = f"stage {stage}" if last == stage else f"stages {stage} to {last}"
        title += f": {_shown(step, _NAME)}" if step else ""
        yield f'  subgraph g{group}["{title}"]'
        for number in members:
            yield f'    n{number}["{_label(boxes[number], report, entered)}"]'
        yield "  end"
    place = {node.id: number for number, nodes in enumerate(boxes) for node in nodes}
    sure: dict[tuple[int, int], bool] = {}
    for edge in graph.edges:
        ends = place[edge.source], place[edge.target]
        if ends[0] != ends[1]:
            sure[ends] = sure.get(ends, False) or edge.basis != "scope"
    arrows = sorted(sure, key=lambda ends: not sure[ends])  # certain ones come first
    for source, target in arrows[:_EDGES]:
        yield f"  n{source} {'-->' if sure[source, target] else '-.->'} n{target}"
    if len(arrows) > _EDGES:
        yield f'  more["{len(arrows) - _EDGES} more arrows are not drawn"]'
    yield _CLASSES
    for name, numbers in _classes(boxes, entered).items():
        yield f"  class {','.join(f'n{number}' for number in numbers)} {name}"


def _boxes(graph: ProvenanceGraph, most: int, apart: set[str]) -> list[tuple[Node, ...]]:
    """The nodes, each by itself; of a graph with too many, those of a step together, and the rest in one box."""
    if len(graph.nodes) <= most:
        return [(node,) for node in graph.nodes]
    steps: dict[tuple[str, str], list[Node]] = defaultdict(list)
    for node in graph.nodes:
        alone = node.id in apart or node.kind == "answer"
        steps[node.kind, node.id if alone else _step(node)].append(node)
    groups = sorted(steps.values(), key=lambda nodes: nodes[0].kind != "answer" and nodes[0].id not in apart)
    rest = [node for nodes in groups[most - 1 :] for node in nodes]
    return [*map(tuple, groups[: most - 1]), *([tuple(rest)] if rest else [])]


def _entered(report: Report) -> dict[str, list[str]]:
    """By node, the symbol and id of each claim introduced there."""
    found: dict[str, list[str]] = defaultdict(list)
    for verdict in report.verdicts:
        if verdict.introduced_at is not None:
            found[verdict.introduced_at].append(f"{mark(verdict.outcome).symbol} {verdict.claim_id}")
    return found


def _step(node: Node) -> str:
    return (node.step or "").strip() or node.kind.replace("_", " ")


def _label(nodes: Sequence[Node], report: Report, entered: dict[str, list[str]]) -> str:
    if len(nodes) > 1:
        lines = [f"{len(nodes)} texts"]
    else:
        (node,) = nodes
        lines = [_shown(named(node.id, report.graph), _NAME)]
        if origin := origin_words(node):
            lines.append(_shown(origin, _NAME))
        lines.append(_shown(node.text, _TEXT) or "(empty)")
        spans = node.model_spans if node.origin != "model" else ()
        lines += [_shown(f"{WRITTEN}: {node.text[start:end]}", _TEXT) for start, end in spans[:_PARTS]]
        if len(spans) > _PARTS:
            lines.append(f"and {len(spans) - _PARTS} more parts {WRITTEN}")
    claims = [claim for node in nodes for claim in entered.get(node.id, ())]
    if claims:
        lines.append("introduced here: " + listed(claims, _LISTED, lambda claim: _shown(claim, _NAME)))
    return "<br/>".join(lines)


def _classes(boxes: Sequence[Sequence[Node]], entered: dict[str, list[str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for number, nodes in enumerate(boxes):
        first = nodes[0]
        if any(node.id in entered for node in nodes):
            name = "entry"
        elif len(nodes) > 1:
            name = "more"
        elif first.kind in EVIDENCE_KINDS and not first.is_evidence:
            name = "doubtful"
        else:
            name = {"answer": "answer", "completion": "written"}.get(first.kind, "source")
        found[name].append(number)
    return found


def _shown(text: str, limit: int) -> str:
    """Shortened text without control characters or anything with a meaning in Mermaid, Markdown or HTML.

    Letters, digits, spaces and commas stay, every other ASCII character becomes an entity code (`#34;`): fewer would do
    in most places, but a label is read by four parsers in turn. What Mermaid 11 would still interpret as the direction
    of a chart, a formula, an icon, a line end or one of its own placeholders is split by an invisible word joiner.
    """
    text = _INTERPRETED.sub(f"\\g<0>{_JOINER}", shorten(plain(text), limit))
    return "".join(c if not c.isascii() or c.isalnum() or c in " ," else f"#{ord(c)};" for c in text)
