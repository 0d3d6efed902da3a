"""A judge that needs no model, no key and no network, and decides only what it can show.

It lays a claim beside each of its sentences, word by word. A sentence that states the claim nearly word for word
supports it; one that is the same but for a number, date, name, negation, quantifier, hedge, condition or view
contradicts it or supports it in part; a name or year that no passage has is invented. Everything else it leaves
undecided and says so: shared words show neither that a claim is right nor that it is wrong.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from trail_callbacks.claims import abstains, split
from trail_callbacks.evidence import Passage, quoted, wording
from trail_callbacks.judges.judge import Assessment, Extraction, Judgement, Purpose, Question, absent, unevaluatable
from trail_callbacks.judges.local.alignment import laid_beside
from trail_callbacks.judges.local.decision import Ruling, mismatches
from trail_callbacks.judges.local.wording import Word, Wording, WordPlaces
from trail_callbacks.language.detect import limits
from trail_callbacks.language.speech import is_question
from trail_callbacks.models.call import Pipeline
from trail_callbacks.splitting.marks import unframed
from trail_callbacks.splitting.words import Thread
from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_FIELD = re.compile(r'[{\s]*"[^"]{1,60}"\s*:\s*"([^"]*\s[^"]*[.!\u3002])"[,}\]\s]*')
_PRONOUN = re.compile(r"(?:It|He|She|They|Its|His|Her|Their)\b")
_ENOUGH = 0.6  # share of a claim's words by which an output states it
_LONGEST = 4000  # characters of a claim that are compared; a longer one is a text without punctuation


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalJudge:
    """Judges offline and deterministically, and abstains where words alone show nothing.

    A passage that is a question supports nothing, so a question in the prompt cannot confirm its own answer. For claims
    that are not in English only numbers, names and repeated sentences are compared, and a warning says so. Nothing is
    calibrated, so there is no confidence.
    """

    @property
    def abstains(self) -> bool:
        """It leaves undecided what it cannot show."""
        return True

    @property
    def name(self) -> str:
        """Name and version."""
        return "local/8"

    @property
    def model(self) -> None:
        """There is none."""
        return

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """Splits the answer by rules."""
        return Extraction(claims=split(answer, question), abstained=abstains(answer))
        yield ()  # a pipeline is a generator; this one makes no calls

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """Judges claims one by one.

        For `localize` each node is judged by itself, by shared words. For `answerable` nothing is decided: words do not
        show whether a sentence answers a question.
        """
        if purpose == "answerable":
            why = "a judge without a model does not answer questions"
            return Assessment(judgements=tuple(Judgement(claim_id=each.claim.id, undecided=why) for each in questions))
        assessor = _Assessor()
        method = assessor.verdict if purpose == "verdicts" else assessor.statement
        claims = {question.claim.id: question.claim.text for question in questions if question.claim.checkable}
        return Assessment(
            judgements=tuple(map(method, questions)),
            warnings=limits(claims) if purpose == "verdicts" else (),
        )
        yield ()  # as above


@dataclass(frozen=True, slots=True)
class _Assessor:
    """Decides questions; a text that was read for one is not read again for the next."""

    wordings: dict[str, Wording] = field(default_factory=dict)

    def verdict(self, question: Question) -> Judgement:
        """The class of a claim; where it has several parts, also those that are unsupported."""
        claim = question.claim
        if not claim.checkable:
            return unevaluatable(claim.id)
        judgement = self._decide(question)
        parts = split(claim.text[:_LONGEST])
        if len(parts) < 2:  # noqa: PLR2004 - a whole has two
            return judgement
        decided = [
            self._decide(replace(question, claim=replace(claim, text=part.text)))
            if part.checkable
            else unevaluatable(claim.id)
            for part in parts
        ]
        if judgement.support is None:
            judgement = next((one for one in decided if one.support in UNSUPPORTED), judgement)
            if all(one.support is SupportClass.SUPPORTED for one in decided):
                judgement = replace(decided[0], evidence=tuple(each for one in decided for each in one.evidence))
        if judgement.support not in UNSUPPORTED:
            return judgement
        faults = tuple(part.text for part, one in zip(parts, decided, strict=True) if one.support in UNSUPPORTED)
        return replace(judgement, faults=faults if len(faults) < len(parts) else ())

    def statement(self, question: Question) -> Judgement:
        """Which nodes state the claim, each by itself."""
        if not question.claim.checkable:
            return unevaluatable(question.claim.id)
        by_node: dict[str, list[Passage]] = defaultdict(list)
        for passage in _statements(question.passages):
            by_node[passage.node_id].append(passage)
        claim = self._read(unframed(question.claim.text[:_LONGEST]))
        found = (self._stating(claim, passages) for passages in by_node.values())
        stating = [quoted(passage, "supports") for passage in found if passage is not None]
        if not stating:
            return absent(question.claim.id, "No output has enough of its words.")
        why = "These outputs have most of its words."
        supported = SupportClass.SUPPORTED
        return Judgement(claim_id=question.claim.id, support=supported, rationale=why, evidence=tuple(stating))

    def _decide(self, question: Question) -> Judgement:
        passages = _statements(question.passages)
        around = dict.fromkeys(text for p in passages for text in (_wording(p), p.before, p.after) if text)
        return Ruling(
            replace(question, passages=passages),
            self._read(unframed(question.claim.text[:_LONGEST])),
            [self._read(_wording(passage)) for passage in passages],
            [self._read(text) for text in around],
        ).judgement()

    def _stating(self, claim: Wording, passages: Sequence[Passage]) -> Passage | None:
        """The passage of one node that has most of a claim's words, if that is enough and it does not depart from it.

        Localisation asks which of many outputs carries a claim: there the best guess is worth more than silence. An
        output states a claim, also one that leaves out who said it. A row has the words of its header, a sentence the
        names before it.
        """
        words = claim.words(claim.named)
        whole = sum(word.weight for word in words if word.content)
        held = [self._held(words, passage) for passage in passages]
        weights = [  # numbers aside first: a number alone is no common subject
            (sum(word.weight for word in has if word.quantity is None), sum(word.weight for word in has))
            for has in held
        ]
        best = max(range(len(weights)), key=weights.__getitem__)
        read = [self._read(_wording(passage)) for passage in passages]
        aligned = laid_beside(claim, [read[best]], read)
        departs = any(found for one in aligned.values() for found in mismatches(one, views=False))
        return None if weights[best][1] < _ENOUGH * whole or departs else passages[best]

    def _held(self, words: Sequence[Word], passage: Passage) -> list[Word]:
        """The words of a claim that a passage has."""
        kinds = {"name", "word"} if passage.address else {"name"}
        around = WordPlaces(self._read(passage.before).words()).held(words)
        held = WordPlaces(self._read(_wording(passage)).words()).held(words)
        return [word for i, word in enumerate(words) if i in held or (i in around and word.kind in kinds)]

    def _read(self, text: str) -> Wording:
        return self.wordings.setdefault(text, Wording(_unescaped(text)))


def _statements(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages that state something: no questions."""
    return tuple(p for p in passages if not is_question(p.text))


def _wording(passage: Passage) -> str:
    """What a passage says, a field without its key.

    A pronoun at its head becomes the subject of the sentence before where it can mean only that.
    """
    text, before = passage.text, passage.before
    if passage.address.startswith("$") and (named := _FIELD.fullmatch(text)) is not None:
        return named[1]
    if before and not passage.address and _PRONOUN.match(text):
        thread = Thread()
        thread.observe(before.splitlines()[-1])
        return thread.resolve(text)
    return wording(passage)


def _unescaped(text: str) -> str:
    r"""Text as meant: JSON may write `Caf\u00e9`."""
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return plain if plain == text else plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
