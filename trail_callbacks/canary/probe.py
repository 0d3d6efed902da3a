"""A probe: a question of which the real and the fictive answer are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from trail_callbacks.canary.twin import EditKind, Size

Origin = Literal["rules", "model", "given"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A question about one edit.

    Attributes:
        id: Unique among the probes of a run.
        question: As a user would ask it; names neither value.
        real: The answer of the real corpus.
        fictive: The answer of the twin; None if the fact was removed, so that abstaining is right.
        also: The second fictive answer, where two passages of the twin disagree.
        real_forms: Other ways to write the real answer that count as the same.
        fictive_forms: Likewise of the fictive one.
        documents: Ids of the documents that state the fact.
        real_quote: The sentence of the real corpus which states it; empty if the user gave none.
        fictive_quote: The sentence of the twin; empty if removed or not given.
        kind: Kind of the edit; None if the user did not say.
        size: Size of the edit; None if it has none.
        subject: What rates are split by: a folder, a topic; None if unknown.
        edit: Id of the edit in the twin; None for probes that are not of a twin.
        origin: Who made it.
    """

    id: str
    question: str
    real: str
    fictive: str | None
    also: str | None = None
    real_forms: Sequence[str] = ()
    fictive_forms: Sequence[str] = ()
    documents: Sequence[str] = ()
    real_quote: str = ""
    fictive_quote: str = ""
    kind: EditKind | None = None
    size: Size | None = None
    subject: str | None = None
    edit: str | None = None
    origin: Origin = "rules"
