"""Examples of each outcome: question, values, passage with the edit marked, answer, and the graph of that run."""

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
from trail_callbacks.canary.results import Run
from trail_callbacks.canary.trial import OUTCOMES, How, Outcome, Trial
from trail_callbacks.errors import ReportError
from trail_callbacks.render.labels import entered, error_words, headline, mark, named, outcome_word
from trail_callbacks.render.provenance import graph_to_text
from trail_callbacks.render.safe_text import block, line, name, plain, shorten
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
_LONGEST, _SHORT, _NAME = 1_500, 300, 90  # characters
_CLAIMS, _QUOTE = 12, 1_000  # claims of an answer, characters of a sentence
_SEARCHED = 2_000_000  # characters of one text
_WORD = re.compile(r"\w+|[^\w\s]")


def gallery(run: Run, most: int) -> Iterator[str]:
    """Renders examples of each outcome that occurs: of the fictive arm first, of different strategies and kinds."""
    by_outcome: dict[Outcome, list[Trial]] = {outcome: [] for outcome in OUTCOMES}
    for trial in run.trials:
        by_outcome[trial.finding.outcome].append(trial)
    if not run.trials:
        yield '<p class="missing">There is no trial to show.</p>'
    elif not any(each.report for each in run.trials):
        yield '<p class="missing">The app gave no reports. An app made by canary_app(..., verify=True) does: '
        yield "its examples have the provenance graph of their run.</p>"
    for outcome, trials in by_outcome.items():
        if trials:
            yield f'<div class="outcome" data-outcome="{outcome}"><h3>{OUTCOME_WORDS[outcome]}</h3>'
            yield f'<p class="faint">{OUTCOME_MEANS[outcome].capitalize()}.</p>'
            for each in _chosen(run, trials, most):
                yield from _example(run, each)
            yield "</div>"


def _chosen(run: Run, trials: Sequence[Trial], most: int) -> Iterator[Trial]:
    strategies: Counter[str] = Counter()
    kinds: Counter[str | None] = Counter()
    left = list(trials)
    for _ in range(min(most, len(left))):
        best = min(left, key=lambda trial: (
            trial.report is None, _FIRST[trial.arm], strategies[trial.strategy], kinds[run.probes[trial.probe].kind],
        ))  # fmt: skip
        left.remove(best)
        strategies[best.strategy] += 1
        kinds[run.probes[best.probe].kind] += 1
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
    yield f'<article class="example"><p class="question" dir="auto">{_cut(probe.question, _LONGEST)}</p>'
    yield '<dl class="story">'
    yield _row("The corpus says", _value(probe.real))
    also = "" if probe.also is None else f" and elsewhere {_value(probe.also)}"
    yield _row(
        "The twin says", "nothing: the fact was removed" if probe.fictive is None else _value(probe.fictive) + also
    )
    yield _row(*_read(probe, trial, report))
    if trial.answer is None:
        yield _row("No answer", f"<bdi>{_cut(trial.error or 'no reason was kept', _SHORT)}</bdi>")
    else:
        yield _row("The app said", f'<p class="answer">{_cut(trial.answer, _LONGEST)}</p>')
    reason = f"; <bdi>{_cut(trial.finding.reason, _SHORT)}</bdi>" if trial.finding.reason else ""
    yield _row("Decided", f"{_HOW[trial.finding.how]}{reason}")
    yield "</dl>"
    edit = " ".join(each for each in (probe.size, probe.kind) if each)
    about = {"probe": probe.id, "edit": edit, "arm": ARM_WORDS[trial.arm], "strategy": trial.strategy}
    facts = (f"<div><dt>{label}</dt><dd>{_named(words)}</dd></div>" for label, words in about.items() if words)
    yield f'<dl class="facts">{"".join(facts)}</dl>'
    if missing:
        yield f'<p class="missing">The run is not shown: {line(shorten(missing, _SHORT))}</p>'
    if report is not None:
        yield from _run(report)
    yield "</article>"


