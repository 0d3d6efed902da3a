"""Small benches: what judges say is written in letters, a sentence each."""

from trail_callbacks.bench.results import Bench, Judged, Label, Labelled, Reading, Said
from trail_callbacks.models.call import Usage
from trail_callbacks.taxonomy import ErrorType, SupportClass

OUTCOMES = {"c": "contradicted", "a": "absent", "s": "supported", "u": "undecided", "j": "not_judged", "r": "not_read"}
WRONG = Label(wrong=True, support=SupportClass.CONTRADICTED, error_type=ErrorType.NUMBER, entry="n1")


def judged(judge, *rounds, failed=(), usage=None, **about):
    """A judge that says the letters of each answer, round after round."""
    readings = tuple(
        Reading(
            answer=f"a{n}",
            round=number,
            said=tuple(
                Said(outcome=OUTCOMES[each], error_type="number" if each == "c" else None, entry="n1") for each in word
            ),
            usage=usage or Usage(seconds=float(n + 1)),
            failure="busy: too many requests" if n in failed else "",
        )
        for number, words in enumerate(rounds, 1)
        for n, word in enumerate(words)
    )
    return Judged(judge=judge, name=f"{judge}/1", readings=readings, **about)


def bench(answers, *judges, digest="d", **about):
    """Answers are words too: w is a wrong sentence of a known class, error type and entry, r a right one."""
    labelled = tuple(
        Labelled(
            id=f"a{n}",
            labels=tuple(WRONG if each == "w" else Label(wrong=False) for each in word),
            language="de" if n % 2 else "en",
            tags=("table",) if not n else (),
        )
        for n, word in enumerate(answers)
    )
    return Bench(data="tower", digest=digest, answers=labelled, judges=judges, **about)
