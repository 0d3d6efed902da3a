"""Whether words are used or only mentioned: quoted, reported of somebody, conditional, or part of a discussion."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

__all__ = ["Mentions", "sentence"]

_QUOTED_FACTOR = 0.5  # what a rule says of quoted words in a text about such words
_DISCUSSED_FACTOR = 0.7  # and of words in a text about attacks or prompts
_REPORTED_FACTOR = 0.5  # of an order that is reported, not given
_CONDITIONAL_FACTOR = 0.75  # of one that depends on the reader's case
_BEFORE = 80  # characters ahead of an order that tell whether it is one
_BEHIND = 200  # characters after it in which a condition counts
_LONGEST = 400  # characters of a sentence that are looked at on either side

_ENDS = ".!?\n\u3002\uff01\uff1f\u0964\u061f"
_QUOTATION = re.compile(  # bounded, or marks without a partner make reading quadratic
    r"```.{1,4000}?```|`[^`\n]{1,400}`|\u201c[^\u201d]{1,600}\u201d|\u201e[^\u201c\u201d]{1,600}[\u201c\u201d]"
    r"|\u00ab[^\u00bb]{1,600}\u00bb|\u300c[^\u300d]{1,600}\u300d|\u2018[^\u2019]{1,600}\u2019(?!\w)|\"[^\"]{1,600}\""
    r"|(?<!\w)'[^'\n]{1,600}'(?!\w)",
    re.DOTALL,
)
_INTRODUCED = re.compile(  # what introduces or describes a quotation
    r"\binject|\battack|jailbreak|\bresearch|for example|\be\.g\.|such as|\bphrase|\bexample|\blike\b|\bsa(?:ys?|id)\b|"
    r"\bwrote\b|\breads?\b|\basked\b|\btyp(?:e|es|ed|ing)\b|\btokens?\b|\btemplate|\bquote|\bcalled\b|\bfilter|\bblock|"
    r"\bsyntax\b|\bformat\b|\bmeans?\b|\bword|\btitle|\bparameter|\breturns?\b|\bsystem message\b|\bbegin\b|"
    r"ejemplo|frase|ataque|exemple|phrase|attaque|beispiel|satz|angriff|esempio|exemplo|攻击|攻撃|例如|пример|атак|фраз"
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


class Mentions:
    """What a text only mentions.

    Args:
        text: Normalized text.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def factor(self, start: int, end: int, *, order: bool, english: bool = True) -> tuple[float, bool]:
        """Returns how much a rule says that fired at a stretch.

        Args:
            start: Offset of the stretch.
            end: Offset after it.
            order: Whether its words count in full only as an order.
            english: Whether the rule is English: in other languages a report is not told from an order.

        Returns:
            A factor for its weight, 0.0 to 1.0, and whether the text only reports the words.
        """
        first, last = sentence(self._text, start, end)
        conditional = order and _CONDITION.search(self._text, first, min(last, end + _BEHIND))
        reported = order and english and not _GIVEN.search(self._text[max(first, start - _BEFORE) : start])
        quoted = self.quoted(start, end)
        factor = _CONDITIONAL_FACTOR if conditional else 1.0
        if quoted or self._discussed:
            factor *= _QUOTED_FACTOR if quoted else _DISCUSSED_FACTOR
        return factor * (_REPORTED_FACTOR if reported else 1.0), reported or quoted

    def quoted(self, start: int, end: int) -> bool:
        """Tells whether a stretch is quoted in a text that says something about the quotation."""
        before = bisect_right(self._quotations, start, key=lambda span: span[0])
        return before > 0 and end <= self._quotations[before - 1][1]

    @cached_property
    def _quotations(self) -> Sequence[tuple[int, int]]:
        spans = [match.span() for match in _QUOTATION.finditer(self._text)]
        return spans if spans and _INTRODUCED.search(_without(self._text, spans)) else ()

    @cached_property
    def _discussed(self) -> bool:
        return len({match[0] for match in _SUBJECT.finditer(self._text)}) > 1


def sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns the bounds of the sentence around a stretch; of a very long one, of what is near."""
    low, high = max(0, start - _LONGEST), min(len(text), end + _LONGEST)
    first = max((text.rfind(mark, low, start) for mark in _ENDS), default=-1) + 1
    stops = [at for mark in _ENDS if (at := text.find(mark, end, high)) >= 0]
    return max(first, low), min([*stops, high])


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    at, kept = 0, []
    for start, end in spans:
        kept.append(text[at:start])
        at = end
    return " ".join([*kept, text[at:]])
