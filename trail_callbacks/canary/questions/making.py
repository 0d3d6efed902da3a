"""Probes of a twin, by rules: one question about each edit that a question can be made of."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from trail_callbacks.canary.corpus import Document, Skipped
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.questions.checking import names, problem
from trail_callbacks.canary.questions.cloze import denies, gap, hollow, unfit, yes_or_no
from trail_callbacks.canary.questions.facts import EditedSentence, EditedSentences, called
from trail_callbacks.canary.twin import TURNS, Edit, Twin
from trail_callbacks.evidence.spans import pairs, tables
from trail_callbacks.language.terms import keys, terms
from trail_callbacks.language.values import quantities
from trail_callbacks.splitting.words import points_back
from trail_callbacks.text import Sentence, sentences

_NAMES: Final = frozenset({"name", "nonce"})  # kinds of edits that change a name everywhere
_SUBJECTS: Final = ("subject", "topic", "category")
_FEW: Final = 6  # words of a sentence that says too little by itself, the value included
_TELLING: Final = 3  # words of a sentence that cannot be told from others by its words
_SHORT: Final = 24  # characters of a sentence that a gap needs around it
_MARKS: Final = ".,;:!?()\"'\u201c\u201d\u00ab\u00bb"
_YES: Final = {"yes": ("true", "correct"), "no": ("false", "incorrect")}


def make_probes(twin: Twin, *, most: int | None = None) -> tuple[tuple[Probe, ...], tuple[Skipped, ...]]:
    """Makes probes: at most one for each edit, of its first sentence that a sound question can be made of.

    Questions ask what is missing in a sentence, and of a turned one whether it is right; a model asks as people do
    (`model_probes`). Each probe is checked: its question names neither answer, nor words
    that another edit changes; it says enough to tell which fact is meant; no other sentence of the corpus may answer
    it; `problem` finds nothing.

    Args:
        twin: The twin.
        most: Number of probes wanted; kinds of edits take turns. None makes all.

    Returns:
        The probes in the order of the edits, and the edits without one with the reason.
    """
    maker = Maker(twin)
    kinds: dict[str, list[Edit]] = defaultdict(list)
    for edit in twin.edits:
        kinds[edit.kind].append(edit)
    made: dict[str, Probe] = {}
    lost: dict[str, Skipped] = {}
    for edit in (edit for turn in zip_longest(*kinds.values()) for edit in turn if edit is not None):
        if most is not None and len(made) >= most:
            break
        if isinstance(found := maker.probe(edit), Probe):
            made[edit.id] = found
        else:
            lost[edit.id] = Skipped(edit.id, found)
    return tuple(made[e.id] for e in twin.edits if e.id in made), tuple(lost[e.id] for e in twin.edits if e.id in lost)


class Maker:
    """Makes probes of one twin; `facts` are the sentences that its edits change."""

    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        self.facts = EditedSentences(twin)
        self._rivals = Rivals(twin)
        self._renamed: dict[str, list[tuple[str, str]]] = defaultdict(list)  # names that change everywhere, by word
        for edit in twin.edits:
            for old in dict.fromkeys((edit.real, *(old for old, _ in edit.forms))) if edit.kind in _NAMES else ():
                if words := old.casefold().split():
                    self._renamed[words[0]].append((old, edit.id))

    def probe(self, edit: Edit) -> Probe | str:
        """The first sound probe of an edit, or the reason why its first question is not."""
        why = ""
        for fact in self.facts.of(edit):
            if edit.kind == "inconsistent" and edit.real not in fact.text:
                why = why or "no sentence states its value as the edit has it"
                continue
            unasked = None if fact.row else unfit(fact)
            for question, said in () if unasked else self._questions(fact):
                found = self.sound(fact, question, said)
                if isinstance(found, Probe):
                    return found
                why = why or found
            why = why or unasked or "no question can be made of its sentence"
        return why or "no sentence states its value by itself"

    def sound(self, fact: EditedSentence, question: str, said: _Answers | None = None) -> Probe | str:
        """The probe that asks a question about a sentence, or the reason why there is none."""
        denied = denies(fact.fictive, fact.language) != denies(fact.real, fact.language)
        if fact.edit.kind not in TURNS and fact.fictive and denied:
            return "another edit denies what its sentence says"
        if other := self._foreign(question, fact):
            return f"its question would name {other!r}, which another edit changes"
        if why := self._rivals.against(question, fact):
            return why
        probe = self._written(fact, question, said or _answers(fact))
        return problem(probe, self._twin) or probe

    def _questions(self, fact: EditedSentence) -> Iterator[tuple[str, _Answers | None]]:
        """Questions about a sentence, the shortest first, each with its answers if these are yes and no."""
        clear, words = not points_back(fact.text), len(keys(fact.text))
        if fact.edit.kind in TURNS:
            if clear and words > _TELLING and (turned := yes_or_no(fact)) is not None:
                question, real, fictive = turned
                yield question, _Answers(real, fictive, _YES[real], _YES[fictive])
            return
        if fact.cell:
            yield gap(fact), None
        elif not fact.row and not hollow(fact):
            gaps = [gap(fact)] if clear and len(fact.text) >= _SHORT else []
            gaps += [gap(fact, fact.before)] if fact.before else []
            gaps += [gap(fact, f"{fact.heading}:")] if fact.heading and clear else []
            yield from ((each, None) for each in (gaps[::-1] if words <= _FEW else gaps))

    def _foreign(self, text: str, fact: EditedSentence) -> str | None:
        """Words in a text that another edit changes."""
        words = dict.fromkeys(text.casefold().replace("\u2019", "'").split())
        renamed = (each for word in words for each in self._renamed.get(word.strip(_MARKS).removesuffix("'s"), ()))
        others = [*fact.foreign, *(old for old, id_ in renamed if id_ != fact.edit.id)]
        return next((other for other in others if names(text, other)), None)

    def _written(self, fact: EditedSentence, question: str, said: _Answers) -> Probe:
        edit = fact.edit
        places = [each for at, each in enumerate(edit.replacements) if at not in edit.repairs]
        return Probe(
            id=edit.id,
            question=" ".join(question.split()),
            **said._asdict(),
            also=None if edit.kind in TURNS else edit.also,
            documents=tuple(dict.fromkeys(each.document for each in places)),
            real_quote=fact.real,
            fictive_quote=fact.fictive if edit.fictive is not None else "",
            kind=edit.kind,
            size=edit.size,
            subject=_subject(self._twin.real[fact.document]),
            edit=edit.id,
        )


class _Answers(NamedTuple):
    """The answer of the corpus, that of the twin (None if it has none), and other ways to say them."""

    real: str
    fictive: str | None
    real_forms: Sequence[str] = ()
    fictive_forms: Sequence[str] = ()


def _answers(fact: EditedSentence) -> _Answers:
    """The values as the edit has them, or as the sentence does where it has only a part of them."""
    edit, real, fictive = fact.edit, fact.edit.real, fact.edit.fictive
    part = edit.kind in _NAMES or real not in fact.text
    if edit.kind != "inconsistent" and part and all(fact.said) and len(fact.said[0]) <= len(real):
        real, fictive = fact.said
    return _Answers(real, fictive, _forms(edit, real, 0), _forms(edit, fictive, 1))


def _forms(edit: Edit, value: str | None, side: int) -> tuple[str, ...]:
    """Other ways to write one value of an edit, without those that may stand for another one as well."""
    if value is None:
        return ()
    own = [pair[side] for pair in edit.forms] if edit.fictive is not None else []
    whole = (edit.real, edit.fictive or "")[side]
    found = [*_shorter(value, edit), *(form for form in (whole, *own) if _is_same(form, value))]
    foreign = {pair[1 - side] for pair in edit.forms} | {value}
    for other in {edit.real, edit.fictive, edit.also} - {whole, None}:
        foreign |= {str(other), *_shorter(str(other), edit)}
    return tuple(dict.fromkeys(form for form in found if form and form not in foreign))


def _shorter(value: str, edit: Edit) -> list[str]:
    """The surname of a person, and the number that answers `how many minutes`."""
    words = value.split()
    if edit.kind in _NAMES:
        person = 2 <= len(words) <= 3 and all(word[:1].isupper() for word in words)  # noqa: PLR2004 - first, middle, last
        surname = [words[-1]] if person and len(words[-1]) > 2 else []  # noqa: PLR2004 - no initial
        return [value.removeprefix("the ").removeprefix("The "), *surname]
    return words[:1] if len(words) > 1 and len(quantities(value)) == 1 and words[0][:1].isdigit() else []


def _is_same(form: str, value: str) -> bool:
    """Whether a written form is of the same value: not the same number of another thing, nor another part of a name."""
    if wanted := {(each.kind, each.value) for each in quantities(value)}:
        return any((each.kind, each.value) in wanted for each in quantities(form))
    words, others = set(form.casefold().split()), set(value.casefold().split())
    return words <= others or others <= words or len(words) == 1 == len(others)


def _subject(document: Document) -> str | None:
    """What a document is about, as its metadata says, or the folder that it lies in; None if neither tells."""
    found = (document.metadata.get(key) for key in _SUBJECTS)
    said = next((each for each in found if isinstance(each, str) and each.strip()), None)
    return said or document.id.rpartition("/")[0] or None


_ENOUGH: Final = 4  # words that tell a fact without a name
_FEWEST_NAMED: Final = 2  # words that tell one with a name
_MOST: Final = 2_000  # sentences that are compared with a question
_SHARE: Final = 5  # one word in so many of a question may be missing in what answers it


class Rivals:
    """An index of all sentences and rows of a twin's real corpus."""

    def __init__(self, twin: Twin) -> None:
        self._corpus = twin.real
        self._places: list[tuple[str, Sentence, frozenset[str]]] = []
        self._by_key: dict[str, list[int]] = defaultdict(list)
        self._rows: Counter[tuple[str, str]] = Counter()
        for document in twin.real:
            for sentence in sentences(document.text):
                found = frozenset(keys(sentence.text))
                for key in found:
                    self._by_key[key].append(len(self._places))
                self._places.append((document.id, sentence, found))
            for row in (row for table in tables(document.text) for row in table.rows if row.head):
                if cells := pairs(row.head.rpartition("\n")[2], document.text[row.start : row.end]):
                    self._rows[row.head, called([cell for _, cell in cells])] += 1

    def against(self, question: str, fact: EditedSentence) -> str | None:
        """Says why a question does not tell which fact it asks for; None if it does."""
        if fact.cell is not None:
            several = self._rows[fact.cell.head, fact.cell.row] > 1
            return f"the corpus has several rows {fact.cell.row!r} in such tables" if several else None
        within = bool(fact.heading) and fact.heading.casefold() in question.casefold()  # only its document counts then
        if within and sum(fact.heading in each.text for each in self._corpus) > 1:
            return f"several documents of the corpus have the title {fact.heading[:80]!r}"
        about = frozenset(keys(question)) & (frozenset(keys(fact.text)) | frozenset(keys(fact.before)))
        if fact.edit.kind not in TURNS and all(each.kind != "count" for each in quantities(fact.said[0]) or ()):
            about -= frozenset(keys(fact.said[0]))  # a unit tells nothing
        named = any(term.kind in {"name", "number"} for term in terms(question[1:]))
        if len(about) < (_FEWEST_NAMED if named or within else _ENOUGH):
            return "its question would name too little to tell which fact is meant"
        spared = len(about) // _SHARE  # what has the others has one of the rarest
        rarest = sorted(about, key=lambda key: len(self._by_key.get(key, ())))[: spared + 1]
        looked = dict.fromkeys(at for key in rarest for at in self._by_key.get(key, ()))
        if len(looked) > _MOST:
            return "too many sentences of the corpus are like the one that answers it"
        edited = [(each.document, each.start) for each in fact.edit.replacements]
        for document, sentence, said in map(self._places.__getitem__, looked):
            if len(about & said) < len(about) - spared or (within and document != fact.document):
                continue
            own = any(of == document and sentence.start <= start < sentence.end for of, start in edited)
            if not own and _has_such_value(sentence.text, fact, question):
                return f"another sentence of the corpus may answer it: {sentence.text[:80]!r}"
        return None


def _has_such_value(text: str, fact: EditedSentence, question: str) -> bool:
    """Whether a text has a value of the kind that a question asks for, besides those that the question has itself."""
    wanted = {(each.kind, each.noun if each.kind == "count" else "") for each in quantities(fact.edit.real)}
    if not wanted and fact.edit.kind not in TURNS:
        known = {term.form for term in terms(question)}
        return any(term.kind == "name" and term.form not in known for term in terms(text))
    given = {(each.kind, each.value) for each in quantities(question)}
    found = [each for each in quantities(text) if (each.kind, each.value) not in given]
    return not wanted or any({(each.kind, each.noun), (each.kind, "")} & wanted for each in found)
