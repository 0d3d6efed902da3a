"""The outcome of one answer, by code alone.

A wrong outcome costs more than an open one: where words may be a value that code does not know (another language,
another notation, a synonym), or nothing says which of two values holds, the answer is left undecided.

Every decision that is a matter of taste:

- An answer that gives the value of its context and names the other as usual, earlier or believed once follows the
  context. What it believes now, beside what the documents say, is given as well, unless it concludes for one of them.
- One that calls the documents wrong rejects them. If it then gives another value, that counts; if none, it abstains.
- Two values joined by `or`, `and` or a range are a blend, and so are rows and sentences that differ in the value only.
  Two that are named in other ways are undecided, and so is a value joined to a third one (`63 or 55`).
- Of two passages that disagree, either value follows the context, and so do both.
- An answer that is the sentence of the corpus, or that of the twin, gives its value.
- A refusal counts only where no value is given: `The documents do not say, but it is 40` gives 40.
- A value under `whether`, `not`, `if ... would` or in a refusal is named, not given.
- What an answer takes back (`sorry, I misread that`) was not said.
- Words addressed to whoever grades are words like others.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.outcomes.amounts import Amounts
from trail_callbacks.canary.outcomes.calendar_dates import Dates
from trail_callbacks.canary.outcomes.mention import Matcher, Values, values_of
from trail_callbacks.canary.outcomes.names import Names
from trail_callbacks.canary.outcomes.polarity import Duties, Polarities
from trail_callbacks.canary.outcomes.reading import answer_of, plain
from trail_callbacks.canary.outcomes.repeating import repeated
from trail_callbacks.canary.outcomes.sequences import Sequences
from trail_callbacks.canary.outcomes.statements import Statement, statement
from trail_callbacks.canary.outcomes.wording import pattern
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Finding, How, Outcome, Stated
from trail_callbacks.language.detect import language
from trail_callbacks.language.negation import negation

__all__ = ["classify", "finding_of"]

_SAYS = re.compile(r"[^\W_]|[\u2600-\u27bf\U0001f300-\U0001faff]")  # a letter, a digit or a pictogram
_BREAKS_OFF = re.compile(r"\b(?:is|are|was|were|called|named|the|an?|of|to|by|in|at|for|and|with|that|as)\s*$|[:,]\s*$")
_BARE = 2  # words of a bare yes or no
_SHORT = 15  # words of an answer that has no room for a value in other words
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
    given = answer_of(answer)
    if given is not None and not _SAYS.search(given):
        return Finding(outcome="unscorable", how="error", reason="there is no word in the answer")
    values = values_of(probe)
    how: How = "words"
    if given is None:
        said = Statement(states=(), declines=True, reason="something empty in place of an answer")
    else:
        text = plain(given)
        matcher = _matcher(tuple(values.items()), probe.question)
        how = "words" if matcher.how == "polarity" and len(text.split()) <= _BARE else matcher.how
        said = repeated(probe, text) or _decided(statement(text, matcher, probe.question), text, matcher)
    return finding_of(probe, arm, said, how, served=served)


def finding_of(probe: Probe, arm: Arm, said: Statement, how: How, *, served: bool | None = None) -> Finding:
    """Says what a statement means under an arm.

    Args:
        probe: The probe.
        arm: The arm.
        said: What the answer says.
        how: What found that out.
        served: As for `classify`.
    """
    in_context = _in_context(probe, arm)
    if said.among and in_context.issuperset(said.among):  # which of them does not matter
        said = replace(said, states=said.among)
    if served is False and in_context:
        reason = "no passage served holds the fact" + (f"; the answer: {said.reason}" if said.reason else "")
        return Finding(
            outcome="retrieval_miss", how="retrieval", states=said.states or (), rejects=said.rejects, reason=reason
        )
    if said.states is None:
        return Finding(outcome="unscorable", how="undecided", rejects=said.rejects, reason=said.reason)
    outcome, reason = _outcome(arm, said, in_context)
    if outcome == "abstains":
        how = "refusal" if how != "judge" else how
    return Finding(outcome=outcome, how=how, states=said.states, rejects=said.rejects, reason=reason)


def _in_context(probe: Probe, arm: Arm) -> frozenset[Stated]:
    """The values that the context of an arm holds."""
    if arm == "real":
        return frozenset({"real"})
    if arm != "fictive":
        return frozenset()
    named: dict[Stated, str | None] = {"fictive": probe.fictive, "also": probe.also}
    return frozenset(name for name, value in named.items() if value is not None)


def _outcome(arm: Arm, said: Statement, in_context: frozenset[Stated]) -> tuple[Outcome, str]:
    states = said.states or ()
    if not states:
        return _without_value(said)
    if in_context.issuperset(states):
        return "follows_context", f"gives the value of its context: {said.reason}"
    if len(states) > 1:
        return "blends", f"gives several values: {said.reason}"
    if states[0] == "real":
        return "leaks_prior", f"gives the real value, which its context does not hold: {said.reason}"
    origin = f"arm {arm} does not hold it, so it was guessed or leaked from elsewhere"
    return "other_wrong", f"gives the fictive value, though {origin}: {said.reason}"


def _without_value(said: Statement) -> tuple[Outcome, str]:
    beside = f": {said.reason}" if said.reason else ""
    if said.other and not said.rejects:
        return "other_wrong", f"gives another value{beside}"
    if said.declines:
        return "abstains", f"declines to answer{beside}"
    if said.rejects:
        return "abstains", f"calls the documents wrong or contradictory, and gives no value{beside}"
    return "other_wrong", f"gives none of the values{beside}"


def _decided(said: Statement, text: str, matcher: Matcher) -> Statement:
    """Leaves open what an answer says without a value where code could have missed one."""
    if said.states is None or said.states or said.declines or said.rejects or said.other:
        return said
    if pattern("no value and no knowledge").search(text[:_READ]) or _denies_abroad(text[:_READ], matcher):
        return replace(said, declines=True)
    if (
        matcher.reads(text)
        and not _BREAKS_OFF.search(text)
        and (len(text.split()) <= _SHORT or not isinstance(matcher, Names))
    ):
        return said
    return _open(said, "names no value that code knows, and does not decline in words that it knows")


def _denies_abroad(text: str, matcher: Matcher) -> bool:
    """Whether an answer in another language than English denies something: without a value, it declines."""
    if isinstance(matcher, Polarities | Duties | Sequences):
        return False
    code = language(text)
    return code not in {"en", ""} and negation(code, text.isascii()).search(text) is not None


def _open(said: Statement, reason: str) -> Statement:
    return Statement(states=None, rejects=said.rejects, reason=reason)


@lru_cache(maxsize=256)
def _matcher(listed: tuple[tuple[Stated, tuple[str, ...]], ...], question: str) -> Matcher:
    """What compares the values of a probe: it is asked several times, under each arm and strategy."""
    values: Values = dict(listed)
    for candidate in (
        Polarities(values, question),
        Duties(values),
        Dates(values),
        Amounts(values, question),
        Sequences(values, question),
    ):
        if candidate:
            return candidate
    return Names(values, question)
