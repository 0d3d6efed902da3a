"""How words are said: quoted, told of somebody, forbidden, on a condition. What is mentioned is not yet ordered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from trail_callbacks.context_filter.signals import Signal

__all__ = ["Manner", "sentence"]

_MENTIONED = 0.5  # what a rule says of quoted words in a text about such words
_DISCUSSED = 0.7  # and of words in a text about attacks that are not quoted
_TOLD = 0.5  # of an order that is told, not given
_CONDITIONAL = 0.75  # of one that depends on the reader's case
_NEAR = 80  # signs ahead of an order that tell whether it is one
_LONGEST = 400  # signs of a sentence that are looked at on either side
_FAR = 200  # signs behind it in which a condition counts

_BREAKS = ".!?\n\u3002\uff01\uff1f\u0964\u061f"
_QUOTED = re.compile(  # bounded, or marks without a partner make reading quadratic
    r"```.{1,4000}?```|`[^`\n]{1,400}`|\u201c[^\u201d]{1,600}\u201d|\u201e[^\u201c\u201d]{1,600}[\u201c\u201d]"
    r"|\u00ab[^\u00bb]{1,600}\u00bb|\u300c[^\u300d]{1,600}\u300d|\u2018[^\u2019]{1,600}\u2019(?!\w)|\"[^\"]{1,600}\""
    r"|(?<!\w)'[^'\n]{1,600}'(?!\w)",
    re.DOTALL,
)
_TALK = re.compile(
    r"prompt[\s-]injection|\binject|\battack|adversar|jailbreak|malicious|\bresearch|\bsecurity|vulnerab|red[\s-]team|payload|"
    r"for example|\be\.g\.|such as|\bphrase|\bexample|\blike\b|\bsa(?:ys?|id)\b|\bwrote\b|\breads?\b|\basked\b|"
    r"\btyp(?:e|es|ed|ing)\b|"
    r"\btokens?\b|\btemplate|\btutorial|documentation|\bquote|\bcalled\b|\bdetect|\bfilter|\bblock|\bpaper\b|\bchapter\b|\blesson\b|"
    r"prompt engineering|\bsyntax\b|\bformat\b|\bschema\b|\bmeans?\b|\bword|\bline\b|\btitle|\bheading|\bparameter|"
    r"\breturns?\b|"
    r"ejemplo|frase|ataque|exemple|phrase|attaque|beispiel|satz|angriff|injektion|esempio|exemplo|攻击|攻撃|例如|пример|атак|фраз"
)
_ABOUT = re.compile(
    r"prompt[\s-]injections?|\battackers?\b|jailbreak\w*|adversarial|\bresearchers\b|vulnerabilit\w+|red[\s-]team\w*|"
    r"malicious|\bdefen[cs]es?\b|mitigat\w+|\bowasp\b|\bclassifiers?\b"
)
_EXPLAINED = re.compile(r"\b(?:tokens?|tokeni[sz]er|chat templates?|documentation|schema|api|syntax)\b")
_NEGATED = re.compile(
    r"(?:\b(?:not|never|cannot|dont|don t|won t|without|nor)|n['\u2019]t)(?: (?:simply|ever|just))?\s*$"
)
_ORDERED = re.compile(
    r"(?:^|[,;:>*#\"'\u201c\u2018\u00ab(\[\]!|/\u2013\u2014-]|\b(?:please|kindly|now|must|should|shall|and|then|so|just|simply|"
    r"immediately|instead|first|also|but|hereby|or|you (?:to|will|are to|need to|have to|can now)|"
    r"(?:tool|function|plugin) to|(?:use|using|call|invoke) (?:the|your)|"
    r"(?:must|need|needs|has|have|are|is|required|instructed|ordered|free|going|want|order|request|command) "
    r"(?:\w+ )?to|"
    r"(?<!if )(?<!when )(?<!unless )(?<!once )(?<!should )(?<!that )you(?: \w+ly)?|"
    r"ai|assistant|model|bot|chatbot|gpt|task|"
    r"important|attention|warning|note|instructions?|order|step \d+))\W*$"
)
_IF = re.compile(
    r"\b(?:if|unless|when)\b(?! you (?:are|re) an? )|(?<!que )\b(?:si|wenn|falls|se|als|jesli|eger)\b(?= \w)"
    r"|если|如果|もし|만약"
)


class Manner:
    """How a text says what it says.

    Args:
        text: The folded text.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def weigh(self, signal: Signal, start: int, end: int) -> tuple[float, bool]:
        """Returns what a rule that fired there says, 0.0 to 1.0, and whether the text only reports it."""
        mood = self._mood(start, end) if signal.mood else 1.0
        if self.quotes(start, end):
            return signal.weight * mood * _MENTIONED, True
        subject = self._about or (self._explains and signal.name in {"template", "tool"})
        return signal.weight * mood * (_DISCUSSED if subject else 1.0), mood <= _TOLD

    def weigh_translated(self, name: str, weight: float, start: int, end: int) -> tuple[float, bool]:
        """As `weigh`, for a rule of another language: there no mood is known, conditions are."""
        if name == "override" and _IF.search(self._text, *sentence(self._text, start, end)):
            weight *= _CONDITIONAL
        quoted = self.quotes(start, end)
        return weight * (_MENTIONED if quoted else 1.0), quoted

    def quotes(self, start: int, end: int) -> bool:
        """Tells whether a stretch is quoted, and something is said about what is quoted."""
        return any(first <= start and end <= last for first, last in self._quoted)

    @cached_property
    def _quoted(self) -> Sequence[tuple[int, int]]:
        spans = [match.span() for match in _QUOTED.finditer(self._text)]
        return spans if spans and _TALK.search(_without(self._text, spans)) else ()

    @cached_property
    def _about(self) -> bool:
        return len({match[0] for match in _ABOUT.finditer(self._text)}) > 1

    @cached_property
    def _explains(self) -> bool:
        return _EXPLAINED.search(self._text) is not None

    def _mood(self, start: int, end: int) -> float:
        """How much an order is one: 0.0 if it is forbidden, less than 1.0 if it is told or depends on something."""
        first, last = sentence(self._text, start, end)
        before = self._text[max(first, start - _NEAR) : start]
        if _NEGATED.search(before):
            return 0.0
        factor = 1.0 if _ORDERED.search(before) else _TOLD
        return factor * (_CONDITIONAL if _IF.search(self._text, first, min(last, end + _FAR)) else 1.0)


def sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns the bounds of the sentence around a stretch; of a very long one, of what is near."""
    low, high = max(0, start - _LONGEST), min(len(text), end + _LONGEST)
    first = max((text.rfind(mark, low, start) for mark in _BREAKS), default=-1) + 1
    stops = [at for mark in _BREAKS if (at := text.find(mark, end, high)) >= 0]
    return max(first, low), min([*stops, high])


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    at, kept = 0, []
    for start, end in spans:
        kept.append(text[at:start])
        at = end
    return " ".join([*kept, text[at:]])
