"""What every way to decide has in common, and what a judge may be able to do besides.

`Judge` extracts the claims of an answer and judges claims against passages. It may be a `OnePass`, which does both at
once; a `Tracer`, which walks back as VeriTrail does; a `Surveyor`, which diagnoses evidence paths.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence, Passage
from trail_callbacks.models.call import Model, Pipeline
from trail_callbacks.taxonomy import ErrorType, SupportClass

if TYPE_CHECKING:
    from trail_callbacks.report.diagnosis import Facet

Purpose: TypeAlias = Literal["verdicts", "localize", "answerable"]
"""What passages are read for: `verdicts` asks for class, type and evidence against sources; `localize` asks only which
passages (of intermediate outputs) state the claim; `answerable` asks whether they answer a question, which stands in
place of the claim. For the last two `supported` means that they do, `absent` that they do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The claims of an answer.

    Attributes:
        claims: In the order of the answer; spans verified, ids `c1`, `c2`, ...
        abstained: True if the answer as a whole declines to answer.
        error: Why claims are missing, if some are: a judge failure is data.
        warnings: What a reader should know, e.g. how many quotes were not in the answer and were dropped.
    """

    claims: tuple[Claim, ...]
    abstained: bool = False
    error: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One claim and the passages it is to be judged by.

    Attributes:
        claim: The claim.
        passages: What may count as evidence, and nothing else: candidate sentences, most relevant first; for a judge
            that reads whole (see `reads_whole`) all lines of the sources in their order, in one tuple that all claims
            share.
        nearest: Where `passages` holds whole sources, the candidates beside them for a judge that has `wants_nearest`.
        asked: The user's request that the claim replies to, to understand it by; no evidence. Empty if not known.
        answer: The text that makes the claim, likewise.
        conversation: The turns before the request, likewise.
        departs_from: For `localize`, what the sources say where the claim departs from them; no evidence either.
    """

    claim: Claim
    passages: tuple[Passage, ...]
    nearest: tuple[Passage, ...] = ()
    asked: str = ""
    answer: str = ""
    conversation: str = ""
    departs_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a judge says about one claim.

    Attributes:
        claim_id: The claim.
        support: The class; None exactly when `error` or `undecided` is set.
        error_type: Set if and only if `support` is contradicted, absent or partially_supported.
        second_type: A second-ranked error type, or None.
        detail: A finer word under the type: `fabricated addition`, `negation flip`, `role swap`, ...; a judge with a
            model uses those of `taxonomy.ErrorDetail`, under the type `other`.
        rationale: Why, in a sentence or two.
        evidence: Passages that decided, spans and quotes checked.
        faults: For an unsupported claim, each part that departs from the evidence as a short statement of its own;
            each may have been introduced at another step. Empty means the claim as a whole.
        confidence: Probability, 0.0 to 1.0, that the claim is on the side, supported or not, that the class puts it on;
            None if the judge gives none.
        score: How well it is supported by the judge's own measure, 0.0 to 1.0, no probability: what the band of a
            `CascadeJudge` goes by; None if the judge has none.
        undecided: Why the judge abstains: it read the passages, and what it can show settles nothing. `evidence` may
            then hold the passages nearest to the claim, which decide nothing.
        error: Why there is no judgement: the model failed or skipped the claim.
        judge: Who decided this one (name, version, prompt hash); empty means the judge that was asked.
    """

    claim_id: str
    support: SupportClass | None = None
    error_type: ErrorType | None = None
    second_type: ErrorType | None = None
    detail: str | None = None
    rationale: str = ""
    evidence: tuple[Evidence, ...] = ()
    faults: tuple[str, ...] = ()
    confidence: float | None = None
    score: float | None = None
    undecided: str | None = None
    error: str | None = None
    judge: str = ""

    @property
    def too_long(self) -> bool:
        """Whether it failed because the passages do not fit the model."""
        return self.error is not None and self.error.startswith("too_long")

    @property
    def conflicting(self) -> bool:
        """Whether passages disagree: some state the claim, some contradict it."""
        against = any(item.relation == "contradicts" for item in self.evidence)
        return against and self.support is SupportClass.SUPPORTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """What a judge says about several claims.

    Attributes:
        judgements: One a question, in order.
        warnings: What a reader should know besides, e.g. how many answers of a model were about no claim it was asked.
    """

    judgements: tuple[Judgement, ...]
    warnings: tuple[str, ...] = ()


@runtime_checkable
class Judge(Protocol):
    """A way to decide. Both methods are pipelines: they yield model calls and perform none themselves.

    May have `reads_whole`: whether questions carry the sources whole instead of candidates for each claim. A judge that
    does not say reads whole if it has a model. With `wants_nearest` it gets both, see `Question`.

    May have `abstains`: True if it leaves a claim undecided where it is not sure, so that the verdicts that it gives
    need no second opinion (see `CascadeJudge`). A judge that does not say decides in doubt, too.
    """

    @property
    def name(self) -> str:
        """Name, version and prompt hash, e.g. `local/0` or `llm/openai/gpt-5-mini/3f2a`."""

    @property
    def model(self) -> Model | None:
        """The model that answers this judge's calls; None if it makes none."""

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """Finds the claims of an answer."""

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """Judges claims by their passages.

        Args:
            questions: Claims with their passages; the same claim may be asked about twice, with other passages.
            purpose: What the passages are read for. For `localize` the evidence must name each node of the passages
                that states the claim by itself.

        Returns:
            One judgement a question, in order.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What a judge says about an answer at once.

    Attributes:
        extraction: The claims.
        judged: Judgements on claims, by claim id; those that could not be used are missing, and none has an `error`.
        warnings: See `Assessment`.
    """

    extraction: Extraction
    judged: Mapping[str, Judgement] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@runtime_checkable
