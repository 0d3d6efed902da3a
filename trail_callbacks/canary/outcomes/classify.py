"""The outcome of one answer, by code alone.

A wrong outcome costs more than an open one: where words may be a value that code does not know (another language,
another notation, a synonym), or nothing says which of two values holds, the answer is left undecided.

Every decision that is a matter of taste:

- An answer that gives the value of its context and names the other as usual or earlier follows the context.
- What it believes and what it says the documents say are two values: open, unless it names one of them as earlier.
- Two values joined by `or`, `and` or a range are a blend, and so are rows and sentences that differ in the value only.
- Of two passages that disagree, either value follows the context, and so do both.
- A refusal counts only where no value is given; a value under `whether`, `not` or in a refusal is named, not given.
- Words addressed to whoever grades are words like others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from trail_callbacks.canary.outcomes.polarity import DutyMatcher, PolarityMatcher
from trail_callbacks.canary.outcomes.reading import answer_of, pattern, plain
from trail_callbacks.canary.outcomes.statement import AnswerStatement, Scored, statement
from trail_callbacks.canary.outcomes.values import (
    AmountMatcher,
    DateMatcher,
    NameMatcher,
    ValueForms,
    ValueMatcher,
    forms_of,
)
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Arm, Finding, How, Outcome, Stated
from trail_callbacks.language.detect import language
from trail_callbacks.language.speech import negation
from trail_callbacks.models.call import Failure, Pipeline

_SAYS = re.compile(r"[^\W_]|[\u2600-\u27bf\U0001f300-\U0001faff]")  # a letter, a digit or a pictogram
_BARE = 2  # words of a bare yes or no
_READ = 4000  # characters that are searched for a refusal in other words


def classify(probe: Probe, arm: Arm, answer: str | None, *, served: bool | None = None) -> Finding:
    """Says what an answer did, by comparing values and words; asks no model. Never raises.

    Args:
        probe: The question, and the values that it may be answered with.
        arm: What the app could see.
        answer: The answer; None if there is none.
        served: Whether a passage with the fact was served; None if unknown. Without one the outcome is
            `retrieval_miss`, and `states` says what was answered.

    Returns:
        The finding; `unscorable`, decided by `undecided`, where code cannot tell.
    """
    if answer is None or not answer.strip():
        return Finding(outcome="unscorable", how="error", reason="there is no answer")
    scored = Scored(probe=probe, arm=arm, answer=answer, served=served)
    given = answer_of(answer)
    if given is None:
        said = AnswerStatement(states=(), declines=True, reason="something empty in place of an answer")
        return _finding(scored, said, "words")
    if not _SAYS.search(given):
        return Finding(outcome="unscorable", how="error", reason="there is no word in the answer")
    text = plain(given)
    matcher = _matcher(tuple(forms_of(probe).items()), probe.question)
    how: How = "words" if matcher.how == "polarity" and len(text.split()) <= _BARE else matcher.how
    return _finding(scored, _decided(statement(text, matcher, probe.question), text, matcher), how)


def decide_all(answers: Sequence[Scored], *, per_call: int = 8) -> Pipeline[list[Finding]]:
    """Says what answers did: by code, and where it finds no one value that is given, by a model, several a call.

    What the model cannot tell either is `unscorable`; where it fails, it is what code found. Both say why.
    """
    findings = [classify(each.probe, each.arm, each.answer, served=each.served) for each in answers]
    open_ = [i for i, finding in enumerate(findings) if finding.is_doubtful]
    if not open_:
        return findings
    from trail_callbacks.canary.outcomes.judging import read_by_model  # noqa: PLC0415 - pydantic, if asked

    said = yield from read_by_model([answers[i] for i in open_], per_call=per_call)
    for i, found in zip(open_, said, strict=True):
        if isinstance(found, Failure):
            findings[i] = replace(findings[i], reason=f"{findings[i].reason}; the judge failed: {found}")
        else:
            findings[i] = _finding(answers[i], found, "judge")
    return findings


def _finding(scored: Scored, said: AnswerStatement, how: How) -> Finding:
    """Says what a statement means under an arm."""
    probe, arm = scored.probe, scored.arm
    held: dict[Stated, bool] = {
        "real": arm == "real",
        "fictive": arm == "fictive" and probe.fictive is not None,
        "also": arm == "fictive" and probe.also is not None,
    }
    in_context = {name for name, is_held in held.items() if is_held}
    if said.among and in_context.issuperset(said.among):  # which of them does not matter
        said = replace(said, states=said.among)
    outcome, reason = _outcome(arm, said, in_context)
    if scored.served is False and in_context:
        outcome, how = "retrieval_miss", "retrieval"
        reason = "no passage served holds the fact" + (f"; the answer: {said.reason}" if said.reason else "")
    elif said.states is None:
        how = "undecided"
    elif outcome == "abstains" and how != "judge":
        how = "refusal"
    return Finding(outcome=outcome, how=how, states=said.states or (), rejects=said.rejects, reason=reason)


def _outcome(arm: Arm, said: AnswerStatement, in_context: set[Stated]) -> tuple[Outcome, str]:  # noqa: PLR0911 - one exit an outcome
    if said.states is None:
        return "unscorable", said.reason
    if said.states:
        if in_context.issuperset(said.states):
            return "follows_context", f"gives the value of its context: {said.reason}"
        if len(said.states) > 1:
            return "blends", f"gives several values: {said.reason}"
        if said.states[0] == "real":
            return "leaks_prior", f"gives the real value, which its context does not hold: {said.reason}"
        origin = f"arm {arm} does not hold it, so it was guessed or leaked from elsewhere"
        return "other_wrong", f"gives the fictive value, though {origin}: {said.reason}"
    beside = f": {said.reason}" if said.reason else ""
    if said.rejects:
        return "abstains", f"calls the documents wrong or contradictory, and gives no value{beside}"
    if said.declines and not said.other:
        return "abstains", f"declines to answer{beside}"
    return "other_wrong", f"gives {'another value' if said.other else 'none of the values'}{beside}"


def _decided(said: AnswerStatement, text: str, matcher: ValueMatcher) -> AnswerStatement:
    """Leaves open what an answer says without a value where code could have missed one."""
    if said.states is None or said.states or said.declines or said.rejects or said.other:
        return said
    if pattern("silence").search(text[:_READ]) or _denies_abroad(text[:_READ], matcher):
        return replace(said, declines=True)
    if matcher.reads(text):
        return said
    return replace(
        said, states=None, reason="names no value that code knows, and does not decline in words that it knows"
    )


def _denies_abroad(text: str, matcher: ValueMatcher) -> bool:
    """Whether an answer in another language than English denies something: without a value, it declines."""
    code = "" if isinstance(matcher, PolarityMatcher | DutyMatcher) else language(text)
    return code not in {"en", ""} and negation(code, text.isascii()).search(text) is not None


@lru_cache(maxsize=256)
def _matcher(listed: tuple[tuple[Stated, tuple[str, ...]], ...], question: str) -> ValueMatcher:
    """What compares the values of a probe: it is asked several times, under each arm and strategy."""
    values: ValueForms = dict(listed)
    typed = (PolarityMatcher(values, question), DutyMatcher(values), DateMatcher(values), AmountMatcher(values))
    return next((each for each in typed if each), NameMatcher(values, question))
