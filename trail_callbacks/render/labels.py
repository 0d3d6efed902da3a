"""How a report is put for people, the same in all renderings: marks of outcomes, names of nodes, headline, counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from trail_callbacks.claims import CitationStatus, Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Node, ProvenanceGraph, named
from trail_callbacks.render.excerpt import plain
from trail_callbacks.report import Layer, Report, Verdict
from trail_callbacks.report.verdict import weight
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.text import shorten

T = TypeVar("T")

WRITTEN = "written by a model"
"""What is said of a part of a text that repeats a model's words."""

_STATES = {
    "abstained": "no score: the answer declines to answer",
    "no_checkable_claims": "no score: the answer makes no checkable claim",
    "unverified": "no score: nothing that the answer states could be checked",
    "no_evidence": "no score: no source reached the answer",
    "error": "no score: the verification failed",
}
_ORIGINS = {
    "retrieved": "retrieved",
    "tool": "from a tool",
    "user": "from the user",
    "template": "the prompt's wording",
    "given": "given by the app",
    "model": WRITTEN,
    "unknown": "of unknown origin",
}
_CITED: dict[CitationStatus, str] = {
    "supported": "supports it",
    "partially_supported": "supports most of it",
    "not_supported": "does not support it",
    "unknown_source": "no such source reached the answer",
    "undecided": "undecided",
}
_REQUESTS = {"user": "from the request", "template": "from the prompt's wording"}
_NAME = 80  # characters of a step's name, an id or an error's detail; models choose some of these
_CARRIERS = 12


@dataclass(frozen=True, slots=True)
class Sign:
    """How a class, or another outcome of judging, is shown; never by colour alone."""

    symbol: str  # one character, one column wide
    ascii: str  # replacement for streams that cannot show the symbol
    style: str  # terminal style, as rich names it
    colour: str  # CSS colour, dark enough to read on white
    line: str  # CSS underline
    word: str  # the outcome in words


_MARKS: dict[str, Sign] = {
    SupportClass.SUPPORTED: Sign("\u2713", "+", "green", "#1a7f37", "1px solid", "supported"),
    SupportClass.CONTRADICTED: Sign("\u2717", "X", "bold red", "#b42318", "2px solid", "contradicted"),
    SupportClass.ABSENT: Sign("\u2205", "?", "bold magenta", "#8e24aa", "2px dotted", "absent"),
    SupportClass.PARTIALLY_SUPPORTED: Sign("\u25d0", "~", "yellow", "#9a6700", "2px dashed", "partially supported"),
    SupportClass.UNEVALUATABLE: Sign("\u00b7", "-", "dim", "#59636e", "1px dotted", "unevaluatable"),
    "undecided": Sign("\u25cb", "o", "cyan", "#3f51b5", "1px dashed", "undecided"),
    "not_judged": Sign("!", "!", "bold yellow", "#9a6700", "3px double", "not judged"),
}
OUTCOMES = tuple(str(outcome) for outcome in _MARKS)
"""How judging a claim may end, see `Verdict.outcome`: the five classes first."""
WORST_FIRST = ("contradicted", "absent", "partially_supported", "not_judged", "undecided", "supported", "unevaluatable")
"""Where claims overlap, the first of these outcomes that occurs gives the colour."""
_UNCOVERED = "not covered"
_RELATIONS = {"supports": "for", "contradicts": "against", "nearest": "nearest"}


def mark(outcome: str) -> Sign:
    """Returns the mark of an outcome, see `Verdict.outcome`."""
    return _MARKS[outcome]


def outcome_word(claim: Claim, verdict: Verdict) -> str:
    """The outcome of judging a claim in words; of a statement that the judge left out, that it is not covered."""
    return _word(_UNCOVERED if claim.uncovered else verdict.outcome)


def judged_words(claim: Claim, verdict: Verdict) -> str:
    """The outcome of judging a claim in words, with its error type if there is one: `contradicted (number)`."""
    words = error_words(verdict)
    return outcome_word(claim, verdict) + (f" ({words})" if words else "")


def covered(report: Report) -> str:
    """Says how much of the answer the judge's claims cover, if it is not all; empty otherwise."""
    if not report.uncovered:
        return ""
    share = f"{100 * (report.coverage or 0):.0f} % of the answer covered" if report.coverage is not None else ""
    n = len(report.uncovered)
    left = f"the judge left out {n} statement{'' if n == 1 else 's'}"
    return f"{share}; {left}" if share else left


def relation_word(item: Evidence) -> str:
    """What a passage does to the claim: it speaks `for` or `against` it, or is only what comes `nearest`."""
    return _RELATIONS[item.relation]


def headline(report: Report) -> str:
    """The score with its interval, or why there is none."""
    value, interval = report.hallucination_score, report.interval
    if value is None and report.graph.answer is None:
        return f"no score: the app gave no answer{' yet' if report.state == 'interrupted' else ''}"
    if value is None and report.undecided and report.state in {"partial", "unverified"}:
        return f"no score: {coverage(report)}"
    if value is None:
        return _STATES.get(report.state, f"no score: nothing could be checked ({report.state})")
    if not shows_score(report):
        checked, n, bad = _checked(report), len(report.claims), len(report.unsupported)
        return f"{checked} of {n} claims checked, {bad} unsupported; {n - checked} not checked"
    spread = f" (95 % interval {interval[0]:.2f} to {interval[1]:.2f})" if interval else ""
    part = f" {coverage(report)}" if report.state == "partial" else ""
    return f"hallucination score {value:.2f}{spread}{part}"


def shows_score(report: Report) -> bool:
    """True if there is a score, over no minority of the claims: 0.00 over one of four would read as a clean answer."""
    return report.hallucination_score is not None and 2 * _checked(report) >= len(report.claims)


