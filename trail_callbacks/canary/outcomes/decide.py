"""Outcomes by code, and by the judge's model where code cannot tell or is often wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.outcomes.classify import classify, finding_of
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Finding
from trail_callbacks.models.call import Pipeline
from trail_callbacks.models.failure import Failure

__all__ = ["Scored", "decide", "decide_all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An answer to be scored; see `classify`."""

    probe: Probe
    arm: Arm
    answer: str | None
    served: bool | None = None


def decide(probe: Probe, arm: Arm, answer: str | None, *, served: bool | None = None) -> Pipeline[Finding]:
    """Says what one answer did; see `decide_all`, which is cheaper for several."""
    (finding,) = yield from decide_all([Scored(probe=probe, arm=arm, answer=answer, served=served)])
    return finding


def decide_all(answers: Sequence[Scored], *, per_call: int = 8) -> Pipeline[list[Finding]]:
    """Says what answers did: by code, and where it finds no one value that is given, by a model, several a call.

    Args:
        answers: The answers.
        per_call: Answers that are shown to a model at once, at most.

    Returns:
        A finding for each. Where the model cannot tell either it is `unscorable`; where the model fails it is what code
        found. Both say why.
    """
    findings = [classify(each.probe, each.arm, each.answer, served=each.served) for each in answers]
    open_ = [i for i, finding in enumerate(findings) if finding.is_doubtful]
    if not open_:
        return findings
    from trail_callbacks.canary.outcomes.judging import Unread, read_by_model  # noqa: PLC0415 - pydantic, if asked

    unread = [Unread(answers[i].probe, answers[i].answer or "") for i in open_]
    said = yield from read_by_model(unread, per_call=per_call)
    for i, found in zip(open_, said, strict=True):
        each = answers[i]
        if isinstance(found, Failure):
            reason = f"{findings[i].reason}; the judge failed: {found}"
            findings[i] = replace(findings[i], reason=reason)
        else:
            findings[i] = finding_of(each.probe, each.arm, found, "judge", served=each.served)
    return findings
