"""Probes of a twin, by rules: one question about each edit that a question can be made of."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.corpus import Document, Skipped
from trail_callbacks.canary.edit import TURNS, Edit
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.questions.answers import NAMES, Answers, answers
from trail_callbacks.canary.questions.checking import names, problem
from trail_callbacks.canary.questions.cloze import gap, hollow, of_cell, unfit
from trail_callbacks.canary.questions.english import asked, under, vague
from trail_callbacks.canary.questions.facts import Fact, Facts
from trail_callbacks.canary.questions.polar import denies, polar
from trail_callbacks.canary.questions.rivals import Rivals
from trail_callbacks.canary.twin import Twin
from trail_callbacks.language.terms import keys

__all__ = ["Maker", "make_probes", "subject"]

_SUBJECTS: Final = ("subject", "topic", "category")
_FEW: Final = 6  # words of a sentence that says too little by itself, the value included
_TELLING: Final = 3  # words of a sentence that cannot be told from others by its words
_SHORT: Final = 24  # characters of a sentence that a gap needs around it
_MARKS: Final = ".,;:!?()\"'\u201c\u201d\u00ab\u00bb"


def make_probes(twin: Twin, *, most: int | None = None) -> tuple[tuple[Probe, ...], tuple[Skipped, ...]]:
    """Makes probes: at most one for each edit, of its first sentence that a sound question can be made of.

    English sentences become questions (`How many minutes does the ferry take?`), others and those that fit no rule ask
    what is missing in them. Each probe is checked: its question names neither answer, nor words that another edit
    changes; it says enough to tell which fact is meant; no other sentence of the corpus may answer it; `problem` finds
    nothing.

    Args:
        twin: The twin.
        most: Number of probes wanted; kinds of edits take turns. None makes all.

    Returns:
        The probes in the order of the edits, and the edits without one with the reason.
    """
    maker = Maker(twin)
    order = {edit.id: at for at, edit in enumerate(twin.edits)}
    probes: list[Probe] = []
    skipped: list[Skipped] = []
    for edit in _in_turn(twin.edits):
        if most is not None and len(probes) >= most:
            break
        made = maker.probe(edit)
        if isinstance(made, Probe):
            probes.append(made)
        else:
            skipped.append(Skipped(edit.id, made))
    probes.sort(key=lambda each: order[each.id])
    skipped.sort(key=lambda each: order[each.place])
    return tuple(probes), tuple(skipped)


def subject(document: Document) -> str | None:
    """What a document is about, as its metadata says, or the folder that it lies in; None if neither tells."""
    found = (document.metadata.get(key) for key in _SUBJECTS)
    said = next((each for each in found if isinstance(each, str) and each.strip()), None)
    return said or document.id.rpartition("/")[0] or None


def _in_turn(edits: Sequence[Edit]) -> Iterator[Edit]:
    """The edits, one of each kind after the other."""
    kinds: dict[str, deque[Edit]] = defaultdict(deque)
    for edit in edits:
        kinds[edit.kind].append(edit)
    while kinds:
        for kind in list(kinds):
            yield kinds[kind].popleft()
            if not kinds[kind]:
                del kinds[kind]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, whether it names the heading that its fact stands under, and yes or no if that is the answer."""

    question: str
    within: bool = False
    polar: Answers | None = None


