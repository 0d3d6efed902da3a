"""Examples of each outcome: question, values, sentence with the edit marked, answer, and the graph of that run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.report.words import ARM_WORDS, OUTCOME_MEANS, OUTCOME_WORDS
from trail_callbacks.canary.trial import OUTCOMES, How, Run, Trial
from trail_callbacks.errors import ReportError
from trail_callbacks.render.excerpt import block, line, name, plain, shorten
from trail_callbacks.render.provenance import graph_to_text
from trail_callbacks.render.terminal import to_text
from trail_callbacks.report import Report

__all__ = ["gallery", "read_report"]

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
