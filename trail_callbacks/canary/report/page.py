"""The results of a canary run as a page: what a terminal shows, splits, and examples of each outcome."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.report.sections import (
    ARM_WORDS,
    FigureTable,
    Listing,
    answer,
    remarks,
    sections,
    shown,
    summary,
)
from trail_callbacks.canary.trial import OUTCOMES, Arm, Run, Trial
from trail_callbacks.errors import ReportError
from trail_callbacks.render.excerpt import block, line, name, plain
from trail_callbacks.render.page.document import base_style, security_policy
from trail_callbacks.render.terminal import graph_to_text, to_text
from trail_callbacks.report import Report
from trail_callbacks.statistics.rates import Rate, percent
from trail_callbacks.text import shorten

_TITLE = "Does it answer from its context?"
_ROWS, _LISTED, _SETTINGS = 150, 50, 12  # shown of them
_LEAD, _LONGEST, _SHORT, _NAME = 600, 1_500, 300, 90  # characters of a text
_WIDE = 100  # columns of a graph and a report
_FIRST: Final[Mapping[Arm, int]] = {"fictive": 0, "real": 1, "empty": 2, "closed_book": 3}
_SERVED = {True: "It read", False: "Not served", None: "Not known if it read"}
_WORD = re.compile(r"\w+|[^\w\s]")


def to_page(found: Results, *, title: str | None = None, most: int = 3) -> str:
    """Renders the results of a run as one self-contained HTML file.

    All text of the run is escaped, control and bidirectional characters included. The page has no script and loads
    nothing; its policy allows the style sheet of this file by its hash. Tables and texts are cut, and say so.

    Args:
        found: The results.
        title: Title of the page.
        most: Examples of each outcome.
    """
    style, title = base_style() + _asset("canary.css"), plain(title or _TITLE)
    settings = {"policy": found.rates.policy.replace("_", " "), **dict(list(found.run.settings.items())[:_SETTINGS])}
    parts = [(each.id, each.title, "".join(map(_drawn, each.parts))) for each in sections(found)]
    parts.insert(2, ("examples", "Examples of each outcome", "".join(gallery(found.run, most))))
    return Template(_asset("canary.html")).substitute(
        policy=security_policy((), (style,)),
        style=style,
        title=line(shorten(title, 120)),
        heading=line(shorten(title, _SHORT)),
        policy_name=found.rates.policy,
        answer=line(shorten(plain(answer(found)), _LEAD)),
        summary=line(summary(found)),
        facts=_pairs((str(key), "none" if each is None else str(each)) for key, each in settings.items()),
        warnings="".join(f"<li>{line(each)}</li>" for each in remarks(found)),
        sections="".join(
            f'<section id="{id_}" aria-labelledby="{id_}-title"><h2 id="{id_}-title">{head}</h2>{content}</section>'
            for id_, head, content in parts
        ),
    )


def _drawn(part: str | FigureTable | Listing) -> str:
    if isinstance(part, str):
        return f'<p class="faint">{line(part)}</p>'
    if isinstance(part, FigureTable):
        return (
            f"<details><summary>{line(part.title)}</summary>{_table(part)}</details>"
            if part.is_detail
            else _table(part)
        )
    items = "".join(f"<li>{' | '.join(map(_said, each[:_LISTED]))}</li>" for each in part.items[:_LISTED])
    kind = 'ol class="groups"' if part.is_ranking else 'ul class="list plain"'
    return f"<p>{line(part.title)}</p><{kind}>{items}</{kind[:2]}>{_more(len(part.items) - _LISTED)}"


def _table(found: FigureTable) -> str:
    """A table that scrolls by itself."""
    heads = "".join(f'<th scope="col">{line(each.capitalize())}</th>' for each in (*found.heads, *found.labels))
    rows = (
        "".join(f'<th scope="row">{_named(each)}</th>' for each in names) + "".join(map(_cell, cells))
        for names, cells in found.rows[:_ROWS]
    )
    return (
        f'<p class="caption" aria-hidden="true">{line(found.title)}</p><div class="scroll" tabindex="0" role="group" '
        f'aria-label="{line(found.title)}"><table><thead><tr>{heads}</tr></thead><tbody>'
        f"{''.join(f'<tr>{each}</tr>' for each in rows)}</tbody></table></div>{_more(len(found.rows) - _ROWS)}"
    )


def _cell(cell: Rate | int | str) -> str:
    """Words, a count, or a rate with its interval as a bar."""
    if not isinstance(cell, Rate):
        return f'<td class="{"number" if isinstance(cell, int) else "said"}">{line(shown(cell))}</td>'
    if cell.value is None or cell.low is None or cell.high is None:
        return f'<td class="rate"><span class="faint" title="{line(cell.why)}">no trial</span></td>'
    low, high, at = 100 * cell.low, 100 * cell.high, 100 * cell.value
    words = f"{percent(cell.low)} to {percent(cell.high)}; {cell.k:,} of {cell.n:,}"
    bar = (
        '<svg class="scale" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" x="0" y="4" width="100" height="2"/>'
        f'<rect class="spread" x="{low:.1f}" y="1" width="{max(high - low, 0.5):.1f}" height="8"/>'
        f'<rect class="point" x="{min(max(at - 0.6, 0), 98.8):.1f}" y="0" width="1.2" height="10"/></svg>'
    )
    return f'<td class="rate"><b>{percent(cell.value)} %</b>{bar}<span class="faint">{words}</span></td>'


def _pairs(rows: Iterable[tuple[str, str]]) -> str:
    return "".join(f"<div><dt>{_named(key)}</dt><dd>{_named(value)}</dd></div>" for key, value in rows if value)


def _more(left: int) -> str:
    return f'<p class="missing">and {left:,} more, in the JSON</p>' if left > 0 else ""


def _named(said: str) -> str:
    return name(shorten(plain(said), _NAME))


def _said(words: str) -> str:
    return name(shorten(plain(words), _SHORT))


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text("utf-8")


def gallery(run: Run, most: int) -> Iterator[str]:
    """Renders examples of each outcome that occurs: of the fictive arm first, of different strategies and kinds."""
    if not run.trials:
        yield '<p class="missing">There is no trial to show.</p>'
    elif not any(each.report for each in run.trials):
        yield '<p class="missing">The app gave no reports. An app made by canary_app(..., verify=True) does: '
        yield "its examples have the provenance graph of their run.</p>"
    for outcome in OUTCOMES:
        if trials := [each for each in run.trials if each.finding.outcome == outcome]:
            yield f'<div class="outcome" data-outcome="{outcome}"><h3>{outcome.replace("_", " ").capitalize()}</h3>'
            for each in _chosen(run, trials, most):
                yield from _example(run, each)
            yield "</div>"


def _chosen(run: Run, left: list[Trial], most: int) -> Iterator[Trial]:
    shown: Counter[str | None] = Counter()
    for _ in range(min(most, len(left))):
        best = min(left, key=lambda trial: (
            trial.report is None, _FIRST[trial.arm], shown[trial.strategy], shown[run.probes[trial.probe].kind],
        ))  # fmt: skip
        left.remove(best)
        shown.update([best.strategy, run.probes[best.probe].kind])
        yield best


def read_report(run: Run, trial: Trial) -> tuple[Report | None, str]:
    """The report of a trial's run, or None and why it cannot be read; empty if the app recorded none.

    A journal may be another's, and must not make us read what lies elsewhere.
    """
    if trial.report is None:
        return None, ""
    if run.folder is None:
        return None, "the run has no folder"
    try:
        path = (Path(run.folder) / trial.report).resolve()
        if not path.is_relative_to(run.folder.resolve()):
            return None, "its report is not in the folder of the run"
        return Report.from_json(path.read_bytes(), lenient=True), ""
    except (OSError, ValueError, ReportError) as error:
        return None, f"its report cannot be read: {error}"


def _example(run: Run, trial: Trial) -> Iterator[str]:
    """Question, what is true, what the app read, what it said, and what that comes to: in this order."""
    probe, (report, missing) = run.probes[trial.probe], read_report(run, trial)
    twin = "nothing: the fact was removed" if probe.fictive is None else f"<b>{_said(probe.fictive)}</b>"
    reason = f"; {_said(trial.finding.reason)}" if trial.finding.reason else ""
    told = "No answer", _said(trial.error or "no reason was kept")
    if trial.answer is not None:
        told = "The app said", f'<p class="answer">{_cut(trial.answer)}</p>'
    story = (
        ("The corpus says", f"<b>{_said(probe.real)}</b>"),
        ("The twin says", twin + (f" and elsewhere <b>{_said(probe.also)}</b>" if probe.also is not None else "")),
        _read(probe, trial),
        told,
        ("Decided", f"by {trial.finding.how}{reason}"),
    )
    edit = " ".join(each for each in (probe.size, probe.kind) if each)
    facts = {"probe": probe.id, "edit": edit, "arm": ARM_WORDS[trial.arm], "strategy": trial.strategy}
    listed = "".join(f"<div><dt>{label}</dt><dd>{content}</dd></div>" for label, content in story)
    yield f'<article class="example"><p class="question" dir="auto">{_cut(probe.question)}</p>'
    yield f'<dl class="story">{listed}</dl><dl class="facts">{_pairs(facts.items())}</dl>'
    if missing:
        yield f'<p class="missing">The run is not shown: {line(shorten(missing, _SHORT))}</p>'
    if report is not None:
        yield "<details open><summary>How the answer came about: provenance graph of this run, and its claims</summary>"
        for text in (graph_to_text(report.graph, _WIDE, ascii=False), to_text(report, _WIDE, ascii=False)):
            yield f'<pre class="drawing" tabindex="0">{block(text)}</pre>'
        yield "</details>"
    yield "</article>"


def _read(probe: Probe, trial: Trial) -> tuple[str, str]:
    """The sentence that states the fact, as the probe has it."""
    real, fictive = (probe.real, *probe.real_forms), (probe.fictive or "", probe.also or "", *probe.fictive_forms)
    if trial.arm not in ("real", "fictive"):
        nothing = "the retriever found nothing" if trial.arm == "empty" else "the model was asked alone"
        return "It read", f"nothing: {nothing}"
    if trial.arm == "real" and probe.real_quote:
        return _SERVED[trial.served], _marked(probe.real_quote, probe.fictive_quote, real)
    if trial.arm == "fictive" and probe.fictive_quote:
        return _SERVED[trial.served], _marked(probe.fictive_quote, probe.real_quote, fictive)
    if probe.fictive is None and probe.real_quote:
        return "Removed", _marked(probe.real_quote, "", real)
    return "It read", "no passage that is known to state the fact"


def _marked(text: str, other: str, values: Sequence[str]) -> str:
    """Marks the values in a sentence; of one that is not written there (a negation, an order) all that differs."""
    text, other = text[:_LONGEST], other[:_LONGEST]
    words = (r"\s+".join(map(re.escape, each[:_LONGEST].split())) for each in values if each.strip())
    stated = re.compile("|".join(rf"(?<![A-Za-z]){each}(?![A-Za-z])" for each in words) or r"(?!)")  # no `no` of `not`
    marks = [each.span() for each in stated.finditer(text)]
    if not marks and other:
        ours, theirs = list(_WORD.finditer(text)), _WORD.findall(other)
        alike = SequenceMatcher(None, [each[0] for each in ours], theirs, autojunk=False).get_opcodes()
        marks = [(ours[i].start(), ours[j - 1].end()) for kind, i, j, _, _ in alike if kind in ("replace", "delete")]
    parts, at = [], 0
    for start, end in marks:
        parts += [block(text[at:start]), f"<mark>{block(text[start:end])}</mark>"]
        at = end
    return f'<p class="passage">{"".join(parts)}{block(text[at:])}</p>'


def _cut(text: str) -> str:
    left = len(text) - _LONGEST
    gap = f' <span class="gap">{left:,} characters left out</span>' if left > 0 else ""
    return f"{block(text[:_LONGEST])}{gap}"
