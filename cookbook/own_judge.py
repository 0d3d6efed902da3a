"""A custom judge: rules for your domain decide first, another judge decides the rest.

The offline judge cannot calculate: if a ticket costs 8 euros, it does not know that three cost 24. This one does.
Nothing is simulated, answer and sources are texts. Any object with these four members is a judge. To use a service of
your own, call it in `_check_total`. To use a language model, set `model` and let `assess` yield lists of
`trail_callbacks.models.Call`; it gets as many replies back.

    pip install trail-callbacks
    python cookbook/own_judge.py
"""

import re
from collections.abc import Sequence

from trail_callbacks import ErrorType, LocalJudge, SupportClass, check
from trail_callbacks.judges import Assessment, Extraction, Judgement, Purpose, Question, quoted
from trail_callbacks.models import Pipeline

_NUMBERS = {"two": 2, "three": 3, "five": 5}
_TOTAL = re.compile(rf"\b({'|'.join(_NUMBERS)}) tickets cost (\d+) euros", re.IGNORECASE)
_PRICE = re.compile(r"\bticket costs (\d+) euros", re.IGNORECASE)


class TicketJudge:
    name = "tickets/1"  # shown in reports; change it when the rules change
    model = None  # it makes no model calls

    def __init__(self) -> None:
        self._rest = LocalJudge()

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        return self._rest.extract(answer, question)

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        rest = yield from self._rest.assess(questions, purpose)
        pairs = zip(questions, rest.judgements, strict=True)
        judgements = [_check_total(question, purpose) or judgement for question, judgement in pairs]
        return Assessment(judgements=tuple(judgements), warnings=rest.warnings)


def _check_total(question: Question, purpose: Purpose) -> Judgement | None:
    """Judges a claim about the price of several tickets, by the passages that it may rest on and nothing else."""
    claimed = _TOTAL.search(question.claim.text)
    priced = [(price, passage) for passage in question.passages if (price := _PRICE.search(passage.text))]
    if purpose != "verdicts" or not claimed or not priced:
        return None
    price, passage = int(priced[0][0][1]), priced[0][1]
    count, total = _NUMBERS[claimed[1].lower()], int(claimed[2])
    right = total == count * price
    return Judgement(
        claim_id=question.claim.id,
        support=SupportClass.SUPPORTED if right else SupportClass.CONTRADICTED,
        error_type=None if right else ErrorType.NUMBER,
        rationale=f"{count} times {price} is {count * price}, the answer says {total}.",
        evidence=(quoted(passage, "supports" if right else "contradicts"),),
    )


def main() -> None:
    answer = "Three tickets cost 24 euros. Five tickets cost 35 euros. The museum opens at 10 o'clock."
    sources = ["A ticket costs 8 euros. The museum opens at 10 o'clock."]
    for judge in (None, TicketJudge()):  # None is the offline judge
        print(check(answer, sources, judge=judge), end="\n\n")


if __name__ == "__main__":
    main()