def _checked(report: Report) -> int:
    """The number of claims whose class is known."""
    return sum(verdict.support is not None for verdict in report.verdicts)


def coverage(report: Report) -> str:
    """Over how many claims a score is, and what became of the others: `over 5 of 8 claims; 3 undecided`."""
    outcomes = _outcomes(report)
    left = ("undecided", "not_judged", _UNCOVERED)
    parts = [f"{outcomes[each]} {_word(each)}" for each in left if outcomes[each]]
    parts += ["some claims are missing"] if report.claims_error else []
    counted = sum(weight(verdict.support, report.scoring) is not None for verdict in report.verdicts)
    n = len(report.claims)
    if not counted:
        return "; ".join(["no claim could be decided", *parts])
    if not parts:
        return "over the claims that were judged"
    return "; ".join([f"over {counted} of {n} claim{'' if n == 1 else 's'}", *parts])


def counted(report: Report) -> str:
    """The number of claims of each class, in words."""
    n = len(report.claims)
    outcomes = _outcomes(report)
    parts = [f"{outcomes[each]} {_word(each)}" for each in (*OUTCOMES, _UNCOVERED) if outcomes[each]]
    return f"{n} claim{'' if n == 1 else 's'}" + (": " + ", ".join(parts) if parts else "")


def _outcomes(report: Report) -> Counter[str]:
    """The number of claims of each outcome; what the judge left out is counted apart."""
    uncovered = {claim.id for claim in report.uncovered}
    return Counter(_UNCOVERED if each.claim_id in uncovered else each.outcome for each in report.verdicts)


def _word(outcome: str) -> str:
    return _UNCOVERED if outcome == _UNCOVERED else mark(outcome).word


def citations(report: Report) -> str:
    """Sums up the citations of an answer; empty if there are none."""
    figures = report.citations
    if figures is None:
        return ""
    held = sum(each.status == "supported" for claim in report.claims for each in claim.citations)
    words = f"{held} of {figures.citations} citation{'' if figures.citations == 1 else 's'} hold"
    words += f", {figures.unknown} of no known source" if figures.unknown else ""
    return f"{words}; {figures.cited} of {figures.claims} claims cite a source"


def cited(claim: Claim, graph: ProvenanceGraph) -> list[str]:
    """Says of each citation of a claim whether it holds: `[2] ferry.md (d1): does not support it`."""
    lines = []
    for citation in claim.citations[:_CARRIERS]:
        target = f"[{citation.target}]" if citation.target.isdigit() else shorten(citation.target, _NAME)
        names = ", ".join(named(id_, graph) for id_ in citation.sources[:_CARRIERS])
        lines.append(f"{target}{' ' if names else ''}{names}: {_CITED[citation.status]}")
    more = len(claim.citations) - _CARRIERS
    return [*lines, f"and {more:,} more"] if more > 0 else lines


def origin_words(node: Node) -> str:
    """Says who wrote a text: `from a tool, in part written by a model`; empty if its kind says so."""
    if (node.kind, node.origin) in {("question", "user"), ("completion", "model"), ("answer", "model")}:
        return ""
    words = _ORIGINS.get(node.origin or "unknown", _ORIGINS["unknown"])
    return f"{words}, in part {WRITTEN}" if node.model_spans and node.origin != "model" else words


def from_request(item: Evidence, graph: ProvenanceGraph) -> str:
    """Says of evidence that it only repeats what was asked: `from the request`; empty for evidence from a source."""
    return _REQUESTS.get(graph.node(item.node_id).origin or "", "")


def entered(verdict: Verdict, graph: ProvenanceGraph) -> list[str]:
    """The entry step of a claim: one line, or one for each part of the claim that was traced separately."""
    if not verdict.history:
        return [named(verdict.introduced_at, graph)] if verdict.introduced_at else []
    followed: dict[str, list[Layer]] = {}
    for layer in verdict.history:
        followed.setdefault(layer.statement, []).append(layer)
    if len(followed) == 1 and verdict.introduced_at:
        return [named(verdict.introduced_at, graph)]
    lines = []
    for statement, layers in followed.items():
        stating = [graph.node(id_) for layer in layers for id_ in layer.stated_by]
        first = min(stating, key=lambda node: node.stage or 0, default=graph.answer)
        where = named(first.id, graph) if first else "the answer"
        if verdict.introduced_at is None or layers[-1].note.startswith("undetermined"):
            where = layers[-1].note if layers[-1].note.startswith("undetermined") else "undetermined"
        lines.append(f'{where}: "{statement}"' if statement else where)
    return lines if verdict.error_type else []


def carriers(verdict: Verdict, graph: ProvenanceGraph) -> str:
    """Names the nodes that repeat a claim, in order; only the first if there are very many."""
    return listed(verdict.carried_through, _CARRIERS, lambda id_: named(id_, graph))


def listed(items: Sequence[T], most: int, shown: Callable[[T], str], joint: str = ", ") -> str:
    """Lists the first of some items, and says how many more there are: `a, b and 3 more`."""
    more = f" and {len(items) - most:,} more" if len(items) > most else ""
    return joint.join(map(shown, items[:most])) + more


def error_words(verdict: Verdict) -> str:
    """The error type of a verdict with its detail: `number`, `other: fabricated addition`; empty if there is none."""
    if verdict.conflicting:
        return "sources disagree"
    if verdict.error_type is None:
        return ""
    words = verdict.error_type.value.replace("_", " ")
    words += f" or {verdict.second_type.value.replace('_', ' ')}" if verdict.second_type else ""
    return f"{words}: {plain(shorten(verdict.detail, _NAME))}" if verdict.detail else words
