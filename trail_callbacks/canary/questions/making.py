"""Probes of a twin, by rules: one question about each edit that a question can be made of."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from trail_callbacks.canary.corpus import Document, Skipped
from trail_callbacks.canary.edit import TURNS, Edit
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.questions.checking import names, problem
from trail_callbacks.canary.questions.clauses import clause_of, vague
from trail_callbacks.canary.questions.cloze import gap, hollow, of_cell, unfit
from trail_callbacks.canary.questions.english import asked
from trail_callbacks.canary.questions.facts import Fact, Facts
from trail_callbacks.canary.questions.forms import forms
from trail_callbacks.canary.questions.placed import in_place, named_role, under
from trail_callbacks.canary.questions.polar import denies, polar, stated
from trail_callbacks.canary.questions.rivals import Rivals
from trail_callbacks.canary.questions.shortening import shortened
from trail_callbacks.canary.questions.sought import sought, stands_alone
from trail_callbacks.canary.twin import Twin
from trail_callbacks.language.terms import keys
from trail_callbacks.language.values import quantities

__all__ = ["Maker", "make_probes", "subject"]

_SUBJECTS: Final = ("subject", "topic", "category")
_NAMES: Final = frozenset({"name", "nonce"})
_FEW: Final = 6  # words of a sentence that says too little by itself, the value included
_TELLING: Final = 3  # words of a sentence that cannot be told from others by its words
_SHORT: Final = 24  # characters of a sentence that a gap needs around it


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
    folder = document.id.rpartition("/")[0]
    return said or folder or None


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
    """A question with answers that replace those of the edit."""

    question: str
    within: bool = False
    real: str | None = None
    fictive: str | None = None
    real_forms: tuple[str, ...] = ()
    fictive_forms: tuple[str, ...] = ()


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
        self._renamed = _Renamed(twin.edits)

    def probe(self, edit: Edit) -> Probe | str:
        """The first sound probe of an edit, or the reason why its first question is not."""
        reasons: list[str] = []
        found = False
        for fact in self.facts.of(edit):
            found = True
            if edit.kind == "inconsistent" and edit.real not in fact.text:
                reasons.append("no sentence states its value as the edit has it")
                continue
            if not fact.row and (why := unfit(fact)):
                reasons.append(why)
                continue
            for question in self._questions(fact):
                made = self._sound(fact, question)
                if isinstance(made, Probe):
                    return made
                reasons.append(made)
        if reasons:
            return reasons[0]
        return "no question can be made of its sentence" if found else "no sentence states its value by itself"

    def sound(self, fact: Fact, question: str) -> Probe | str:
        """The probe that asks a question for the value of a fact, or the reason why there is none."""
        return self._sound(fact, _Asked(question))

    def _questions(self, fact: Fact) -> Iterator[_Asked]:
        kind = fact.edit.kind
        if kind in TURNS:
            yield from self._polar(fact)
        if kind not in TURNS and fact.language in {"en", ""} and len(fact.values) == 1 and not fact.row:
            yield from self._english(fact)
        if fact.cell is not None and (cell := of_cell(fact.cell, fact.language)) is not None:
            yield _Asked(cell)
        if kind not in TURNS and len(fact.text) >= _SHORT and not fact.row and not hollow(fact):
            yield from self._gaps(fact)

    def _english(self, fact: Fact) -> Iterator[_Asked]:
        """Questions for a value, with the question word in front, and then with it in its place."""
        whole = clause_of(fact.text, fact.values[0], fact.before)
        alone = stands_alone(whole.text, (whole.start, whole.end)) and not vague(whole.text)
        placed: list[str] = []
        for each in (whole, *shortened(whole, lambda text: self._foreign(text, fact) is not None)):
            if not quantities(fact.edit.real) and (role := named_role(each)):
                yield _Asked(role)
            what = None if not alone or vague(each.text) else sought(each.text, (each.start, each.end), fact.edit)
            if what is None:
                continue
            for found in asked(each, what, self._rivals.common):
                yield _Asked(found)
                if fact.heading:
                    yield _Asked(under(found, fact.heading), within=True)
            if (question := in_place(each, what, self._rivals.common)) is not None:
                placed.append(question)
        for question in placed:
            yield _Asked(question)
            if fact.heading:
                yield _Asked(under(question, fact.heading), within=True)

    def _foreign(self, text: str, fact: Fact) -> str | None:
        """Words in a text that another edit changes."""
        other = next((each for each in fact.foreign if names(text, each)), None)
        return other or self._renamed.within(text, fact.edit)

    def _polar(self, fact: Fact) -> Iterator[_Asked]:
        if not fact.turned or vague(fact.text):
            return
        if fact.edit.kind == "order":  # neither of two orders is the plainer one to ask for: they take turns
            turn = crc32(fact.edit.id.encode("utf-8", "surrogatepass")) % 2 == 0
            found = stated(fact.text, fact.turned, fact.language, of_real=turn)
        else:
            found = polar(fact.text, fact.turned, fact.language, self._rivals.common)
        if found is not None and len(keys(fact.text)) > _TELLING:
            answers = (found.real, found.fictive, found.real_forms, found.fictive_forms)
            yield _Asked(found.question, False, *answers)
            if fact.heading and fact.language in {"en", ""}:
                yield _Asked(under(found.question, fact.heading), True, *answers)

    def _gaps(self, fact: Fact) -> Iterator[_Asked]:
        """The sentence with a gap; one that does not say what it is about behind what stands before it."""
        bare = [] if vague(fact.text) else [_Asked(gap(fact))]
        behind = [_Asked(gap(fact, fact.before))] if fact.before else []
        if fact.heading and not vague(fact.text):
            behind.append(_Asked(gap(fact, f"{fact.heading}:"), within=True))
        short = len(keys(fact.text)) <= _FEW
        yield from (*reversed(behind), *bare) if short else (*bare, *behind)

    def _sound(self, fact: Fact, asked_: _Asked) -> Probe | str:
        question = asked_.question
        if _denied(fact):
            return "another edit denies what its sentence says"
        if other := self._foreign(question, fact):
            return f"its question would name {other!r}, which another edit changes"
        if why := self._rivals.against(question, fact, within=asked_.within):
            return why
        probe = self._written(fact, asked_)
        return problem(probe, self._twin) or probe

    def _written(self, fact: Fact, asked_: _Asked) -> Probe:
        edit = fact.edit
        value = asked_.real is None
        stated = _stated(fact) if value else (asked_.real or "", asked_.fictive)
        real, fictive = stated
        places = [each for at, each in enumerate(edit.replacements) if at not in set(edit.repairs)]
        return Probe(
            id=edit.id,
            question=" ".join(asked_.question.split()),
            real=real,
            fictive=fictive,
            also=edit.also if value else None,
            real_forms=_forms(edit, real, 0) if value else asked_.real_forms,
            fictive_forms=_forms(edit, fictive, 1) if value else asked_.fictive_forms,
            documents=tuple(dict.fromkeys(each.document for each in places)),
            real_quote=fact.real,
            fictive_quote=fact.fictive if edit.fictive is not None else "",
            kind=edit.kind,
            size=edit.size,
            subject=subject(self._twin.real[fact.document]),
            edit=edit.id,
        )


def _denied(fact: Fact) -> bool:
    """Whether the twin denies a sentence of which it changes a value, or affirms what the corpus denies."""
    if fact.edit.kind in TURNS or not fact.fictive:
        return False
    return denies(fact.real, fact.language) != denies(fact.fictive, fact.language)


def _stated(fact: Fact) -> tuple[str, str | None]:
    """The answers: the values as the edit has them, or as the sentence does where it has only a part of them."""
    edit = fact.edit
    part = edit.kind in _NAMES or edit.real not in fact.text
    local = edit.kind != "inconsistent" and part and edit.fictive is not None
    return fact.said if local and all(fact.said) and len(fact.said[0]) <= len(edit.real) else (edit.real, edit.fictive)


def _forms(edit: Edit, value: str | None, side: int) -> tuple[str, ...]:
    """Other forms of one value of an edit, without those that may stand for another one as well."""
    if value is None:
        return ()
    whole = (edit.real, edit.fictive or "")[side]
    pairs = [(whole, *(pair[side] for pair in edit.forms))] if edit.fictive is not None else [(whole,)]
    others = {edit.real, edit.fictive, edit.also} - {whole, None}
    foreign = {form for each in others for form in (each, *forms(str(each), edit.kind))}
    foreign |= {pair[1 - side] for pair in edit.forms}
    found = (*forms(value, edit.kind), *(form for form in pairs[0] if _same(form, value)))
    return tuple(dict.fromkeys(each for each in found if each and each != value and each not in foreign))


def _same(form: str, value: str) -> bool:
    """Whether a written form is of the same value: not the same number of another thing, nor another part of a name."""
    wanted = {(each.kind, each.value) for each in quantities(value)}
    if wanted:
        return any((each.kind, each.value) in wanted for each in quantities(form))
    words, others = set(form.casefold().split()), set(value.casefold().split())
    return words <= others or others <= words or len(words) == 1 == len(others)


class _Renamed:
    """Names that edits change everywhere: no question about another edit may use one."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._by_word: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for edit in edits:
            if edit.kind in {"name", "nonce"}:
                for old in dict.fromkeys((edit.real, *(old for old, _ in edit.forms))):
                    if words := old.casefold().split():
                        self._by_word[words[0]].append((old, edit.id))

    def within(self, question: str, edit: Edit) -> str | None:
        """The first such name in a question."""
        for word in dict.fromkeys(question.casefold().replace("\u2019", "'").split()):
            bare = word.strip(".,;:!?()\"'\u201c\u201d\u00ab\u00bb").removesuffix("'s")
            for old, id_ in self._by_word.get(bare, ()):
                if id_ != edit.id and names(question, old):
                    return old
        return None
