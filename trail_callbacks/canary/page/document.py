"""The page as a whole: figures, ties, outcomes, splits, what could not be scored, and examples of each outcome."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.report.words import (
    ARM_WORDS,
    OUTCOME_MEANS,
    OUTCOME_WORDS,
    FigureTable,
    answer,
    counted,
    outcome_table,
    rate_tables,
    remarks,
    split_table,
    summary,
    ties,
)
from trail_callbacks.canary.statistics.comparing import LABELS
from trail_callbacks.canary.statistics.measures import MEASURES
from trail_callbacks.canary.statistics.rates import SPLITS
from trail_callbacks.canary.trial import OUTCOMES, How, Run, Trial
from trail_callbacks.errors import ReportError
from trail_callbacks.render.excerpt import block, line, name, plain
from trail_callbacks.render.page.document import base_style, security_policy
from trail_callbacks.render.provenance import graph_to_text
from trail_callbacks.render.terminal import to_text
from trail_callbacks.report import Report
from trail_callbacks.statistics.rates import Rate, percent
from trail_callbacks.text import shorten

_TITLE = "Does it answer from its context?"
_ROWS, _LISTED, _SETTINGS = 150, 50, 12  # shown of them
_WORDS, _ANSWER = 300, 600  # characters


def to_page(found: Results, *, title: str | None = None, most: int = 3) -> str:
    """Renders the results of a run as one self-contained HTML file.

    All text of the run is escaped, control and bidirectional characters included. The page has no script and loads
    nothing; its policy allows the style sheet of this file by its hash. Tables and texts are cut, and say so.

    Args:
        found: The results.
        title: Title of the page.
        most: Examples of each outcome.
    """
    style, rates = base_style() + _asset("canary.css"), list(rate_tables(found))
    splits = [table for split in SPLITS for table in split_table(found, split) if len(table.rows) > 1]
    settings = {"policy": found.rates.policy.replace("_", " "), **dict(list(found.run.settings.items())[:_SETTINGS])}
    facts = ((str(key), "none" if value is None else str(value)) for key, value in settings.items())
    return Template(_asset("canary.html")).substitute(
        policy=security_policy((), (style,)),
        style=style,
        title=line(shorten(plain(title or _TITLE), 120)),
        heading=line(shorten(plain(title or _TITLE), 300)),
        policy_name=found.rates.policy,
        answer=line(shorten(plain(answer(found)), _ANSWER)),
        summary=line(summary(found)),
        facts="".join(f"<div><dt>{_said(key, _NAME)}</dt><dd>{_said(value, _NAME)}</dd></div>" for key, value in facts),
        warnings="".join(f"<li>{line(each)}</li>" for each in remarks(found)),
        matrix=f"<p>Shares of trials with 95 % intervals (Wilson). {line(found.precision)}.</p>"
        + (_tables([each for each in rates if each.main]) or _missing("The run has no strategy with a trial.")),
        order="".join(_order(found)),
        rates=_tables([each for each in rates if not each.main]) + "".join(_meanings()),
        outcomes='<p class="faint">Closed book, the model alone, the real value is what it knows, and no fault.</p>'
        + (_tables(list(outcome_table(found))) or _missing("There is no trial.")),
        splits=_tables(splits) or _missing("All probes are of one kind, size, subject and model, as far as is known."),
        unscored="".join(_unscored(found)),
        examples="".join(gallery(found.run, most)),
    )


def _tables(found: Sequence[FigureTable]) -> str:
    parts: list[str] = []
    for table in found:
        rows = (
            "".join(f'<th scope="row">{_named(each)}</th>' for each in names) + "".join(map(_cell, figures))
            for names, figures in table.rows
        )
        parts += _table(table.title, [*(head.capitalize() for head in table.heads), *table.labels], list(rows))
    return "".join(parts)


def _table(title: str, heads: Sequence[str], rows: Sequence[str]) -> Iterator[str]:
    """A table that scrolls by itself."""
    columns = "".join(f'<th scope="col">{line(each)}</th>' for each in heads)
    yield f'<p class="caption" aria-hidden="true">{line(title)}</p><div class="scroll" tabindex="0" role="group" '
    yield f'aria-label="{line(title)}"><table><thead><tr>{columns}</tr></thead><tbody>'
    yield from (f"<tr>{each}</tr>" for each in rows[:_ROWS])
    yield f"</tbody></table></div>{_more(len(rows) - _ROWS)}"


def _cell(rate: Rate | int) -> str:
    """A count, or a rate with its interval as a bar."""
    if not isinstance(rate, Rate):
        return f'<td class="number">{rate:,}</td>'
    if rate.value is None or rate.low is None or rate.high is None:
        return f'<td class="rate"><span class="faint" title="{line(rate.why)}">no trial</span></td>'
    low, high, at = 100 * rate.low, 100 * rate.high, 100 * rate.value
    words = f"{percent(rate.low)} to {percent(rate.high)}; {rate.k:,} of {rate.n:,}"
    bar = (
        '<svg class="scale" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" x="0" y="4" width="100" height="2"/>'
        f'<rect class="spread" x="{low:.1f}" y="1" width="{max(high - low, 0.5):.1f}" height="8"/>'
        f'<rect class="point" x="{min(max(at - 0.6, 0), 98.8):.1f}" y="0" width="1.2" height="10"/></svg>'
    )
    return f'<td class="rate"><b>{percent(rate.value)} %</b>{bar}<span class="faint">{words}</span></td>'


def _meanings() -> Iterator[str]:
    yield '<details><summary>What each rate is of</summary><dl class="list">'
    for measure in MEASURES.values():
        yield f"<div><dt><b>{line(measure.label)}</b></dt><dd>{line(measure.about)}</dd></div>"
    yield "</dl></details>"


def _order(found: Results) -> Iterator[str]:
    """Groups of strategies that cannot be told apart, and each pair."""
    if not any(found.contrasts.values()):
        yield _missing("There is one strategy, or none: nothing to compare.")
        return
    yield '<div class="measures">'
    for measure, contrasts in found.contrasts.items():
        yield f"<div><h3>{line(LABELS[measure].capitalize())}</h3><p>{line(ties(found, measure))}.</p>"
        yield '<p class="faint">Best first; those on one line cannot be told apart.</p><ol class="groups">'
        for group in found.ranking[measure][:_LISTED]:
            chips = "".join(f'<span class="chip">{_named(each)}</span>' for each in group[:_LISTED])
            yield f"<li>{chips}{_more(len(group) - _LISTED)}</li>"
        yield "</ol><details><summary>Each pair</summary>"
        rows = [f"<td>{_named(each.a)}</td><td>{_named(each.b)}</td><td>{line(each.words)}</td>" for each in contrasts]
        yield from _table("Second minus first, paired by probe", ["First", "Second", "Verdict"], rows)
        yield "</details></div>"
    yield "</div>"


def _unscored(found: Results) -> Iterator[str]:
    """Why trials are unscorable, and what was left out."""
    trials = counted(sum(each.trials for each in found.unscorable), "trial")
    yield from _list(
        f"Unscorable: {trials}", [f"<b>{each.trials:,}</b> {_said(each.words)}" for each in found.unscorable]
    )
    skipped = [f"{_named(each.place)}: {_said(each.why)}" for each in found.run.skipped]
    yield from _list(f"Left out: {len(skipped):,}", skipped)


def _list(title: str, items: Sequence[str]) -> Iterator[str]:
    yield f'<h3>{title}</h3><ul class="list plain">' if items else f"<p>{title}</p>"
    yield from (f"<li>{each}</li>" for each in items[:_LISTED])
    yield f"</ul>{_more(len(items) - _LISTED)}" if items else ""


def _more(left: int) -> str:
    return _missing(f"and {left:,} more, in the JSON") if left > 0 else ""


def _missing(words: str) -> str:
    return f'<p class="missing">{words}</p>'


def _named(said: str) -> str:
    return name(shorten(plain(said), _NAME))


def _said(words: str, limit: int = _WORDS) -> str:
    return f"<bdi>{line(shorten(words, limit))}</bdi>"


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text("utf-8")


_FIRST: Final[Mapping[Arm, int]] = {"fictive": 0, "real": 1, "empty": 2, "closed_book": 3}
_HOW: Final[Mapping[How, str]] = {
    "value": "by typed values",
    "words": "by its words",
    "polarity": "by yes or no",
    "refusal": "as a refusal",
    "judge": "by the judge",
    "retrieval": "by the passages served",
    "error": "the app failed",
    "undecided": "undecided",
}
_SERVED = {True: "It read", False: "Not served", None: "Not known if it read"}
_LONGEST, _SHORT, _NAME, _QUOTE = 1_500, 300, 90, 1_000  # characters
_WIDE = 100  # columns of a graph and a report
_WORD = re.compile(r"\w+|[^\w\s]")


def gallery(run: Run, most: int) -> Iterator[str]:
    """Renders examples of each outcome that occurs: of the fictive arm first, of different strategies and kinds."""
    if not run.trials:
        yield '<p class="missing">There is no trial to show.</p>'
    elif not any(each.report for each in run.trials):
        yield '<p class="missing">The app gave no reports. An app made by canary_app(..., verify=True) does: '
        yield "its examples have the provenance graph of their run.</p>"
    for outcome in OUTCOMES:
        if trials := [each for each in run.trials if each.finding.outcome == outcome]:
            yield f'<div class="outcome" data-outcome="{outcome}"><h3>{OUTCOME_WORDS[outcome]}</h3>'
            yield f'<p class="faint">{OUTCOME_MEANS[outcome].capitalize()}.</p>'
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
    removed = probe.fictive is None
    also = "" if probe.also is None else f" and elsewhere {_value(probe.also)}"
    reason = f"; <bdi>{_cut(trial.finding.reason, _SHORT)}</bdi>" if trial.finding.reason else ""
    told = "No answer", f"<bdi>{_cut(trial.error or 'no reason was kept', _SHORT)}</bdi>"
    if trial.answer is not None:
        told = "The app said", f'<p class="answer">{_cut(trial.answer, _LONGEST)}</p>'
    story = (
        ("The corpus says", _value(probe.real)),
        ("The twin says", "nothing: the fact was removed" if removed else _value(probe.fictive or "") + also),
        _read(probe, trial),
        told,
        ("Decided", f"{_HOW[trial.finding.how]}{reason}"),
    )
    edit = " ".join(each for each in (probe.size, probe.kind) if each)
    about = {"probe": probe.id, "edit": edit, "arm": ARM_WORDS[trial.arm], "strategy": trial.strategy}
    facts = ((label, name(shorten(plain(words), _NAME))) for label, words in about.items() if words)
    yield f'<article class="example"><p class="question" dir="auto">{_cut(probe.question, _LONGEST)}</p>'
    for kind, rows in (("story", story), ("facts", facts)):
        listed = (f"<div><dt>{line(label)}</dt><dd>{content}</dd></div>" for label, content in rows)
        yield f'<dl class="{kind}">{"".join(listed)}</dl>'
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
    if trial.arm not in ("real", "fictive"):
        nothing = "the retriever found nothing" if trial.arm == "empty" else "the model was asked alone"
        return "It read", f"nothing: {nothing}"
    real, fictive = (probe.real, *probe.real_forms), (probe.fictive or "", probe.also or "", *probe.fictive_forms)
    if trial.arm == "real" and probe.real_quote:
        return _SERVED[trial.served], _marked(probe.real_quote, probe.fictive_quote, real)
    if trial.arm == "fictive" and probe.fictive_quote:
        return _SERVED[trial.served], _marked(probe.fictive_quote, probe.real_quote, fictive)
    if probe.fictive is None and probe.real_quote:
        return "Removed", _marked(probe.real_quote, "", real)
    return "It read", "no passage that is known to state the fact"


def _marked(text: str, other: str, values: Sequence[str]) -> str:
    """Marks the values in a sentence; of one that is not written there (a negation, an order) all that differs."""
    text, other = text[:_QUOTE], other[:_QUOTE]
    words = (r"\s+".join(map(re.escape, each[:_QUOTE].split())) for each in values if each.strip())
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


def _value(text: str) -> str:
    return f"<b><bdi>{_cut(text, _SHORT)}</bdi></b>"


def _cut(text: str, limit: int) -> str:
    left = len(text) - limit
    return block(text) if left <= 0 else f'{block(text[:limit])} <span class="gap">{left:,} characters left out</span>'
