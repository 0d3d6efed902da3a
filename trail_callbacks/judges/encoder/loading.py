"""Loading a model: from the cache or a folder, else from the hub; never code of others, never in half precision.

T5 and DeBERTa overflow in float16 and then say nothing, confidently.
"""

from __future__ import annotations

import importlib.util
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import RLock
from typing import Any

from trail_callbacks.errors import JudgeError, MissingExtraError
from trail_callbacks.judges.encoder import labels as labelling
from trail_callbacks.judges.encoder.profiles import PROFILES, Profile
from trail_callbacks.taxonomy import SupportClass

__all__ = ["Loaded", "Source", "first_line", "load", "needs_extra"]

_HHEM = "HHEMv2"  # the kind of model that its configuration names; transformers has no such kind
_TIED = "transformer.encoder.embed_tokens.weight"  # the same tensor as the shared one, and not saved
_ABSOLUTE = 1_000_000  # a tokenizer that names more tokens than this names no limit
_OFFSET = {"roberta", "xlm-roberta", "camembert"}  # their positions begin after the padding's
_UNLIMITED = {"t5", "mt5"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Which model to load, and how.

    Attributes:
        model: A hub id or a folder.
        profile: How it wants to be asked; None reads its configuration.
        labels: What its outputs mean, by index; empty takes those of the profile, or reads their names.
        revision: A branch, tag or commit of the hub; None takes the profile's.
        device: As torch names it; None is `cuda` if there is one, else `cpu`.
        dtype: `float32` or `bfloat16`.
        progress: Whether downloads and loading show bars on stderr.
    """

    model: str
    profile: Profile | None = None
    labels: tuple[SupportClass, ...] = ()
    revision: str | None = None
    device: str | None = None
    dtype: str = "float32"
    progress: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A model that can be asked, with the tokenizer that belongs to it.

    Attributes:
        name: The model's name, for messages.
        profile: How it wants to be asked; labels filled in.
        tokenizer: Its tokenizer, which may be used by one thread at a time.
        network: Its weights.
        device: Where they are.
        window: Tokens that it reads at once.
        lock: Held while one of both is in use.
    """

    name: str
    profile: Profile
    tokenizer: Any
    network: Any
    device: Any
    window: int
    lock: RLock = field(default_factory=RLock)


def needs_extra() -> None:
    """Checks that transformers and torch are installed, without importing them: that takes seconds.

    Raises:
        MissingExtraError: If one is not.
    """
    for module in ("transformers", "torch"):
        try:
            found = importlib.util.find_spec(module)
        except (ImportError, ValueError):  # a module that was set to None, or half removed
            found = None
        if found is None:
            raise MissingExtraError("EncoderJudge", "encoder")


def load(source: Source) -> Loaded:
    """Loads a model.

    What is in the cache or in a folder is used without asking the hub; with `HF_HUB_OFFLINE=1` nothing else is.

    Raises:
        JudgeError: If it is neither there nor can be fetched, is of a kind that cannot be asked, or its labels are
            unknown.
        MissingExtraError: If a library is missing.
    """
    needs_extra()
    try:
        import torch  # noqa: PLC0415 - optional and heavy
        import transformers  # noqa: PLC0415 - as above
    except ImportError as error:
        raise JudgeError(f"transformers and torch are installed, and cannot be imported: {error}") from error
    revision = source.revision or (source.profile.revision if source.profile else "") or None
    with _bars(shown=source.progress):
        config = _fetched(
            source.model,
            lambda **how: transformers.PretrainedConfig.get_config_dict(source.model, revision=revision, **how)[0],
        )
        profile = source.profile or _read_profile(source.model, config)
        if profile.head == "first_token":
            tokenizer, network = _rebuilt(source, profile, revision)
        else:
            kind = _kind(profile)
            dtype = getattr(torch, source.dtype)
            tokenizer = _fetched(
                source.model, lambda **how: transformers.AutoTokenizer.from_pretrained(source.model, **how), revision
            )
            network = _fetched(
                source.model,
                lambda **how: getattr(transformers, kind).from_pretrained(source.model, dtype=dtype, **how),
                revision,
            )
    if profile.head == "tokens" and not tokenizer.is_fast:
        raise JudgeError(f"the tokenizer of {source.model} gives no places in the text: it has no tokenizer.json")
    names = {int(index): name for index, name in network.config.id2label.items()}
    given = source.labels or profile.labels
    outputs = None if profile.head == "decoder" else len(names)
    labels = labelling.checked(source.model, given, outputs) if given else labelling.read(source.model, names)
    _check_outputs(source.model, profile, tokenizer)
    window = _window(profile, network.config, tokenizer)
    tokenizer.model_max_length = 10**9  # texts are measured, never cut, and it is not to warn about each
    where = source.device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(where)
        network = network.eval().to(device)
    except (RuntimeError, AssertionError) as error:
        raise JudgeError(f"{source.model} cannot be put on device {where!r}: {first_line(error)}") from error
    return Loaded(
        name=source.model,
        profile=replace(profile, labels=labels),
        tokenizer=tokenizer,
        network=network,
        device=device,
        window=window,
    )


def _read_profile(model: str, config: dict[str, Any]) -> Profile:
    """A profile for a model that is not in the table."""
    if config.get("model_type") == _HHEM:
        return PROFILES["vectara/hallucination_evaluation_model"]
    if not config:
        raise JudgeError(f"{model} cannot be read as a model: it has no config.json")
    if config.get("auto_map"):
        raise JudgeError(
            f"{model} brings code of its own, which is not run: take a model that transformers knows, "
            "such as those in trail_callbacks.judges.encoder.profiles"
        )
    built = [str(name) for name in config.get("architectures") or ()]
    if any(name.endswith("ForTokenClassification") for name in built):
        return Profile(head="tokens", template="{evidence}", window=4096, chunk=4096)
    if any(name.endswith("ForSequenceClassification") for name in built):
        return Profile()
    raise JudgeError(
        f"{model} is {', '.join(built) or 'of an unknown kind'}, expected a classifier of texts or of tokens; for a "
        'copy of a known model of another kind, profile="its/hub-id"'
    )


def _kind(profile: Profile) -> str:
    return {"tokens": "AutoModelForTokenClassification", "decoder": "AutoModelForSeq2SeqLM"}.get(
        profile.head, "AutoModelForSequenceClassification"
    )


def _rebuilt(source: Source, profile: Profile, revision: str | None) -> tuple[Any, Any]:
    """HHEM without its own code, which newer releases of transformers cannot run: it is a T5 under another name."""
    import torch  # noqa: PLC0415 - as above
    import transformers  # noqa: PLC0415 - as above
    from safetensors.torch import load_file  # noqa: PLC0415 - as above
    from transformers.utils import cached_file  # noqa: PLC0415 - as above

    config = _fetched(
        profile.backbone,
        lambda **how: transformers.T5Config.from_pretrained(profile.backbone, num_labels=len(profile.labels), **how),
    )
    tokenizer = _fetched(
        profile.backbone, lambda **how: transformers.AutoTokenizer.from_pretrained(profile.backbone, **how)
    )
    path = _fetched(
        source.model, lambda **how: cached_file(source.model, "model.safetensors", revision=revision, **how)
    )
    network = transformers.T5ForTokenClassification(config)
    weights = {name.removeprefix("t5."): tensor for name, tensor in load_file(path).items()}
    try:
        missing, unexpected = network.load_state_dict(weights, strict=False)
    except RuntimeError as error:
        raise JudgeError(f"{source.model} does not fit {profile.backbone}: {first_line(error)}") from error
    if unexpected or set(missing) - {_TIED}:
        wrong = ", ".join([*unexpected, *(set(missing) - {_TIED})][:3])
        raise JudgeError(f"{source.model} does not have the weights of {profile.backbone}: {wrong}")
    network.tie_weights()
    return tokenizer, network.to(getattr(torch, source.dtype))


def _check_outputs(model: str, profile: Profile, tokenizer: Any) -> None:
    for token, expected in profile.outputs:
        if tokenizer.convert_tokens_to_ids(token) != expected:
            raise JudgeError(f"the vocabulary of {model} is not the one its profile was written for: {token!r}")
    if "{end}" in profile.template and tokenizer.eos_token is None:
        raise JudgeError(f"the tokenizer of {model} names no end-of-text mark (eos_token), and its input needs one")


def _window(profile: Profile, config: Any, tokenizer: Any) -> int:
    """Tokens it reads at once: as it was trained, and no more than it has positions for."""
    window = profile.window
    if config.model_type not in _UNLIMITED and getattr(config, "position_biased_input", True):
        positions = getattr(config, "max_position_embeddings", None) or window
        padding = (getattr(config, "pad_token_id", None) or 0) + 1 if config.model_type in _OFFSET else 0
        window = min(window, positions - padding)
        if tokenizer.model_max_length < _ABSOLUTE:
            window = min(window, max(tokenizer.model_max_length, 1))
    return window


def _fetched(name: str, fetch: Callable[..., Any], revision: str | None = None) -> Any:
    """From the cache or folder if it is all there, else from the hub."""
    how = {"revision": revision} if revision else {}
    try:
        return fetch(local_files_only=True, **how)
    except Exception as error:  # whatever transformers, safetensors and the client of the hub raise
        if Path(name).exists():
            raise JudgeError(f"the folder {name} cannot be read as a model: {first_line(error)}") from error
    try:
        return fetch(**how)
    except Exception as error:
        offline = " (HF_HUB_OFFLINE is set)" if os.environ.get("HF_HUB_OFFLINE", "") not in {"", "0"} else ""
        raise JudgeError(
            f"the model {name} is neither in the cache nor to be had from the hub{offline}: {first_line(error)} "
            f"Fetch it once where there is a network (hf download {name}), or give the folder of a copy."
        ) from error


def first_line(error: BaseException) -> str:
    """Returns the kind of an error and the first line that it says."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__


@contextmanager
def _bars(*, shown: bool) -> Iterator[None]:
    """Keeps bars of transformers and of the hub off stderr; what the app has set is set again."""
    from huggingface_hub import utils as hub  # noqa: PLC0415 - optional and heavy
    from transformers.utils import logging  # noqa: PLC0415 - as above

    ours, theirs = logging.is_progress_bar_enabled(), not hub.are_progress_bars_disabled()
    if shown or not ours:
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the hub warns where HF_HUB_DISABLE_PROGRESS_BARS decides instead
        logging.disable_progress_bar()
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            logging.enable_progress_bar()
            if not theirs:
                hub.disable_progress_bars()
