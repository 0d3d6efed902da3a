"""Which passages cause which claims: passages are dropped from the prompt, the answer is generated again, and compared.

Each passage is dropped by itself, and all together, which shows claims that several passages carry in turn. Whether an
answer differs by itself is measured by generating it again without a change. ContextCite (Cohen-Wang et al., 2024)
needs log-probabilities of given texts, which most endpoints do not offer; this needs answers only, and more of them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from trail_callbacks.claims import Claim
from trail_callbacks.diagnosis.replay import Replay, ReplayPrompt
from trail_callbacks.errors import InputError
from trail_callbacks.evidence import whole
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Judge, Question, matched
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.models.call import Call, Message, Pipeline, Reply
from trail_callbacks.models.drive import adrive, drive
from trail_callbacks.models.tokens import count
from trail_callbacks.statistics.intervals import difference
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.trace import Trace
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.pipeline import judging


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


Rerun = Callable[[Replay], str]
ARerun = Callable[[Replay], Awaitable[str]]
_Group = frozenset[str]
_UNCHANGED: _Group = frozenset()


def ablation_cost(trace: Trace, *, repeats: int = 3) -> AblationCost:
    """Says what `ablate` costs at most, without generating anything.

    Raises:
        InputError: As `ablate`.
    """
    prompt = ReplayPrompt(trace)
    n = len(prompt.passages)
    reruns = repeats * (n + 2 if n > 1 else n + 1)
    tokens = sum(count(turn.text) for turn in prompt.without(()).turns)
    return AblationCost(passages=n, reruns=reruns, prompt_tokens=reruns * tokens)


def ablate(
    trace: Trace,
    rerun: Rerun,
    *,
    judge: JudgeLike = None,
    repeats: int = 3,
    budget: int | None = None,
    concurrency: int = 4,
) -> Ablation:
    """Finds which passages cause which claims of a recorded answer.

    Args:
        trace: The recorded run.
        rerun: Answers a prompt: `replay(model)` of `langchain_trail` or `llama_index_trail`, or your own function.
        judge: Says whether an answer states a claim; see `check`.
        repeats: Answers for each prompt, 1 or more; with fewer than 3 no interval excludes chance.
        budget: Answers to generate at most; None for no limit. What was measured by then is kept.
        concurrency: Answers generated at once, 1 or more.

    Returns:
        The effects with their intervals. A rerun that raises is a warning.

    Raises:
        InputError: If a number is out of range, or the prompt behind the answer was not recorded.
    """
    work = _Work(trace, judge, rerun, repeats, budget, concurrency)
    return drive(work.run(), work.judge.model or _Rerunning(rerun, work.prompt.without(())), None, concurrency)[0]


async def aablate(
    trace: Trace,
    rerun: ARerun,
    *,
    judge: JudgeLike = None,
    repeats: int = 3,
    budget: int | None = None,
    concurrency: int = 4,
) -> Ablation:
    """As `ablate`, with a rerun that is awaited."""
    work = _Work(trace, judge, rerun, repeats, budget, concurrency)
    model = work.judge.model or _Rerunning(rerun, work.prompt.without(()))
    return (await adrive(work.run(), model, None, concurrency))[0]


@dataclass(frozen=True)
class _Rerunning:
    """A `Model` that answers one prompt through the caller's function."""

    rerun: Callable[[Replay], str | Awaitable[str]]
    replay: Replay
    name: str = "rerun"

    def ask(self, _: Call) -> Reply:
        return Reply(text=str(self.rerun(self.replay)))

    async def aask(self, _: Call) -> Reply:
        answer = self.rerun(self.replay)
        return Reply(text=str(answer if isinstance(answer, str) else await answer))


