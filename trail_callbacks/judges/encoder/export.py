"""From weights to a folder that is read without torch: `model.onnx`, its tokenizer, its labels, and what was compared.

What is written is loaded as a judge loads it, and gives the probabilities of the weights, or it is not kept.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from trail_callbacks.errors import InputError, JudgeError, TrailError
from trail_callbacks.judges.encoder.fetching import WEIGHTS, digest, fetch, folder_of
from trail_callbacks.judges.encoder.inference import Encoder, UnusableError
from trail_callbacks.judges.encoder.loading import Loaded, Source, Weights
from trail_callbacks.judges.encoder.network import first_line, needs
from trail_callbacks.judges.encoder.profiles import PROFILES, checked_labels, known_as
from trail_callbacks.models.drive import drive

if TYPE_CHECKING:
    from tokenizers import Encoding

_ALIKE = 1e-4  # by this probabilities may differ: the runtimes add in another order
_OPSET = 17
_BATCH = 4
_FACTS = (  # each is read against a few of the others, so that some are supported
    "The ferry to Skarn Island was built in 1974 and carries forty cars.",
    "Tickets can be returned within 14 days, unless the crossing was made.",
    "Dr Amara Okafor leads the clinic; her deputy is responsible for the ward on the second floor.",
    "Version 3.2 removed the option --fast, which had been deprecated since 2.8.",
    "Sales in the north fell by 12 % to 4.1 million euros, those in the south did not change.",
    "According to the survey, most visitors come by train, and few of them stay for more than one night.",
)
_Rows: TypeAlias = NDArray[np.float64]


def export(
    model: str,
    folder: str,
    *,
    profile: str | None = None,
    labels: Sequence[str] = (),
    revision: str | None = None,
    int8: bool = False,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Writes a model to a folder that `EncoderJudge` reads without torch.

    Args:
        model: A hub id, or the folder of a saved model. What is not on this machine is downloaded.
        folder: Where it is written; nothing may be there.
        profile: The id of a known model that it is a copy of.
        labels: What its outputs mean, by index; empty takes those of its profile, or reads their names.
        revision: Branch, tag or commit on the hub.
        int8: Whether weights are written in 8 bits, in a quarter of the bytes. What that changes is measured.
        say: Is told what is done, and before a download what and how much.

    Returns:
        What stands in `trail.json`: of `inputs`, with `decisions` (one each, or one a token), the `largest` difference
        of a probability to those of torch, and in how many the likeliest label is another (`flipped`).

    Raises:
        MissingExtraError: If a package of the extra `encoder-torch` is not installed.
        InputError: If the folder is there already or cannot be written, or the profile is unknown.
        JudgeError: If the model cannot be had, cannot be exported or its labels say nothing, or if what was exported
            does not give its probabilities. Nothing is written.
    """
    target = Path(folder)
    if target.exists() or target.is_symlink():
        raise InputError(f"{folder} is there already: name a folder that is to be made")
    if profile is not None and profile not in PROFILES:
        raise InputError(f"profile is {profile!r}, expected any of {', '.join(PROFILES)}")
    needs("encoder-torch", "torch", "transformers", "onnx", "onnxruntime", "tokenizers")
    known = profile or known_as(model)
    source = Source(
        model=model,
        profile=PROFILES[known] if known else None,
        labels=checked_labels(model, labels) if labels else (),
        revision=revision,
        device="cpu",
        exporting=True,
    )
    try:
        with TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as beside:
            made = Path(beside) / target.name
            made.mkdir()
            told = _written(source, known, made, int8=int8, say=say)
            made.rename(target)
    except TrailError:
        raise
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror or error}") from error
    except Exception as error:  # whatever torch and onnx raise
        raise JudgeError(f"{model} cannot be exported: {first_line(error)}") from error
    return told


