"""One judge first, another for what the first is unsure of or silent about; every judgement says who decided."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from trail_callbacks.errors import InputError, JudgeError, TrailError
from trail_callbacks.judges.judge import (
    Assessment,
    Extraction,
    Judge,
    Judgement,
    Purpose,
    Question,
    Tracer,
    abstains,
    matched,
    reads_whole,
)
from trail_callbacks.models.call import Model, Pipeline
from trail_callbacks.models.drive import relayed
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass

T = TypeVar("T")

Band: TypeAlias = tuple[float, float]
"""Scores between which a second judge is asked: from the upper one on a claim is supported, up to the lower one not."""

FORMAT, VERSION = "trail-cascade", 1

_CERTAIN = 0.9


def is_sure(question: Question, judgement: Judgement) -> bool:
    """Says whether a judgement of a judge that decides in doubt, too, needs no second opinion.

    Sure is what is not a checkable statement, a claim that is a passage word for word, and a judgement with confidence
    of at least 0.9. A passage that merely contains the words of a claim is not enough: it may deny them.
    """
    if not question.claim.checkable or (judgement.confidence or 0.0) >= _CERTAIN:
        return True
    claim = _plain(question.claim.text)
    same = any(_plain(passage.text) == claim for passage in question.passages)
    return same and judgement.support is SupportClass.SUPPORTED


def _plain(text: str) -> str:
    """Only blanks, case and final stops are set aside: every character inside may change the meaning."""
    return " ".join(text.casefold().split()).rstrip(".!。")


class CascadeJudge:
    """Lets a first judge decide what it is sure of and asks a second about the rest.

        CascadeJudge(LocalJudge(), "openai/gpt-5-mini")

    Any two judges will do. The second is asked where the first is unsure, failed or undecided, and has the last word:
    if it fails on a claim, that judgement has an `error`, and if it is undecided, so is the claim; what the first
    thought is not passed off as a decision.

    A first judge that abstains (`LocalJudge`, `EncoderJudge`; see `Judge`) is sure of the verdicts that it gives, and
    the second gets what it leaves undecided; of an `EncoderJudge` that is the band of scores within its `margin` of the
    threshold. Of any other judge `is_sure` tells what stands. Where outputs are searched for a claim, or sources for an
    answer, no judge abstains, and `is_sure` is asked as well.

    With a `band` the scores of the first judge decide instead (`Judgement.score`), whatever its own threshold says: up
    to the lower end a claim is unsupported, of the class that the first judge gives it, else absent; from the upper end
    on it is supported; between the two the second judge is asked. A judgement without a score goes by the rules above.
    `trail bench cascade` finds bands, and `from_file` takes them from what it writes.

    Claims are found by the second judge, or by the first if only that has a model: models resolve references better
    than rules do. The same goes for taking claims apart in a `veritrail` walk. With `claims_by="first"` the first judge
    finds them, so that an answer of which it decides everything costs no call of the second.

    Args:
        first: The judge that goes first, usually a cheap one: anything `resolve` accepts; None is `LocalJudge()`.
        second: The judge that decides the rest, likewise; it must be given.
        band: The two ends, 0.0 to 1.0, the lower one first; None goes by what the first judge decides.
        claims_by: Who finds the claims: `model`, or the judge that goes `first`.

    Raises:
        JudgeError: If there is no second judge, or one cannot be built.
        InputError: If the band is no such pair.
    """

    def __init__(
        self,
        first: Judge | Model | str | Any = None,
        second: Judge | Model | str | Any = None,
        band: Band | None = None,
        *,
        claims_by: Literal["model", "first"] = "model",
    ) -> None:
        from trail_callbacks.judges.resolve import resolve  # noqa: PLC0415 - resolve knows this module's neighbours

        if second is None:
            given = repr(first) if isinstance(first, str) else '"openai/gpt-5-mini"'
            raise JudgeError(f"a cascade needs a second judge: CascadeJudge(LocalJudge(), {given})")
        self._first = resolve(first)
        self._second = resolve(second)
        self._band = None if band is None else _checked(band)
        modelled = self._second.model is not None or self._first.model is None
        seconds = modelled and claims_by == "model"
        self._reader = self._second if seconds else self._first  # finds the claims
        others = self._first if seconds else self._second
        tracers = [each for each in (self._reader, others) if isinstance(each, Tracer)]
        if tracers:  # then so is this; since Python 3.12 no __getattr__ would make it one
            tracer = tracers[0]
            self.decompose = lambda claims: self._asking(tracer, tracer.decompose(claims))
            self.select = lambda searches: self._asking(tracer, tracer.select(searches))

    @classmethod
    def from_file(cls, path: str | Path, build: Callable[[str], Judge] | None = None) -> Judge:
        """Builds the cascade that `trail bench cascade` chose, or any that is written down like that.

            {"format": "trail-cascade", "version": 1, "stages": [{"judge": "local"},
              {"judge": "encoder:FOLDER", "band": [0.2, 0.7]}, {"judge": "openai/gpt-5-mini"}]}

        Its judges are asked: the file says where texts are sent. The first finds the claims. Of one stage it is that
        judge alone.

        Args:
            path: The file; `judge="cascade:FILE"` names it as well, also after `--judge`.
            build: Makes a judge of its name in the file; None is `resolve`.

        Raises:
            InputError: If it cannot be read, is something else or of another version, or a stage is wrong.
            JudgeError: If a judge in it cannot be built.
        """
        from trail_callbacks.judges.resolve import resolve  # noqa: PLC0415 - as above

        judge: Judge | None = None
        for place, name, band in reversed(_stages(path)):
            try:
                one = (build or resolve)(name)
            except TrailError as error:
                raise JudgeError(f"{place} ({name}): {error}") from error
            judge = one if judge is None else cls(one, judge, band, claims_by="first")
        return resolve(judge)  # there is one

    @property
    def reads_whole(self) -> bool:
        """Whether either judge reads the sources whole."""
        return reads_whole(self._first) or reads_whole(self._second)

    @property
    def wants_nearest(self) -> bool:
        """Whether either judge is made for candidates."""
        return not (reads_whole(self._first) and reads_whole(self._second))

    @property
    def abstains(self) -> bool:
        """Whether the second judge, which decides in doubt, does."""
        return abstains(self._second)

    @property
    def name(self) -> str:
        """Both names, and the band."""
        band = "[{:g},{:g}]".format(*self._band) if self._band else ""
        return f"cascade/{self._first.name}{band}+{self._second.name}"

    @property
    def model(self) -> Model | None:
        """The model of the second judge, or of the first if only that has one; calls of the first name their own."""
        return self._second.model or self._first.model

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """Finds the claims of an answer; see the class for who does."""
        return self._asking(self._reader, self._reader.extract(answer, question))

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """Judges claims by their passages. See `Judge.assess`."""
        given = [_as_read_by(self._first, question) for question in questions]
        first = yield from self._asking(self._first, self._first.assess(given, purpose))
        guesses = matched(given, first.judgements)
        standing = [self._standing(*pair, purpose) for pair in zip(given, guesses, strict=True)]
        unsure = [i for i, judgement in enumerate(standing) if judgement is None]
        kept = (judgement or guess for judgement, guess in zip(standing, guesses, strict=True))
        decided = [replace(judgement, judge=judgement.judge or self._first.name) for judgement in kept]
        second = Assessment(judgements=())
        if unsure:
            asked = [_as_read_by(self._second, questions[i]) for i in unsure]
            second = yield from self._asking(self._second, self._second.assess(asked, purpose))
            for i, judgement in zip(unsure, matched(asked, second.judgements), strict=True):
                decided[i] = replace(judgement, judge=judgement.judge or self._second.name)
        return Assessment(judgements=tuple(decided), warnings=first.warnings + second.warnings)

    def _standing(self, question: Question, guess: Judgement, purpose: Purpose) -> Judgement | None:
        """What the first judge decides; None if the second is to be asked."""
        judged = guess.error is None and guess.support is not SupportClass.UNEVALUATABLE
        if self._band is not None and purpose == "verdicts" and judged and guess.score is not None:
            return _outside(self._band, guess, guess.score)
        decided = guess.error is None and guess.undecided is None
        stands = decided and ((purpose == "verdicts" and abstains(self._first)) or is_sure(question, guess))
        return guess if stands else None

    def _asking(self, judge: Judge | Tracer, work: Pipeline[T]) -> Pipeline[T]:
        """Leaves the calls of a judge to that judge's own model: a verification is driven with one of the two."""
        model = getattr(judge, "model", None)
        if model is None or model is self.model:
            return (yield from work)
        return (yield from relayed(work, lambda call: replace(call, model=call.model or model)))


