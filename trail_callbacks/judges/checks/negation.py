"""Negation: the claim denies what the passage states, or the other way round; also plain opposites."""

from __future__ import annotations

from functools import lru_cache

from trail_callbacks.judges.checks.reading import Finding, Reading
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.terms import Term, stem, vocabulary

__all__ = ["compare"]

_CUES = vocabulary("not no never neither nor none nobody nothing without cannot hardly")
_REFUSING = frozenset({"fail", "refus", "declin", "deni", "reject", "unabl", "lack"})
_NOT_CUES = vocabulary("only just merely simply necessarily until least")  # `not only`, `no later than`
_PREPOSITIONS = vocabulary("by of for in on at with from into over under against between through than as")
_REACH = 5
_OPPOSITES = {
    (stem(a), stem(b))
    for pair in """increase decrease,rise fall,grow shrink,accept reject,approve reject,allow forbid,allow prohibit,
    permit prohibit,above below,before after,more less,more fewer,higher lower,win lose,open close,start end,begin end,
    profit loss,gain lose,success failure,succeed fail,always never,first last,north south,east west,northern southern,
    eastern western,left right,hot cold,true false,include exclude,with without,mandatory optional,raise lower,
    upward downward,positive negative,majority minority,public private,buy sell,legal illegal,possible impossible,
    expensive cheap,fast slow,better worse,best worst,largest smallest,oldest youngest,agree disagree,improve worsen,
    inside outside,early late,earlier later,maximum minimum,male female,husband wife,mother father,son daughter,
    brother sister,king queen,import export,married divorced,strengthen weaken,join leave,enter leave,
    able unable,safe dangerous,safe unsafe,common rare,over under,high low,long short""".replace("\n", "").split(",")
    for a, b in [pair.split(), pair.split()[::-1]]
}  # fmt: skip
_PREFIXED = 5  # letters of a stem that takes a prefix; `form` and `inform` are no opposites
_PREFIXES = ("un", "in", "im", "dis", "non", "ir", "il")


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a shared word that only one side denies, or a word whose opposite stands in its place."""
    return _flip(claim, passage) or _opposite(claim, passage)


def _flip(claim: Reading, passage: Reading) -> Finding | None:
    if _denies(claim, passage) and _denies(
        passage, claim
    ):  # `no harm was done` and `it does no harm`: what is denied may be the same
        return None
    for i, term in enumerate(claim.terms):
        if term.kind != "word":
            continue
        places = passage.same(term)
        if not places:
            continue
        denied = _denial(claim, i)
        there = [_denial(passage, place) for place in places]
        if all((cue is None) != (denied is None) for cue in there):
            cue = denied or there[0]
            if cue is not None and _beside(claim, i, passage, places[0]):
                return _finding(
                    claim, passage, (denied or term, term), (there[0] or passage.terms[places[0]], places[0])
                )
    return None


def _denies(reading: Reading, other: Reading) -> bool:
    """Whether anything is denied that the other side speaks of, too."""
    cues = (i for i, term in enumerate(reading.terms) if term.form in _CUES or term.form.endswith("n't"))
    return any(
        term.kind != "function" and other.has(term) for i in cues for term in reading.terms[i + 1 : i + 1 + _REACH]
    )


def _denial(reading: Reading, i: int) -> Term | None:
    """The negation that reaches the i-th word; a double one cancels out.

    It reaches the next word of content, over adverbs and auxiliaries but over no preposition.
    """
    before = reading.before(i, _REACH)
    for k in range(len(before) - 1, -1, -1):
        if before[k].form in _PREPOSITIONS or (
            before[k].kind != "function" and not before[k].form.endswith("ly") and before[k].stem not in _REFUSING
        ):
            before = before[k + 1 :]
            break
    found = []
    for k, term in enumerate(before):
        after = before[k + 1].form if k + 1 < len(before) else reading.terms[i].form
        denies = (term.form in _CUES or term.form.endswith("n't")) and after not in _NOT_CUES
        if denies or (term.stem in _REFUSING and after == "to"):
            found.append(term)
    if reading.terms[i].form.endswith("n't"):
        return None
    return found[-1] if len(found) % 2 else None


def _beside(claim: Reading, i: int, passage: Reading, place: int) -> bool:
    """Both words stand among shared words: the sides talk about one thing."""
    near = [t for t in claim.terms[max(0, i - 6) : i + 7] if t.kind in {"word", "name"} and t is not claim.terms[i]]
    there = passage.terms[max(0, place - 8) : place + 9]
    known = {t.stem for t in there} | {t.form for t in there}
    return not near or any(t.stem in known or t.form in known for t in near)


def _opposite(claim: Reading, passage: Reading) -> Finding | None:
    for i, term in enumerate(claim.terms):
        if term.kind == "name" or passage.has(term):
            continue
        contrary = _contraries(term.stem)
        for place, other in enumerate(passage.terms):
            if other.stem not in contrary or claim.has(other):
                continue
            if (_denial(claim, i) is None) == (_denial(passage, place) is None) and _beside(claim, i, passage, place):
                return _finding(claim, passage, (term, term), (other, place), "opposite")
    return None


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
