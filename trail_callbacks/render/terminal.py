"""A report, or a graph, in a terminal: at any width, with or without colour, in ASCII if the stream needs it."""

from __future__ import annotations

import shutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Node, ProvenanceGraph, named
from trail_callbacks.render import labels
from trail_callbacks.render.excerpt import around, both_ends, plain
from trail_callbacks.render.labels import WRITTEN, mark
from trail_callbacks.report import Report, Verdict
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.text import encodable, shorten

_NARROWEST, _WIDEST = 40, 120
_QUOTES = 3  # pieces of evidence shown for a claim
_LONGEST = 400  # characters of one quote
_WARNING = 1_000  # characters of one warning, which may list claims
_MANY = 30  # claims; if there are more, supported ones take one line each
_LINE = 160  # characters of a claim on one line
_SHOWN = 12  # nodes of one stage; more would scroll the answer out of sight
_NAMED = 8  # inputs of one node
_PREVIEW = 160  # characters of a text
_PARTS = 3  # parts that a model wrote
_STYLES = {
    "question": "cyan",
    "instruction": "cyan",
    "document": "blue",
    "tool_result": "blue",
    "completion": "yellow",
    "answer": "bold",
}


def to_text(report: Report, width: int | None = None, ascii: bool | None = None) -> str:  # noqa: A002 - named like Python's own function
    """Renders a report as plain text without colour.

    Args:
        report: The report.
        width: Columns, 40 or more; None uses the terminal's, up to 120, or 80 without a terminal.
        ascii: Use ASCII characters only; None does so if standard output cannot show the symbols.
    """
    return plain_text(to_rich(report), width, ascii)


def to_rich(report: Report) -> RichView:
    """Renders a report for a rich console; ASCII only if the console's encoding needs it."""
    return RichView(partial(_report, report))


def graph_to_text(graph: ProvenanceGraph, width: int | None = None, ascii: bool | None = None) -> str:  # noqa: A002 - as above
    """Renders a graph as plain text; arguments as for `to_text`."""
    return plain_text(graph_to_rich(graph), width, ascii)


def graph_to_rich(graph: ProvenanceGraph) -> RichView:
    """Renders a graph for a rich console, stage by stage: sources first, the answer last."""
    return RichView(partial(_graph, graph))


def plain_text(view: Any, width: int | None = None, ascii: bool | None = None) -> str:  # noqa: A002 - as above
    """Renders any rich renderable without colour; arguments as for `to_text`."""
    stream = _Ascii() if ascii or (ascii is None and not fits(sys.stdout)) else StringIO()
    if width is None:
        width = min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)
    console = Console(
        file=stream, width=max(width, _NARROWEST), color_system=None, force_terminal=False, force_jupyter=False,
        legacy_windows=False, highlight=False, markup=False, emoji=False,
    )  # fmt: skip
    console.print(view)
    return encodable("\n".join(line.rstrip() for line in stream.getvalue().splitlines()))


def fits(stream: Any) -> bool:
    """Returns whether a text stream can show the symbols."""
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("_", "-").startswith("utf")


class _Ascii(StringIO):
    """A stream that rich takes for ASCII-only."""

    encoding = "ascii"


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is drawn on: texts are made safe for it, and signs are such as it can show."""

    ascii: bool  # whether it shows ASCII only

    def safe(self, text: str) -> str:
        """An untrusted text on one line."""
        return plain(text, ascii=self.ascii)

    def sign(self, outcome: str) -> str:
        """The sign of an outcome of judging."""
        return mark(outcome).ascii if self.ascii else mark(outcome).symbol


@dataclass(frozen=True, slots=True)
class RichView:
    """Something as rich renders it."""

    draw: Callable[[Sheet], Iterable[Any]]  # yields its parts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Renders the parts."""
        yield from self.draw(Sheet(options.ascii_only))


def indented(text: str | Text | Table | Padding, style: str = "") -> Padding:
    """A paragraph within another's."""
    return Padding(Text(text, style=style) if isinstance(text, str) else text, (0, 0, 0, 2))