@dataclass
class _Work:
    """One ablation: it has prompts answered, and answers judged."""

    trace: Trace
    judge_like: JudgeLike
    rerun: Callable[[Replay], str | Awaitable[str]]
    repeats: int
    budget: int | None
    concurrency: int
    reruns: int = 0
    warnings: list[str] = field(default_factory=list)
    stated: dict[tuple[_Group, str], list[bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("repeats", "concurrency", "budget"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name} is {value}, expected 1 or more")
        self.judge: Judge = judging(self.judge_like, VerifyOptions())
        self.prompt = ReplayPrompt(self.trace)

    def run(self) -> Pipeline[Ablation]:
        answer = self.trace.graph.answer
        extraction = yield from self.judge.extract(answer.text if answer else "", self.trace.question)
        claims = tuple(claim for claim in extraction.claims if claim.checkable)
        passages = [each.node_id for each in self.prompt.passages]
        groups = list(dict.fromkeys([_UNCHANGED, frozenset(passages), *(frozenset([id_]) for id_ in passages)]))
        answers = yield from self._answers(groups)
        yield from self._compare(answers, claims)
        effects = [self._effect(group, claim) for group in groups[1:] for claim in claims]
        return self._result(claims, [effect for effect in effects if effect is not None], frozenset(passages))

    def _answers(self, groups: Sequence[_Group]) -> Pipeline[list[tuple[_Group, str]]]:
        """The answers to the prompt without each group of passages."""
        wanted = [group for group in groups for _ in range(self.repeats)]
        lost = max(0, len(wanted) - self.budget) if self.budget is not None else 0
        if lost:
            self.warnings.append(f"the budget of {self.budget} answers was used up: {lost} were not generated")
            wanted = wanted[: self.budget]
        models = {group: _Rerunning(self.rerun, self.prompt.without(group)) for group in dict.fromkeys(wanted)}
        prompt = (Message("user", self.trace.question or ""),)  # the model has its own
        calls = [Call(messages=prompt, schema=BaseModel, purpose="rerun", model=models[group]) for group in wanted]
        replies = yield calls
        self.reruns = len(wanted)
        failures = [reply.failure.detail for reply in replies if reply.failure is not None]
        self.warnings += [f"an answer failed: {each}" for each in failures]
        return [(group, each.text) for group, each in zip(wanted, replies, strict=True) if each.text is not None]

    def _compare(self, answers: Sequence[tuple[_Group, str]], claims: Sequence[Claim]) -> Pipeline[None]:
        """Notes which answers state which claims, all in one assessment."""
        nodes = [Node(id=f"a{n}", kind="completion", text=text) for n, (_, text) in enumerate(answers)]
        passages = whole([node for node in nodes if node.text.strip()])
        questions = [Question(claim=claim, passages=passages) for claim in claims]
        assessment = yield from self.judge.assess(questions, "localize")
        self.warnings += assessment.warnings
        for claim, judgement in zip(claims, matched(questions, assessment.judgements), strict=True):
            if judgement.error is not None:
                self.warnings.append(f"not compared: {judgement.error}")
                continue
            by = {item.node_id for item in judgement.evidence} if judgement.support is SupportClass.SUPPORTED else set()
            for node, (group, text) in zip(nodes, answers, strict=True):
                self.stated.setdefault((group, claim.id), []).append(claim.quote in text or node.id in by)

    def _effect(self, group: _Group, claim: Claim) -> Effect | None:
        before, after = self.stated.get((_UNCHANGED, claim.id)), self.stated.get((group, claim.id))
        if not before or not after:
            return None
        low, high = difference([float(x) for x in after], [float(x) for x in before])
        return Effect(
            claim_id=claim.id,
            dropped=tuple(each.node_id for each in self.prompt.passages if each.node_id in group),
            stated=sum(after) / len(after),
            baseline=sum(before) / len(before),
            n=len(after),
            interval=(low, high),
        )

    def _result(self, claims: Sequence[Claim], effects: Sequence[Effect], everything: _Group) -> Ablation:
        causes: dict[str, tuple[tuple[str, ...], ...]] = {}
        for claim in claims:
            causing = [set(each.dropped) for each in effects if each.claim_id == claim.id and each.causes]
            smallest = [each for each in causing if not any(other < each for other in causing)]
            causes[claim.id] = tuple(dict.fromkeys(tuple(sorted(each)) for each in smallest))
        unstable = [claim.id for claim in claims if not all(self.stated.get((_UNCHANGED, claim.id), [True]))]
        memory = [claim.id for claim in claims if all(self.stated.get((everything, claim.id), [False]))]
        return Ablation(
            claims=tuple(claims),
            effects=tuple(effects),
            causes=causes,
            unstable=tuple(unstable),
            from_memory=tuple(memory),
            reruns=self.reruns,
            warnings=tuple(dict.fromkeys(self.warnings)),
        )
