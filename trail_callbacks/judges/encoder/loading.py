"""Loading a model: from a folder or the hub's cache, never from the network; an ONNX file before weights for torch.

A model is loaded once, for all threads.
"""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from trail_callbacks.errors import JudgeError
from trail_callbacks.forking import ChildSafeLock, renewed_in_child
from trail_callbacks.judges.encoder.fetching import WEIGHTS, chosen, digest, folder_of, tokenizer_of
from trail_callbacks.judges.encoder.network import Network, first_line, needs
from trail_callbacks.judges.encoder.profiles import ANSWERS, Profile, checked_labels, exported, read_json, read_labels
from trail_callbacks.taxonomy import SupportClass

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_OFFSET = {"roberta", "xlm-roberta", "camembert"}  # their positions begin after the padding's


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Which model to load, and how: see `EncoderJudge`. Without a profile its configuration is read.

    To be exported are the weights, though an ONNX file be there.
    """

    model: str
    profile: Profile | None = None
    labels: tuple[SupportClass, ...] = ()
    revision: str | None = None
    file: str | None = None
    sha256: str | None = None
    device: str | None = None
    threads: int | None = None
    exporting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A model that can be asked, with its tokenizer, its profile (labels filled in) and the tokens of its window.

    Attributes:
        padding: Id of the token that fills up shorter inputs.
        lock: Held while the network runs.
    """

    name: str
    profile: Profile
    tokenizer: Tokenizer
    network: Network
    padding: int
    window: int
    lock: RLock = field(default_factory=RLock)


def _load(source: Source) -> Loaded:
    """Loads a model."""
    name = source.model
    folder = folder_of(name, source.revision, source.profile)
    config = read_json(folder / "config.json")
    profile = source.profile or _read_profile(name, config)
    files = _files(source, folder, profile)
    tokenizer = _tokenizer(name, folder, profile, convert=not files)
    if files:
        from trail_callbacks.judges.encoder.onnx import OnnxClassifier, OnnxFirstStep  # noqa: PLC0415 - optional

        network: Network
        if profile.answers:
            start = config.get("decoder_start_token_id") or 0
            network = OnnxFirstStep(files, _answers(name, profile, tokenizer), start, source.threads)
        else:
            network = OnnxClassifier(files[0], source.threads)
    else:
        from trail_callbacks.judges.encoder.torch import TorchClassifier, generates  # noqa: PLC0415 - optional and heavy

        answers = _answers(name, replace(profile, answers=ANSWERS), tokenizer) if generates(config) else ()
        network = TorchClassifier(folder, config, source.device, tokens=profile.head == "tokens", answers=answers)
    labels = source.labels or profile.labels
    if not labels:
        default = {i: f"LABEL_{i}" for i in range(network.outputs or 2)}  # as transformers has it
        labels = read_labels(name, {int(i): each for i, each in (config.get("id2label") or default).items()})
    return Loaded(
        name=name,
        profile=replace(profile, labels=checked_labels(name, labels, network.outputs)),
        tokenizer=tokenizer,
        network=network,
        padding=config.get("pad_token_id") or 0,
        window=_window(profile, config),
    )


