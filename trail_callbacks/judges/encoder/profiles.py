"""How known models want to be asked: input, labels, window, licence. To support a model add a line to `PROFILES`.

Each was trained with one input format and gives confident nonsense for another, without an error; formats and label
orders were read in the authors' code. What the outputs of other models mean is read by the names of their labels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Literal, TypeAlias

from trail_callbacks.errors import JudgeError
from trail_callbacks.taxonomy import SupportClass

_Head: TypeAlias = Literal["pair", "text", "tokens"]
"""What a model reads and where its answer is:

- `pair`: evidence and claim as a pair of texts; one class for both.
- `text`: both in one text, by the template; one class.
- `tokens`: evidence and claims as a pair; a class for every token of the claims.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How a model wants to be asked.

    Attributes:
        head: What it reads and where its answer is.
        template: The text that it reads; `{evidence}`, `{claim}` and `{end}` (the model's end-of-text mark) are filled
            in. For `tokens` only the evidence. Unused for `pair`.
        passage: For `tokens`: how the text of each source is written, with its `{number}` from 1 and its `{text}`.
        labels: What its outputs mean, by index; empty reads the names in the model's configuration.
        window: Tokens that the model reads at once, as it was trained, 1 or more.
        chunk: Tokens of evidence that are put before it at once, 1 or more; less than the window leaves.
        threshold: Probability from which a claim is supported, above 0.0 and below 1.0, as the authors have it.
        english: Whether it was trained on English only; claims in other languages are then undecided.
        licence: Its licence, as its authors give it; empty if unknown.
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


_BINARY = (SupportClass.ABSENT, SupportClass.SUPPORTED)
_FLAGGED = (SupportClass.SUPPORTED, SupportClass.ABSENT)

_NLI = Profile(english=True, licence="MIT")
_APACHE = replace(_NLI, licence="Apache-2.0")
_WIDE = replace(_APACHE, window=2048, chunk=512)
_MINICHECK = Profile(
    head="text",
    template="{evidence}{end}{claim}",
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

PROFILES: dict[str, Profile] = {
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
    "lytang/MiniCheck-RoBERTa-Large": replace(_MINICHECK, window=512),
    "lytang/MiniCheck-DeBERTa-v3-Large": _MINICHECK,
    "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli": _NLI,
    "MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli": _NLI,
    "MoritzLaurer/mDeBERTa-v3-base-xnli-multilingual-nli-2mil7": Profile(licence="MIT"),
    "cross-encoder/nli-deberta-v3-xsmall": _APACHE,
    "cross-encoder/nli-deberta-v3-small": _APACHE,
    "cross-encoder/nli-deberta-v3-base": _APACHE,
    "cross-encoder/nli-deberta-v3-large": _APACHE,
    "tasksource/ModernBERT-base-nli": _WIDE,
    "tasksource/ModernBERT-large-nli": _WIDE,
}
"""Profiles by hub id. Tokens of a chunk follow the authors' chunking, except that entailment models, which were trained
on a sentence or two, get less than they could read."""

DEFAULT = "KRLabsOrg/lettucedect-base-modernbert-en-v1"

_KNOWN = {name.casefold(): profile for name, profile in PROFILES.items()}
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
    """Finds the profile of a hub id, or of a folder that is a copy of one by its name."""
    name, path = model.casefold(), PurePath(model.casefold())
    if not (path.is_absolute() or name.startswith(".")):
        return _KNOWN.get(name)
    for known, profile in _KNOWN.items():
        if path.name == known.partition("/")[2] or f"models--{known.replace('/', '--')}" in path.parts:  # or the cache
            return profile
    return None


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
