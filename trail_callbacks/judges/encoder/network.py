"""What runs a model: arrays of tokens in, scores out. `onnx` and `torch` are the two that there are."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from trail_callbacks.errors import MissingExtraError

Batch: TypeAlias = Mapping[str, NDArray[np.int64]]
"""`input_ids`, `attention_mask` and `token_type_ids`, each inputs by tokens, those of shorter inputs filled up."""


class Network(Protocol):
    """A model without its tokenizer. One thread at a time runs it.

    Attributes:
        outputs: How many classes it tells apart; None if its file does not say.
        device: What it runs on.
    """

    outputs: int | None
    device: str

    def logits(self, batch: Batch) -> NDArray[Any]:
        """Returns inputs by classes, or inputs by tokens by classes; raises whatever it likes."""


def needs(extra: str, *modules: str) -> None:
    """Checks that modules are installed, without importing them: that can take seconds."""
    for module in modules:
        try:
            found = importlib.util.find_spec(module)
        except (ImportError, ValueError):  # a module that was set to None, or half removed
            found = None
        if found is None:
            raise MissingExtraError("EncoderJudge", extra)


def first_line(error: BaseException) -> str:
    """Returns the kind of an error and the first line that it says."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__
