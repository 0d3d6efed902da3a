"""The five support classes and the ten error types: one table for prompts, documentation and reports.

Classes and types are those of HalluMeasure (Akbar et al., EMNLP 2024, section 3 and table 2); the wording
and the examples are our own. Prompts and the README are rendered from `SUPPORT` and `ERRORS`, so a definition
is changed in one place.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SupportClass(StrEnum):
    """What the evidence says about a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    ABSENT = "absent"
    PARTIALLY_SUPPORTED = "partially_supported"
    UNEVALUATABLE = "unevaluatable"


class ErrorType(StrEnum):
    """How, linguistically, an unsupported claim departs from its evidence."""

    NUMBER = "number"
    ENTITY = "entity"
    FALSE_CONCATENATION = "false_concatenation"
    ATTRIBUTION_FAILURE = "attribution_failure"
    OVERGENERALIZATION = "overgeneralization"
    REASONING_ERROR = "reasoning_error"
    HYPERBOLE = "hyperbole"
    TEMPORAL = "temporal"
    CONTEXT_BASED_MEANING = "context_based_meaning"
    OTHER = "other"


class ErrorDetail(StrEnum):
    """What kind of `other` an error is; reports show it with blanks in place of underscores."""

    FABRICATED_ADDITION = "fabricated_addition"
    NEGATION_FLIP = "negation_flip"
    ROLE_SWAP = "role_swap"
    TOO_FAR_INFERENCE = "too_far_inference"
    WRONG_RELATION = "wrong_relation"
    INCOHERENT = "incoherent"
    FOLLOWED_SOURCE_INSTRUCTION = "followed_source_instruction"


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of one label, with an example."""

    definition: str  # one sentence, for prompts and documentation
    evidence: str  # a sentence of an invented source
    claim: str  # a claim that gets the label, given that evidence


SUPPORT: dict[SupportClass, Meaning] = {
    SupportClass.SUPPORTED: Meaning(
        "Who relies on the claim believes and does nothing that the evidence does not bear out, however loose or short "
        "its words.",
        "The library opened its doors in May 1962.",
        "The library was opened in 1962.",
    ),
    SupportClass.CONTRADICTED: Meaning(
        "The evidence says something that cannot be true together with the claim.",
        "The library opened its doors in May 1962.",
        "The library was opened in 1926.",
    ),
    SupportClass.ABSENT: Meaning(
        "The evidence neither confirms nor denies the point of the claim.",
        "The library opened its doors in May 1962.",
        "The library was paid for by a shipowner.",
    ),
    SupportClass.PARTIALLY_SUPPORTED: Meaning(
        "The evidence makes the statement, but the claim says more in a way that matters: a hedge or condition on "
        "which something hangs was lost, some became all, a plan or somebody's view a fact, a degree or number "
        "misleads, or an invented part changes what the reader would do.",
        "According to the mayor, the library is the best in the region.",
        "The library is the best in the region.",
    ),
    SupportClass.UNEVALUATABLE: Meaning(
        "Not a statement about the world: a greeting, question, offer, opinion or remark of the speaker about itself.",
        "The library opened its doors in May 1962.",
        "Would you like to know more about the library?",
    ),
}

ERRORS: dict[ErrorType, Meaning] = {
    ErrorType.NUMBER: Meaning(
        "A numeric value (an amount, a share, a count, an age, a year, a date) differs or was added.",
        "The bridge carries 12,000 cars a day.",
        "The bridge carries 21,000 cars a day.",
    ),
    ErrorType.ENTITY: Meaning(
        "A named thing or noun phrase (a person, place, product, reason) was swapped for another or inserted.",
        "The bridge was designed by Mara Holt.",
        "The bridge was designed by Jonas Reed.",
    ),
    ErrorType.FALSE_CONCATENATION: Meaning(
        "True parts about two different things or events were fused into one statement that is not true.",
        "The north tower was finished in spring; the south tower burnt down in autumn.",
        "The north tower burnt down in autumn.",
    ),
    ErrorType.ATTRIBUTION_FAILURE: Meaning(
        "The source of a statement is missing or wrong, or somebody's view is given as plain fact.",
        "According to the builder, the bridge will last a century.",
        "The bridge will last a century.",
    ),
    ErrorType.OVERGENERALIZATION: Meaning(
        "Rooted in the evidence but broader: some became all, one group everyone, a condition was lost.",
        "Some lorries must use the lower deck.",
        "All vehicles must use the lower deck.",
    ),
    ErrorType.REASONING_ERROR: Meaning(
        "The ingredients are there, but the inference or cause drawn from them does not follow.",
        "Tolls rose in March. Traffic fell in March.",
        "Traffic fell because tolls rose.",
    ),
    ErrorType.HYPERBOLE: Meaning(
        'The core is right, but a word of degree or certainty was strengthened, or a hedge such as "usually" lost.',
        "The new lamps improved visibility.",
        "The new lamps transformed visibility beyond recognition.",
    ),
    ErrorType.TEMPORAL: Meaning(
        "Tense, modality or the order in time was not carried over: planned became done, might became will.",
        "The city plans to repaint the bridge.",
        "The city repainted the bridge.",
    ),
    ErrorType.CONTEXT_BASED_MEANING: Meaning(
        "An idiom, technical term or word with several meanings was read in the wrong sense.",
        "The bank by the bridge was strengthened against floods.",
        "The bank by the bridge received fresh capital.",
    ),
    ErrorType.OTHER: Meaning(
        "Anything else: plainly invented content, a flipped negation, swapped roles, an incoherent statement.",
        "The bridge has two decks.",
        "The bridge appears in three films.",
    ),
}

UNSUPPORTED = frozenset({SupportClass.CONTRADICTED, SupportClass.ABSENT, SupportClass.PARTIALLY_SUPPORTED})
"""The classes that count as hallucinated, and the only ones that carry an error type."""


def table(meanings: dict[SupportClass, Meaning] | dict[ErrorType, Meaning]) -> str:
    """Renders one of the two tables as Markdown, one row for each label, for the README.

    Args:
        meanings: `SUPPORT` or `ERRORS`.

    Returns:
        A Markdown table with the columns label, meaning, evidence and claim.
    """
    rows = ["| label | meaning | evidence says | claim says |", "| --- | --- | --- | --- |"]
    rows += [
        f"| `{label.value}` | {meaning.definition} | {meaning.evidence} | {meaning.claim} |"
        for label, meaning in meanings.items()
    ]
    return "\n".join(rows)
