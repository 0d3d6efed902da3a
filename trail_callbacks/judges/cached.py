"""A judge that does not pay twice: what a model said is kept on disk, under a hash of all that it was asked.

Kept claim by claim, so that an answer that shares seven of eight claims with an earlier one asks about one. What a
hash is made of: the claim's text, the texts of its passages with their surroundings, the purpose, the judge's name
(which changes with its model and its prompts) and its parameters. Ids of claims, passages and nodes are not part of
it, they differ from run to run; the other claims of the same call are not either, they are not meant to matter. The
release is: another one may ask in another shape.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from trail_callbacks.evidence import Evidence, quoted
from trail_callbacks.judges.cascade import CascadeJudge
from trail_callbacks.judges.judge import Assessment, Extraction, Judge, Judgement, Purpose, Question, matched
from trail_callbacks.judges.tracer import Tracer
from trail_callbacks.models.call import Model, Pipeline
from trail_callbacks.models.store import Store, digest
from trail_callbacks.taxonomy import UNSUPPORTED

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["CachedJudge", "cached", "digestible"]

_RUN = {"claim": ("id", "quote", "start", "end"), "passage": ("id", "node_id", "start", "end")}
"""What belongs to one run only. All other fields of a question are part of its key, also those added later."""


def cached(judge: Judge, store: Store) -> Judge:
    """Returns a judge that keeps what its model says.

    A judge without a model, or with a cache, is returned as it is. Of a cascade only the judge that decides the rest is
    cached: what is decided offline is decided again, so that its settings may change.
    """
    if judge.model is None or isinstance(judge, CachedJudge):
        return judge
    if isinstance(judge, CascadeJudge):
        return judge.wrapping(lambda rest: cached(rest, store))
    if isinstance(judge, Tracer):
        from trail_callbacks.judges.cached_tracer import CachedTracer  # noqa: PLC0415 - it is made of what is here

        return CachedTracer(judge, store)
    return CachedJudge(judge, store)


@cache
def _release() -> str:
    """Part of every key: another release may ask in another shape, or read what was kept in another way."""
    return version("trail-callbacks")


class CachedJudge:
    """Answers from a store what a judge was asked before. Failures are never kept.

    What the judge can do besides `Judge` it still can, uncached.

    Args:
        judge: Who is asked otherwise. See `cached` for judges without a model, and cascades.
        store: Where answers are kept. What is read there is checked like a model's reply; what does not fit is asked.
    """

    def __init__(self, judge: Judge, store: Store) -> None:
        self._judge = judge
        self._store = store
        self._told: str | None = None
        for name in dir(type(judge)):  # `isinstance` with a protocol overlooks what only __getattr__ finds
            if not name.startswith("_") and not hasattr(type(self), name) and callable(getattr(type(judge), name)):
                setattr(self, name, getattr(judge, name))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # also while it is copied or unpickled, when there is no judge yet
            raise AttributeError(name)
        return getattr(self._judge, name)

    def __repr__(self) -> str:
        return f"CachedJudge({self._judge!r}, {self._store!r})"

    @property
    def name(self) -> str:
        """That of the judge: who decides does not change."""
        return self._judge.name

    @property
    def model(self) -> Model | None:
        """That of the judge."""
        return self._judge.model

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """Finds the claims of an answer. See `Judge.extract`."""
        key = self._key("claims", {"answer": answer, "question": question})
        known = _extraction(self._store.get(key), answer)
        if known is not None:
            return replace(known, cache_hits=1)
        extraction = yield from self._judge.extract(answer, question)
        if extraction.error is None:
            self._store.put(key, {"claims": [asdict(c) for c in extraction.claims], **_rest(extraction)})
        return replace(extraction, warnings=extraction.warnings + self._problem())

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """Judges claims by their passages. See `Judge.assess`."""
        keys = [self._key(purpose, digestible(asdict(question))) if _asks(question) else None for question in questions]
        known = [
            _judgement(self._store.get(key), question) if key is not None else None
            for key, question in zip(keys, questions, strict=True)
        ]
        hits = [judgement for judgement in known if judgement is not None]
        todo = [i for i, judgement in enumerate(known) if judgement is None]
        if not todo:
            return Assessment(judgements=tuple(hits), cache_hits=len(hits))
        asked = [questions[i] for i in todo]
        assessment = yield from self._judge.assess(asked, purpose)
        for i, judgement in zip(todo, matched(asked, assessment.judgements), strict=True):
            known[i] = judgement
            key, value = keys[i], _kept(judgement, questions[i])
            if key is not None and value is not None:
                self._store.put(key, value)
        return Assessment(
            judgements=tuple(judgement for judgement in known if judgement is not None),
            warnings=assessment.warnings + self._problem(),
            cache_hits=assessment.cache_hits + len(hits),
        )

    def _key(self, purpose: str, material: Mapping[str, Any]) -> str:
        judge, model = self._judge, self._judge.model
        parameters = [getattr(judge, "parameters", None), getattr(model, "parameters", None)]
        return digest([_release(), purpose, judge.name, parameters, material])

    def _problem(self) -> tuple[str, ...]:
        problem = self._store.problem
        if problem is None or problem == self._told:
            return ()
        self._told = problem
        return (f"what the model said could not be kept in the cache: {problem}",)


def _asks(question: Question) -> bool:
    """Whether a judge asks its model about it: what is settled without one is no answer to keep."""
    return question.claim.checkable and bool(question.passages)


def digestible(asked: Mapping[str, Any]) -> dict[str, Any]:
    """All of a question, as a dictionary, but what belongs to one run.

    Which passages share a node counts, the node's id does not.
    """
    nodes = list(dict.fromkeys(passage["node_id"] for passage in asked["passages"]))
    passages = [
        {"node": nodes.index(passage["node_id"]), **_without(passage, _RUN["passage"])} for passage in asked["passages"]
    ]
    return {**asked, "claim": _without(asked["claim"], _RUN["claim"]), "passages": passages}


def _without(fields: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}


def _rest(extraction: Extraction) -> dict[str, Any]:
    return {"abstained": extraction.abstained, "warnings": list(extraction.warnings)}


def _extraction(value: Any, answer: str) -> Extraction | None:
    """Reads a kept extraction back; None if it is none, or not of this answer."""
    if not isinstance(value, dict):
        return None
    read: Extraction | None = _read(Extraction, {**value, "error": None})
    if read is None or [claim.id for claim in read.claims] != [f"c{n}" for n in range(1, len(read.claims) + 1)]:
        return None
    fits = all(
        claim.text.strip() and 0 <= claim.start <= claim.end and claim.quote == answer[claim.start : claim.end]
        for claim in read.claims
    )
    return read if fits else None


def _kept(judgement: Judgement, question: Question) -> dict[str, Any] | None:
    """What is kept of a judgement: evidence by the place of its passage, so that other ids may be read into it."""
    if judgement.error is not None:
        return None
    pointers = [_pointer(item, question) for item in judgement.evidence]
    if None in pointers:
        return None  # evidence from elsewhere would be lost
    fields = _without(asdict(judgement), ("claim_id", "error", "evidence"))
    return {"fields": fields, "evidence": pointers, "ids": _ids(question)}


def _pointer(item: Evidence, question: Question) -> tuple[int, int, int, str] | None:
    """Which passage evidence is, or is part of: its place, a span of its text, and what it says."""
    for place, passage in enumerate(question.passages):
        if item == quoted(passage, item.relation):  # also where a passage is a summary, which stands nowhere
            return place, 0, len(passage.text), item.relation
        if item.node_id == passage.node_id and passage.start <= item.start < item.end <= passage.end:
            return place, item.start - passage.start, item.end - passage.start, item.relation
    return None


def _judgement(value: Any, question: Question) -> Judgement | None:
    """Reads a kept judgement back; None if it is none, or does not fit the question."""
    try:
        evidence = [_evidence(question, *pointer) for pointer in value["evidence"]]
        names = dict(zip(value["ids"], _ids(question), strict=True))
        read: Judgement | None = _read(
            Judgement, {**value["fields"], "claim_id": question.claim.id, "evidence": evidence, "error": None}
        )
        if read is None or read.support is None or (read.error_type is not None) != (read.support in UNSUPPORTED):
            return None
        if read.confidence is not None and not 0.0 <= read.confidence <= 1.0:
            return None
        return replace(read, rationale=_renamed(read.rationale, names))
    except (KeyError, TypeError, ValueError):
        return None


def _evidence(question: Question, place: int, start: int, end: int, relation: Any) -> dict[str, Any]:
    if not 0 <= place < len(question.passages):
        raise ValueError(f"there is no passage {place}")
    passage = question.passages[place]
    if not 0 <= start < end <= len(passage.text):
        raise ValueError(f"the passage does not reach from {start} to {end}")
    whole = quoted(passage, relation)
    if (start, end) == (0, len(passage.text)):
        return asdict(whole)
    part = replace(whole, start=passage.start + start, end=passage.start + end, quote=passage.text[start:end])
    return asdict(part)


def _ids(question: Question) -> list[str]:
    """The ids that a judge may have used in its reasoning: the claim's, then those of its passages."""
    return [question.claim.id, *(passage.id for passage in question.passages)]


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """Puts today's ids where the reasoning mentions those of the run in which it was written."""
    if all(old == new for old, new in names.items()):
        return text
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{known})(?!\w)", lambda match: names[match[0]], text)


def _read(kind: Any, fields: Mapping[str, Any]) -> Any:
    """An object of a class with these fields, or None."""
    try:
        return _adapter(kind).validate_python(fields)
    except ValueError:  # pydantic's own is one
        return None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """The codec. Imported when there is something to read: pydantic costs more than all of this package."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - as said

    return TypeAdapter(kind)
