"""Runs weights that have no ONNX file, with transformers and torch: never code of others, never in half precision.

T5 and DeBERTa overflow in float16 and then say nothing, confidently.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import transformers
from numpy.typing import NDArray
from tokenizers import Tokenizer

from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.encoder.network import Batch, first_line

_HHEM = {
    "d_model": 768, "d_kv": 64, "d_ff": 2048, "num_layers": 12, "num_heads": 12, "feed_forward_proj": "gated-gelu",
    "tie_word_embeddings": False, "num_labels": 2,
}  # fmt: skip
"""What HHEM is, a T5 with a class a token, whose authors read it with code of their own and weights of other names."""


class TorchClassifier:
    """A classifier that transformers knows; of a T5 also its encoder, or the first step of its decoder.

    Args:
        folder: Where it is.
        config: Its configuration.
        tokens: Whether each token has a class.
        answers: Ids of the tokens that are the classes of one that generates.
        device: As torch names it; None is a CUDA device if there is one.
    """

    def __init__(
        self, folder: Path, config: Mapping[str, Any], device: str | None, *, tokens: bool, answers: Sequence[int] = ()
    ) -> None:
        how: dict[str, Any] = {"dtype": torch.float32, "output_loading_info": True}
        if hhem := str(config.get("model_type")).startswith("HHEM"):
            shape = {name: value for name, value in config.items() if name not in {"auto_map", "model_type"}}
            how |= {"config": transformers.T5Config(**(_HHEM | shape)), "key_mapping": {r"^t5\.": ""}}
        elif config.get("auto_map"):
            raise JudgeError(
                f"{folder} brings code of its own, which is not run: take a model that transformers knows, or its ONNX"
            )
        kind = transformers.AutoModelForSequenceClassification
        if tokens or hhem or _built(config).endswith("ForTokenClassification"):
            kind = transformers.AutoModelForTokenClassification
        elif answers:
            kind = transformers.AutoModelForSeq2SeqLM
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        with _quiet():
            try:
                network, found = kind.from_pretrained(folder, local_files_only=True, **how)
            except Exception as error:  # whatever transformers and safetensors raise
                raise JudgeError(f"{folder} cannot be read as a model: {first_line(error)}") from error
        if found["missing_keys"]:  # made up at random, and no error to transformers
            raise JudgeError(f"{folder} has no weights for {', '.join(sorted(found['missing_keys'])[:3])}")
        try:
            self.network = _Classes(network.eval().to(torch.device(self.device)), list(answers)).eval()
        except (RuntimeError, AssertionError) as error:
            raise JudgeError(f"{folder} cannot be put on device {self.device!r}: {first_line(error)}") from error
        types = getattr(network.config, "type_vocab_size", 0) > 1  # one is none
        self.inputs = ("input_ids", "attention_mask", *(("token_type_ids",) if types else ()))
        self.outputs: int | None = len(answers) or network.config.num_labels

    def logits(self, batch: Batch) -> NDArray[Any]:
        """Runs a batch."""
        with torch.inference_mode():
            given = {name: torch.from_numpy(batch[name]).to(self.device) for name in self.inputs}
            answer: NDArray[Any] = self.network(**given).float().cpu().numpy()
        return answer


class _Classes(torch.nn.Module):  # type: ignore[misc]
    """Gives the scores of the classes and nothing else, which is also what is exported."""

    def __init__(self, network: torch.nn.Module, answers: list[int]) -> None:
        super().__init__()
        self.network, self.answers = network, answers

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any = None) -> Any:
        """Runs a batch."""
        given = {"input_ids": input_ids, "attention_mask": attention_mask}
        if token_type_ids is not None:
            given["token_type_ids"] = token_type_ids
        if not self.answers:
            return self.network(**given).logits
        given["decoder_input_ids"] = input_ids[:, :1] * 0 + (self.network.config.decoder_start_token_id or 0)
        return self.network(**given).logits[:, 0, self.answers]


def _built(config: Mapping[str, Any]) -> str:
    return str((config.get("architectures") or [""])[0])


def generates(config: Mapping[str, Any]) -> bool:
    """Says whether a configuration is that of a model with a decoder, which answers in tokens."""
    return _built(config).endswith("ForConditionalGeneration")


def tokenizer(folder: Path) -> Tokenizer:
    """Makes a tokenizer of what a folder has in place of `tokenizer.json`."""
    with _quiet():
        try:
            made = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        except Exception as error:
            raise JudgeError(f"{folder} has no tokenizer that can be read: {first_line(error)}") from error
    inner: Tokenizer = made.backend_tokenizer
    return inner


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps the bars of transformers off stderr, and what it warns of while it loads."""
    from transformers.utils import logging  # noqa: PLC0415 - changed while it loads

    shown = logging.is_progress_bar_enabled()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable_progress_bar()
        try:
            yield
        finally:
            if shown:
                logging.enable_progress_bar()
