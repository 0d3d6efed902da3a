"""The feedback on an answer that was not accepted: which claims fail, and what the sources say instead."""

from __future__ import annotations

from collections.abc import Sequence

from trail_callbacks.capture.payloads import marked
from trail_callbacks.claims import Claim
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node, named
from trail_callbacks.judges.prompts import load, neutral
from trail_callbacks.report import Report, Verdict
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.threshold import OnUndecided, unsettled

_CLAIMS = 12
_QUOTES = 3
_LONG = 400  # characters of a quote; a longer one is cut


def feedback(report: Report, unclaimed: Sequence[str] = (), *, on_undecided: OnUndecided = "pass") -> str:
    """Writes feedback to the model whose answer a report is about, and holds what `unclaimed` names beside claims.

    Everything that looks like an instruction to a chat template is removed from quotes. The text stands between marks
    by which `without_feedback` finds it again: it repeats claims that nothing supports, and must never become evidence
    for them.
    """
    parts = load("feedback").messages(list=_listed(report, unclaimed, on_undecided))
    return marked("\n\n".join(part.content for part in parts))


def _listed(report: Report, unclaimed: Sequence[str], on_undecided: OnUndecided) -> str:
    claims = [*report.unsupported, *([*report.undecided, *unsettled(report)] if on_undecided == "fail" else ())]
    lines = [line for n, claim in enumerate(claims[:_CLAIMS], 1) for line in _lines(n, claim, report)]
    if len(claims) > _CLAIMS:
        lines.append(f"... and {len(claims) - _CLAIMS} more statements that were not found to be supported.")
    if on_undecided == "pass":
        lines += _unchecked(report)
    elif unclaimed:
        lines.append(f"Leave out what cannot be checked: {', '.join(unclaimed)}.")
    if all(leaf.is_request for leaf in _leaves(report)):
        lines.append("No source was read before the answer was written.")
    return "\n".join(lines) or "The answer holds statements that cannot be checked."


def _unchecked(report: Report) -> list[str]:
    """Names the claims from which the judge abstained: they are not why the answer was rejected."""
    claims = report.undecided
    lines = [f'- "{_short(claim.quote)}"' for claim in claims[:_CLAIMS]]
    if len(claims) > _CLAIMS:
        lines.append(f"- ... and {len(claims) - _CLAIMS} more")
    return ["These statements could not be checked; keep only what the sources say:", *lines] if lines else []


def _lines(n: int, claim: Claim, report: Report) -> list[str]:
    verdict = report.verdict(claim.id)
    problem = (verdict.support or "").replace("_", " ")
    if verdict.error_type:
        problem = f"{problem} ({verdict.error_type.replace('_', ' ')})"
    if verdict.outcome in {"undecided", SupportClass.UNEVALUATABLE}:
        problem = "could not be verified; state only what the sources say"
    why = f". {_short(verdict.rationale)}" if verdict.rationale else ""
    wrote = f"In the field `{_short(claim.path)}` you wrote" if claim.path else "You wrote"
    return [
        f'{n}. {wrote}: "{_short(claim.quote)}"',
        f"   Problem: {problem}{why}",
        *(f'   A source ({_short(step)}) says: "{_short(quote)}"' for step, quote in _quotes(claim, verdict, report)),
    ]


def _quotes(claim: Claim, verdict: Verdict, report: Report) -> list[tuple[str, str]]:
    """The sentences that decided; where none did, the passages that come closest."""
    graph = report.graph
    decisive = [item for item in verdict.evidence if item.decides] or verdict.evidence
    if decisive:
        quotes = [(item.node_id, item.quote) for item in decisive]
    else:
        sources = [leaf for leaf in _leaves(report) if not leaf.is_request]
        quotes = [(p.node_id, p.text) for p in candidates([claim], sources, _QUOTES).get(claim.id, ())]
    return [(named(node_id, graph).removesuffix(f" ({node_id})"), quote) for node_id, quote in quotes[:_QUOTES]]


def _leaves(report: Report) -> tuple[Node, ...]:
    return report.graph.leaves()


def _short(text: str) -> str:
    line = " ".join(neutral(text).split())
    return line if len(line) <= _LONG else f"{line[:_LONG]} [...]"
