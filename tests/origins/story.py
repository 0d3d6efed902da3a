"""What one generated app is about: its sentences, what its models will write, and how each sentence got about."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from sentences import LANGUAGES, Sentences

from trail_callbacks.report import Report

KINDS = {
    "invention supported": "invented",
    "invention taken for something else": "invented",
    "source lost": "known",
    "known sentence missed": "known",
    "model quoted": None,
    "answer lost": None,
    "error": None,
    "report differs": None,
}
"""Kinds of violations, with the side of the sentences that they concern."""


@dataclass(frozen=True)
class Violation:
    """A sentence that was judged wrongly, or an error.

    Attributes:
        kind: `invention supported`, `invention taken for something else` (no leaf holds it), `source lost` (no leaf holds the sentence), `known sentence missed` (one does, and the
            judge did not see it), `model quoted`, `answer lost`, `error`, or `report differs` (from that of the whole run).
        way: The building block by which the sentence reached the answer.
        detail: The sentence, and what was quoted for it.
    """

    kind: str
    way: str
    detail: str


@dataclass
class Story:
    """The script of one app.

    Attributes:
        random: Where chance comes from.
        known: Sentences that a source holds, with the building block that brings them.
        invented: Sentences that only models write, with the block that carries them on.
        blocks: All building blocks of the app.
        replies: What the app's models will write, in order; the last is repeated.
        summaries: Inventions of a summary that nobody scripted: answers repeat them from the next turn on.
    """

    random: Random
    language: str = "en"
    known: dict[str, str] = field(default_factory=dict)
    invented: dict[str, str] = field(default_factory=dict)
    blocks: list[str] = field(default_factory=list)
    replies: deque[Any] = field(default_factory=deque)
    summaries: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sentences = Sentences(self.random, self.language)
        self.questions = self.sentences.questions
        self.question = self.questions[0]

    @classmethod
    def seeded(cls, seed: str) -> Story:
        """Returns a new story; the same seed gives the same one."""
        random = Random(seed)  # noqa: S311 - no secrets
        return cls(random, random.choices(LANGUAGES, (4, 1, 1, 1, 1))[0])

    def know(self, way: str) -> str:
        """Returns a new sentence for a source to hold."""
        sentence = self.sentences.new()
        self.known[sentence] = way
        return sentence

    def invent(self, way: str) -> str:
        """Returns a new sentence for a model to write."""
        sentence = self.sentences.new()
        self.invented[sentence] = way
        return sentence

    def page(self, way: str) -> str:
        """Returns a text of a source: sentences of which the answer repeats one."""
        texts = [self.sentences.new() for _ in range(self.random.randrange(3))] + [self.know(way)]
        self.random.shuffle(texts)
        return " ".join(texts)

    def draft(self, way: str) -> str:
        """Returns a text for a model to write first: an invention, often with something that it read."""
        texts = [self.invent(way)]
        if self.known and self.random.random() < 0.5:
            texts.append(self.random.choice(list(self.known)))
        self.random.shuffle(texts)
        return " ".join(texts)

    def summary(self, way: str) -> str:
        """Returns a text for a model that is asked for a summary at a time of the framework's choosing."""
        sentence = self.sentences.new()
        self.summaries[sentence] = way
        return sentence

    def answer(self) -> str:
        """Returns a final answer: it repeats what was invented, and what is known."""
        texts = [*self.known, *self.invented]
        self.random.shuffle(texts)
        return self.random.choice([" ", "\n", "\n- "]).join(["", *texts]).strip(" ")

    def next_turn(self, how: str) -> None:
        """Begins another turn: what was said before now comes from the conversation, and `how` names the way."""
        self.replies.clear()
        self.invented |= self.summaries
        for sentences in (self.known, self.invented):
            sentences.update({each: f"{way.split(', ', 1)[0]}, {how}" for each, way in sentences.items()})

    def chance(self, share: float) -> bool:
        """True in this share of cases."""
        return self.random.random() < share


@dataclass
class Tally:
    """What was seen so far: by building block, the sentences judged and those judged wrongly."""

    runs: Counter[str] = field(default_factory=Counter)
    judged: Counter[tuple[str, str]] = field(default_factory=Counter)
    classes: Counter[tuple[str, str]] = field(default_factory=Counter)
    violations: list[tuple[str, Violation]] = field(default_factory=list)

    def add(self, seed: str, story: Story, violations: list[Violation]) -> None:
        """Adds a run."""
        self.runs.update({"all": 1, **dict.fromkeys(story.blocks, 1)})
        self.violations += [(seed, each) for each in violations]


def check(story: Story, report: Report, tally: Tally) -> list[Violation]:
    """Compares a report with what is known of its sentences."""
    answer = report.graph.answer
    if answer is None:
        return [Violation("answer lost", story.blocks[0], "no answer")]
    found: list[Violation] = []
    for known, sentences in ((True, story.known), (False, story.invented)):
        for sentence, way in sentences.items():
            start = answer.text.find(sentence)
            if start < 0:
                found.append(Violation("answer lost", way, f"{sentence!r} is not in {answer.text[:300]!r}"))
                continue
            end = start + len(sentence)
            side = "known" if known else "invented"
            tally.judged[side, way] += 1
            claims = [claim for claim in report.claims if claim.start < end and start < claim.end]
            classes = {str(report.verdict(claim.id).support) for claim in claims} or {report.state}
            tally.classes.update((side, each) for each in classes)
            held = any(_bare(sentence) in text for text in _evidence(report))
            if known and classes & {"absent", "no_evidence", "error", "None"}:
                kind = "known sentence missed" if held else "source lost"
                leaves = [(leaf.kind, leaf.origin, leaf.model_spans) for leaf in report.graph.leaves()]
                found.append(Violation(kind, way, f"{sentence!r}: {classes}, leaves: {leaves}"))
            if not known and "supported" in classes:
                quoted = [
                    (report.graph.node(item.node_id).kind, report.graph.node(item.node_id).origin, item.quote)
                    for claim in claims
                    for item in report.verdict(claim.id).evidence
                ]
                kind = "invention supported" if held else "invention taken for something else"
                found.append(Violation(kind, way, f"{sentence!r}: {quoted}"))
    for verdict in report.verdicts:
        for item in verdict.evidence:
            node = report.graph.node(item.node_id)
            inside = any(start < item.end and item.start < end for start, end in node.model_spans)
            if inside or not node.is_evidence:
                found.append(Violation("model quoted", node.kind, f"{item.quote!r} of {node}"))
    return found


def _evidence(report: Report) -> Iterator[str]:
    """The texts that claims may rest on, with line breaks for what a model wrote."""
    for leaf in report.graph.leaves():
        text = leaf.text
        for start, end in leaf.model_spans:
            text = text[:start] + "\n" * (end - start) + text[end:]
        yield text


def _bare(sentence: str) -> str:
    """A sentence without the mark at its end, and without its first word: an article may be cut off."""
    return sentence.strip(" .\u3002").split(" ", 1)[-1]
