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

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Node, ProvenanceGraph, named
from trail_callbacks.render.excerpt import around, both_ends, most_relevant, opening, plain
from trail_callbacks.render.labels import (
    WRITTEN,
    carriers,
    citations,
    cited,
    counted,
    covered,
    entered,
    error_words,
    from_request,
    headline,
    listed,
    mark,
    origin_words,
    outcome_word,
    relation_word,
)
from trail_callbacks.report import Report, Verdict
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.text import encodable, shorten

_NARROWEST, _WIDEST = 40, 120
_QUOTES = 3  # pieces of evidence shown for a claim
_LONGEST = 400  # characters of one quote
_WARNING = 1_000  # characters of one warning, which may list claims
_MANY = 30  # claims; if there are more, supported ones take one line each
_LINE = 160  # characters of a claim on one line


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
    return RichView(partial(_drawn, report))


def plain_text(view: Any, width: int | None = None, ascii: bool | None = None) -> str:  # noqa: A002 - as above
    """Renders any rich renderable without colour; arguments as for `to_text`."""
    if ascii is None:
        ascii = not fits(sys.stdout)  # noqa: A001 - as above
    if width is None:
        width = min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)
    stream = _Ascii() if ascii else StringIO()
    console = Console(
        file=stream,
        width=max(width, _NARROWEST),
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.print(view)
    return encodable("\n".join(line.rstrip() for line in stream.getvalue().splitlines()))


def fits(stream: Any) -> bool:
    """Returns whether a text stream can show the symbols."""
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("_", "-").startswith("utf")


class _Ascii(StringIO):
    """A stream that rich takes for ASCII-only."""

    encoding = "ascii"


@dataclass(frozen=True, slots=True)
class RichView:
    """Something as rich renders it."""

    draw: Callable[[bool], Iterable[Any]]  # yields its parts, in ASCII if it is told that the stream needs it

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Renders the parts."""
        yield from self.draw(options.ascii_only)


def _drawn(report: Report, ascii: bool) -> Iterator[Any]:  # noqa: A002 - as above
    """The header, then the claims in the order of the answer."""
    page = _Page(report, ascii)
    yield from page.header()
    after = "header"
    for claim in report.claims:
        verdict = report.verdict(claim.id)
        brief = page.brief(verdict)
        if not (brief and after == "brief"):
            yield Text("")
        yield from page.line(claim, verdict) if brief else page.claim(claim, verdict)
        after = "brief" if brief else "claim"
    yield from page.footer()


@dataclass(frozen=True, slots=True)
class _Page:
    report: Report
    ascii: bool

    def header(self) -> Iterator[Any]:
        report = self.report
        scored = report.hallucination_score
        yield Text(headline(report), style="bold" if not scored else "bold red")
        yield Text(counted(report))
        if left := covered(report):
            yield Text(left, style="bold yellow")
        errors = [f"{n} {error.value.replace('_', ' ')}" for error, n in report.error_counts.items() if n]
        if errors:
            yield Text(f"error types: {', '.join(errors)}")
        if citing := citations(report):
            yield Text(citing)
        usage = report.usage
        cost = f"{usage.calls} model call{'' if usage.calls == 1 else 's'}"
        if usage.cache_hits:
            cost += f" and {usage.cache_hits} from the cache"
        if usage.calls:
            cost += f", {usage.prompt_tokens:,} tokens read, {usage.completion_tokens:,} written"
        yield Text(
            f"judge {self._safe(shorten(report.judge, _LONGEST)) or 'unknown'}; {cost}; {usage.seconds:.2f} s",
            style="dim",
        )
        if len(report.claims) > _MANY:
            yield Text("supported and undecided claims are listed without their evidence", style="dim")
        if report.diagnosis is not None:
            from trail_callbacks.render.evidence_path import to_text as path_to_text  # noqa: PLC0415 - few have one

            yield Text(path_to_text(report.diagnosis, ascii=self.ascii))
        for warning in report.warnings:
            yield _hanging(
                Text("! ", style="bold yellow"), Text(self._safe(shorten(warning, _WARNING)), style="yellow")
            )

    def footer(self) -> Iterator[Any]:
        if step := self.report.next_step:
            yield Text("")
            yield _hanging(Text("next: ", style="bold"), Text(self._safe(step)))

    @property
    def _uncovered(self) -> set[str]:
        return {claim.id for claim in self.report.uncovered}

    def brief(self, verdict: Verdict) -> bool:
        """Whether a claim takes one line: among many claims, the unsupported ones must stand out."""
        if verdict.claim_id in self._uncovered:
            return False
        calm = verdict.outcome in (SupportClass.SUPPORTED, SupportClass.UNEVALUATABLE, "undecided")
        return calm and not verdict.conflicting and len(self.report.claims) > _MANY

    def line(self, claim: Claim, verdict: Verdict) -> Iterator[Any]:
        how = mark(verdict.outcome)
        text = Text(f"{claim.id} ", style=how.style)
        if claim.path:
            text.append(f"{self._safe(both_ends(claim.path, _LINE))} ", style="dim")
        text.append(f'"{self._safe(both_ends(claim.quote, _LINE))}"', style="none")
        yield _hanging(Text(f"{how.ascii if self.ascii else how.symbol} ", style=how.style), text)

    def claim(self, claim: Claim, verdict: Verdict) -> Iterator[Any]:
        how = mark(verdict.outcome)
        title = Text(f"{claim.id} {outcome_word(claim, verdict)}", style=how.style)
        words = error_words(verdict)
        if words:
            title.append(f" ({self._safe(words)})")
        yield _hanging(Text(f"{how.ascii if self.ascii else how.symbol} ", style=how.style), title)
        yield Padding(Text(f'"{self._safe(both_ends(claim.quote, _LONGEST))}"'), (0, 0, 0, 2))
        rows = Table.grid(padding=(0, 1))
        rows.add_column(style="dim", no_wrap=True, width=11)
        rows.add_column(ratio=1, overflow="fold")
        for label, value in self._rows(claim, verdict):
            rows.add_row(label, value)
        if rows.row_count:
            yield Padding(rows, (0, 0, 0, 2))

    def _rows(self, claim: Claim, verdict: Verdict) -> Iterator[tuple[str, Text]]:
        graph = self.report.graph
        yield from self._meaning(claim)
        if verdict.error:
            yield "failed:", Text(self._safe(shorten(verdict.error, _LONGEST)), style="yellow")
        if verdict.outcome == "undecided":
            yield "undecided:", Text(self._safe(shorten(verdict.undecided or "", _LONGEST)))
        for item in verdict.evidence[:_QUOTES]:
            yield f"{relation_word(item)}:", self._evidence(item, claim)
        if len(verdict.evidence) > _QUOTES:
            yield "", Text(f"and {len(verdict.evidence) - _QUOTES} more", style="dim")
        for i, line in enumerate(cited(claim, graph)):
            yield "" if i else "cites:", Text(self._safe(line))
        if verdict.rationale and verdict.error_type:
            yield "why:", Text(self._safe(shorten(verdict.rationale, _LONGEST)))
        for i, line in enumerate(entered(verdict, graph)):
            yield "" if i else "entry step:", Text(self._safe(line), style="bold")
        if verdict.carried_through:
            yield "carried by:", Text(self._safe(carriers(verdict, graph)))

    def _meaning(self, claim: Claim) -> Iterator[tuple[str, Text]]:
        if claim.path:
            yield "field:", Text(self._safe(both_ends(claim.path, _LINE)))
        if plain(claim.text) != plain(claim.quote):
            yield "meaning:", Text(self._safe(both_ends(claim.text, _LONGEST)))

    def _evidence(self, item: Evidence, claim: Claim) -> Text:
        """The quote, in quotation marks, with its context, and whether it only repeats the request."""
        before, after = around(item, self.report.graph)
        text = Text(self._safe(named(item.node_id, self.report.graph)))
        marked = from_request(item, self.report.graph)
        if marked:
            text.append(f", {marked}", style="cyan")
        text.append(": ")
        if before.strip():
            text.append(f"{self._safe(before)} ", style="dim")
        text.append(f'"{self._safe(most_relevant(item.quote, claim.text, _LONGEST))}"')
        if after.strip():
            text.append(f" {self._safe(after)}", style="dim")
        return text

    def _safe(self, text: str) -> str:
        return plain(text, ascii=self.ascii)


def _hanging(symbol: Text, text: Text) -> Table:
    """A symbol, and beside it text that wraps within its own column."""
    line = Table.grid()
    line.add_column(no_wrap=True)
    line.add_column(overflow="fold")
    line.add_row(symbol, text)
    return line


_SHOWN = 12  # nodes of one stage; more would scroll the answer out of sight
_STAGES = 16  # if there are more, the first and the last are shown
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


def graph_to_rich(graph: ProvenanceGraph) -> RichView:
    """Renders a graph for a rich console, stage by stage."""
    return RichView(partial(_graph_drawn, graph))


def graph_to_text(graph: ProvenanceGraph, width: int | None = None, ascii: bool | None = None) -> str:  # noqa: A002 - named like Python's own function
    """Renders a graph as plain text; arguments as for `trail_callbacks.render.terminal.to_text`."""
    return plain_text(graph_to_rich(graph), width, ascii)


def _graph_drawn(graph: ProvenanceGraph, ascii: bool) -> Iterator[Any]:  # noqa: A002 - as above
    """One block for each stage; each text has its kind, its step, its origin and its inputs."""
    stages: dict[int, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        stages[node.stage or 0].append(node)
    if not stages:
        yield Text("nothing was recorded", style="dim")
    weak = frozenset((edge.source, edge.target) for edge in graph.edges if edge.basis == "scope")
    ordered = sorted(stages)
    middle = ordered[_STAGES // 2 : -_STAGES // 2] if len(ordered) > _STAGES else []
    for stage in ordered:
        if middle and middle[0] < stage <= middle[-1]:
            continue
        nodes = sorted(stages[stage], key=lambda node: node.kind != "answer")  # the answer is always shown
        if middle and stage == middle[0]:
            nodes = [node for each in middle for node in stages[each]]
            yield Text(f"stages {stage} to {middle[-1]}: {len(nodes):,} texts, not shown", style="dim")
            nodes = [node for node in nodes if node.kind == "answer"]
        else:
            yield Text(f"stage {stage}", style="bold")
        for node in nodes[:_SHOWN]:
            yield Padding(Group(*_lines(node, graph, weak, ascii=ascii)), (0, 0, 0, 2))
        if len(nodes) > _SHOWN:
            yield Text(f"  and {len(nodes) - _SHOWN:,} more at this stage", style="dim")
    if weak:
        yield Text("? only known to have been in reach", style="dim")


def _lines(node: Node, graph: ProvenanceGraph, weak: frozenset[tuple[str, str]], *, ascii: bool) -> Iterator[Any]:  # noqa: A002 - as above
    head = Text(node.kind.replace("_", " "), style=_STYLES[node.kind])
    name = plain(named(node.id, graph), ascii=ascii)
    if name != node.kind:
        head.append(f" {name}", style="bold")
    origin = origin_words(node)
    if origin:
        head.append(f", {origin}", style="dim")
    yield head
    inputs = graph.inputs(node.id)
    if inputs:
        names = listed(inputs, _NAMED, lambda each: each.id + ("?" if (each.id, node.id) in weak else ""))
        yield Padding(Text(f"from {plain(names, ascii=ascii)}", style="dim"), (0, 0, 0, 2))
    text = plain(opening(node.text, _PREVIEW), ascii=ascii)
    yield Padding(Text(f'"{text}"' if text else "(empty)"), (0, 0, 0, 2))
    spans = node.model_spans if node.origin != "model" else ()
    for start, end in spans[:_PARTS]:
        part = plain(opening(node.text[start:end], _PREVIEW), ascii=ascii)
        yield Padding(Text(f'{WRITTEN}: "{part}"', style="dim"), (0, 0, 0, 2))
    left = len(spans) - _PARTS
    if left > 0:
        yield Padding(Text(f"and {left:,} more parts {WRITTEN}", style="dim"), (0, 0, 0, 2))