class Maker:
    """Makes probes of one twin.

    Args:
        twin: The twin; its texts are read once.

    Attributes:
        facts: The sentences that its edits change.
    """

    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        self.facts = Facts(twin)
        self._rivals = Rivals(twin)
        self._renamed: dict[str, list[tuple[str, str]]] = defaultdict(list)  # names that change everywhere, by word
        for edit in twin.edits:
            for old in dict.fromkeys((edit.real, *(old for old, _ in edit.forms))) if edit.kind in NAMES else ():
                if words := old.casefold().split():
                    self._renamed[words[0]].append((old, edit.id))

    def probe(self, edit: Edit) -> Probe | str:
        """The first sound probe of an edit, or the reason why its first question is not."""
        why = ""
        for fact in self.facts.of(edit):
            found = self._of(fact)
            if isinstance(found, Probe):
                return found
            why = why or found or "no question can be made of its sentence"
        return why or "no sentence states its value by itself"

    def sound(self, fact: Fact, question: str) -> Probe | str:
        """The probe that asks a question for the value of a fact, or the reason why there is none."""
        return self._sound(fact, _Asked(question))

    def _of(self, fact: Fact) -> Probe | str:
        if fact.edit.kind == "inconsistent" and fact.edit.real not in fact.text:
            return "no sentence states its value as the edit has it"
        if not fact.row and (why := unfit(fact)):
            return why
        why = ""
        for question in self._questions(fact):
            made = self._sound(fact, question)
            if isinstance(made, Probe):
                return made
            why = why or made
        return why or ""

    def _questions(self, fact: Fact) -> Iterator[_Asked]:
        """Questions about a fact, the most natural first."""
        english, turned = fact.language in {"en", ""}, fact.edit.kind in TURNS
        if turned and not vague(fact.text) and len(keys(fact.text)) > _TELLING:
            if (found := polar(fact, self._rivals.lower)) is not None:
                yield from self._under(fact, *found)
        elif not turned and english and not fact.row:
            for question in asked(fact, self._rivals.lower):
                yield from self._under(fact, question)
        if fact.cell is not None and (cell := of_cell(fact.cell, fact.language)) is not None:
            yield _Asked(cell)
        if not turned and not fact.row and len(fact.text) >= _SHORT and not hollow(fact):
            yield from self._gaps(fact)

    def _under(self, fact: Fact, question: str, yes_or_no: Answers | None = None) -> Iterator[_Asked]:
        """A question, and the same with the heading of its sentence."""
        yield _Asked(question, polar=yes_or_no)
        if fact.heading and fact.language in {"en", ""}:
            yield _Asked(under(question, fact.heading), within=True, polar=yes_or_no)

    def _gaps(self, fact: Fact) -> Iterator[_Asked]:
        """The sentence with a gap; one that does not say what it is about behind what stands before it."""
        clear = not vague(fact.text)
        bare = [_Asked(gap(fact))] if clear else []
        behind = [_Asked(gap(fact, f"{fact.heading}:"), within=True)] if fact.heading and clear else []
        behind += [_Asked(gap(fact, fact.before))] if fact.before else []
        short = len(keys(fact.text)) <= _FEW
        yield from (*behind, *bare) if short else (*bare, *reversed(behind))

    def _foreign(self, text: str, fact: Fact) -> str | None:
        """Words in a text that another edit changes."""
        for other in fact.foreign:
            if names(text, other):
                return other
        for word in dict.fromkeys(text.casefold().replace("\u2019", "'").split()):
            for old, id_ in self._renamed.get(word.strip(_MARKS).removesuffix("'s"), ()):
                if id_ != fact.edit.id and names(text, old):
                    return old
        return None

    def _sound(self, fact: Fact, asks: _Asked) -> Probe | str:
        denied = denies(fact.fictive, fact.language) != denies(fact.real, fact.language)
        if fact.edit.kind not in TURNS and fact.fictive and denied:
            return "another edit denies what its sentence says"
        if other := self._foreign(asks.question, fact):
            return f"its question would name {other!r}, which another edit changes"
        if why := self._rivals.against(asks.question, fact, within=asks.within):
            return why
        probe = self._written(fact, asks)
        return problem(probe, self._twin) or probe

    def _written(self, fact: Fact, asks: _Asked) -> Probe:
        edit = fact.edit
        said = asks.polar or answers(fact)
        places = [each for at, each in enumerate(edit.replacements) if at not in set(edit.repairs)]
        return Probe(
            id=edit.id,
            question=" ".join(asks.question.split()),
            real=said.real,
            fictive=said.fictive,
            also=edit.also if asks.polar is None else None,
            real_forms=said.real_forms,
            fictive_forms=said.fictive_forms,
            documents=tuple(dict.fromkeys(each.document for each in places)),
            real_quote=fact.real,
            fictive_quote=fact.fictive if edit.fictive is not None else "",
            kind=edit.kind,
            size=edit.size,
            subject=subject(self._twin.real[fact.document]),
            edit=edit.id,
        )
