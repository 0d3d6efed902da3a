"""Negation: the claim denies what the passage states, or the other way round; also plain opposites."""

from __future__ import annotations

from functools import lru_cache

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.slots import agreement, clause, one_place
from trail_callbacks.language.terms import Term, stem, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_CUES = vocabulary("not no never neither nor none nobody nothing without cannot hardly barely scarcely")
_REFUSING = frozenset({"fail", "refus", "declin", "unabl"})  # with `to`
_PREVENTING = frozenset(
    stem(form) for form in vocabulary(
        """prevent avoid stop keep forbid ban prohibit deny reject lack refuse decline fail unable absence free
        impossible
    rule dispute doubt instead rather except unless unlike rarely seldom few little false untrue wrong incorrect myth
    misconception yet without against forbidden forbade"""
    )
)  # fmt: skip
_EVIDENCE = frozenset(stem(form) for form in vocabulary("evidence proof sign indication reason doubt suggestion"))
_NOT_CUES = vocabulary("only just merely simply necessarily until least solely all every always so too as later")
_PREPOSITIONS = vocabulary("by of for in on at with from into over under against between through than as")
_DEGREES = vocabulary(
    """very particularly especially fully entirely completely always all every enough as more much most quite exactly
    actively longer only necessarily so too strictly far well long better worse less further additional clear"""
)
_LIGHT = frozenset(
    stem(form) for form in vocabulary(
        """do make have get take give know say tell thing person people way time use need want like go come see look
    be become able there other one such same also however even still most many more"""
    )
)  # fmt: skip
_REACH = 5
_FLIPPED = 0.5  # share of the rest of a claim that a passage must have to deny it
_TURNED = 0.5  # the same where an opposite stands in the place of a word
_OPPOSITES = {
    (stem(a), stem(b))
    for pair in """increase decrease,increase decline,increase fall,increase drop,rise fall,rise drop,rise decline,
    grow shrink,accept reject,approve reject,allow forbid,allow prohibit,allow ban,permit ban,permit prohibit,
    above below,
    higher lower,win lose,open close,start end,begin end,profit loss,gain lose,success failure,succeed fail,
    north south,east west,northern southern,eastern western,left right,hot cold,warm cold,true false,include exclude,
    mandatory optional,compulsory optional,compulsory voluntary,mandatory voluntary,raise lower,raise cut,
    expand contract,
    upward downward,positive negative,majority minority,public private,buy sell,legal illegal,possible impossible,
    expensive cheap,fast slow,better worse,best worst,largest smallest,biggest smallest,oldest youngest,highest lowest,
    agree disagree,improve worsen,inside outside,early late,earlier later,maximum minimum,male female,husband wife,
    mother father,son daughter,brother sister,king queen,import export,strengthen weaken,join leave,
    enter leave,able unable,safe dangerous,safe unsafe,common rare,high low,long short,appear disappear,
    encourage discourage,support oppose,guilty innocent,alive dead,victory defeat,arrive depart,attack defend,
    accelerate slow,benefit harm,deny confirm,deny admit,empty full,heavy light,thick thin,wide narrow,
    strong weak,ascend descend,absent present,love hate,permanent temporary,rural urban,senior junior,
    wet dry,young old,stronger weaker,larger smaller,bigger smaller,older younger,longer shorter,faster slower,
    cheaper dearer,warmer colder,hotter colder,wetter drier,upper lower,internal external,deeper shallower
    """.replace("\n", "").split(",")
    for a, b in [pair.split(), pair.split()[::-1]]
}  # fmt: skip
_PREFIXED = 5  # letters of a stem that takes a prefix; `form` and `inform` are no opposites
_PREFIXES = ("un", "in", "im", "dis", "non", "ir", "il")


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a shared word that only one side denies, or a word whose opposite stands in its place."""
    return _flip(claim, passage) or _opposite(claim, passage)


def _flip(claim: Reading, passage: Reading) -> Finding | None:
    if (_denies(claim, passage) and _denies(passage, claim)) or _veiled(claim, passage) or _veiled(passage, claim):
        return None
    for i, term in enumerate(claim.terms):
        if term.kind != "word" or term.stem in _LIGHT:
            continue
        places = passage.same(term)
        if not places:
            continue
        denied = _denial(claim, i)
        there = [_denial(passage, place) for place in places]
        if not all((cue is None) != (denied is None) for cue in there):
            continue
        cue, place = denied or there[0], places[0]
        if cue is None or agreement(claim, passage, (term.start, term.end)) < _FLIPPED:
            continue
        if one_place(claim, i, passage, place) and not _supposed(claim, i) and not _supposed(passage, place):
            return _finding(claim, passage, (denied or term, term), (there[0] or passage.terms[place], place))
    return None


def _denies(reading: Reading, other: Reading) -> bool:
    """Whether anything is denied that the other side speaks of, too."""
    cues = (i for i, term in enumerate(reading.terms) if _is_cue(term) and _next(reading, i) not in _NOT_CUES)
    return any(
        term.kind != "function" and other.has(term) for i in cues for term in reading.terms[i + 1 : i + 1 + _REACH]
    )


def _veiled(reading: Reading, other: Reading) -> bool:
    """Whether a text denies by its words, in ways that are not followed: `prevent`, `rarely`, `it is a myth`."""
    return any(
        term.stem in _PREVENTING
        and not (term.stem in _REFUSING and _next(reading, i) == "to")
        and not (term.form == "yet" and _next(reading, i) == "to")
        for i, term in enumerate(reading.terms)
        if term.form != "without" and not other.has(term)
    )


def _supposed(reading: Reading, i: int) -> bool:
    """Whether a word stands in or after a condition, or in `patients who do not sleep`: it is no plain statement."""
    first, _ = clause(reading, i)
    told = first > 0 and reading.terms[first - 1].stem in _EVIDENCE  # `no evidence that`
    return (reading.terms[first].form in _NARROWING and not told) or any(
        t.form in _SUPPOSING for t in reading.terms[:i]
    )


_SUPPOSING = vocabulary("if unless whether until")
_NARROWING = vocabulary("when who whose which where that")


def _is_cue(term: Term) -> bool:
    return term.form in _CUES or term.form.endswith(("n't", "n\u2019t"))


def _next(reading: Reading, i: int) -> str:
    return reading.terms[i + 1].form if i + 1 < len(reading.terms) else ""


def _denial(reading: Reading, i: int) -> Term | None:
    """The negation that reaches the i-th word; a double one cancels out.

    It reaches the next word of content, over adverbs and auxiliaries but over no preposition, and over what there is no
    evidence of. `Not only`, `not yet fully` and the like deny a degree and are no denial of the word.
    """
    before = reading.before(i, _REACH)
    for k in range(len(before) - 1, -1, -1):
        solid = before[k].kind != "function" and not before[k].form.endswith("ly")
        if before[k].form in _PREPOSITIONS or (solid and before[k].stem not in _REFUSING | _EVIDENCE):
            if not any(term.stem in _EVIDENCE for term in before[:k]):
                before = before[k + 1 :]
            break
    if any(term.form in _DEGREES for term in before):
        return None
    found = []
    for k, term in enumerate(before):
        after = before[k + 1].form if k + 1 < len(before) else reading.terms[i].form
        denies = _is_cue(term) and after not in _NOT_CUES
        refuses = (term.stem in _REFUSING or (term.form == "yet" and not any(map(_is_cue, before)))) and after == "to"
        if denies or refuses:
            found.append(term)
    if _is_cue(reading.terms[i]):
        return None
    return found[-1] if len(found) % 2 else None


def _opposite(claim: Reading, passage: Reading) -> Finding | None:
    for i, term in enumerate(claim.terms):
        if term.kind == "name" or passage.has(term):
            continue
        contrary = _contraries(term.stem)
        for place, other in enumerate(passage.terms):
            if other.stem not in contrary or claim.has(other) or other.kind == "name":
                continue
            if _doubtful(claim, i) or _doubtful(passage, place):
                continue
            if _compared(claim, i) or _compared(passage, place):  # two that are compared may have changed places
                continue
            if "-" in (claim.text[term.start - 1 : term.start], passage.text[other.start - 1 : other.start]):
                continue
            if agreement(claim, passage, (term.start, term.end)) >= _TURNED and one_place(claim, i, passage, place):
                return _finding(claim, passage, (term, term), (other, place), "opposite")
    return None


def _compared(reading: Reading, i: int) -> bool:
    return any(term.form == "than" for term in reading.terms[i + 1 : i + 1 + _REACH])


def _doubtful(reading: Reading, i: int) -> bool:
    """Whether anything in the clause of a word denies, so that its opposite may mean the same."""
    first, last = clause(reading, i)
    return any(_is_cue(term) or term.stem in _REFUSING for term in reading.terms[first:last])


@lru_cache(maxsize=4096)
def _contraries(base: str) -> frozenset[str]:
    """The stems that say the opposite of one: from the list, or with a prefix more or less."""
    listed = {b for a, b in _OPPOSITES if a == base}
    longer = {prefix + base for prefix in _PREFIXES if len(base) >= _PREFIXED}
    shorter = {base[len(p) :] for p in _PREFIXES if base.startswith(p) and len(base) - len(p) >= _PREFIXED}
    return frozenset(listed | longer | shorter)


def _finding(
    claim: Reading, passage: Reading, said: tuple[Term, Term], there: tuple[Term, int], detail: str = "negation flip"
) -> Finding:
    a, b = min(t.start for t in said), max(t.end for t in said)
    ends = (there[0], passage.terms[there[1]])
    c, d = min(t.start for t in ends), max(t.end for t in ends)
    return Finding(
        error_type=ErrorType.OTHER,
        support=SupportClass.CONTRADICTED,
        claim_words=claim.text[a:b],
        evidence_words=passage.text[c:d],
        claim_span=(a, b),
        span=(c, d),
        detail=detail,
    )
