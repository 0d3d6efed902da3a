"""How known models want to be asked: input, labels, window, licence. To support a model add a line to `PROFILES`.

Each was trained with one input format and gives confident nonsense for another, without an error; formats and label
orders were read in the authors' code. What the outputs of other models mean is read by the names of their labels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any, Literal, TypeAlias

from trail_callbacks.errors import JudgeError
from trail_callbacks.taxonomy import SupportClass

_Head: TypeAlias = Literal["pair", "text", "tokens"]
"""What a model reads and where its answer is:

- `pair`: evidence and claim as a pair of texts; one class for both.
- `text`: both in one text, by the template; one class. Where each token has one, that of the first counts.
- `tokens`: evidence and claims as a pair; a class for every token of the claims.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How a model wants to be asked.

    Attributes:
        head: What it reads and where its answer is.
        template: The text that it reads; `{evidence}` and `{claim}` are filled in, for `tokens` only the evidence.
            Marks of the model's own may stand in it. Unused for `pair`.
        passage: For `tokens`: how the text of each source is written, with its `{number}` from 1 and its `{text}`.
        labels: What its outputs mean, by index; empty reads the names in the model's configuration.
        window: Tokens that the model reads at once, as it was trained, 1 or more.
        chunk: Tokens of evidence that are put before it at once, 1 or more; less than the window leaves.
        threshold: Probability from which a claim is supported, above 0.0 and below 1.0, as the authors have it.
        english: Whether it was trained on English only; claims in other languages are then undecided.
        licence: Its licence, as its authors give it; empty if unknown.
        answers: Of an encoder with a decoder: the tokens whose scores at its first step are those of the labels.
        file: The ONNX file that is run if no other is named; empty if none is published.
        size: Bytes of what is run, about, as published; 0 if unknown.
        tokenizer: Hub id of the model whose `tokenizer.json` it takes if it has none of its own.
        revision: The commit that is fetched and loaded if no other is named; empty if none is pinned.
        sha256: What `fetching.digest` says of the file; empty if none is pinned.
    """

    head: _Head = "pair"
    template: str = ""
    passage: str = "{text}"
    labels: tuple[SupportClass, ...] = ()
    window: int = 512
    chunk: int = 320
    threshold: float = 0.5
    english: bool = False
    licence: str = ""
    answers: tuple[str, ...] = ()
    file: str = ""
    size: int = 0
    tokenizer: str = ""
    revision: str = ""
    sha256: str = ""


_BINARY = (SupportClass.ABSENT, SupportClass.SUPPORTED)
_FLAGGED = (SupportClass.SUPPORTED, SupportClass.ABSENT)

_NLI = Profile(english=True, licence="MIT")
_APACHE = replace(_NLI, licence="Apache-2.0")
_WIDE = replace(_APACHE, window=2048, chunk=512)
_MINICHECK = Profile(
    head="text",
    template="{evidence}[SEP]{claim}",
    labels=_BINARY,
    window=2048,
    chunk=400,
    english=True,
    licence="MIT",
)
_LETTUCE = Profile(
    head="tokens",
    template="Summarize the following text:\n{evidence}\noutput:",
    passage="passage {number}: {text}",
    labels=_FLAGGED,
    window=4096,
    chunk=4096,
    english=True,
    licence="MIT",
)

ANSWERS = ("\u2581", "\u25811")
"""How a T5 begins that was taught to answer with 0 or 1."""

_MINICHECK_T5 = replace(_MINICHECK, template="predict: {evidence}</s>{claim}", chunk=500)
_HHEM = replace(
    _MINICHECK,
    template=(
        "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {evidence}\n\nHypothesis: {claim}"
    ),
    chunk=512,
    licence="Apache-2.0",
    tokenizer="google/flan-t5-base",
)

PROFILES: dict[str, Profile] = {
    "FamiliarTools/HHEM-2.1-Open-onnx": replace(_HHEM, file="model.onnx", size=419_000_000),
    "vectara/hallucination_evaluation_model": _HHEM,
    "FamiliarTools/MiniCheck-Flan-T5-Large-onnx": replace(
        _MINICHECK_T5,
        answers=ANSWERS,
        file="encoder_model.onnx",
        size=3_100_000_000,
        tokenizer="google/flan-t5-large",
    ),
    "KRLabsOrg/lettucedect-base-modernbert-en-v1": _LETTUCE,
    "KRLabsOrg/lettucedect-large-modernbert-en-v1": _LETTUCE,
    "KRLabsOrg/tinylettuce-ettin-17m-en": _LETTUCE,
    "KRLabsOrg/tinylettuce-ettin-32m-en": _LETTUCE,
    "KRLabsOrg/tinylettuce-ettin-68m-en": _LETTUCE,
    "KRLabsOrg/lettucedect-v2-mmbert-base": Profile(
        head="tokens", template="{evidence}", labels=_FLAGGED, window=4096, chunk=4096, licence="Apache-2.0"
    ),
    "yaxili96/FactCG-DeBERTa-v3-Large": replace(
        _MINICHECK,
        template=(
            '{evidence}\n\nChoose your answer: based on the paragraph above can we conclude that "{claim}"?'
            "\n\nOPTIONS:\n- Yes\n- No\nI think the answer is "
        ),
        chunk=640,
    ),
    "lytang/MiniCheck-RoBERTa-Large": replace(_MINICHECK, template="{evidence}</s>{claim}", window=512),
    "lytang/MiniCheck-DeBERTa-v3-Large": _MINICHECK,
    "lytang/MiniCheck-Flan-T5-Large": _MINICHECK_T5,
    "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli": _NLI,
    "MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli": _NLI,
    "MoritzLaurer/mDeBERTa-v3-base-xnli-multilingual-nli-2mil7": Profile(licence="MIT"),
    "cross-encoder/nli-deberta-v3-xsmall": replace(_APACHE, file="onnx/model.onnx", size=284_000_000),
    "cross-encoder/nli-deberta-v3-small": replace(_APACHE, file="onnx/model.onnx"),
    "cross-encoder/nli-deberta-v3-base": _APACHE,
    "cross-encoder/nli-deberta-v3-large": _APACHE,
    "tasksource/ModernBERT-base-nli": _WIDE,
    "tasksource/ModernBERT-large-nli": _WIDE,
}
"""Profiles by hub id. Tokens of a chunk follow the authors' chunking, except that entailment models, which were trained
on a sentence or two, get less than they could read. No revision or hash is pinned: none could be looked up. Names of
files on the hub are as exporters write them; where there is one file only, it is taken whatever its name."""

DEFAULT = "FamiliarTools/HHEM-2.1-Open-onnx"

_KNOWN = {name.casefold(): name for name in PROFILES}
_LABELS = (SupportClass.SUPPORTED, SupportClass.CONTRADICTED, SupportClass.ABSENT)
_SEPARATORS = re.compile(r"[\s_-]+")
_MEANINGS = (  # the first pattern that a name begins with; denials before what they deny
    (
        SupportClass.ABSENT,
        r"neutral|(un|not |no )(support|ground|faithful|consistent)|inconsistent|hallucinat|not enough|nei\b|absent",
    ),
    (SupportClass.CONTRADICTED, r"contradict|refut"),
    (SupportClass.SUPPORTED, r"entail|support|ground|consistent|faithful|factual"),
)
_HOW = (
    'say what its outputs mean, by index: labels=("supported", "absent", "contradicted") in its order; or, for a copy '
    'of a known model, profile="its/hub-id"'
)


def profile_of(model: str) -> Profile | None:
    """Finds the profile of a hub id, or of a folder: one that `trail encoder export` wrote, or a copy by its name."""
    return PROFILES.get(known_as(model) or "")


def known_as(model: str) -> str | None:
    """Finds the hub id under which the profile of a model is known."""
    if (name := str(exported(Path(model)).get("model", "")).casefold()) in _KNOWN:
        return _KNOWN[name]
    name, path = model.casefold(), PurePath(model.casefold())
    if not (path.is_absolute() or name.startswith(".")):
        return _KNOWN.get(name)
    for plain, known in _KNOWN.items():
        if path.name == plain.partition("/")[2] or f"models--{plain.replace('/', '--')}" in path.parts:  # or the cache
            return known
    return None


def exported(folder: Path) -> dict[str, Any]:
    """Reads what `trail encoder export` says of a folder, of its model and its file; empty if it wrote none."""
    told = read_json(file := folder / "trail.json")
    if told and (told.get("format"), told.get("version")) != ("trail-encoder", 1):
        raise JudgeError(f"{file} is of another version: export the model again")
    return told


def read_json(file: Path) -> dict[str, Any]:
    """Reads an object; empty if there is no file."""
    try:
        found = json.loads(file.read_bytes()) if file.is_file() else {}
    except (OSError, ValueError) as error:
        raise JudgeError(f"{file} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise JudgeError(f"{file} cannot be read: it holds no JSON object")
    return found


def read_labels(model: str, names: Mapping[int, str]) -> tuple[SupportClass, ...]:
    """Reads the labels of a model's configuration."""
    ordered = [str(names[index]) for index in sorted(names)]
    plain = [_SEPARATORS.sub(" ", name).strip().casefold() for name in ordered]
    meanings = [next((m for m, pattern in _MEANINGS if re.match(pattern, name)), None) for name in plain]
    known = [meaning for meaning in meanings if meaning is not None]
    if len(known) < len(meanings) or len(set(known)) < len(known):
        raise JudgeError(f"the labels of {model} are {', '.join(ordered)}, which does not say what they mean: {_HOW}")
    return checked_labels(model, known, len(ordered))


def checked_labels(model: str, labels: Sequence[str], outputs: int | None = None) -> tuple[SupportClass, ...]:
    """Returns labels that somebody gave, if they can be used."""
    wrong = [label for label in labels if label not in _LABELS]
    if isinstance(labels, str) or wrong:
        raise JudgeError(f"labels is {labels!r}, expected by index any of {', '.join(_LABELS)}")
    meanings = tuple(SupportClass(label) for label in labels)
    if outputs is not None and len(meanings) != outputs:
        raise JudgeError(f"{model} has {outputs} outputs, and {len(meanings)} labels were given: {', '.join(meanings)}")
    if meanings.count(SupportClass.SUPPORTED) != 1 or len(set(meanings)) < 2:  # noqa: PLR2004 - support and its absence
        raise JudgeError(f"the labels of {model} are {', '.join(meanings)}: expected supported once, and another")
    return meanings
