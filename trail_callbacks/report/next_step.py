"""What to do first about a report that is not clean: one sentence, from nothing but the report."""

from __future__ import annotations

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import named
from trail_callbacks.report.report import Report
from trail_callbacks.report.verdict import Verdict
from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass
from trail_callbacks.text import shorten

_QUOTE, _REASON = 90, 120  # characters
_REMEDIES = {  # by `models.failure.Kind`, with which the reason of a failed call begins
    "unreachable": "Check the endpoint and the network of",
    "unauthorised": "Check the key of",
    "busy": "Verify again later, or with fewer calls at once, with",
    "too_long": "Lower VerifyOptions.read_tokens, or take a model with a larger context, for",
    "budget": "Raise VerifyOptions.budget, which is used up, for",
}
_WORST_FIRST = (UNSUPPORTED, {"not_judged"}, {"undecided"}, {SupportClass.UNEVALUATABLE})


def next_step(report: Report) -> str | None:
    """Returns what to do about the first fault of a report, on one line; None if there is no fault.

    Names and quotes in it are as the app and the judge wrote them: whoever shows it makes them safe to show.
    """
    undecided = any(verdict.outcome == "undecided" for verdict in report.verdicts)
    if report.state == "assessed" and report.hallucination_score == 0.0 and not undecided:
        return None
    return " ".join(_Advice(report).first().split())


