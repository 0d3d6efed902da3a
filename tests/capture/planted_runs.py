"""Random runs whose dependencies are known: who quoted whom, and how, is decided before the texts are written."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from trail_callbacks.capture.events import Event, Piece, RunEnded, RunStarted

WAYS = ("whole", "templated", "part", "truncated", "reformatted", "escaped")
_VOCABULARY = tuple(
    a + b + c
    for a in ("br", "ca", "do", "fel", "gra", "hu", "jo", "lim", "mon", "nar", "pol", "qui", "ros", "sti", "tor")
    for b in ("a", "em", "il", "on", "u")
    for c in ("d", "k", "nt", "r", "x", "sh")
)
_OPENINGS = ("As requested, here is what I found.", "Sure, this is a short summary.", "")
_TEMPLATES = (
    "Use the notes below and nothing else. Notes: {notes} Answer in one sentence.",
    "You are a careful editor of travel guides.\n\n{notes}\n\nWrite the next part.",
    "{notes}",
)


@dataclass(slots=True)
class Planted:
    """Events of one run tree and what is true of them.

    Attributes:
        events: The run tree.
        links: (text of the source, text of the model's output) -> how the source got into the prompt, and its share.
        unsure: Those of the links whose words stand in another output, too.
    """

    events: list[Event] = field(default_factory=list)
    links: dict[tuple[str, str], tuple[str, float]] = field(default_factory=dict)
    unsure: set[tuple[str, str]] = field(default_factory=set)


class _Writer:
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._named = 0

    def sentence(self) -> str:
        words = self._chance.choices(_VOCABULARY, k=self._chance.randint(6, 14))
        self._named += 1
        words.insert(self._chance.randrange(len(words)), f"item{self._named}")  # no two sentences are the same
        return " ".join(words).capitalize() + "."

    def text(self, sentences: int) -> str:
        return " ".join(self.sentence() for _ in range(sentences))


def quoted(text: str, way: str, chance: random.Random) -> tuple[str, float]:
    """Returns what of a text gets into a prompt, and the share of its words that arrives."""
    words = text.split(" ")
    if way == "part":
        length = chance.randint(min(12, len(words)), len(words))
        start = chance.randint(0, len(words) - length)
        return " ".join(words[start : start + length]), length / len(words)
    if way == "truncated":
        length = max(min(12, len(words)), len(words) * chance.randint(40, 90) // 100)
        return " ".join(words[:length]) + " ...", length / len(words)
    if way == "reformatted":
        how = chance.choice(("bullets", "upper", "wrapped"))
        lines = text.replace(". ", ".\n").split("\n")
        shown = {
            "bullets": "\n".join(f"* {line}" for line in lines),
            "upper": text.upper(),
            "wrapped": "\n".join(lines),
        }
        return shown[how], 1.0
    if way == "escaped":
        return json.dumps({"note": text, "by": "\u201cx\u201d"}), 1.0
    return (f'"{text}" (a note)' if way == "templated" else text), 1.0


def planted_run(seed: int, nodes: int = 12, ways: tuple[str, ...] = WAYS) -> Planted:
    """Writes a run tree of documents, tool results and models, each of which quotes none to four earlier outputs.

    Some outputs open with the same words, some are near-duplicates of others that nobody quotes, and templates have
    words of their own: what looks like a link and is none.
    """
    chance = random.Random(seed)  # noqa: S311 - made-up text, no secret
    writer = _Writer(chance)
    planted = Planted()
    planted.events.append(_started(planted, "root", None, "chain", Piece(text="go")))
    known: list[str] = []
    for i in range(nodes):
        if i < 2 or (i < nodes - 1 and chance.random() < 0.25):
            kind = chance.choice(("retriever", "tool"))
            text = writer.text(chance.randint(2, 6))
            if known and chance.random() < 0.2:  # a near-duplicate: most sentences are those of another
                text = f"{chance.choice(known)} {writer.sentence()}"
            asked = Piece(text=writer.sentence())
            form = "document" if kind == "retriever" else "text"
            _run(planted, f"r{i}", kind, asked, Piece(text=text, form=form, path=(0,)))
        else:
            opening = chance.choice(_OPENINGS)
            text = f"{opening} {writer.text(chance.randint(1, 5))}".strip()
            parts = []
            for source in chance.sample(known, k=min(len(known), chance.randint(0, 4))):
                way = chance.choice(ways)
                shown, share = quoted(source, way, chance)
                parts.append(shown)
                planted.links[source, text] = way, share
                core = shown.removesuffix(" ...") if share < 1.0 else source
                if any(core in other for other in known if other != source):
                    planted.unsure.add((source, text))
            prompt = chance.choice(_TEMPLATES).format(notes="\n".join(parts))
            _run(planted, f"r{i}", "model", Piece(text=prompt, form="message", role="user"), _said(text))
        known.append(text)
    planted.events.append(RunEnded(seq=len(planted.events) + 1, run_id="root", outputs=(_said(known[-1]),)))
    return planted


def near_copies(planted: Planted) -> Iterator[tuple[str, str]]:
    """Pairs of outputs of which one holds the other: quoting the longer is quoting the shorter, too."""
    texts = {piece.text for event in planted.events if isinstance(event, RunEnded) for piece in event.outputs}
    yield from ((a, b) for a in texts for b in texts if a != b and a in b)


def _said(text: str) -> Piece:
    return Piece(text=text, form="message", role="assistant")


def _started(planted: Planted, run_id: str, parent: str | None, kind: str, *inputs: Piece) -> RunStarted:
    return RunStarted(seq=len(planted.events) + 1, run_id=run_id, parent_id=parent, kind=kind, name=kind, inputs=inputs)


def _run(planted: Planted, run_id: str, kind: str, asked: Piece, *outputs: Piece) -> None:
    planted.events.append(_started(planted, run_id, "root", kind, asked))
    planted.events.append(RunEnded(seq=len(planted.events) + 1, run_id=run_id, outputs=outputs))
