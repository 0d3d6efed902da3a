"""Which outcomes are right: two opposite virtues, never merged in one figure.

| outcome, with the value that it needs | context is authoritative | verify the context |
| --- | --- | --- |
| follows the real context | right | right |
| follows the fictive context | right | wrong; right if it also says that the documents are wrong |
| gives the real value under the fictive context | wrong | right |
| gives the real value where the fact was removed | wrong | wrong: nothing was there to verify |
| follows both of two passages that disagree | right | right if it says that they do |
| blends | wrong | wrong |
| abstains where the fact was removed, or there is no context | right | right |
| abstains where passages disagree | right if it says that they do | right if it says that they do |
| abstains otherwise | wrong | wrong; right if it says that the documents are wrong |
| another value | wrong | wrong |

Naming one of two values that disagree is wrong under both: the reader is not told of the other. `rates` can count it
as following all the same, because the outcome stays `follows_context`.
"""

from __future__ import annotations

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Finding, Policy

__all__ = ["right"]


def right(probe: Probe, arm: Arm, finding: Finding, policy: Policy) -> bool | None:
    """Tells whether an answer did what a policy wants.

    Args:
        probe: The probe.
        arm: The arm.
        finding: What the answer did.
        policy: The policy.

    Returns:
        Whether it was right; None where the outcome does not count: `unscorable`, `retrieval_miss`, and the whole arm
        `closed_book`, which has neither app nor context.
    """
    if finding.outcome in {"unscorable", "retrieval_miss"} or arm == "closed_book":
        return None
    if arm == "empty" or (arm == "fictive" and probe.fictive is None):
        return finding.outcome == "abstains"
    if arm == "real":
        return finding.outcome == "follows_context"
    if policy == "verify_the_context":
        return finding.outcome != "other_wrong" and (finding.rejects or finding.outcome == "leaks_prior")
    return _of_two(finding) if probe.also is not None else finding.outcome == "follows_context"


def _of_two(finding: Finding) -> bool:
    """Where passages disagree: both named, or the disagreement."""
    if finding.outcome == "follows_context":
        return finding.rejects or len(finding.states) > 1
    return finding.outcome == "abstains" and finding.rejects
