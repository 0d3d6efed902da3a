"""What to do first about a report that is not clean: one sentence, from nothing but the report."""

from __future__ import annotations

from collections.abc import Iterator

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Node
from trail_callbacks.report.naming import named
from trail_callbacks.report.report import Report
from trail_callbacks.report.verdict import Verdict
from trail_callbacks.report.withheld import is_without_texts
from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass
from trail_callbacks.text import shorten

__all__ = ["next_step"]

_QUOTE, _REASON = 90, 120  # characters
_REMEDIES = {  # by `models.failure.Kind`, with which the reason of a failed call begins
    "unreachable": "Check the endpoint and the network of",
    "unauthorised": "Check the key of",
    "busy": "Verify again later, or with fewer calls at once, with",
    "refused": "Name another model in judge= in place of",
    "length": "Allow longer replies of",
    "too_long": "Lower VerifyOptions.read_tokens, or take a model with a larger context, for",
    "rejected": "Check the model's name and settings of",
    "invalid": "Name a model in judge= that keeps to a schema in place of",
    "budget": "Raise max_calls, max_tokens or max_seconds, which are used up, for",
}


def next_step(report: Report) -> str | None:
    """Returns what to do about the first fault of a report, on one line; None if there is no fault.

    Names and quotes in it are as the app and the judge wrote them: whoever shows it makes them safe to show.
    """
    if report.state == "assessed" and report.hallucination_score == 0.0 and not report.undecided:
        return None
    return " ".join(_Advice(report).first().split())


