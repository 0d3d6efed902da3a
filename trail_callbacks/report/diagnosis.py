"""Where the evidence path of a run broke first, with the figures that say so.

The method is evidence-path diagnosis of retrieval-augmented generation: the same coverage at every depth, and the
earliest confirmed break wins. What cannot be computed is None, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from trail_callbacks import display
from trail_callbacks.evidence import Evidence

Depth: TypeAlias = Literal["retrieved", "reranked", "selected"]
"""`retrieved`: what all retrievers brought; `reranked`: what rerankers and filters left of it; `selected`: what of it
the model that answered was shown."""

StageName: TypeAlias = Literal["query", "retrieval", "reranking", "packing", "sources", "generation"]
"""`query`: the words that were sent; `retrieval`: what came back; `reranking`: a reranker, filter, compressor or
postprocessor that dropped or cut passages; `packing`: the step that made a prompt's text of them; `sources`: what the
passages in the prompt say of each other; `generation`: the model's answer."""

Certainty: TypeAlias = Literal["high", "medium", "low"]
"""`high` if code or the caller's gold passages show it, `medium` if a judge's reading does, `low` if the run shows that
something is missing, and cannot show whether this stage could have had it."""

FacetKind: TypeAlias = Literal["entity", "time", "place", "quantity", "condition", "version", "topic"]

Signature: TypeAlias = Literal[
    "rewrite_loss",
    "recall_failure",
    "selection_failure",
    "truncation",
    "grounding_failure",
    "source_conflict",
    "right_by_memory",
    "should_have_abstained",
    "none",
    "undetermined",
]
"""What the figures look like together.

- `rewrite_loss`: the query that was sent lost something that the question asks for, and nothing about it was retrieved.
- `recall_failure`: what the answer needs was not retrieved.
- `selection_failure`: it was retrieved, but a reranker, a cutoff or a token budget left it out of the prompt.
- `truncation`: the passage is in the prompt, but not the part that matters.
- `source_conflict`: passages in the prompt disagree about what the answer says.
- `grounding_failure`: the prompt held what was needed, and the answer departs from it.
- `right_by_memory`: the answer says what no passage in the prompt says, and texts that it did not read bear it out.
- `should_have_abstained`: passages on the subject were found, none of them answers, and the answer asserts something.
- `none`: nothing is wrong with the answer.
- `undetermined`: something may be wrong, and the figures do not show where it began.
"""

Where: TypeAlias = Literal["prompt", "cut", "dropped", "earlier_turn", "reference", "nowhere", "unknown"]
"""Where the text that bears on a claim or facet is: in the prompt; in a passage of the prompt, but in a part that was
cut; in a passage that was retrieved and dropped; only in an earlier turn; only in the reference that the caller gave;
in none of these; or nobody could tell."""


