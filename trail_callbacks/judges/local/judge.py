"""A judge that needs no model, no key and no network, and decides only what it can show.

It lays a claim beside each of its sentences, word by word (`aligned`). A sentence that states the claim nearly word for
word supports it; one that is the same but for a number, date, name, negation, opposite, quantifier, hedge, condition or
view contradicts it or supports it in part; a name or year that no passage has is invented. Everything else it leaves
undecided and says so: shared words show neither that a claim is right nor that it is wrong.

It is a smoke detector: what it says is mostly right, and it is silent about most sentences written in other words. It
gives the same result for the same texts. `tests/benchmarks/offline.py` prints how often it decides and how often that
is right.

Which outputs state a claim (`localize`) is another question, for which a graded comparison by shared words is better
than silence: see `comparison`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trail_callbacks.claims import Claim, abstains, split
from trail_callbacks.errors import InputError
from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.judges.judge import Assessment, Extraction, Judgement, Purpose, Question
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.judges.local.decision import MISMATCHES, Decision
from trail_callbacks.language.detect import limits
from trail_callbacks.language.speech import is_question
from trail_callbacks.models.call import Pipeline
from trail_callbacks.splitting.frames import unframed
from trail_callbacks.splitting.references import Thread
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass

if TYPE_CHECKING:
    from trail_callbacks.judges.local.comparison import Comparison

__all__ = ["LocalJudge"]

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_METADATA = re.compile(
    r"[\"']?(?:file|document|doc|page|node|chunk|source|creation|last|mime|media|content)"
    r"(?:[ _-](?:name|path|type|size|label|id|date|url|uri|number|modified[ _-]date|"
    r"accessed[ _-]date))*[\"']?\s*[:=]\s*\S+",
    re.IGNORECASE,
)
_FIELD = re.compile(r'[{\s]*"[^"]{1,60}"\s*:\s*"([^"]*\s[^"]*[.!\u3002])"[,}\]\s]*')
_PRONOUN = re.compile(r"(?:It|He|She|They|Its|His|Her|Their)\b")
_LONGEST = 4000  # characters of a claim that are compared; a longer one is a text without punctuation


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalJudge:
    """Judges offline and deterministically, and abstains where words alone show nothing.

    A passage that is a question supports nothing, so a question in the prompt cannot confirm its own answer. For claims
    that are not in English only numbers, names and repeated sentences are compared, and a warning says so. Nothing is
    calibrated, so there is no confidence.

    Attributes:
        without: What not to look for, by the names in `trail_callbacks.judges.local.decision.MISMATCHES`: `number`,
            `entity`, `negation`, ...

    Raises:
        InputError: If a name is unknown.
    """

    without: tuple[str, ...] = ()

    @property
    def abstains(self) -> bool:
        """It leaves undecided what it cannot show."""
        return True

    def __post_init__(self) -> None:
        """Checks the settings."""
        for name in self.without:
            if name not in MISMATCHES:
                raise InputError(f"LocalJudge.without names {name!r}, expected any of {', '.join(MISMATCHES)}")

    @property
    def name(self) -> str:
        """Name and version, and what is left out, as that changes verdicts."""
        return "local/4" + "".join(f"-{name}" for name in self.without)

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

        For `localize` each node is judged by itself, and a claim that leaves out who said it counts as stated. For
        `answerable` see `trail_callbacks.judges.local.answering`.
        """
        assessor = _Assessor(tuple(name for name in MISMATCHES if name not in self.without))
        method = {"verdicts": assessor.verdict, "localize": assessor.statement, "answerable": assessor.answer}[purpose]
        claims = {question.claim.id: question.claim.text for question in questions if question.claim.checkable}
        return Assessment(
            judgements=tuple(method(question) for question in questions),
            warnings=limits(claims) if purpose == "verdicts" else (),
        )
        yield ()  # as above


