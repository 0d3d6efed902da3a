"""What an ablation finds: the effect of each set of passages on each claim, and the cost of finding it."""

from __future__ import annotations

from dataclasses import dataclass

from trail_callbacks.claims import Claim

__all__ = ["Ablation", "AblationCost", "Effect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What dropping some passages does to one claim.

    Attributes:
        claim_id: The claim.
        dropped: Node ids of the passages that were dropped.
        stated: Share of the answers without them that state the claim, 0.0 to 1.0.
        baseline: The same of the answers to the unchanged prompt.
        n: Answers without them.
        interval: 95 % interval of `baseline - stated` (Newcombe 1998): above 0.0 if they cause the claim.
    """

    claim_id: str
    dropped: tuple[str, ...]
    stated: float
    baseline: float
    n: int
    interval: tuple[float, float]

    @property
    def causes(self) -> bool:
        """Whether the claim goes with the passages by more than answers differ by themselves."""
        return self.interval[0] > 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """Which passages cause which claims.

    Attributes:
        claims: The claims of the recorded answer.
        effects: What was measured, in the order in which it was.
        causes: By claim, the smallest sets of passages with which it goes. None of them is found for a claim that stays
            whatever is dropped: the model has it from elsewhere.
        unstable: Claims that answers to the unchanged prompt do not always state.
        from_memory: Claims that stay when all passages are dropped.
        reruns: Answers that were generated.
        warnings: What a reader should know: a budget that was used up, answers that failed.
    """

    claims: tuple[Claim, ...]
    effects: tuple[Effect, ...]
    causes: dict[str, tuple[tuple[str, ...], ...]]
    unstable: tuple[str, ...] = ()
    from_memory: tuple[str, ...] = ()
    reruns: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationCost:
    """What an ablation costs at most.

    Attributes:
        passages: Passages in the prompt.
        reruns: Answers to be generated, at most.
        prompt_tokens: Tokens of their prompts, about.
    """

    passages: int
    reruns: int
    prompt_tokens: int
