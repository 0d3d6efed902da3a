"""Probes about towers, and apps that answer them, for tests of what asks them."""

from trail_callbacks.canary import Answered, Probe


def probes(n, **more):
    """Probes p0, p1, ..: the tower is so many metres high."""
    return [
        Probe(
            id=f"p{i}",
            question=f"How high is tower {i}?",
            real=f"{100 + i} m",
            fictive=f"{500 + i} m",
            real_quote=f"Tower {i} is {100 + i} m high.",
            fictive_quote=f"Tower {i} is {500 + i} m high.",
            **more,
        )
        for i in range(n)
    ]


def answer(ask):
    """The height that the context of the arm states."""
    i = int(ask.probe[1:])
    return f"{(500 if ask.arm == 'fictive' else 100) + i} m"


def served(ask):
    """The same, with the passage."""
    return Answered(text=answer(ask), passages=[f"Well.  Tower {ask.probe[1:]} is\n{answer(ask)} high. Yes."])
