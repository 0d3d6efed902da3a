"""Passages that give instructions to the model that will read them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from trail_callbacks.context_filter.disguises import View, hidden, normalized, undisguised
from trail_callbacks.context_filter.reason import Reason
from trail_callbacks.context_filter.rules import Sign, fired, sentence

_AGAIN = 0.4  # of another rule of the same kind, elsewhere in the text
_STRETCH = 16_000  # characters that are read at once: rules look at what stands near
_LAP = 2_500  # characters beyond them, on either side

_QUOTED_FACTOR = 0.5  # what a rule says of quoted words in a text about such words
_DISCUSSED_FACTOR = 0.7  # and of words in a text about attacks or prompts
_REPORTED_FACTOR = 0.5  # of an order that is reported, not given
_CONDITIONAL_FACTOR = 0.75  # of one that depends on the reader's case
_BEFORE = 80  # characters ahead of an order that tell whether it is one
_BEHIND = 200  # characters after it in which a condition counts
_QUOTATION = re.compile(  # bounded, or marks without a partner make reading quadratic
    r"```.{1,4000}?```|`[^`\n]{1,400}`|\u201c[^\u201d]{1,600}\u201d|\u201e[^\u201c\u201d]{1,600}[\u201c\u201d]"
    r"|\u00ab[^\u00bb]{1,600}\u00bb|\u300c[^\u300d]{1,600}\u300d|\u2018[^\u2019]{1,600}\u2019(?!\w)|\"[^\"]{1,600}\""
    r"|(?<!\w)'[^'\n]{1,600}'(?!\w)",
    re.DOTALL,
)
_SUBJECT = re.compile(
    r"prompt[\s-]injections?|\battackers?\b|jailbreak\w{0,9}|adversarial|\bresearchers\b|vulnerabilit\w{1,9}|malicious|"
    r"\bmitigations?\b|\bowasp\b|\bclassifiers?\b|\btokens?\b|chat templates?|documentation|\bschema\b|\bapi\b|"
    r"\bsyntax\b|training data"
)
_GIVEN = re.compile(  # what stands before an order, as opposed to a report of one
    r"(?:^|[,;:>*#\"'\u201c\u2018\u00ab(\[\]!|/\u2013\u2014-]|\b(?:please|kindly|now|must|should|shall|and|then|so|just|"
    r"immediately|instead|first|also|but|hereby|or|you (?:to|will|are to|need to|have to)|(?:tool|function|plugin) to|"
    r"(?:use|call) (?:the|your)|(?:must|need|has|have|are|is|required|instructed|order|request|command) "
    r"(?:\w{1,20} )?to|(?<!if )(?<!when )(?<!unless )(?<!that )you(?: \w{1,20}ly)?|"
    r"ai|assistant|model|bot|chatbot|task|important|attention|warning|note|instructions?|order))\W{0,4}$"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|when)\b(?! you (?:are|re) an? )|(?<!que )\b(?:si|wenn|falls|se|als|jesli|eger)\b(?= \w)"
    r"|если|如果|もし|만약"
)


def instruction(text: str) -> Reason | None:
    """Looks for instructions to a model in a text.

    Signs add up as independent ones do, `1 - (1 - a)(1 - b)`; a second rule of one kind counts less. What is found only
    after a disguise was removed, or where a page does not show it, counts more; what is quoted, reported or said on a
    condition counts less.

    Args:
        text: The passage.

    Returns:
        The finding, with the kinds of the rules that fired as signals; None if no rule fires.
    """
    plain = normalized(text)
    found = list(_signs(plain))
    known = {(sign.start, sign.why) for sign in found}
    for view in undisguised(text, plain):
        found += [_raised(sign, view.disguise) for sign in _signs(view) if (sign.start, sign.why) not in known]
    for first, last in hidden(text):
        for sign in _signs(normalized(text[first:last])):
            moved = sign._replace(start=sign.start + first, end=sign.end + first)
            found.append(_raised(moved, "in what a page does not show"))
    return _scored(found, text) if found else None


def _signs(view: View) -> Iterator[Sign]:
    """What the rules say of a view, in offsets of the original; words that are only mentioned weigh less."""
    for start in range(0, len(view.text), _STRETCH):
        first = max(0, start - _LAP)
        text = view.text[first : start + _STRETCH + _LAP]
        found = [sign for sign in fired(text) if start <= first + sign.start < start + _STRETCH]  # others: beside it
        if not found:
            continue
        quotations = [match.span() for match in _QUOTATION.finditer(text)]
        discussed = len({match[0] for match in _SUBJECT.finditer(text)}) > 1
        for sign in found:
            at = bisect_right(quotations, sign.start, key=lambda span: span[0])
            quoted = at > 0 and sign.end <= quotations[at - 1][1]
            begin, end = view.original(first + sign.start, first + sign.end)
            yield _weighed(sign, text, quoted=quoted, discussed=discussed)._replace(start=begin, end=end)


def _weighed(sign: Sign, text: str, *, quoted: bool, discussed: bool) -> Sign:
    """A sign by how its words are meant: as an order, on a condition, reported, quoted, in a text about such words."""
    first, last = sentence(text, sign.start, sign.end)
    conditional = sign.order and _CONDITION.search(text, first, min(last, sign.end + _BEHIND))
    before = text[max(first, sign.start - _BEFORE) : sign.start]
    reported = sign.order and sign.english and not _GIVEN.search(before)
    weight = sign.weight * (_CONDITIONAL_FACTOR if conditional else 1.0) * (_REPORTED_FACTOR if reported else 1.0)
    weight *= _QUOTED_FACTOR if quoted else _DISCUSSED_FACTOR if discussed else 1.0
    return sign._replace(weight=weight)


def _raised(sign: Sign, disguise: str) -> Sign:
    """Whoever hides an order knows what it is."""
    return sign._replace(weight=1.0 - (1.0 - sign.weight) * 0.5, why=f"{sign.why}, {disguise}")


def _scored(found: Sequence[Sign], text: str) -> Reason:
    order = sorted(found, key=lambda sign: (-sign.weight, sign.start))
    by_kind: dict[str, list[Sign]] = {}
    doubt = 1.0
    for sign in order:
        same = by_kind.setdefault(sign.kind, [])
        if any(sign.why == other.why or (sign.start < other.end and other.start < sign.end) for other in same):
            continue
        doubt *= 1.0 - sign.weight * (_AGAIN if same else 1.0)
        same.append(sign)
    first = order[0]
    return Reason(
        kind="instruction",
        score=min(1.0 - doubt, 0.99),
        start=first.start,
        end=first.end,
        quote=text[first.start : first.end],
        signals=tuple(by_kind),
        why=f"It {first.why}.",
    )