class _Advice:
    def __init__(self, report: Report) -> None:
        self._report = report
        self._graph = report.graph
        self._quotes = not is_without_texts(report)
        answer = report.graph.answer
        self._writer = f"the step {self._named(answer.id)}" if answer else "the app"

    def first(self) -> str:
        whole = {
            "interrupted": self._interrupted,
            "error": self._error,
            "no_evidence": self._no_evidence,
            "abstained": self._abstained,
            "no_checkable_claims": self._no_claims,
        }
        advise = whole.get(self._report.state)
        return advise() if advise else next(self._faults())

    def _faults(self) -> Iterator[str]:
        """What claims ask for, the worst first; behind them what the report as a whole does."""
        report = self._report
        pairs = [(claim, report.verdict(claim.id)) for claim in report.claims]
        yield from (self._unsupported(claim, verdict) for claim, verdict in pairs if verdict.support in UNSUPPORTED)
        if report.claims_error is not None:
            yield self._failed(report.claims_error, "did not find all claims")
        yield from (self._not_judged(claim, verdict) for claim, verdict in pairs if verdict.outcome == "not_judged")
        yield from (self._undecided(claim, verdict) for claim, verdict in pairs if verdict.outcome == "undecided")
        for claim, verdict in pairs:
            if verdict.support is SupportClass.UNEVALUATABLE and claim.unresolved:
                yield f"Give the question with the answer: without it the meaning of {self._said(claim)} is unclear."
            elif verdict.support is SupportClass.UNEVALUATABLE and (verdict.history or report.scoring.strict):
                yield f"Read {self._said(claim)} yourself: no source that the run read settles it."
        if report.state == "unverified" or not pairs:
            yield f"Read the answer of {self._writer} yourself: no claim was found in it that could be checked."
        lost = f": {shorten(report.warnings[0], _REASON)}" if report.warnings and self._quotes else ""
        yield f"Record the run whole and verify it again: a part of it is missing{lost}."

    def _interrupted(self) -> str:
        return "Resume the run: it waits for its user and has not answered yet."

    def _error(self) -> str:
        report = self._report
        failed = next((verdict.error for verdict in report.verdicts if verdict.error is not None), None)
        if reason := report.claims_error or failed:
            return self._failed(reason, "decided nothing")
        if self._graph.answer is None:
            last = max(self._graph.nodes, key=lambda node: node.stage or 0, default=None)
            where = f"after the step {self._named(last.id)}" if last else "in the app: nothing was recorded"
            return f"Look for an error {where}: the run gave no answer."
        return f"Look at the warnings of this report: the verification of {self._writer} failed before the judge did."

    def _no_evidence(self) -> str:
        reached = {node.id for node in self._read}
        for node in self._graph.nodes:
            if node.is_evidence and not node.is_request and node.id not in reached and node.text.strip():
                return f"Pass {self._named(node.id)} to {self._writer}: it was recorded but did not reach the answer."
        return f"Declare what {self._writer} read with sources= or source_keys=: no source of it was recorded."

    def _abstained(self) -> str:
        if not (read := self._sources()):
            return f"Check why no source reached {self._writer}, which declined to answer."
        more = f" and {len(read) - 1:,} more" if len(read) > 1 else ""
        return f"Check if {self._named(read[0].id)}{more} answer the question: {self._writer} read them and declined."

    def _no_claims(self) -> str:
        return f"If {self._writer} should have stated facts, check its prompt: its answer has none to check."

    def _unsupported(self, claim: Claim, verdict: Verdict) -> str:
        said, graph = self._said(claim), self._graph
        item = next((each for each in verdict.evidence if each.relation == "contradicts"), None)
        item = item or next((each for each in verdict.evidence if each.decides), None)
        if verdict.introduced_at is None:
            how = f"start at {self._writer}" if verdict.history else "VerifyOptions(localize=True) looks for it"
            says = f"; {self._says(item)}" if item else "; no source says it"
            return f"Find the step that introduced {said} ({how}){says}."
        entry = graph.node(verdict.introduced_at)
        at = f"the step {self._named(entry.id)}"
        if item and any(node.id == item.node_id for node in graph.upstream(entry.id)):
            return f"Check the prompt of {at}: it wrote {said}, but {self._says(item)}, which it read."
        if item:
            return f"Pass {self._named(item.node_id)} to {at}: it wrote {said} without it; {self._says(item)}."
        found = self._report.diagnosis
        if found and found.first_break and found.look_at:
            broken = f"{found.first_break.stage} {found.first_break.step or ''}".strip()
            return f"The evidence path broke first at {broken}, for {said}: {found.look_at[0]}"
        retrieved = [node for node in graph.upstream(entry.id) if node.origin == "retrieved"]
        if entry.kind == "answer" and retrieved:
            steps = ", ".join(dict.fromkeys(shorten(node.step or node.id, _QUOTE) for node in retrieved[:3]))
            return f"Check if the index behind {steps} lacks {said}: no text that reached {at} says it."
        return f"Check the prompt of {at}: it added {said}, which nothing that it read says."

    def _not_judged(self, claim: Claim, verdict: Verdict) -> str:
        return self._failed(verdict.error or "no verdict", f"did not decide {self._said(claim)}")

    def _undecided(self, claim: Claim, verdict: Verdict) -> str:
        said = self._said(claim)
        judge = shorten(verdict.judge or self._report.judge, _QUOTE)
        if claim.uncovered:
            return f"Read {said} yourself or name another judge in judge=: {judge or 'the judge'} left it out."
        if judge.startswith("local/"):
            return f'Name a model in judge=, such as "openai/gpt-5-mini": the offline judge could not decide {said}.'
        nearest = f"; nearest, {self._says(verdict.evidence[0])}" if verdict.evidence else ""
        return f"Read {said} yourself or name another judge in judge=: {judge or 'the judge'} abstained{nearest}."

    def _failed(self, reason: str, what: str) -> str:
        remedy = _REMEDIES.get(reason.partition(":")[0], "Check")
        judge = shorten(self._report.judge, _QUOTE)
        return f"{remedy} the judge{f' {judge}' if judge else ''}: it {what} ({shorten(reason, _REASON)})."

    @property
    def _read(self) -> tuple[Node, ...]:
        answer = self._graph.answer
        return self._graph.upstream(answer.id) if answer else ()

    def _sources(self) -> list[Node]:
        return [node for node in self._read if node.is_evidence and not node.is_request]

    def _says(self, item: Evidence) -> str:
        """`ferry.md (d1) says "..."`."""
        return f"{self._named(item.node_id)} says {self._quoted(item.quote) or 'otherwise'}"

    def _said(self, claim: Claim) -> str:
        return self._quoted(claim.quote or claim.text) or f"claim {claim.id}"

    def _quoted(self, text: str) -> str:
        return f'"{shorten(" ".join(text[: 8 * _QUOTE].split()), _QUOTE)}"' if self._quotes and text.strip() else ""

    def _named(self, node_id: str) -> str:
        return named(node_id, self._graph)
