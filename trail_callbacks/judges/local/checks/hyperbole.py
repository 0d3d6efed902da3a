"""Hyperbole: the claim is stronger than the passage, by a word of degree or by a higher step of one scale."""

from __future__ import annotations

import re

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.slots import agreement, neighbours
from trail_callbacks.language.terms import stem
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_STRONG = re.compile(
    r"\b(?:dramatic(?:ally)?|drastic(?:ally)?|massively|hugely|enormous(?:ly)?|immense(?:ly)?|vastly|"
    r"overwhelming(?:ly)?|extremely|incredibl[ey]|unbelievabl[ey]|amazing(?:ly)?|astonishing(?:ly)?|"
    r"revolutionary|revolutioni[sz](?:e[sd]?|ing)|groundbreaking|game-chang(?:er|ing)|unprecedented|unparalleled|"
    r"unrivalled|world-class|legendary|phenomenal(?:ly)?|spectacular(?:ly)?|extraordinar(?:y|ily)|exceptional(?:ly)?|"
    r"perfect(?:ly)?|flawless(?:ly)?|utter(?:ly)?|absolutely|undoubtedly|unquestionably|"
    r"guaranteed?s?|without\s+(?:fail|doubt|question)|beyond\s+(?:doubt|question|recognition)|by\s+far|"
    r"catastrophic(?:ally)?|devastating(?:ly)?|skyrocket(?:ed|s|ing)?|plummet(?:ed|s|ing)?|"
    r"countless|endless(?:ly)?|large\s+majority|vast\s+majority)\b",
    re.IGNORECASE,
)
_STEM = 6  # letters that make two forms of a strong word one
_MILD = re.compile(
    r"\b(?:very|highly|greatly|strongly|sharply|significant(?:ly)?|radical(?:ly)?|huge|enormous|great(?:est)?|much|"
    r"excellent|wonderful|terrific|immense|vast|massive|unique|ideal|terrible|severe(?:ly)?|disastrous|"
    r"tremendous(?:ly)?)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|no|never|cannot|without|difficult|hard|impossible)\b|n['\u2019]t\b", re.IGNORECASE)
_STEPS = """okay acceptable adequate decent fair satisfactory < good nice solid positive < excellent superb
outstanding great < perfect flawless unbeatable;
weak bad poor disappointing < terrible awful dreadful horrible < catastrophic disastrous;
minor slight small modest mild < moderate noticeable considerable notable < large big major serious
significant severe < huge enormous massive extreme drastic dramatic;
rise grow increase climb gain < jump surge < soar skyrocket explode rocket;
fall drop decline decrease dip slip reduce < tumble slump plunge < plummet collapse crash;
like appreciate enjoy < love adore < worship;
dislike < hate detest loathe;
criticise criticize question < attack condemn denounce blast slam;
help assist support contribute < guarantee;
improve better < transform revolutionise revolutionize;
damage harm hurt < destroy devastate ruin annihilate;
popular known < famous celebrated renowned < legendary iconic;
suggest indicate hint imply < show demonstrate < prove establish;
tired < exhausted;
cold cool < freezing frozen;
hungry < starving;
surprised < amazed astonished stunned shocked;
concerned worried < terrified panicked alarmed;
rare uncommon unusual < unprecedented unheard;
promising encouraging hopeful < groundbreaking revolutionary;
safe < harmless riskless;
difficult hard challenging < impossible;
several some few < many numerous < countless innumerable endless"""  # `;` parts scales, `<` their steps
_SCALES = [[[stem(form) for form in step.split()] for step in scale.split("<")] for scale in _STEPS.split(";")]
_PLACES = {
    form: (scale, step) for scale, steps in enumerate(_SCALES) for step, forms in enumerate(steps) for form in forms
}
_ON_SUBJECT = 0.3
_PAIR = 0.6


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a word of high degree in the claim that the passage does not use.

    Either a word of the highest degree, where the passage has a word beside it and none nearly as strong; or a higher
    step of a scale of which the passage has a lower one beside a shared word (`good` < `excellent` < `perfect`). What
    is denied (`not guaranteed`) is no hyperbole.
    """
    return _stronger(claim, passage) or _higher(claim, passage)


def _stronger(claim: Reading, passage: Reading) -> Finding | None:
    told = passage.text.casefold()
    for strong in _STRONG.finditer(claim.text):
        if strong.group().casefold()[:_STEM] in told or _MILD.search(told):
            continue
        if _DENIED.search(claim.text[max(0, strong.start() - 30) : strong.start()]) or _in_name(strong, claim):
            continue
        beside = [t for t in claim.content if t.end <= strong.start()][-1:] + [
            t for t in claim.content if t.start >= strong.end()
        ][:1]
        if not any(map(passage.has, beside)) or agreement(claim, passage, strong.span()) < _ON_SUBJECT:
            continue
        return _finding(claim, strong.span(), passage, (0, 0))
    return None


def _in_name(strong: re.Match[str], claim: Reading) -> bool:
    return any(term.start <= strong.start() < term.end for name in claim.names for term in name)


def _higher(claim: Reading, passage: Reading) -> Finding | None:
    for i, term in enumerate(claim.terms):
        at = _PLACES.get(term.stem)
        if at is None or term.kind == "name" or passage.has(term):
            continue
        scale, step = at
        places = [(k, other) for k, other in enumerate(passage.terms) if _PLACES.get(other.stem, (-1,))[0] == scale]
        if not places or any(_PLACES[other.stem][1] >= step for _, other in places):
            continue
        if _denies(claim, i) or agreement(claim, passage, (term.start, term.end)) < _PAIR:
            continue
        for k, other in places:
            if not claim.has(other) and not _denies(passage, k) and _beside(claim, i, passage, k):
                return _finding(claim, (term.start, term.end), passage, (other.start, other.end))
    return None


def _denies(reading: Reading, i: int) -> bool:
    ahead = reading.terms[max(0, i - 4)].start
    return _DENIED.search(reading.text[ahead : reading.terms[i].start]) is not None


def _beside(claim: Reading, i: int, passage: Reading, k: int) -> bool:
    keys: set[str] = {key for each in neighbours(passage, k) if each for key in (each.form, each.stem)}
    return any(each is not None and ({each.form, each.stem} & keys) for each in neighbours(claim, i))


def _finding(claim: Reading, span: tuple[int, int], passage: Reading, place: tuple[int, int]) -> Finding:
    return Finding(
        error_type=ErrorType.HYPERBOLE,
        support=SupportClass.PARTIALLY_SUPPORTED,
        claim_words=claim.text[slice(*span)],
        evidence_words=passage.text[slice(*place)],
        claim_span=span,
        span=place,
    )