def _report(report: Report, sheet: Sheet) -> Iterator[Any]:
    """The header, then the claims in the order of the answer: among many, those that are calm take a line each."""
    yield from _header(report, sheet)
    before = False
    for claim in report.claims:
        verdict = report.verdict(claim.id)
        calm = verdict.outcome in (SupportClass.SUPPORTED, SupportClass.UNEVALUATABLE, "undecided")
        brief = calm and not verdict.conflicting and not claim.uncovered and len(report.claims) > _MANY
        if not (brief and before):
            yield Text("")
        yield from _line(claim, verdict, sheet) if brief else _claim(report, claim, verdict, sheet)
        before = brief
    if step := report.next_step:
        yield Text("")
        yield _hanging(Text("next: ", style="bold"), Text(sheet.safe(step)))


def _header(report: Report, sheet: Sheet) -> Iterator[Any]:
    yield Text(labels.headline(report), style="bold red" if report.hallucination_score else "bold")
    yield Text(labels.counted(report))
    if left := labels.covered(report):
        yield Text(left, style="bold yellow")
    errors = [f"{n} {error.value.replace('_', ' ')}" for error, n in report.error_counts.items() if n]
    if errors:
        yield Text(f"error types: {', '.join(errors)}")
    if citing := labels.citations(report):
        yield Text(citing)
    usage = report.usage
    cost = f"{usage.calls} model call{'' if usage.calls == 1 else 's'}"
    cost += f" and {usage.cache_hits} from the cache" if usage.cache_hits else ""
    if usage.prompt_tokens or usage.completion_tokens:
        cost += f", {usage.prompt_tokens:,} tokens read, {usage.completion_tokens:,} written"
    elif usage.calls:
        cost += ", tokens not told by the model"
    judge = sheet.safe(shorten(report.judge, _LONGEST)) or "unknown"
    yield Text(f"judge {judge}; {cost}; {usage.seconds:.2f} s", style="dim")
    if len(report.claims) > _MANY:
        yield Text("supported and undecided claims are listed without their evidence", style="dim")
    if report.diagnosis is not None:
        from trail_callbacks.render.evidence_path import to_text as path_to_text  # noqa: PLC0415 - few have one

        yield Text(path_to_text(report.diagnosis, ascii=sheet.ascii))
    for warning in report.warnings:
        yield _hanging(Text("! ", style="bold yellow"), Text(sheet.safe(shorten(warning, _WARNING)), style="yellow"))


def _line(claim: Claim, verdict: Verdict, sheet: Sheet) -> Iterator[Any]:
    style = mark(verdict.outcome).style
    text = Text(f"{claim.id} ", style=style)
    if claim.path:
        text.append(f"{sheet.safe(both_ends(claim.path, _LINE))} ", style="dim")
    text.append(f'"{sheet.safe(both_ends(claim.quote, _LINE))}"', style="none")
    yield _hanging(Text(f"{sheet.sign(verdict.outcome)} ", style=style), text)


def _claim(report: Report, claim: Claim, verdict: Verdict, sheet: Sheet) -> Iterator[Any]:
    style = mark(verdict.outcome).style
    title = Text(f"{claim.id} {sheet.safe(labels.judged_words(claim, verdict))}", style=style)
    yield _hanging(Text(f"{sheet.sign(verdict.outcome)} ", style=style), title)
    yield indented(f'"{sheet.safe(both_ends(claim.quote, _LONGEST))}"')
    rows = Table.grid(padding=(0, 1))
    rows.add_column(style="dim", no_wrap=True, width=11)
    rows.add_column(ratio=1, overflow="fold")
    for label, value in _rows(report.graph, claim, verdict, sheet):
        rows.add_row(label, value)
    if rows.row_count:
        yield indented(rows)