def _files(source: Source, folder: Path, profile: Profile) -> list[Path]:
    """The ONNX files that are run, checked against a hash that somebody pinned; none where torch runs the model."""
    elsewhere = source.device not in {None, "cpu"}
    found = () if source.exporting else (*folder.glob("*.onnx"), *folder.glob("*/*.onnx"))
    there = [each.relative_to(folder).as_posix() for each in found]
    files = [folder / each for each in chosen(source.model, there, profile, source.file)]
    if files and elsewhere and not source.file and any(folder.glob("*.safetensors")):
        files = []
    if not files:
        if profile.answers or source.sha256:
            raise JudgeError(f"{source.model} has no ONNX file, which its profile or sha256 speaks of")
        if not any(each.suffix in WEIGHTS for each in folder.iterdir()):
            raise JudgeError(f"{source.model} has neither an ONNX file nor weights: see trail encoder fetch")
        needs("encoder-torch", "torch", "transformers")
        return []
    if elsewhere:
        raise JudgeError(f"device is {source.device!r}, and ONNX files run on cpu: take the weights, without file")
    if missing := [file.name for file in files if not file.is_file()]:
        raise JudgeError(f"{source.model} has no file {', '.join(missing)} beside {files[0].name}")
    pinned = source.sha256
    if not pinned and not source.file:
        pinned = exported(folder).get("sha256") or ("" if Path(source.model).is_dir() else profile.sha256)
    if pinned and (actual := digest(files)) != pinned.casefold():
        raise JudgeError(f"{source.model} is not what was pinned: its SHA-256 is {actual}, expected {pinned}")
    return files


def _answers(name: str, profile: Profile, tokenizer: Tokenizer) -> list[int]:
    ids = [found for each in profile.answers if (found := tokenizer.token_to_id(each)) is not None]
    if len(ids) < len(profile.answers):
        raise JudgeError(f"the tokenizer of {name} has no tokens {profile.answers}, which are its answers")
    return ids


def _tokenizer(name: str, folder: Path, profile: Profile, *, convert: bool) -> Tokenizer:
    from tokenizers import Tokenizer  # noqa: PLC0415 - optional

    file = tokenizer_of(folder, profile)
    if file is not None:
        try:
            tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:  # what tokenizers raises is an Exception itself
            raise JudgeError(f"the tokenizer.json of {name} cannot be read: {first_line(error)}") from error
    elif convert:
        from trail_callbacks.judges.encoder.torch import tokenizer as converted  # noqa: PLC0415 - optional and heavy

        tokenizer = converted(folder)
    else:
        raise JudgeError(f"{name} has no tokenizer.json: put that of the model it was exported from beside it")
    tokenizer.no_truncation()  # texts are measured, never cut
    tokenizer.no_padding()
    return tokenizer


def _read_profile(model: str, config: dict[str, Any]) -> Profile:
    """A profile for a model that is not in the table."""
    if not config:
        raise JudgeError(f"{model} cannot be read as a model: it has no config.json")
    built = [str(name) for name in config.get("architectures") or ()]
    if any(name.endswith("ForTokenClassification") for name in built):
        return Profile(head="tokens", template="{evidence}", window=4096, chunk=4096)
    if any(name.endswith("ForSequenceClassification") for name in built):
        return Profile()
    raise JudgeError(
        f"{model} is {', '.join(built) or 'of an unknown kind'}, expected a classifier of texts or of tokens; for a "
        'copy of a known model of another kind, profile="its/hub-id"'
    )


def _window(profile: Profile, config: dict[str, Any]) -> int:
    """Tokens it reads at once: as it was trained, and no more than it has positions for."""
    positions = config.get("max_position_embeddings")
    if not positions or not config.get("position_biased_input", True):
        return profile.window
    padding = (config.get("pad_token_id") or 0) + 1 if config.get("model_type") in _OFFSET else 0
    return min(profile.window, int(positions) - padding)


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
        if (left := getattr(self, "_loaded", None)) is not None:  # to end it would wait for threads of the parent
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(left))
        self._loaded: Loaded | None = None

    def loaded(self) -> Loaded:
        """Returns the model, loading it if that is to be done yet; others wait."""
        with self._lock:
            if self._loaded is None:
                if os.getpid() != _imported_in and (torch := sys.modules.get("torch")):
                    torch.set_num_threads(1)  # it would wait for threads of the parent
                try:
                    with _loading:
                        self._loaded = _load(self.source)
                except (AttributeError, TypeError, ValueError) as error:  # a configuration that holds something else
                    raise JudgeError(f"{self.source.model} cannot be loaded: {first_line(error)}") from error
            return self._loaded

    def __reduce__(self) -> tuple[Any, ...]:
        return Weights, (self.source,)
