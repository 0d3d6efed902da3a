"""Runs ONNX files with onnxruntime on processor cores: threads that wait without spinning, memory given back.

From version 1.32 on, official builds of onnxruntime report to their maker. That is switched off here, before it is
imported: a judge on this machine sends nothing, and the thread that reports would keep a forked process from ending.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.encoder.network import Batch, first_line

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime

_MOST = 4  # threads, unless more are asked for: the app has some of its own
_TEXT = frozenset({"input_ids", "attention_mask"})
_INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class OnnxClassifier:
    """A file that gives classes to each input, or to each of its tokens; or another one, by its inputs and output."""

    device = "cpu"

    def __init__(
        self,
        file: Path,
        threads: int | None,
        needed: frozenset[str] = _TEXT,
        more: frozenset[str] = frozenset({"token_type_ids"}),
        output: str = "logits",
    ) -> None:
        self._session = _opened(file, threads)
        self._options = onnxruntime.RunOptions()  # else the most that a batch ever took is kept
        self._options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        self._inputs = {each.name: _INTEGERS.get(each.type) for each in self._session.get_inputs()}
        outputs = {each.name: each for each in self._session.get_outputs()}
        found = outputs.get(output) or (next(iter(outputs.values())) if len(outputs) == 1 else None)
        if found is None or not needed <= self._inputs.keys() <= needed | more:
            raise JudgeError(
                f"{file} makes {', '.join(outputs)} of {', '.join(self._inputs)}, expected {output} of "
                f"{', '.join(sorted(needed))}{''.join(f', perhaps {name}' for name in more)}: export it for that use"
            )
        self._output = found.name
        last = found.shape[-1] if found.shape else None
        self.outputs = last if isinstance(last, int) else None

    def logits(self, batch: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """Runs a batch."""
        fed = {name: batch[name].astype(kind or batch[name].dtype, copy=False) for name, kind in self._inputs.items()}
        answer: NDArray[Any] = self._session.run([self._output], fed, self._options)[0]
        return answer


class OnnxFirstStep:
    """An encoder and a decoder whose first token is the answer: the scores of some tokens are those of the classes.

    Args:
        files: The encoder and the decoder.
        answers: Ids of the tokens, by class.
        start: Id of the token that the decoder begins with.
        threads: See `EncoderJudge`.
    """

    device = "cpu"

    def __init__(self, files: Sequence[Path], answers: Sequence[int], start: int, threads: int | None) -> None:
        encoder, decoder = files
        self._encoder = OnnxClassifier(encoder, threads, more=frozenset(), output="last_hidden_state")
        needed = frozenset({"input_ids", "encoder_hidden_states", "encoder_attention_mask"})
        self._decoder = OnnxClassifier(decoder, threads, needed, more=frozenset())
        self._answers, self._start = list(answers), start
        self.outputs: int | None = len(self._answers)

    def logits(self, batch: Batch) -> NDArray[Any]:
        """Runs a batch, and of the decoder one step."""
        given = {
            "input_ids": np.full((len(batch["input_ids"]), 1), self._start),
            "encoder_hidden_states": self._encoder.logits(batch),
            "encoder_attention_mask": batch["attention_mask"],
        }
        answer: NDArray[Any] = self._decoder.logits(given)[:, 0, self._answers]
        return answer


def _opened(file: Path, threads: int | None) -> onnxruntime.InferenceSession:
    onnxruntime.disable_telemetry_events()  # where the app had imported it before
    options = onnxruntime.SessionOptions()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    options.intra_op_num_threads = threads or min(cores, _MOST)
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_mem_pattern = False  # lengths vary
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        told = str(error).lower()
        if "external data" in told or "no such file" in told:
            why = "part of its weights is in another file, which is not beside it or is damaged"
        elif "opset" in told or "ir version" in told:
            why = f"it is of a newer format than onnxruntime {onnxruntime.__version__} reads: update onnxruntime"
        else:
            why = "it is damaged, or no ONNX file"
        raise JudgeError(f"onnxruntime cannot load {file}: {why}. {first_line(error)}") from error