@dataclass(frozen=True, slots=True)
class _Assessor:
    """Decides questions; a text that was read for one is not read again for the next."""

    names: tuple[str, ...]
    readings: dict[str, Reading] = field(default_factory=dict)

    def verdict(self, question: Question) -> Judgement:
        """The class of a claim; where it has several parts, also those that are unsupported."""
        judgement = self._decide(question)
        parts = split(question.claim.text[:_LONGEST]) if judgement.support is not SupportClass.UNEVALUATABLE else ()
        if len(parts) < 2:  # noqa: PLR2004 - a whole has two
            return judgement
        decided = [self._decide(replace(question, claim=_part(question.claim, part))) for part in parts]
        if judgement.support is None:
            judgement = next((one for one in decided if one.support in UNSUPPORTED), judgement)
        if judgement.support not in UNSUPPORTED:
            return judgement
        faults = tuple(
            part.text for part, one in zip(parts, decided, strict=True) if part.checkable and one.support in UNSUPPORTED
        )
        return replace(judgement, faults=faults if len(faults) < len(parts) else ())

    def statement(self, question: Question) -> Judgement:
        """Which nodes state the claim, each by itself."""
        claim = question.claim
        if not claim.checkable:
            return _unevaluatable(claim)
        by_node: dict[str, list[Passage]] = defaultdict(list)
        for passage in question.passages:
            by_node[passage.node_id].append(passage)
        evidence = []
        for passages in by_node.values():
            comparison = self.comparison(replace(question, passages=tuple(passages)))
            if comparison is not None and comparison.stating is not None:
                evidence += [quoted(passage, "supports") for passage in comparison.passages(comparison.stating)]
        if evidence:
            return Judgement(
                claim_id=claim.id,
                support=SupportClass.SUPPORTED,
                rationale="These outputs have most of its words, and every number and name.",
                evidence=tuple(evidence),
            )
        return Judgement(
            claim_id=claim.id,
            support=SupportClass.ABSENT,
            error_type=ErrorType.OTHER,
            rationale="No output has enough of its words.",
        )

    def answer(self, question: Question) -> Judgement:
        """Whether passages answer the question that stands in place of the claim."""
        from trail_callbacks.judges.local.answering import answers  # noqa: PLC0415 - few runs need it

        passages = _statements(question)
        indices = answers(
            self._read(question.claim.text[:_LONGEST]), [(self._read(p.text), self._read(p.before)) for p in passages]
        )
        if not indices:
            rationale = "No sentence holds the words of the question and more; only questions in English are looked at."
            return Judgement(
                claim_id=question.claim.id,
                support=SupportClass.ABSENT,
                error_type=ErrorType.OTHER,
                rationale=rationale,
            )
        return Judgement(
            claim_id=question.claim.id,
            support=SupportClass.SUPPORTED,
            rationale="A sentence holds the words of the question and what it asks for.",
            evidence=tuple(quoted(passages[i], "supports") for i in indices),
        )

    def _decide(self, question: Question) -> Judgement:
        if not question.claim.checkable:
            return _unevaluatable(question.claim)
        passages = _statements(question)
        around = dict.fromkeys(text for p in passages for text in (_wording(p), p.before, p.after) if text)
        return Decision(
            replace(question, passages=passages),
            self._read(unframed(question.claim.text[:_LONGEST])),
            [self._read(_wording(passage)) for passage in passages],
            [self._read(text) for text in around],
            self.names,
        ).judgement()

    def comparison(self, question: Question) -> Comparison | None:
        """Reads a claim and its passages; None if no passage states anything."""
        from trail_callbacks.judges.local.comparison import Comparison  # noqa: PLC0415 - only localisation needs it
        from trail_callbacks.judges.local.overlap import Overlap  # noqa: PLC0415 - as above

        passages = _statements(question)
        if not passages:
            return None
        overlap = Overlap(
            Reading(unframed(question.claim.text[:_LONGEST])),
            [self._read(_wording(passage)) for passage in passages],
            [self._read(passage.before) for passage in passages],
            [passage.address != "" for passage in passages],
            [passage.node_id for passage in passages],
        )
        return Comparison(replace(question, passages=passages), overlap, self.names)

    def _read(self, text: str) -> Reading:
        return self.readings.setdefault(text, Reading(_unescaped(text)))


def _unevaluatable(claim: Claim) -> Judgement:
    return Judgement(claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale="It states nothing to check.")


def _statements(question: Question) -> tuple[Passage, ...]:
    """The passages that state something: no questions, and no lines that only name a file."""
    return tuple(
        passage
        for passage in question.passages
        if not is_question(passage.text) and not _METADATA.fullmatch(passage.text.strip())
    )


def _wording(passage: Passage) -> str:
    """What a passage says; the cells of a row under the names of their columns, a field without its key.

    A pronoun at its head becomes the subject of the sentence before where it can mean only that.
    """
    if passage.address.startswith("$") and (field_ := _FIELD.fullmatch(passage.text)) is not None:
        return field_[1]
    if _PRONOUN.match(passage.text) and passage.before and not passage.address:
        thread = Thread()
        thread.observe(passage.before.splitlines()[-1])
        return thread.resolve(passage.text)
    if not passage.address.startswith("row ") or not passage.before:
        return passage.text
    from trail_callbacks.retrieval.tables import labelled  # noqa: PLC0415 - as above

    return labelled(passage.before.splitlines()[-1], passage.text) or passage.text


def _part(claim: Claim, part: Claim) -> Claim:
    return replace(claim, text=part.text, checkable=part.checkable)


def _unescaped(text: str) -> str:
    r"""Text as meant: JSON may write `Caf\u00e9`."""
    if "\\u" not in text:
        return text
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
