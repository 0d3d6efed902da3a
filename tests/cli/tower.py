"""A source, a claim that it supports and one that it contradicts; and recorded runs about them."""

from trail_callbacks.capture.events import Piece, RunEnded, RunStarted
from trail_callbacks.trace import Context, Trace, Versions

SOURCE = "The tower was finished in 1874. It is 31 metres high."
TRUE = "The tower was finished in 1874."
FALSE = "The tower was finished in 1847."


def trace(name, answer=FALSE, version=None, started=1000.0, *, question="When?", kind="dates"):
    """A run of a chain and its model, which read the source."""

    def begun(seq, run, kind, text):
        parent = None if run == name else name
        return RunStarted(seq=seq, run_id=run, parent_id=parent, kind=kind, name=kind, inputs=(Piece(text=text),))

    shelf, model, answered = f"{name}.shelf", f"{name}.model", (Piece(text=answer),)
    return Trace(
        id=name,
        events=(
            begun(1, name, "chain", question),
            begun(2, shelf, "retriever", question),
            RunEnded(seq=3, run_id=shelf, outputs=(Piece(text=SOURCE, form="document", id="d"),)),
            begun(4, model, "model", f"{SOURCE} {question}"),
            RunEnded(seq=5, run_id=model, outputs=answered),
            RunEnded(seq=6, run_id=name, outputs=answered),
        ),
        context=Context(user="ada", started=started, metadata={"kind": kind}),
        versions=Versions(app=version),
    )