def _outside(band: Band, guess: Judgement, score: float) -> Judgement | None:
    """The judgement that a score makes; None between the ends of the band."""
    low, high = band
    if not (score <= low or score >= high):  # what is no number is neither
        return None
    supported = score >= high
    if guess.support is SupportClass.SUPPORTED if supported else guess.support in UNSUPPORTED:
        return guess
    near = [
        replace(each, relation="supports") for each in guess.evidence if supported and each.relation != "contradicts"
    ]
    return Judgement(
        claim_id=guess.claim_id,
        support=SupportClass.SUPPORTED if supported else SupportClass.ABSENT,
        error_type=None if supported else ErrorType.OTHER,
        rationale=f"The score of {score:.2f} is outside the band of {low:g} to {high:g} in which this cascade asks on.",
        evidence=tuple(near),
        score=score,
        judge=guess.judge,
    )


def _checked(band: object, where: str = "") -> Band:
    match band:
        case [float() | int() as low, float() | int() as high] if 0.0 <= low <= high <= 1.0:
            return float(low), float(high)
    raise InputError(f"{where}the band is {band!r}, expected two scores from 0.0 to 1.0, the lower one first")


def _stages(path: str | Path) -> list[tuple[str, str, Band | None]]:
    """Where each stage of a file stands, its judge and its band."""
    try:
        found = json.loads(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(f"{path} is no cascade: expected what trail bench cascade -o wrote")
    if found.get("version") != VERSION:
        raise InputError(f"{path} is a cascade of version {found.get('version')!r}, and this release reads {VERSION}")
    given = found.get("stages")
    stages = []
    for n, stage in enumerate(given if isinstance(given, list) else (), 1):
        match stage:
            case {"judge": str(name)} if not name.strip().casefold().startswith("cascade:"):
                band = stage.get("band")
                place = f"{path}, stage {n}"
                stages.append((place, name, None if band is None else _checked(band, f"{place} ({name}): ")))
            case _:
                raise InputError(f"{path}, stage {n}: expected an object with a judge that is no cascade itself")
    if not stages or stages[-1][2] is not None:
        raise InputError(f"{path}: expected a list of stages, of which the last one has no band")
    return stages


def _as_read_by(judge: Judge, question: Question) -> Question:
    """The question with the candidates alone for a judge that does not read sources whole."""
    if reads_whole(judge) or not question.nearest:
        return question
    return replace(question, passages=question.nearest, nearest=())
