"""Run trees by hand, as an adapter would report them, and their traces."""

from __future__ import annotations

from dataclasses import replace

from trail_callbacks.capture.events import Piece, RunStarted
from trail_callbacks.trace import Trace
from trail_callbacks.trace.recorded import recorded

QUESTION = "When did the bridge open, and who may use it?"
TEXTS = (
    "The bridge opened in 1968 and was painted red.",
    "Some lorries use the lower deck of the bridge.",
    "Ferries stopped in 1970 because nobody used them any more.",
    "The toll is two crowns for each car that crosses.",
)


class Log:
    """Collects the events of one run; times are seconds from 100 on, one for each event."""

    def __init__(self, **root):
        self.events = []
        self._runs = 0
        self.root = self.start("chain", Piece(text=QUESTION, path=("input",)), name="app", parent=None, **root)

    def start(self, kind, *inputs, name=None, parent="run-1", **more):
        self._runs += 1
        run_id = f"run-{self._runs}"
        seq = len(self.events) + 1
        self.events.append(
            RunStarted(
                seq=seq,
                run_id=run_id,
                parent_id=parent,
                kind=kind,
                name=name or kind,
                inputs=inputs,
                at=99.0 + seq,
                **more,
            )
        )
        return run_id

    def end(self, run_id, *outputs, **more):
        from trail_callbacks.capture.events import RunEnded

        seq = len(self.events) + 1
        self.events.append(RunEnded(seq=seq, run_id=run_id, outputs=outputs, at=99.0 + seq, **more))

    def fail(self, run_id, error="ValueError: no", **more):
        from trail_callbacks.capture.events import RunFailed

        seq = len(self.events) + 1
        self.events.append(RunFailed(seq=seq, run_id=run_id, error=error, at=99.0 + seq, **more))

    def did(self, kind, inputs, outputs, **more):
        run_id = self.start(kind, *inputs, **more)
        self.end(run_id, *outputs)
        return run_id

    def retrieved(self, pieces, query=QUESTION, **more):
        return self.did("retriever", [Piece(text=query, path=("query",))], pieces, **{"name": "search", **more})

    def packed(self, pieces, context):
        self.did("chain", pieces, [Piece(text=context)], name="pack")
        return self.asked(f"Answer from this context only:\n{context}\n\nQuestion: {QUESTION}")

    def asked(self, prompt, answer="It opened in 1968.", **more):
        outputs = [Piece(text=answer, form="message", role="assistant", attributes=more.pop("attributes", {}))]
        return self.did("model", [Piece(text=prompt)], outputs, name="answerer", **more)

    def done(self, answer="It opened in 1968."):
        self.end(self.root, Piece(text=answer))
        return self

    def trace(self, **more) -> Trace:
        return recorded("run-1", self.events, **more)


def documents(texts=TEXTS, scores=(), **more):
    return tuple(
        Piece(
            text=text, path=("documents", i), form="document", id=f"id-{i}",
            attributes={"source": f"{i}.md", **({"score": scores[i]} if i < len(scores) else {}), **more},
        )
        for i, text in enumerate(texts)
    )  # fmt: skip


def moved(pieces, *places):
    return tuple(replace(pieces[place], path=("documents", i)) for i, place in enumerate(places))
