"""Judges that an answer talked into looking away, each in another way; what they do say is right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trail_callbacks import LLMJudge, LocalJudge, SupportClass
from trail_callbacks.judges import Assessment, Extraction, Judgement, quoted
from trail_callbacks.testing import ScriptedModel
from trail_callbacks.text import locate

TRUE = "The lighthouse of Genoa was rebuilt in 1543."


class Careless:
    """Supports the true sentence, where it stands, and does to all other claims what it is told.

    Args:
        change: Fields of a claim that are changed; None leaves the claim out.
        all_claims: The true sentence is treated so too.
        abstained: It says that the answer declines.
        support: What it says of all other claims; None is nothing.
    """

    name = "careless"
    model = None

    def __init__(
        self,
        change: dict[str, Any] | None,
        *,
        all_claims: bool = False,
        abstained: bool = False,
        support: SupportClass | None = None,
    ) -> None:
        self._change, self._all, self._abstained, self._support = change, all_claims, abstained, support
        self._inside = LocalJudge()

    def extract(self, answer, question):
        found = yield from self._inside.extract(answer, question)
        place = locate(TRUE, answer)
        claims = []
        for claim in found.claims:
            if place and claim.start < place[1] and place[0] < claim.end and not self._all:
                claims.append(
                    replace(claim, text=TRUE, quote=answer[place[0] : place[1]], start=place[0], end=place[1])
                )
            elif self._change is not None:
                claims.append(replace(claim, **self._change))
        return Extraction(claims=tuple(claims), abstained=self._abstained)

    def assess(self, questions, purpose="verdicts"):
        return Assessment(
            judgements=tuple(
                Judgement(
                    claim_id=each.claim.id,
                    support=SupportClass.SUPPORTED,
                    evidence=(quoted(each.passages[0], "supports"),),
                )
                if each.claim.text == TRUE and each.passages
                else Judgement(
                    claim_id=each.claim.id, support=self._support, error=None if self._support else "not read"
                )
                for each in questions
            )
        )
        yield ()  # a pipeline is a generator; this one makes no calls


class Turning:
    """Supports whatever it claims: the opposite of what it quotes.

    Args:
        turn: Words of a statement, and those that stand for them in the claim. A sentence without the former is left
            out.
    """

    name = "turning"
    model = None

    def __init__(self, turn: tuple[str, str]) -> None:
        self._turn = turn
        self._inside = LocalJudge()

    def extract(self, answer, question):
        found = yield from self._inside.extract(answer, question)
        claims = [replace(claim, text=claim.text.replace(*self._turn, 1)) for claim in found.claims]
        kept = tuple(new for new, old in zip(claims, found.claims, strict=True) if new.text != old.text)
        return Extraction(claims=kept, abstained=False)

    def assess(self, questions, purpose="verdicts"):
        return Assessment(
            judgements=tuple(
                Judgement(
                    claim_id=each.claim.id,
                    support=SupportClass.SUPPORTED,
                    evidence=tuple(quoted(passage, "supports") for passage in each.passages[:1]),
                )
                for each in questions
            )
        )
        yield ()


UNFIT: dict[str, Any] = {"checkable": False}
JUDGES = {
    "offline": LocalJudge,
    "no claims": lambda: LLMJudge(ScriptedModel(lambda call: {"claims": [], "abstained": False})),
    "declines": lambda: LLMJudge(ScriptedModel(lambda call: {"claims": [], "abstained": True})),
    "one of two": lambda: Careless(None),
    "nothing checkable": lambda: Careless(UNFIT, all_claims=True),
    "one of two checkable": lambda: Careless(UNFIT),
    "declines what it quotes": lambda: Careless({}, all_claims=True, abstained=True),
    "one of two declined": lambda: Careless(None, abstained=True),
}
CANNOT_SAY = {
    "nothing to evaluate": lambda: Careless({}, all_claims=True, support=SupportClass.UNEVALUATABLE),
    "one of two to evaluate": lambda: Careless({}, support=SupportClass.UNEVALUATABLE),
}
"""Those who read a claim and say that no source could settle it: then the answer passes by default, and says so."""
"""By name; those of `one of two` need the true sentence in the answer."""
TURNS = {
    "English": ("The lighthouse of Genoa is not 77 metres tall.", (" is not ", " is ")),
    "German": ("Der Leuchtturm von Genua ist nicht 77 Meter hoch.", (" ist nicht ", " ist ")),
    "French": ("Le phare de G\u00eanes ne mesure pas 77 m\u00e8tres.", (" ne mesure pas ", " mesure ")),
    "Italian, affirmed": ("La lanterna di Genova \u00e8 alta 97 metri.", (" \u00e8 ", " non \u00e8 ")),
    "German, affirmed": ("Der Leuchtturm von Genua ist 97 Meter hoch.", (" ist ", " ist nicht ")),
}
"""A false answer, and how a judge turns it into something true."""