def _read(probe: Probe, trial: Trial, report: Report | None) -> tuple[str, str]:
    """The sentence that states the fact: where it stands in what was served, or else as the probe has it."""
    if trial.arm not in ("real", "fictive"):
        nothing = "the retriever found nothing" if trial.arm == "empty" else "the model was asked alone"
        return "It read", f"nothing: {nothing}"
    real = (probe.real, *probe.real_forms), probe.real_quote, probe.fictive_quote
    if trial.arm == "real":
        values, quote, other = real
    else:
        values = (probe.fictive or "", probe.also or "", *probe.fictive_forms)
        quote, other = probe.fictive_quote, probe.real_quote
    quote, other = quote[:_QUOTE], other[:_QUOTE]
    for node in report.graph.nodes if report is not None else ():
        if node.kind in ("document", "tool_result") and (span := _place(node.text, (quote, *values))):
            before, inside = node.text[max(0, span[0] - _SHORT) : span[0]], node.text[span[0] : span[1]]
            passage = _passage(inside, other, values, before, node.text[span[1] : span[1] + _SHORT])
            where = "" if report is None else name(named(node.id, report.graph))
            return "It read", f'{passage}<span class="faint">{where}</span>'
    if quote:
        return _SERVED[trial.served], _passage(quote, other, values)
    if trial.arm == "fictive" and probe.fictive is None and other:
        return "Removed", _passage(other, "", real[0])
    return "It read", "no passage that is known to state the fact"


def _spaced(words: str) -> str:
    """A pattern of words, however they are spaced."""
    return r"\s+".join(map(re.escape, words[:_QUOTE].split()))


def _place(text: str, wanted: Sequence[str]) -> tuple[int, int] | None:
    found = (re.compile(_spaced(each)).search(text, 0, _SEARCHED) for each in wanted if each.strip())
    return next((each.span() for each in found if each), None)


def _passage(text: str, other: str, values: Sequence[str], before: str = "", after: str = "") -> str:
    """Marks the values, as far as the other text has something else there; without such a text, all of them.

    Of a value that is not in the text by these words (a negation, an order), all that differs is marked.
    """
    words = (rf"(?<![A-Za-z]){_spaced(each)}(?![A-Za-z])" for each in values if each.strip())  # no `no` of `not`
    stated = re.compile("|".join(words) or r"(?!)")
    marks = [each.span() for each in stated.finditer(text)]
    if other:
        ours, theirs = list(_WORD.finditer(text)), _WORD.findall(other)
        alike = SequenceMatcher(None, [each[0] for each in ours], theirs, autojunk=False).get_opcodes()
        changed = [(ours[i].start(), ours[j - 1].end()) for kind, i, j, _, _ in alike if kind in ("replace", "delete")]
        both = [[(max(a, c), min(b, d)) for c, d in changed if c < b and a < d] for a, b in marks]
        marks = [(each[0][0], each[-1][1]) for each in both if each] or changed
    parts, at = [block(before)], 0
    for start, end in marks:
        parts += [block(text[at:start]), f"<mark>{block(text[start:end])}</mark>"]
        at = end
    return f'<p class="passage">{"".join(parts)}{block(text[at:])}{block(after)}</p>'


def _run(report: Report) -> Iterator[str]:
    """The graph of the run, and the verdicts on its answer."""
    yield "<details open><summary>How the answer came about: provenance graph of this run</summary>"
    yield f'<pre tabindex="0">{block(graph_to_text(report.graph, 100, ascii=False))}</pre>'
    yield f'<p class="faint">Its claims, checked against what it read: {line(headline(report))}</p>'
    yield '<ul class="list verdicts" aria-label="Claims of the answer">' if report.verdicts else ""
    for claim in report.claims[:_CLAIMS]:
        verdict = report.verdict(claim.id)
        words = error_words(verdict)
        kind = f"{outcome_word(claim, verdict)}{f': {words}' if words else ''}"
        steps = "".join(f", entered at {name(at)}" for at in entered(verdict, report.graph))
        yield f'<li data-class="{verdict.outcome}"><span class="sign" aria-hidden="true">{mark(verdict.outcome).symbol}'
        yield f"</span><span><bdi>{_cut(claim.quote or claim.text, _SHORT)}</bdi> "
        yield f'<span class="faint">{line(kind)}{steps}</span></span></li>'
    yield "</ul>" if report.verdicts else ""
    if len(report.claims) > _CLAIMS:
        yield f'<p class="missing">and {len(report.claims) - _CLAIMS:,} more claims</p>'
    yield "</details>"


def _row(label: str, content: str) -> str:
    return f"<div><dt>{line(label)}</dt><dd>{content}</dd></div>"


def _value(text: str) -> str:
    return f"<b><bdi>{_cut(text, _SHORT)}</bdi></b>"


def _named(text: str) -> str:
    return name(shorten(plain(text), _NAME))


def _cut(text: str, limit: int) -> str:
    left = len(text) - limit
    return block(text) if left <= 0 else f'{block(text[:limit])} <span class="gap">{left:,} characters left out</span>'
