"""Measures what one input of 512 tokens costs an EncoderJudge: weights of the real shapes, random, so no accuracy here.

Prints one JSON line a model and runtime: torch, and what `trail encoder export` writes of the same weights, whole and in
8 bits. All three are in one process, on one thread each, and take turns: medians of the rounds with intervals of 95 %
at least (order statistics), of processor seconds and, on a machine that others use too, longer wall seconds. The peak of
memory is that of a process of its own that loads the model and reads one such input. Needs the extra `encoder-torch`, no
network, and for the largest some 10 GB of memory.

    python tests/benchmarks/encoder_speed.py [NAME ...]    # all, or those whose name holds one of the words
"""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np

from trail_callbacks.judges.encoder.loading import Loaded, Source, Weights
from trail_callbacks.judges.encoder.profiles import PROFILES

sys.path.insert(0, str(Path(__file__).parents[1] / "judges" / "encoder"))

TOKENS, ROUNDS = 512, 11
HHEM, FLAN = "vectara/hallucination_evaluation_model", "lytang/MiniCheck-Flan-T5-Large"


def deberta(hidden: int, layers: int, heads: int):
    from transformers import AutoModelForSequenceClassification, DebertaV2Config

    config = DebertaV2Config(
        vocab_size=128100,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * hidden,
        pooler_hidden_size=hidden,
        relative_attention=True,
        position_buckets=256,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        position_biased_input=False,
        type_vocab_size=0,
        max_relative_positions=-1,
        pad_token_id=0,
        num_labels=2,
    )
    return AutoModelForSequenceClassification.from_config(config)


def modernbert(**shape: int):
    from transformers import AutoModelForTokenClassification, ModernBertConfig

    marks = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2}
    config = ModernBertConfig(vocab_size=50368, num_labels=2, max_position_embeddings=1024, **marks, **shape)
    return AutoModelForTokenClassification.from_config(config)


def t5(kind: str, hidden: int, inner: int, layers: int, heads: int):
    import transformers

    shape = {"d_model": hidden, "d_kv": 64, "d_ff": inner, "num_layers": layers, "num_heads": heads}
    ids = {"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}
    config = transformers.T5Config(**shape, **ids, feed_forward_proj="gated-gelu", num_labels=2)
    return getattr(transformers, f"T5For{kind}")(config)


SHAPES: dict[str, tuple[str, Callable[[], object]]] = {
    "HHEM-2.1-Open": (HHEM, lambda: t5("TokenClassification", 768, 2048, 12, 12)),
    "nli-deberta-v3-xsmall": ("", lambda: deberta(384, 12, 6)),
    "nli-deberta-v3-small": ("", lambda: deberta(768, 6, 12)),
    "DeBERTa-v3-base-mnli-fever-anli": ("", lambda: deberta(768, 12, 12)),
    "FactCG-DeBERTa-v3-Large": ("", lambda: deberta(1024, 24, 16)),
    "lettucedect-base-modernbert": ("", modernbert),
    "tinylettuce-ettin-68m": (
        "",
        lambda: modernbert(hidden_size=512, num_hidden_layers=19, num_attention_heads=8, intermediate_size=768),
    ),
    "MiniCheck-Flan-T5-Large": (FLAN, lambda: t5("ConditionalGeneration", 1024, 2816, 24, 16)),
}
"""The profile by which a model is asked, if its shape alone does not say it, and its weights."""


def loaded(folder: str, profile: str) -> Loaded:
    labels = ("absent", "supported")
    return Weights(Source(model=folder, profile=PROFILES.get(profile), labels=labels, device="cpu", threads=1)).loaded()


def read(model: Loaded) -> None:
    ids = np.random.default_rng(0).integers(5, 30000, (1, TOKENS))
    model.network.logits({"input_ids": ids, "attention_mask": np.ones_like(ids)})


def peak(folder: str, profile: str) -> int:
    """Megabytes of a process that loads a model and reads an input, as Linux counts them."""
    done = subprocess.run(
        [sys.executable, __file__, "--peak", folder, profile], check=True, capture_output=True, text=True
    )
    return int(done.stdout) // 1000


def median(values: list[float]) -> list[float]:
    """The median, and the values between which it is with 95 % or more."""
    n, low = len(values), 0
    while sum(math.comb(n, k) for k in range(low + 2)) / 2**n <= 0.025:
        low += 1
    ordered = sorted(values)
    return [round(each, 3) for each in (ordered[n // 2], ordered[low], ordered[n - 1 - low])]


def measured(name: str, folder: Path) -> None:
    import tiny
    import torch

    from trail_callbacks.judges.encoder.export import export

    torch.set_num_threads(1)
    torch.manual_seed(0)
    profile, build = SHAPES[name]
    network = build()
    size = sum(each.numel() for each in network.parameters())
    runs = {"torch": tiny.saved(network, tiny.t5_tokenizer() if profile else tiny.tokenizer(), folder / "torch")}
    del network
    for runtime in ("onnx", "onnx int8"):
        runs[runtime] = str(folder / runtime)
        export(
            runs["torch"],
            runs[runtime],
            profile=profile or None,
            labels=("absent", "supported"),
            int8=runtime != "onnx",
            say=lambda _: None,
        )
    models = {runtime: loaded(each, profile) for runtime, each in runs.items()}
    wall: dict[str, list[float]] = {each: [] for each in runs}
    cpu: dict[str, list[float]] = {each: [] for each in runs}
    for turn in range(ROUNDS + 1):
        for runtime, model in models.items():
            began, used = time.perf_counter(), time.process_time()
            read(model)
            if turn:  # the first is to warm up
                wall[runtime].append(time.perf_counter() - began)
                cpu[runtime].append(time.process_time() - used)
    models.clear()
    machine = {"cpu": platform.processor() or platform.machine(), "load": round(os.getloadavg()[0], 1)}
    for runtime, where in runs.items():
        files = [*Path(where).glob("*.safetensors"), *Path(where).glob("model.onnx*")]
        line = {
            "measure": "encoder_speed",
            "model": name,
            "runtime": f"{runtime} {version('torch' if runtime == 'torch' else 'onnxruntime')}",
            "parameters": size,
            "tokens": TOKENS,
            "rounds": ROUNDS,
            "cpu_seconds": median(cpu[runtime]),
            "wall_seconds": median(wall[runtime]),
            "peak_mb": peak(where, profile),
            "file_mb": round(sum(each.stat().st_size for each in files) / 1e6),
        }
        print(json.dumps({**line, **machine}), flush=True)


def main() -> None:
    if sys.argv[1:2] == ["--peak"]:
        if any(Path(sys.argv[2]).glob("*.safetensors")):
            import torch

            torch.set_num_threads(1)
        read(loaded(*sys.argv[2:]))
        print(next(line for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line).split()[1])
        return
    for name in SHAPES:
        if not sys.argv[1:] or any(word in name for word in sys.argv[1:]):
            with tempfile.TemporaryDirectory() as folder:
                measured(name, Path(folder))


if __name__ == "__main__":
    main()
