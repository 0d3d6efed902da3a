"""Reasoning errors: both parts are in the sources, but not the `because`, `therefore` or `so` that joins them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.slots import within
from trail_callbacks.language.terms import Term, stem, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare_all"]

_LINK = re.compile(
    r"\b(?:because(?:\s+of)?|therefore|thus|hence|consequently|as\s+a\s+(?:result|consequence)(?:\s+of)?|"
    r"due\s+to|owing\s+to|"
    r"thanks\s+to|which\s+(?:means|meant|caused|causes|led|leads)|(?:led|leads)\s+to|caused|resulted\s+in|results\s+in|"
    r"(?<=, )so(?=\s+(?:the|they|he|she|a|an|all|we|there|this|that|[A-Z])\b))\b",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"\b(?:because|therefore|thus|hence|consequently|so|result(?:s|ed|ing)?|due|owing|thanks|caus(?:e[sd]?|"
    r"ing)|le(?:ad|ads|d|ading)|"
    r"since|as|reasons?|why|mean(?:s|t|ing)?|mak(?:e[sd]?|ing)|made|allow(?:s|ed|ing)?|enabl(?:e[sd]?|ing)|"
    r"forc(?:e[sd]?|ing)|by|"
    r"after|following|when|if|prompt(?:s|ed|ing)?|trigger(?:s|ed|ing)?|help(?:s|ed|ing)?|contribut\w+|"
    r"responsible|explain(?:s|ed)?|"
    r"from|through|with|leaving|given|for|to|that|which|who|in\s+order|effects?|produc(?:e[sd]?|ing)|"
    r"creat(?:e[sd]?|ing)|affect(?:s|ed)?|"
    r"prevent(?:s|ed|ing)?|stop(?:s|ped)?|bring(?:s|ing)?|brought|attribut\w+|blam\w+|driv\w+|drove|depend\w*|based)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:because|caus\w+|results?|resulted|due|therefore|thus|le(?:ads?|d)\s+to|reasons?|owing|why|so)\b",
    re.IGNORECASE,
)
_BACK = re.compile(r"(?:this|that|these|those|it|they|its|their|he|she|so|as)\b", re.IGNORECASE)
_UNSURE = re.compile(
    r"\b(?:(?:un(?:clear|known|certain)|not\s+(?:yet\s+)?(?:known|clear|certain)|cannot\s+(?:tell|say|be\s+said))\s+"
    r"(?:whether|if|why|how|what)|no\s+(?:link|connection|evidence|proof)|unrelated|not\s+(?:because|due|"
    r"caused|related|linked))\b",
    re.IGNORECASE,
)
_LIGHT = frozenset(
    stem(form)
    for form in vocabulary("do make have get take be become go come say use need also more other result reason")
)
_HELD = 0.6  # share of a part that one passage must have
_TOUCHED = 0.34  # share of the words of a part that a sentence must have to speak of it
_LEAST = 2  # words of content in a part


def compare_all(claim: Reading, passages: Sequence[Reading]) -> Finding | None:
    """Finds a claim of cause and effect of which the passages have both parts, in different sentences, and no link.

    A link is any word of cause, means, purpose or sequence in a sentence that has words of both parts, or one that
    opens a sentence about the one part. Left alone: claims of which a part is in no passage, and all in which one
    sentence has both parts, unless it says itself that the link is not known.
    """
    for link in _LINK.finditer(claim.text):
        parts = [_part(claim, span) for span in _spans(link, claim)]
        if len(parts) != 2 or any(len(part) < _LEAST for part in parts):  # noqa: PLR2004 - cause and effect
            continue
        one, other = parts
        holds = [[p for p, passage in enumerate(passages) if _share(part, passage) >= _HELD] for part in (one, other)]
        if not holds[0] or not holds[1]:
            continue
        both = [passage for passage in passages if _touches(one, other, passage)]
        unsure = [passage for passage in both if _UNSURE.search(passage.text)]
        if unsure and len(unsure) == len(both):
            found = _UNSURE.search(unsure[0].text)
            return found and _finding(link, found.group(), found.span())
        joined = any(_GIVEN.search(passage.text) for passage in both)
        opened = any(_opens(passages[p]) for p in {*holds[0], *holds[1]})
        if not joined and not opened and not set(holds[0]) & set(holds[1]) and not _told(link, one, other, passages):
            return _finding(link, "", (0, 0))
    return None


def _told(link: re.Match[str], one: Sequence[Term], other: Sequence[Term], passages: Sequence[Reading]) -> bool:
    """Whether a sentence with a word of each part has a plain word of cause, or one with either has the link itself."""
    word = link.group().split()[0].casefold()
    for passage in passages:
        near = [any(map(passage.has, part)) for part in (one, other)]
        if all(near) and _CAUSE.search(passage.text):
            return True
        if any(near) and word in {"due", "thanks"} and any(term.form == word for term in passage.terms):
            return True
    return False


def _opens(passage: Reading) -> bool:
    """Whether a sentence begins with a link to the one before: `Therefore`, or `This` and a word of cause."""
    return _LINK.match(passage.text) is not None or (
        _BACK.match(passage.text) is not None and _GIVEN.search(passage.text) is not None
    )


def _spans(link: re.Match[str], claim: Reading) -> Iterator[tuple[int, int]]:
    """The two parts: around a link in the middle, or around the comma behind one that opens the claim."""
    if claim.text[: link.start()].strip():
        yield 0, link.start()
        yield link.end(), len(claim.text)
        return
    comma = claim.text.find(",", link.end())
    if comma > 0:
        yield link.end(), comma
        yield comma, len(claim.text)


def _part(claim: Reading, span: tuple[int, int]) -> list[Term]:
    return [term for term in within(claim, span) if term.stem not in _LIGHT]


def _share(part: Sequence[Term], passage: Reading) -> float:
    return sum(map(passage.has, part)) / len(part)


def _touches(one: Sequence[Term], other: Sequence[Term], passage: Reading) -> bool:
    """Whether a sentence speaks of both parts, by words that only one of them has."""
    first, second = {t.stem for t in one}, {t.stem for t in other}
    own = [t for t in one if t.stem not in second], [t for t in other if t.stem not in first]
    return all(part and _share(part, passage) >= _TOUCHED for part in own)


def _finding(link: re.Match[str], words: str, span: tuple[int, int]) -> Finding:
    return Finding(
        error_type=ErrorType.REASONING_ERROR,
        support=SupportClass.ABSENT,
        claim_words=link.group(),
        evidence_words=words,
        claim_span=link.span(),
        span=span,
        detail="link not in the sources",
    )