class OnePass(Protocol):
    """A judge that can find the claims of an answer and judge them at once."""

    def judge_answer(
        self, answer: str, question: str | None, passages: tuple[Passage, ...], conversation: str = ""
    ) -> Pipeline[Opinion | None]:
        """Finds the claims of an answer and judges them.

        Args:
            answer: The answer.
            question: The user's request, if known.
            passages: All that may count as evidence, in the order of the sources; at least one.
            conversation: The turns before the request, to understand the answer by; no evidence.

        Returns:
            None if the answer is not suited, or if the judge cannot use what its model said: then the claims are to be
            found first, and judged later.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A claim and the texts to be searched for what addresses it.

    Attributes:
        claim: The claim.
        parts: Simpler statements that it is made of: they help to see what matters, and get no verdict of their own.
        passages: All sentences of the texts, in order, each text's together.
    """

    claim: Claim
    parts: tuple[str, ...] = ()
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The evidence for one search.

    Attributes:
        passages: Those passages of the search that strongly imply the claim or a part of it, true or false.
        summaries: What they say, by node id; a node may be missing.
        error: Why the search failed, or None.
    """

    passages: tuple[Passage, ...] = ()
    summaries: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None


@runtime_checkable
class Tracer(Protocol):
    """A judge that can take claims apart and select evidence."""

    def decompose(self, claims: Sequence[Claim]) -> Pipeline[tuple[tuple[str, ...], ...]]:
        """Splits claims into simpler statements.

        Returns:
            The parts of each claim, in order; the claim's own text alone if it cannot be split, or if the judge failed.
        """

    def select(self, searches: Sequence[Search]) -> Pipeline[tuple[SearchResult, ...]]:
        """Points at evidence, reading each text once for all claims that need it.

        Returns:
            One selection a search, in order.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What a question asks for, and what some passages have of it.

    Attributes:
        facets: What it asks for or is restricted by.
        met: The passages that meet a facet, by its id; none if it is missing here.
        in_query: Whether the queries sent name a facet, by its id; unknown if it is missing here.
        answers: Sets of passages, each of which answers the question by itself; empty if none does. None if unknown.
        missing: What is missing to answer it; empty if nothing.
        conflicts: Pairs of passages that disagree about what the question asks.
        error: Why there is no survey: the model failed.
        warnings: What a reader should know besides.
    """

    facets: tuple[Facet, ...] = ()
    met: Mapping[str, tuple[Passage, ...]] = field(default_factory=dict)
    in_query: Mapping[str, bool] = field(default_factory=dict)
    answers: tuple[tuple[Passage, ...], ...] | None = None
    missing: str = ""
    conflicts: tuple[tuple[Passage, Passage], ...] = ()
    error: str | None = None
    warnings: tuple[str, ...] = ()


@runtime_checkable
class Surveyor(Protocol):
    """A judge that can say what a question asks for, and which passages meet it."""

    def survey(
        self,
        question: str,
        queries: Sequence[str],
        passages: Sequence[Passage],
        facets: Sequence[Facet] = (),
        conversation: str = "",
    ) -> Pipeline[Survey]:
        """Surveys what some passages have of what a question asks for, in one call.

        Args:
            question: The user's request.
            queries: The queries that were sent to retrievers.
            passages: All lines that were retrieved, or as many as may be read.
            facets: What the question asks for, if the caller knows; otherwise the judge finds it.
            conversation: The turns before the question, to understand it by; no evidence.

        Returns:
            The survey; one with `error` if the model failed.
        """


@runtime_checkable
class Seeker(Protocol):
    """A judge that can word queries for what a search did not bring."""

    def seek(
        self, question: str, missing: str, queries: Sequence[str], conversation: str = ""
    ) -> Pipeline[tuple[str, ...]]:
        """Words queries for what is `missing`, beside those that were sent, in one call; none if the model failed."""


def reads_whole(judge: Judge) -> bool:
    """Tells whether a judge wants the sources whole, instead of the candidates for each claim."""
    return bool(getattr(judge, "reads_whole", judge.model is not None))


def abstains(judge: Judge) -> bool:
    """Tells whether a judge leaves undecided what it is not sure of."""
    return bool(getattr(judge, "abstains", False))


def absent(claim_id: str, rationale: str) -> Judgement:
    """Returns the judgement that nothing which was read states a claim."""
    return Judgement(claim_id=claim_id, support=SupportClass.ABSENT, error_type=ErrorType.OTHER, rationale=rationale)


def unevaluatable(claim_id: str) -> Judgement:
    """Returns the judgement on a claim that states nothing to check."""
    why = "It states nothing to check."
    return Judgement(claim_id=claim_id, support=SupportClass.UNEVALUATABLE, rationale=why)


def matched(questions: Sequence[Question], judgements: Sequence[Judgement]) -> list[Judgement]:
    """Gives each question its judgement, also where a judge left some out, added some or changed their order."""
    ids = [question.claim.id for question in questions]
    if [judgement.claim_id for judgement in judgements[: len(ids)]] == ids:
        return list(judgements[: len(ids)])
    asked = Counter(ids)
    given: dict[str, list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        given[judgement.claim_id].append(judgement)
    return [
        given[id_][0]
        if asked[id_] == len(given[id_]) == 1
        else Judgement(claim_id=id_, error="the judge gave no verdict" if not given[id_] else _UNCLEAR)
        for id_ in ids
    ]


_UNCLEAR = "the judge gave several verdicts, and it is not clear which is about this claim"
