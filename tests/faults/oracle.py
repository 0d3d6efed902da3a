"""A judge that knows the truth of a made-up world: it measures the diagnosis, not the judge."""

from __future__ import annotations

from collections.abc import Sequence

from world import DECLINES, Fact, World

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.judges.judge import Assessment, Extraction, Judgement, Purpose, Question, Survey
from trail_callbacks.models.call import Pipeline
from trail_callbacks.report.diagnosis import Facet
from trail_callbacks.taxonomy import ErrorType, SupportClass


class Oracle:
    """Judges by the facts that sentences state."""

    name = "oracle"
    model = None
    reads_whole = True

    def __init__(self, world: World, asked: Fact) -> None:
        self._world, self._asked = world, asked

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """Every sentence that the world knows is a claim."""
        yield from ()
        found = sorted((answer.find(each), each) for each in self._world.by_sentence if each in answer)
        claims = tuple(
            Claim(id=f"c{n}", text=text, quote=text, start=at, end=at + len(text))
            for n, (at, text) in enumerate(found, 1)
        )
        return Extraction(claims=claims, abstained=DECLINES[self._world.language] in answer)

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """Compares what claims and passages state."""
        yield from ()
        return Assessment(judgements=tuple(self._judged(each, purpose) for each in questions))

    def _judged(self, question: Question, purpose: Purpose) -> Judgement:
        claim = self._world.by_sentence.get(question.claim.text)
        if purpose == "answerable":
            claim = self._asked
        if claim is None:
            return Judgement(claim_id=question.claim.id, undecided="no sentence of this world")
        stated = [(passage, self.states(passage)) for passage in question.passages]
        same = [
            (passage, fact)
            for passage, fact in stated
            if fact and (fact.subject, fact.about) == (claim.subject, claim.about)
        ]
        right = tuple(
            quoted(passage, "supports")
            for passage, fact in same
            if fact.value == claim.value or purpose == "answerable"
        )
        wrong = tuple(
            quoted(passage, "contradicts")
            for passage, fact in same
            if fact.value != claim.value and purpose == "verdicts"
        )
        support = SupportClass.SUPPORTED if right else SupportClass.CONTRADICTED if wrong else SupportClass.ABSENT
        error = None if right else ErrorType.NUMBER if wrong else ErrorType.OTHER
        return Judgement(claim_id=question.claim.id, support=support, error_type=error, evidence=right + wrong)

    def survey(
        self,
        question: str,
        queries: Sequence[str],
        passages: Sequence[Passage],
        facets: Sequence[Facet] = (),
        conversation: str = "",
    ) -> Pipeline[Survey]:
        """Subject and property of the question are its facets."""
        yield from ()
        subject = Facet(id="f1", text=self._asked.subject, kind="entity", weight=3.0)
        about = Facet(id="f2", text=self._asked.about, kind="topic", weight=3.0)
        stated = [(passage, self.states(passage)) for passage in passages]
        on_subject = tuple(passage for passage in passages if self._asked.subject in passage.text)
        answers = [
            (p, fact)
            for p, fact in stated
            if fact and (fact.subject, fact.about) == (self._asked.subject, self._asked.about)
        ]
        conflicts = tuple((answers[0][0], p) for p, fact in answers[1:] if fact.value != answers[0][1].value)
        return Survey(
            facets=(subject, about),
            met={"f1": on_subject, "f2": tuple(p for p, _ in answers)},
            in_query={
                "f1": any(self._asked.subject in query for query in queries),
                "f2": any(question == query for query in queries),
            },
            answers=tuple((p,) for p, _ in answers),
            missing="" if answers else self._asked.about,
            conflicts=conflicts,
        )

    def states(self, passage: Passage) -> Fact | None:
        """The fact that a passage states."""
        return self._world.by_sentence.get(passage.text.strip())
