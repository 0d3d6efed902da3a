"""Loading a model: from the cache or a folder, else from the hub; never code of others, never in half precision.

T5 and DeBERTa overflow in float16 and then say nothing, confidently. A model is loaded once, for all threads.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import RLock
from typing import Any

from trail_callbacks.errors import JudgeError, MissingExtraError
from trail_callbacks.forking import ChildSafeLock, renewed_in_child
from trail_callbacks.judges.encoder.profiles import Profile, checked_labels, read_labels
from trail_callbacks.taxonomy import SupportClass

_ABSOLUTE = 1_000_000  # a tokenizer that names more tokens than this names no limit
_OFFSET = {"roberta", "xlm-roberta", "camembert"}  # their positions begin after the padding's


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Which model to load, and how: see `EncoderJudge`. Without a profile its configuration is read."""

    model: str
    profile: Profile | None = None
    labels: tuple[SupportClass, ...] = ()
    revision: str | None = None
    device: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A model that can be asked, with its tokenizer, its profile (labels filled in) and the tokens of its window.

    The lock is held while network or tokenizer are in use.
    """

    name: str
    profile: Profile
    tokenizer: Any
    network: Any
    device: Any
    window: int
    lock: RLock = field(default_factory=RLock)


def needs_extra() -> None:
    """Checks that transformers and torch are installed, without importing them: that takes seconds."""
    for module in ("transformers", "torch"):
        try:
            found = importlib.util.find_spec(module)
        except (ImportError, ValueError):  # a module that was set to None, or half removed
            found = None
        if found is None:
            raise MissingExtraError("EncoderJudge", "encoder")


def _load(source: Source) -> Loaded:
    """Loads a model.

    What is in the cache or in a folder is used without asking the hub; with `HF_HUB_OFFLINE=1` nothing else is.
    """
    needs_extra()
    try:
        import torch  # noqa: PLC0415 - optional and heavy
        import transformers  # noqa: PLC0415 - as above
    except ImportError as error:
        raise JudgeError(f"transformers and torch are installed, and cannot be imported: {error}") from error
    name, how = source.model, {"revision": source.revision} if source.revision else {}
    with _no_bars():
        config = _fetched(name, transformers.PretrainedConfig.get_config_dict, **how)[0]
        profile = source.profile or _read_profile(name, config)
        kind = transformers.AutoModelForTokenClassification
        if profile.head != "tokens":
            kind = transformers.AutoModelForSequenceClassification
        tokenizer = _fetched(name, transformers.AutoTokenizer.from_pretrained, **how)
        network = _fetched(name, kind.from_pretrained, dtype=torch.float32, **how)
    if profile.head == "tokens" and not tokenizer.is_fast:
        raise JudgeError(f"the tokenizer of {name} gives no places in the text: it has no tokenizer.json")
    names = {int(index): label for index, label in network.config.id2label.items()}
    given = source.labels or profile.labels
    labels = checked_labels(name, given, len(names)) if given else read_labels(name, names)
    if "{end}" in profile.template and tokenizer.eos_token is None:
        raise JudgeError(f"the tokenizer of {name} names no end-of-text mark (eos_token), and its input needs one")
    window = _window(profile, network.config, tokenizer)
    tokenizer.model_max_length = 10**9  # texts are measured, never cut, and it is not to warn about each
    where = source.device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(where)
        network = network.eval().to(device)
    except (RuntimeError, AssertionError) as error:
        raise JudgeError(f"{name} cannot be put on device {where!r}: {first_line(error)}") from error
    return Loaded(
        name=name,
        profile=replace(profile, labels=labels),
        tokenizer=tokenizer,
        network=network,
        device=device,
        window=window,
    )


def _read_profile(model: str, config: dict[str, Any]) -> Profile:
    """A profile for a model that is not in the table."""
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


def _window(profile: Profile, config: Any, tokenizer: Any) -> int:
    """Tokens it reads at once: as it was trained, and no more than it has positions for."""
    window = profile.window
    if getattr(config, "position_biased_input", True):
        positions = getattr(config, "max_position_embeddings", None) or window
        padding = (getattr(config, "pad_token_id", None) or 0) + 1 if config.model_type in _OFFSET else 0
        window = min(window, positions - padding)
        if tokenizer.model_max_length < _ABSOLUTE:
            window = min(window, max(tokenizer.model_max_length, 1))
    return window


def _fetched(name: str, fetch: Callable[..., Any], **how: Any) -> Any:
    """From the cache or folder if it is all there, else from the hub."""
    try:
        return fetch(name, local_files_only=True, **how)
    except Exception as error:  # whatever transformers, safetensors and the client of the hub raise
        if Path(name).exists():
            raise JudgeError(f"the folder {name} cannot be read as a model: {first_line(error)}") from error
    try:
        return fetch(name, **how)
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
def _no_bars() -> Iterator[None]:
    """Keeps the bars of transformers and of the hub off stderr, and what they warn of while they load."""
    from transformers.utils import logging  # noqa: PLC0415 - optional and heavy

    shown = logging.is_progress_bar_enabled()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable_progress_bar()
        try:
            yield
        finally:
            if shown:
                logging.enable_progress_bar()


_loading = ChildSafeLock()  # transformers patches itself and torch while it loads: of two at once, one may leave them
_imported_in = os.getpid()


class Weights:
    """Loads a model at first use, and again in a forked process. Pickling leaves the weights out.

    A fork copies no threads, so a child whose parent had imported torch runs it on one: load after forking if you can.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._renew()
        renewed_in_child(self, Weights._renew)

    def _renew(self) -> None:
        self._lock = RLock()
        self._loaded: Loaded | None = None

    def loaded(self) -> Loaded:
        """Returns the model, loading it if that is to be done yet; others wait."""
        with self._lock:
            if self._loaded is None:
                if os.getpid() != _imported_in and "torch" in sys.modules:  # it would wait for threads of the parent
                    sys.modules["torch"].set_num_threads(1)
                with _loading:
                    self._loaded = _load(self.source)
            return self._loaded

    def __reduce__(self) -> tuple[Any, ...]:
        return Weights, (self.source,)
