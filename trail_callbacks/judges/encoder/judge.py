"""A judge that runs an open grounding or entailment model on the user's machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from trail_callbacks.claims import abstains, split
from trail_callbacks.errors import InputError, JudgeError, MissingExtraError
from trail_callbacks.judges.encoder.inference import Encoder, statements
from trail_callbacks.judges.encoder.loading import Loaded, Source, Weights
from trail_callbacks.judges.encoder.network import needs
from trail_callbacks.judges.encoder.profiles import DEFAULT, PROFILES, Profile, checked_labels, exported, profile_of
from trail_callbacks.judges.encoder.readers import PairReader, Reader, TokenReader
from trail_callbacks.judges.encoder.verdicts import Thresholds, stating, verdicts
from trail_callbacks.judges.judge import Assessment, Extraction, Judgement, Purpose, Question, absent, unevaluatable
from trail_callbacks.language.detect import NAMES, language
from trail_callbacks.models.call import Pipeline
from trail_callbacks.taxonomy import SupportClass


class EncoderJudge:
    """Judges with an open model of 20 million to 0.8 billion parameters, on this machine: no key, no text leaves it.

        check(answer, sources, judge=EncoderJudge())  # once before, in a shell: trail encoder fetch
        check(answer, sources, judge="encoder:/srv/models/my-export")

    Two kinds of model are understood. Pair classifiers (HHEM, MiniCheck, FactCG, and three-class entailment models)
    read one claim against a few hundred tokens at a time; the highest answer counts. Token classifiers (LettuceDetect
    and its kin) read up to 4,096 tokens of sources and several claims in one go, and mark the words that nothing backs.
    `trail_callbacks.judges.encoder.profiles` lists the known models and how each wants to be asked; others are
    understood if their labels have names. Look at the licence of those. Weights without an ONNX file need the extra
    `encoder-torch`: every time, or once, for `trail encoder export`.

    The default (Apache-2.0, 0.11 billion parameters, 419 MB) was made to tell whether a text follows from another. It
    has two classes, so it never says `contradicted`; give `contradictions` a three-class entailment model, which then
    reads the claims that found no support. No accuracy was measured here: docs/judging.md has the authors' figures.

    Scores near the threshold are undecided, and no calibrated probabilities, so there is no confidence. Error types are
    those that the offline checks find in the sentences nearest to an unsupported claim, else `other`. Claims are found
    by rules, as `LocalJudge` does; whether sources answer a question is left open.

    The model is loaded at first use, or by `load()`, once for all threads, from a folder or the hub's cache, never from
    the network: only `trail encoder fetch` downloads. One batch runs at a time, never on the event loop. A forked
    process loads anew; with torch, if it was imported before, it runs on one core: load after forking.

    Args:
        model: A hub id, or the folder of a saved or exported model.
        contradictions: A three-class entailment model that reads what `model` does not support, such as
            `cross-encoder/nli-deberta-v3-small`; None asks no second model.
        device: As torch names it: `cpu`, `cuda:1`, `mps`, of which ONNX files know the first; None is that, and for
            weights a CUDA device if there is one.
        batch_size: Inputs that are run together at most, 1 or more.
        revision: Branch, tag or commit of `model` on the hub.
        file: ONNX file of `model`, such as `onnx/model_qint8_avx512.onnx`; None is the one of its profile.
        sha256: What the file of `model` must be, in hexadecimal: nothing else is loaded.
        threads: Threads that run an ONNX file, 1 or more; None is one a core, at most 4. They wait without spinning.
            Torch has its own setting.
        labels: What the outputs of `model` mean, by index, each `supported`, `contradicted` or `absent`; None reads
            their names, which must say it.
        profile: How `model` wants to be asked: a profile, or the id of a known model that it is a copy of.
        threshold: Score from which a claim is supported, above 0.0 and below 1.0; None is the one of the authors.
        margin: Distance from the threshold, 0.0 or more, within which a claim is undecided. First in a `CascadeJudge`,
            it is the band of scores that the second judge is asked about: widen it to ask more often.
        chunks: Chunks that a pair classifier reads for one claim, those that share most words with it, 1 or more; None
            reads all. Verdicts say if some were not read.

    Raises:
        MissingExtraError: If onnxruntime or tokenizers is not installed.
        JudgeError: If the folder of a model does not exist.
        InputError: If a number is out of range, or labels or profile are unknown.
    """

    reads_whole = True
    """It takes the passages of the sources in any number, and packs them itself."""

    abstains = True
    """It leaves scores within `margin` of the threshold undecided: a cascade asks its second judge about those."""

    def __init__(
        self,
        model: str = DEFAULT,
        *,
        contradictions: str | None = None,
        device: str | None = None,
        batch_size: int = 8,
        revision: str | None = None,
        file: str | None = None,
        sha256: str | None = None,
        threads: int | None = None,
        labels: Sequence[str] | None = None,
        profile: Profile | str | None = None,
        threshold: float | None = None,
        margin: float = 0.1,
        chunks: int | None = 8,
    ) -> None:
        _check_models(model, contradictions)
        _check_numbers({"batch_size": batch_size, "chunks": chunks, "threads": threads}, threshold, margin)
        if isinstance(profile, str) and profile not in PROFILES:
            raise InputError(f"EncoderJudge.profile is {profile!r}, expected any of {', '.join(PROFILES)}")
        needs("encoder", "tokenizers", "onnxruntime")
        known = PROFILES[profile] if isinstance(profile, str) else profile or profile_of(model)
        self._first = Weights(
            Source(
                model=model,
                profile=known,
                labels=checked_labels(model, labels) if labels is not None else (),
                revision=revision or (known.revision if known else "") or None,
                file=file,
                sha256=sha256,
                device=device,
                threads=threads,
            )
        )
        self._second = None
        if contradictions is not None:
            source = Source(model=contradictions, profile=profile_of(contradictions), device=device, threads=threads)
            self._second = Weights(source)
        self._batch_size = batch_size
        self._threshold = threshold
        self._margin = margin
        self._chunks = chunks

    @property
    def model(self) -> None:
        """There is none that answers calls: the encoder runs in the pipeline itself, on the thread of its driver."""
        return

    @property
    def name(self) -> str:
        """The model (of a folder its name only), its revision, and what else decides, as a hash."""
        first, second = self._first.source, self._second.source if self._second else None
        settings = (
            first.profile, first.labels, first.file, first.sha256, self._threshold, self._margin, self._chunks,
            second and (second.model, second.profile), exported(Path(first.model)).get("sha256"),
        )  # fmt: skip
        digest = hashlib.sha256(repr(settings).encode()).hexdigest()[:8]
        models = [one.model for one in (first, second) if one is not None]
        names = [Path(model).resolve().name if Path(model).is_dir() else model for model in models]
        return f"encoder/1/{'+'.join(names)}{f'@{first.revision}' if first.revision else ''}/{digest}"

    def load(self) -> None:
        """Loads the model now: a server does that before its first request.

        Raises:
            JudgeError: If it cannot be loaded.
        """
        self._readers()

    def extract(self, answer: str, question: str | None) -> Pipeline[Extraction]:
        """Splits the answer by rules."""
        return Extraction(claims=split(answer, question), abstained=abstains(answer))
        yield ()  # a pipeline is a generator; this one makes no calls

    def assess(self, questions: Sequence[Question], purpose: Purpose = "verdicts") -> Pipeline[Assessment]:
        """Judges claims, all together.

        For `localize` each node is read by itself. For `answerable`, which no such model was made for, nothing is
        decided.
        """
        if purpose == "answerable":
            why = "an encoder does not answer questions"
            return Assessment(judgements=tuple(Judgement(claim_id=each.claim.id, undecided=why) for each in questions))
        settled = self._settled(questions) if purpose == "verdicts" else {}
        if len(settled) == len(questions):  # nothing is left to ask: nothing is loaded
            return Assessment(judgements=tuple(settled[n] for n in range(len(questions))))
        try:
            first, second, thresholds = self._readers()
        except (JudgeError, MissingExtraError) as error:
            failed = tuple(Judgement(claim_id=question.claim.id, error=str(error)) for question in questions)
            return Assessment(judgements=failed)
        if purpose == "localize":
            judgements = yield from stating(questions, first, thresholds)
        else:
            judgements = yield from verdicts(questions, settled, first, second, thresholds)
        return Assessment(judgements=tuple(judgements))

    def _readers(self) -> tuple[Reader, Reader | None, Thresholds]:
        loaded = self._first.loaded()
        thresholds = Thresholds(self._threshold or loaded.profile.threshold, self._margin)
        if self._second is None:
            return self._reader(loaded), None, thresholds
        other = self._second.loaded()
        if SupportClass.CONTRADICTED not in other.profile.labels:
            raise JudgeError(
                f"contradictions is {self._second.source.model!r}, which cannot tell contradicted from absent"
            )
        return self._reader(loaded), self._reader(other), thresholds

    def _reader(self, loaded: Loaded) -> Reader:
        encoder = Encoder(loaded, self._batch_size)
        return TokenReader(encoder) if loaded.profile.head == "tokens" else PairReader(encoder, self._chunks)

    def _settled(self, questions: Sequence[Question]) -> dict[int, Judgement]:
        """Judgements that need no model, by index of the question."""
        whole = language(" ".join(question.claim.text for question in questions))
        profile = self._first.source.profile
        settled = {}
        for n, question in enumerate(questions):
            claim = question.claim
            spoken = (language(claim.text) or whole) if profile is not None and profile.english else "en"
            if not (claim.checkable and claim.text.strip()):
                settled[n] = unevaluatable(claim.id)
            elif spoken not in {"en", ""}:
                why = f"the claim is in {NAMES[spoken]}, and {self._first.source.model} was trained on English only"
                settled[n] = Judgement(claim_id=claim.id, undecided=why)
            elif not statements(question.passages):
                settled[n] = absent(claim.id, "There is no passage that states anything to compare it with.")
        return settled


def _check_models(*models: object) -> None:
    for given in models:
        if given is None:
            continue
        if not isinstance(given, str) or not given.strip():
            raise JudgeError(f"model is {given!r}, expected a hub id such as {DEFAULT!r}, or a folder")
        if (given.startswith((".", "~")) or Path(given).is_absolute()) and not Path(given).is_dir():
            raise JudgeError(f"model is {given!r}: there is no such folder")


def _check_numbers(counts: dict[str, int | None], threshold: float | None, margin: float) -> None:
    for name, value in counts.items():
        if value is not None and value < 1:
            raise InputError(f"EncoderJudge.{name} is {value}, expected 1 or more")
    if threshold is not None and not 0.0 < threshold < 1.0:
        raise InputError(f"EncoderJudge.threshold is {threshold}, expected more than 0.0 and less than 1.0")
    if not 0.0 <= margin < 1.0:
        raise InputError(f"EncoderJudge.margin is {margin}, expected 0.0 or more and less than 1.0")