def _written(
    source: Source, known: str | None, made: Path, *, int8: bool, say: Callable[[str], None]
) -> dict[str, Any]:
    origin = _origin(source, say)
    say(f"loading {source.model}")
    weights = Weights(source).loaded()
    config = json.loads((origin / "config.json").read_bytes())
    config["id2label"] = {str(i): label.value for i, label in enumerate(weights.profile.labels)}
    config.pop("label2id", None)
    (made / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    weights.tokenizer.save(str(made / "tokenizer.json"))
    model = made / "model.onnx"
    say("exporting")
    _graph(weights, model)
    there = Source(model=str(made), profile=weights.profile)
    result = Weights(there).loaded()
    inputs = _inputs(result)
    say(f"comparing {len(inputs)} inputs, the longest of {result.window} tokens")
    expected = _probabilities(weights, inputs)
    parity = _difference(expected, _probabilities(result, inputs))
    if parity["largest"] > _ALIKE:
        raise JudgeError(
            f"{source.model} gives other probabilities once it is exported, by up to {parity['largest']:.2g} "
            f"(allowed {_ALIKE}): nothing was written"
        )
    small = None
    if int8:
        say("writing weights in 8 bits")
        del weights, result  # of a large model several GB each
        _quantize(model)
        small = _difference(expected, _probabilities(Weights(there).loaded(), inputs))
    told = {
        "format": "trail-encoder",
        "version": 1,
        "model": known or (origin.name if Path(source.model).is_dir() else source.model),
        "revision": None if Path(source.model).is_dir() else origin.name,
        "sha256": digest([model]),
        "parity": parity | {"int8": small},
    }
    (made / "trail.json").write_text(json.dumps(told, indent=2), encoding="utf-8")
    return told


def _origin(source: Source, say: Callable[[str], None]) -> Path:
    """The folder with the weights; they are downloaded if they are not on this machine."""
    try:
        folder = folder_of(source.model, source.revision, source.profile)
        if Path(source.model).is_dir() or any(each.suffix in WEIGHTS for each in folder.iterdir()):
            return folder.resolve()
    except JudgeError:
        pass
    fetch(source.model, source.revision, source.profile, None, weights=True, say=say)
    return folder_of(source.model, source.revision, source.profile)


def _graph(weights: Any, model: Path) -> None:
    """Traces the network: torch's other exporter, of whole programs, fails on T5 and DeBERTa."""
    import onnx  # noqa: PLC0415 - optional
    import torch  # noqa: PLC0415 - optional and heavy

    sample = {name: torch.ones((2, 33), dtype=torch.long) for name in weights.network.inputs}
    sample["attention_mask"][1, 20:] = 0
    lengths = {0: "batch", 1: "length"}
    with TemporaryDirectory(dir=model.parent) as beside, warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")  # of sizes that look constant to it: others are compared
        traced = Path(beside) / model.name
        torch.onnx.export(
            weights.network.network,
            tuple(sample.values()),
            str(traced),
            dynamo=False,
            opset_version=_OPSET,
            input_names=list(sample),
            output_names=["logits"],
            dynamic_axes=dict.fromkeys(sample, lengths)
            | {"logits": lengths if weights.profile.head == "tokens" else {0: "batch"}},
        )
        if len(list(traced.parent.iterdir())) > 1:  # more than 2 GB: each weight is in a file of its own
            onnx.save_model(onnx.load(traced), model, save_as_external_data=True, location=f"{model.name}.data")
        else:
            traced.rename(model)


def _quantize(model: Path) -> None:
    """Weights in 7 of 8 bits: 8 overflow on processors without instructions for them, whatever was measured here."""
    from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: PLC0415 - optional

    small, advice = model.with_suffix(".int8"), logging.getLogger()
    advice.addFilter(silent := lambda _: False)  # to prepare the model in another way
    try:
        quantize_dynamic(model, small, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    finally:
        advice.removeFilter(silent)
    for each in model.parent.glob(f"{model.name}*"):
        each.unlink()
    small.rename(model)


def _inputs(loaded: Loaded) -> list[Encoding]:
    """Inputs of several lengths, so that some are padded; one fills the window."""
    tokenizer, profile = loaded.tokenizer, loaded.profile
    tokenizer.enable_truncation(loaded.window)
    evidence = [(" ".join((_FACTS * 2)[n:][:facts]), claim) for n, claim in enumerate(_FACTS) for facts in (1, 2, 5)]
    found = []
    for text, claim in [*evidence, (" ".join(_FACTS * loaded.window), _FACTS[0])]:
        filled = profile.template.replace("{claim}", claim).replace("{evidence}", text)
        asked = {"pair": (text, claim), "text": (filled, None), "tokens": (filled, claim)}[profile.head]
        found.append(tokenizer.encode(*asked))
    return found


def _probabilities(loaded: Loaded, inputs: Sequence[Encoding]) -> list[_Rows]:
    found, _ = drive(Encoder(loaded, _BATCH).probabilities(inputs), None)
    for one in found:
        if isinstance(one, UnusableError):
            raise JudgeError(str(one))
    return [np.array(one) for one in found]


def _difference(expected: Sequence[_Rows], found: Sequence[_Rows]) -> dict[str, Any]:
    wanted, there = np.concatenate(expected), np.concatenate(found)
    flipped = int((wanted.argmax(-1) != there.argmax(-1)).sum())
    largest = float(np.abs(wanted - there).max())
    return {"largest": largest, "inputs": len(expected), "decisions": len(wanted), "flipped": flipped}