class _Advice:
    def __init__(self, report: Report) -> None:
        self._report, self._graph = report, report.graph
        self._quotes = report.has_texts
        answer = report.graph.answer
        self._writer = f"the step {self._named(answer.id)}" if answer else "the app"
        upstream = report.graph.upstream(answer.id) if answer else ()
        self._read = [node.id for node in upstream if node.is_evidence and not node.is_request and node.text.strip()]

    def first(self) -> str:
        match self._report.state:
            case "interrupted":
                return "Resume the run: it waits for its user and has not answered yet."
            case "no_evidence":
                return self._unsourced()
            case "abstained":
                start = f"Check if {self._named(self._read[0])} answers" if self._read else "Find a source that answers"
                return f"{start} the question: {self._writer} declined to."
            case "no_checkable_claims":
                return f"If {self._writer} should have stated facts, check its prompt: its answer has none to check."
        return self._worst()

    def _worst(self) -> str:
        report = self._report
        for outcomes in _WORST_FIRST:
            if "not_judged" in outcomes and report.claims_error is not None:
                return self._failed(report.claims_error, "did not find all claims")
            for claim in report.claims:
                verdict = report.verdict(claim.id)
                if verdict.outcome in outcomes and (advice := self._on(claim, verdict)):
                    return advice
        if report.state == "error":
            return self._unverified()
        if report.state == "unverified" or not report.claims:
            return f"Read the answer of {self._writer} yourself: no claim was found in it that could be checked."
        lost = f": {shorten(report.warnings[0], _REASON)}" if report.warnings and self._quotes else ""
        return f"Record the run whole and verify it again: a part of it is missing{lost}."

    def _on(self, claim: Claim, verdict: Verdict) -> str:
        if verdict.support in UNSUPPORTED:
            return self._unsupported(claim, verdict)
        if verdict.outcome == "not_judged":
            return self._failed(verdict.error or "no verdict", f"did not decide {self._said(claim)}")
        if verdict.outcome == "undecided":
            return self._undecided(claim, verdict)
        is_open = verdict.history or self._report.scoring.strict
        return f"Read {self._said(claim)} yourself: no source that the run read settles it." if is_open else ""

    def _unsourced(self) -> str:
        for node in self._graph.nodes:
            if node.is_evidence and not node.is_request and node.id not in self._read and node.text.strip():
                return f"Pass {self._named(node.id)} to {self._writer}: it was recorded but did not reach the answer."
        return f"Declare what {self._writer} read with sources=: no source of it was recorded."

    def _unverified(self) -> str:
        if self._graph.answer is not None:
            return f"Look at the warnings of this report: verifying the answer of {self._writer} failed."
        last = max(self._graph.nodes, key=lambda node: node.stage or 0, default=None)
        where = f"after the step {self._named(last.id)}" if last else "in the app, of which nothing was recorded"
        return f"Look for an error {where}: the run gave no answer."

    def _unsupported(self, claim: Claim, verdict: Verdict) -> str:
        entry = self._graph.node(verdict.introduced_at) if verdict.introduced_at else None
        if (
            entry and entry.kind == entry.step == "answer" and not entry.run_id
        ):  # a text that was given, see `from_texts`
            decisive = [item for item in verdict.evidence if item.decides]
            says = self._says(decisive[0]) if decisive else "no source says it"
            return f"Correct the answer where it says {self._said(claim)}: {says}."
        return self._of_a_run(claim, verdict)

    def _of_a_run(self, claim: Claim, verdict: Verdict) -> str:
        said, graph, found = self._said(claim), self._graph, self._report.diagnosis
        decisive = sorted((item for item in verdict.evidence if item.decides), key=lambda item: item.relation)
        says = self._says(decisive[0]) if decisive else "no source says it"  # `contradicts` is sorted first
        if verdict.introduced_at is None:
            how = f"start at {self._writer}" if verdict.history else "VerifyOptions(localize=True) looks for it"
            return f"Find the step that introduced {said} ({how}); {says}."
        entry = graph.node(verdict.introduced_at)
        at = f"the step {self._named(verdict.introduced_at)}"
        read = graph.upstream(verdict.introduced_at)
        if decisive and decisive[0].node_id in {node.id for node in read}:
            return f"Check the prompt of {at}: it wrote {said}, but {says}, which it read."
        if decisive:
            return f"Pass {self._named(decisive[0].node_id)} to {at}: it wrote {said} without it; {says}."
        if found and found.first_break and found.look_at:
            broken = " ".join(filter(None, (found.first_break.stage, found.first_break.step)))
            return f"The evidence path broke first at {broken}, for {said}: {found.look_at[0]}"
        retrievers = dict.fromkeys(node.step or node.id for node in read if node.origin == "retrieved")
        if retrievers and entry.kind == "answer":
            names = shorten(", ".join(retrievers), _QUOTE)
            return f"Check if the index behind {names} lacks {said}: no text that reached {at} says it."
        return f"Check the prompt of {at}: it added {said}, which nothing that it read says."

    def _undecided(self, claim: Claim, verdict: Verdict) -> str:
        said = self._said(claim)
        judge = shorten(verdict.judge or self._report.judge, _QUOTE) or "the judge"
        if judge.startswith("local/") and not claim.uncovered:
            n = len(self._report.claims)
            left = f"{len(self._report.undecided)} of {n} claims, such as {said}" if n > 1 else said
            return (
                f'Name a judge that can decide {left}: judge="openai/gpt-5-mini", judge=as_model(model) of your app, '
                "or judge=EncoderJudge(), which runs here; the offline judge could not."
            )
        nearest = f"; {self._says(verdict.evidence[0])}" if verdict.evidence else ""
        why = "left it out" if claim.uncovered else f"abstained{nearest}"
        return f"Read {said} yourself or name another judge in judge=: {judge} {why}."

    def _failed(self, reason: str, what: str) -> str:
        remedy = _REMEDIES.get(reason.partition(":")[0], "Check")
        judge = shorten(self._report.judge, _QUOTE)
        return f"{remedy} the judge {judge}: it {what} ({shorten(reason, _REASON)})."

    def _says(self, item: Evidence) -> str:
        return f"{self._named(item.node_id)} says {self._quoted(item.quote) or 'otherwise'}"

    def _said(self, claim: Claim) -> str:
        return self._quoted(claim.quote or claim.text) or f"claim {claim.id}"

    def _quoted(self, text: str) -> str:
        return f'"{shorten(" ".join(text[: 8 * _QUOTE].split()), _QUOTE)}"' if self._quotes and text.strip() else ""

    def _named(self, node_id: str) -> str:
        return named(node_id, self._graph)
