"""Which passages cause which claims: passages are dropped from the prompt, the answer is generated again, and compared.

Leave-one-out finds a passage that a claim needs. It misses a claim that two passages carry, each alone enough; so
groups are dropped, too, and halved as long as the claim goes with them. Whether an answer differs by itself is measured
by generating it again without a change. ContextCite (Cohen-Wang et al., 2024) needs log-probabilities of given texts,
which most endpoints do not offer; this needs answers only, and more of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal, TypeVar, cast

from trail_callbacks.claims import Claim
from trail_callbacks.diagnosis.replay import Replay, ReplayPrompt
from trail_callbacks.errors import InputError
from trail_callbacks.evidence import whole
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Judge, Question, matched
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.models.call import Pipeline
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
Method = Literal["leave_one_out", "groups"]
_TOGETHER = 8
"""Passages of a group that is taken apart one by one; of a larger one only halves are tried."""
_Group = frozenset[str]
_Answers = dict[_Group, list[str]]


def ablation_cost(trace: Trace, *, repeats: int = 3, method: Method = "leave_one_out") -> AblationCost:
    """Says what `ablate` costs at most, without generating anything.

    Raises:
        InputError: As `ablate`.
    """
    prompt = ReplayPrompt(trace)
    n = len(prompt.passages)
    every = 2 ** min(n, 30) - 1
    groups = n if method == "leave_one_out" else 2 * n + sum(range(3, _TOGETHER + 1)) * max(1, n // 3)
    reruns = repeats * (1 + min(every, groups + 1))
    tokens = sum(count(turn.text) for turn in prompt.without(()).turns)
    return AblationCost(passages=n, reruns=reruns, prompt_tokens=reruns * tokens)


def ablate(
    trace: Trace,
    rerun: Rerun,
    *,
    judge: JudgeLike = None,
    repeats: int = 3,
    budget: int | None = None,
    method: Method = "leave_one_out",
    concurrency: int = 4,
) -> Ablation:
    """Finds which passages cause which claims of a recorded answer.

    Args:
        trace: The recorded run.
        rerun: Answers a prompt: `replay(model)` of `langchain_trail` or `llama_index_trail`, or your own function.
        judge: Says whether an answer states a claim; see `check`.
        repeats: Answers for each prompt, 1 or more; with fewer than 3 no interval excludes chance.
        budget: Answers to generate at most; None for no limit. What was measured by then is kept.
        method: `leave_one_out` drops each passage by itself. `groups` drops all and halves as long as a claim goes with
            them: cheaper with many passages, and it finds passages that carry a claim together or in turn.
        concurrency: Answers generated at once, 1 or more.

    Returns:
        The effects with their intervals. A rerun that raises is a warning.

    Raises:
        InputError: If a number is out of range, or the prompt behind the answer was not recorded.
    """
    work = _Work(trace, judge, repeats, budget, method, concurrency)
    steps = work.run()
    send: object = None
    while True:
        try:
            want = steps.send(send)
        except StopIteration as stop:
            return cast("Ablation", stop.value)
        if isinstance(want, list):
            with ThreadPoolExecutor(max_workers=concurrency) as pool:
                send = list(pool.map(lambda each: _caught(rerun, each), want))
        else:
            send = drive(want, work.judge.model)[0]


async def aablate(
    trace: Trace,
    rerun: ARerun,
    *,
    judge: JudgeLike = None,
    repeats: int = 3,
    budget: int | None = None,
    method: Method = "leave_one_out",
    concurrency: int = 4,
) -> Ablation:
    """As `ablate`, with a rerun that is awaited."""
    work = _Work(trace, judge, repeats, budget, method, concurrency)
    gate = asyncio.Semaphore(concurrency)

    async def answer(replay: Replay) -> str | Exception:
        async with gate:
            try:
                return str(await rerun(replay))
            except Exception as error:  # noqa: BLE001 - one failed answer must not lose the others
                return error

    steps = work.run()
    send: object = None
    while True:
        try:
            want = steps.send(send)
        except StopIteration as stop:
            return cast("Ablation", stop.value)
        if isinstance(want, list):
            send = await asyncio.gather(*(answer(each) for each in want))
        else:
            send = (await adrive(want, work.judge.model))[0]


def _caught(rerun: Rerun, replay: Replay) -> str | Exception:
    try:
        return str(rerun(replay))
    except Exception as error:  # noqa: BLE001 - as above
        return error


_Want = list[Replay] | Pipeline[object]
T = TypeVar("T")


@dataclass
class _Work:
    """One ablation, free of threads and loops: it yields prompts to be answered and judgements to be made."""

    trace: Trace
    judge_like: JudgeLike
    repeats: int
    budget: int | None
    method: Method
    concurrency: int
    reruns: int = 0
    warnings: list[str] = field(default_factory=list)
    answers: _Answers = field(default_factory=dict)
    stated: dict[tuple[_Group, str], list[bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("repeats", "concurrency"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}, expected 1 or more")
        if self.budget is not None and self.budget < 1:
            raise InputError(f"budget is {self.budget}, expected 1 or more answers, or None for no limit")
        if self.method not in {"leave_one_out", "groups"}:
            raise InputError(f"method is {self.method!r}, expected 'leave_one_out' or 'groups'")
        self.judge: Judge = judging(self.judge_like, VerifyOptions())
        self.prompt = ReplayPrompt(self.trace)

    def run(self) -> Generator[_Want, object, Ablation]:
        answer = self.trace.graph.answer
        text = answer.text if answer else ""
        extraction = yield from self._judged(self.judge.extract(text, self.trace.question))
        claims = tuple(claim for claim in extraction.claims if claim.checkable)
        passages = [each.node_id for each in self.prompt.passages]
        nothing: _Group = frozenset()
        yield from self._measure([nothing], claims)
        everything = frozenset(passages)
        if passages:
            yield from self._measure([everything], claims)
        if self.method == "leave_one_out":
            yield from self._measure([frozenset([id_]) for id_ in passages if len(passages) > 1], claims)
        else:
            yield from self._halve(passages, claims)
        effects = [self._effect(group, claim) for group in self.answers if group for claim in claims]
        return self._result(claims, [effect for effect in effects if effect is not None], everything)

    def _halve(self, passages: Sequence[str], claims: Sequence[Claim]) -> Generator[_Want, object, None]:
        """Takes groups apart as long as some claim goes with them.

        A claim that goes with a group but with neither half is carried by passages of both: then one passage at a time
        is put back.
        """
        open_, seen = [tuple(passages)], set[tuple[str, ...]]()
        while open_:
            parts = {group: _halves(group) for group in open_}
            yield from self._measure([frozenset(half) for halves in parts.values() for half in halves], claims)
            later = [half for halves in parts.values() for half in halves if self._moved(half, claims)]
            held = [
                group
                for group, halves in parts.items()
                if self._moved(group, claims).difference(*(self._moved(half, claims) for half in halves))
            ]
            smaller = [_but(group, id_) for group in held if 2 < len(group) <= _TOGETHER for id_ in group]  # noqa: PLR2004 - a pair is the smallest
            yield from self._measure([frozenset(each) for each in smaller], claims)
            later += [each for each in smaller if self._moved(each, claims)]
            seen.update(open_)
            open_ = [group for group in dict.fromkeys(later) if group not in seen]

    def _moved(self, group: Sequence[str], claims: Sequence[Claim]) -> set[str]:
        """The claims that are stated less often without a group."""
        effects = (self._effect(frozenset(group), claim) for claim in claims)
        return {effect.claim_id for effect in effects if effect is not None and effect.stated < effect.baseline}

    def _measure(self, groups: Sequence[_Group], claims: Sequence[Claim]) -> Generator[_Want, object, None]:
        wanted = [group for group in groups if group not in self.answers for _ in range(self.repeats)]
        if self.budget is not None and self.reruns + len(wanted) > self.budget:
            left = max(0, self.budget - self.reruns)
            lost = len(wanted) - left
            self.warnings.append(f"the budget of {self.budget} answers was used up: {lost} were not generated")
            wanted = wanted[:left]
        if not wanted:
            return
        replays = {group: self.prompt.without(group) for group in dict.fromkeys(wanted)}
        found = yield [replays[group] for group in wanted]
        self.reruns += len(wanted)
        if not isinstance(found, list):
            return
        for group, text in zip(wanted, found, strict=True):
            if isinstance(text, Exception):
                self.warnings.append(f"an answer failed: {type(text).__name__}: {text}")
            else:
                self.answers.setdefault(group, []).append(text)
        yield from self._compare([group for group in replays if group in self.answers], claims)

    def _compare(self, groups: Sequence[_Group], claims: Sequence[Claim]) -> Generator[_Want, object, None]:
        """Notes which answers state which claims, all in one assessment."""
        texts = [(group, text) for group in groups for text in self.answers[group]]
        nodes = [Node(id=f"a{n}", kind="completion", text=text) for n, (_, text) in enumerate(texts)]
        passages = whole([node for node in nodes if node.text.strip()])
        questions = [Question(claim=claim, passages=passages) for claim in claims]
        if not questions:
            return
        assessment = yield from self._judged(self.judge.assess(questions, "localize"))
        self.warnings += [warning for warning in assessment.warnings if warning not in self.warnings]
        for claim, judgement in zip(claims, matched(questions, assessment.judgements), strict=True):
            if judgement.error is not None:
                self.warnings.append(f"not compared: {judgement.error}")
                continue
            by = {item.node_id for item in judgement.evidence} if judgement.support is SupportClass.SUPPORTED else set()
            for node, (group, text) in zip(nodes, texts, strict=True):
                same = claim.quote in text or node.id in by
                self.stated.setdefault((group, claim.id), []).append(same)

    def _judged(self, pipeline: Pipeline[T]) -> Generator[_Want, object, T]:
        result = yield pipeline  # what drives this sends the pipeline's own result
        return cast("T", result)

    def _effect(self, group: _Group, claim: Claim) -> Effect | None:
        before, after = self.stated.get((frozenset(), claim.id)), self.stated.get((group, claim.id))
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
        unstable = [claim.id for claim in claims if not all(self.stated.get((frozenset(), claim.id), [True]))]
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


def _but(group: tuple[str, ...], id_: str) -> tuple[str, ...]:
    return tuple(each for each in group if each != id_)


def _halves(group: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    half = len(group) // 2
    return (group[:half], group[half:]) if half else ()