def _rows(graph: ProvenanceGraph, claim: Claim, verdict: Verdict, sheet: Sheet) -> Iterator[tuple[str, Text]]:
    meaning = claim.text if plain(claim.text) != plain(claim.quote) else ""
    undecided = verdict.undecided if verdict.outcome == "undecided" else ""
    for label, text, style in (
        ("field:", both_ends(claim.path, _LINE), ""),
        ("meaning:", both_ends(meaning, _LONGEST), ""),
        ("failed:", shorten(verdict.error or "", _LONGEST), "yellow"),
        ("undecided:", shorten(undecided or "", _LONGEST), ""),
    ):
        if text:
            yield label, Text(sheet.safe(text), style=style)
    for item in verdict.evidence[:_QUOTES]:
        yield f"{labels.relation_word(item)}:", _evidence(graph, item, sheet)
    if len(verdict.evidence) > _QUOTES:
        yield "", Text(f"and {len(verdict.evidence) - _QUOTES} more", style="dim")
    for i, line in enumerate(labels.cited(claim, graph)):
        yield "" if i else "cites:", Text(sheet.safe(line))
    if verdict.rationale and verdict.error_type:
        yield "why:", Text(sheet.safe(shorten(verdict.rationale, _LONGEST)))
    for i, line in enumerate(labels.entered(verdict, graph)):
        yield "" if i else "entry step:", Text(sheet.safe(line), style="bold")
    if verdict.carried_through:
        yield "carried by:", Text(sheet.safe(labels.carriers(verdict, graph)))


def _evidence(graph: ProvenanceGraph, item: Evidence, sheet: Sheet) -> Text:
    """The quote, in quotation marks, with its context, and whether it only repeats the request."""
    before, after = around(item, graph)
    text = Text(sheet.safe(named(item.node_id, graph)))
    if marked := labels.from_request(item, graph):
        text.append(f", {marked}", style="cyan")
    text.append(": ")
    if before.strip():
        text.append(f"{sheet.safe(before)} ", style="dim")
    text.append(f'"{sheet.safe(both_ends(item.quote, _LONGEST))}"')
    if after.strip():
        text.append(f" {sheet.safe(after)}", style="dim")
    return text


def _hanging(symbol: Text, text: Text) -> Table:
    """A symbol, and beside it text that wraps within its own column."""
    line = Table.grid()
    line.add_column(no_wrap=True)
    line.add_column(overflow="fold")
    line.add_row(symbol, text)
    return line


def _graph(graph: ProvenanceGraph, sheet: Sheet) -> Iterator[Any]:
    """One block for each stage; each text has its kind, its step, its origin and its inputs."""
    stages: dict[int, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        stages[node.stage or 0].append(node)
    if not stages:
        yield Text("nothing was recorded", style="dim")
    weak = frozenset((edge.source, edge.target) for edge in graph.edges if edge.basis == "scope")
    for stage in sorted(stages):
        nodes = sorted(stages[stage], key=lambda node: node.kind != "answer")  # the answer is always shown
        yield Text(f"stage {stage}", style="bold")
        for node in nodes[:_SHOWN]:
            yield from map(indented, _lines(node, graph, weak, sheet))
        if len(nodes) > _SHOWN:
            yield Text(f"  and {len(nodes) - _SHOWN:,} more at this stage", style="dim")
    if weak:
        yield Text("? only known to have been in reach", style="dim")


def _lines(node: Node, graph: ProvenanceGraph, weak: frozenset[tuple[str, str]], sheet: Sheet) -> Iterator[Any]:
    head = Text(node.kind.replace("_", " "), style=_STYLES[node.kind])
    if (name := sheet.safe(named(node.id, graph))) != node.kind:
        head.append(f" {name}", style="bold")
    if origin := labels.origin_words(node):
        head.append(f", {origin}", style="dim")
    yield head
    if inputs := graph.inputs(node.id):
        names = labels.listed(
            inputs, _NAMED, lambda each: named(each.id, graph) + ("?" if (each.id, node.id) in weak else "")
        )
        yield indented(f"from {sheet.safe(names)}", "dim")
    text = sheet.safe(shorten(node.text.strip(), _PREVIEW))
    yield indented(f'"{text}"' if text else "(empty)")
    spans = node.model_spans if node.origin != "model" else ()
    for start, end in spans[:_PARTS]:
        yield indented(f'{WRITTEN}: "{sheet.safe(shorten(node.text[start:end].strip(), _PREVIEW))}"', "dim")
    if len(spans) > _PARTS:
        yield indented(f"and {len(spans) - _PARTS:,} more parts {WRITTEN}", "dim")
