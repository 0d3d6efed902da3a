"""One call for a short answer: what the judge says at once is handed to the steps that would ask for it one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trail_callbacks.claims import structured
from trail_callbacks.evidence import Passage
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import (
    Assessment,
    Extraction,
    Judge,
    Judgement,
    OnePass,
    Opinion,
    Purpose,
    Question,
    matched,
    reads_whole,
)
from trail_callbacks.models.call import Model, Pipeline
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.sources import Sources, material, told

__all__ = ["informed"]


def informed(graph: ProvenanceGraph, leaves: Sequence[Node], judge: Judge, options: VerifyOptions) -> Pipeline[Judge]:
    """Asks a judge about an answer at once, if both are suited.

    Args:
        graph: The graph of the answer.
        leaves: The evidence.
        judge: The judge.
        options: Settings.

    Returns:
        A judge that knows what was said, and asks the other one for the rest; the same judge if nothing usable was.
    """
    about = told(graph)
    if not leaves or structured(about["answer"]) is not None or not isinstance(judge, OnePass):
        return judge
    sources = Sources([], material(leaves), options.read_tokens)
    passages = sources.next([], ()) if sources.fit else ()
    if not passages:
        return judge
    opinion = yield from judge.judge_answer(about["answer"], about["asked"] or None, passages, about["conversation"])
    return judge if opinion is None else _Informed(judge, opinion, passages)


class _Informed:
    """A judge that knows the claims of one answer, and the verdicts on some."""

    def __init__(self, judge: Judge, opinion: Opinion, passages: tuple[Passage, ...]) -> None:
        self._judge, self._opinion, self._passages = judge, opinion, passages
        self._judged: Mapping[str, Judgement] = opinion.judged
        self._warnings = opinion.warnings
        self.reads_whole = reads_whole(judge)
        self.wants_nearest = getattr(judge, "wants_nearest", False)

    @property
    def name(self) -> str:
        """That of the other judge."""
        return self._judge.name

    @property
    def model(self) -> Model | None:
        """That of the other judge."""
        return self._judge.model

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:  # noqa: ARG002 - both are known
        """The claims that are known."""
        found = self._opinion.extraction
        return replace(found, warnings=(*found.warnings, *self._warnings))
        yield ()  # a pipeline is a generator; this one makes no calls

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """The verdicts that are known, and the other judge's on the rest, or by other passages."""
        known = self._judged if purpose == "verdicts" else {}
        same = {id(question.passages): question.passages == self._passages for question in questions}
        mine = {
            n: known[question.claim.id]
            for n, question in enumerate(questions)
            if question.claim.id in known and same[id(question.passages)]
        }
        rest = [question for n, question in enumerate(questions) if n not in mine]
        if not rest:
            return Assessment(judgements=tuple(mine[n] for n in range(len(questions))))
        assessment = yield from self._judge.assess(rest, purpose)
        others = iter(matched(rest, assessment.judgements))
        return replace(
            assessment,
            judgements=tuple(mine[n] if n in mine else next(others) for n in range(len(questions))),
        )