DecidedBy: TypeAlias = Literal["gold", "judge", "words"]
"""How a figure was decided: by passages that the caller named, by a judge's reading, or by shared words. What words say
is a hint: they find many good retrievals bad, so that nobody is called and nothing is held back for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A share with its n, or the reason why there is none."""

    value: float | None = None  # 0.0 to 1.0, or None
    n: int = 0  # items it is a share of
    # Wilson 95 % interval; None without a value, and for weighted shares and Jaccard indices
    interval: tuple[float, float] | None = None
    why: str = ""  # why there is no value; empty if there is one
    decided_by: DecidedBy | None = None  # None without a value, and if nobody said

    @property
    def counts(self) -> bool:
        """Whether alerts, gates and colours may go by it."""
        return self.value is not None and self.decided_by in {"gold", "judge"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """One thing that a question asks for or is restricted by."""

    id: str  # `f1`, `f2`, ...
    text: str  # the facet in a few words
    kind: FacetKind = "topic"  # what it is; `topic` for what is none of the others
    weight: float = 1.0  # how much it counts, above 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetFinding:
    """Where a facet is met."""

    facet: Facet
    in_query: bool | None = None  # whether a query that was sent names it; None if that cannot be told
    depths: tuple[Depth, ...] = ()  # the depths at which a passage meets it
    where: Where = "unknown"  # where the passage nearest to the prompt is that meets it
    nodes: tuple[str, ...] = ()  # the passages' nodes


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimFinding:
    """Where the text that bears on a claim is, however the claim was judged."""

    claim_id: str
    where: Where = "unknown"  # where that text is
    # whether it supports or contradicts the claim; None if there is no such text
    relation: Literal["supports", "contradicts"] | None = None
    evidence: tuple[Evidence, ...] = ()
    by_memory: bool = False  # True if the claim holds by a text that the model was not shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """How the passages at one depth compare with those that ought to be there (EO)."""

    jaccard: Figure  # size of the intersection by size of the union
    recall: Figure  # share of those that ought to be there that are
    precision: Figure  # share of those there that ought to be


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The coverage of question, evidence, answer and citations."""

    # query coverage (QC) by depth: weighted share of the question's facets that a passage meets
    query: Mapping[Depth, Figure] = field(default_factory=dict)
    # the same for the facets that the queries sent still name
    rewritten: Mapping[Depth, Figure] = field(default_factory=dict)
    kept: Figure = field(default_factory=Figure)  # weighted share of the question's facets that the queries sent name
    # whether a careful reader could answer the question from the passages at a depth; None if unknown
    sufficient: Mapping[Depth, bool | None] = field(default_factory=dict)
    missing: str = ""  # what is missing to answer it, in the judge's words; empty if nothing, or unknown
    # evidence overlap (EO) by depth; empty unless it is known which passages ought to be there
    overlap: Mapping[Depth, Overlap] = field(default_factory=dict)
    # answer coverage (AC): share of the decided claims that are supported
    answer: Figure = field(default_factory=Figure)
    contradicted: Figure = field(default_factory=Figure)  # share of the decided claims that are contradicted
    citation_presence: Figure = field(default_factory=Figure)  # share of the claims that cite a source (CC)
    # share of the decided citations whose source supports the claim
    citation_precision: Figure = field(default_factory=Figure)
    citation_recall: Figure = field(default_factory=Figure)  # share of the claims that a source they cite supports


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalFinding:
    """One retrieval of a run, by itself."""

    run_id: str
    step: str  # name of the component
    query: str  # the query as sent
    candidates: int = 0  # number of passages it brought
    selected: int = 0  # number of them in the prompt of the answer
    met: tuple[str, ...] = ()  # ids of the facets that they meet
    lost: tuple[str, ...] = ()  # ids of the facets of the question that no query names, if this one is a rewritten one
    note: str = ""  # what is odd about it: it failed, brought nothing, or came after the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage of the evidence path, as a strip shows it."""

    name: StageName
    # passages that were there after it, or claims; None if the run has no such stage, or it is unknown
    there: int | None = None
    lost: tuple[str, ...] = ()  # what was lost at it: texts of facets and claims
    broken: bool = False  # whether this is the first break
    note: str = ""  # a remark in a few words


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A stage that lost what the answer needed."""

    stage: StageName
    signature: Signature  # what kind of break it is
    step: str | None = None  # name of the step as people wrote it, such as `pack`, if one is known
    run_id: str | None = None  # its run, likewise
    reasons: tuple[str, ...] = ()  # the figures and passages that show it, a sentence each
    certainty: Certainty = "medium"  # what shows it


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSearch:
    """What the app's own retriever brought when it was asked for what the run lacked."""

    found: bool | None = None  # whether it brought what answers; None if that could not be told
    query: str = ""  # the query that brought it highest
    rank: int | None = None  # its place for that query, from 1
    text: str = ""  # the lines that answer
    queries: tuple[str, ...] = ()  # all that were sent
    passages: int = 0  # different passages that came back
    new: int = 0  # number of them that the run did not have
    certainty: Certainty = "medium"  # `high` if it is a gold passage
    why: str = ""  # why it could not be told


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Where the evidence path of a run broke first.

    Attributes:
        signature: What the figures look like together.
        first_break: The earliest confirmed break; None for `none` and `undetermined`.
        breaks: All confirmed breaks, the earliest first.
        reasons: What the signature rests on, a sentence each; for `undetermined` what is missing.
        look_at: What to look at next, in the order retrieval, selection, grounding.
        coverage: The figures.
        facets: What the question asks for, and where it is met.
        claims: Where the text is that bears on each claim that is not simply supported by the prompt.
        retrievals: Each retrieval by itself.
        stages: The stages in order, for a strip.
        warnings: What a reader should know before relying on it.
        judge: Name of the judge.
        index: What the app's own retriever has of what was missing; None if it was not asked.
    """

    signature: Signature
    first_break: Break | None = None
    breaks: tuple[Break, ...] = ()
    reasons: tuple[str, ...] = ()
    look_at: tuple[str, ...] = ()
    coverage: Coverage = field(default_factory=Coverage)
    facets: tuple[FacetFinding, ...] = ()
    claims: tuple[ClaimFinding, ...] = ()
    retrievals: tuple[RetrievalFinding, ...] = ()
    stages: tuple[Stage, ...] = ()
    warnings: tuple[str, ...] = ()
    judge: str = ""
    index: IndexSearch | None = None

    def __str__(self) -> str:
        """Renders for a terminal, without colour."""
        return display.made("text", self)

    def to_dict(self) -> dict[str, Any]:
        """Returns it as a JSON-safe dictionary."""
        from pydantic_core import to_jsonable_python  # noqa: PLC0415 - pydantic takes longer to import than all of this

        found: dict[str, Any] = to_jsonable_python(self)
        return found
