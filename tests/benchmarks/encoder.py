"""Measures how long EncoderJudge takes with models of the real sizes and random weights: `python tests/benchmarks/encoder.py`.

Prints one JSON line a model and length of the sources: processor and wall milliseconds a claim and a report, on one core
unless OMP_NUM_THREADS says otherwise, and how many tokens were read. Verdicts of random weights mean nothing, so there
is no accuracy here: that of the real models is what their authors publish. Needs the extra `encoder-torch`, no network, and
some GB of memory.

    python tests/benchmarks/encoder.py [NAME ...]    # all, or those whose name holds one of the words
"""

from __future__ import annotations

import json
import os
import platform
import random
import sys
import tempfile
import time
from pathlib import Path

import torch
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    DebertaV2Config,
    ModernBertConfig,
)

from trail_callbacks import EncoderJudge, check
from trail_callbacks.judges.encoder.profiles import PROFILES

sys.path.insert(0, str(Path(__file__).parents[1] / "judges" / "encoder"))
import tiny
from seen import watched

CLAIMS = 8
TOKENS = (500, 2000)
SIZES = {
    "lettucedect-base": (
        "KRLabsOrg/lettucedect-base-modernbert-en-v1",
        AutoModelForTokenClassification,
        ModernBertConfig(vocab_size=50368, num_labels=2, pad_token_id=0, bos_token_id=1, eos_token_id=2),
    ),
    "deberta-base-nli": (
        "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli",
        AutoModelForSequenceClassification,
        DebertaV2Config(
            vocab_size=128100,
            relative_attention=True,
            position_buckets=256,
            norm_rel_ebd="layer_norm",
            share_att_key=True,
            pos_att_type=["p2c", "c2p"],
            position_biased_input=False,
            type_vocab_size=0,
            max_relative_positions=-1,
            pad_token_id=0,
            id2label=tiny.NLI,
            label2id={name: i for i, name in tiny.NLI.items()},
        ),
    ),
}
"""Published sizes: 22 layers of 768 (149.6 million parameters), 12 of 768 (184.4 million)."""


def sentence(rng: random.Random) -> str:
    return f"The {' '.join(rng.choices(tiny.WORDS, k=14))}."


def built(folder: Path, kind, config: AutoConfig) -> str:
    torch.manual_seed(0)
    return tiny.saved(kind.from_config(config), tiny.tokenizer(), folder)


def measured(judge: EncoderJudge, tokens: int) -> dict[str, object]:
    """One report: every sentence of the sources is given for every claim."""
    rng = random.Random(tokens)  # noqa: S311 - made-up sentences, no secret
    answer = " ".join(sentence(rng) for _ in range(CLAIMS))
    count, lines = tiny.tokenizer(), []
    while sum(len(count(line)["input_ids"]) for line in lines) < tokens:
        lines.append(sentence(rng))
    sources = ["\n\n".join(lines[i::4]) for i in range(4)]
    network = watched(judge)
    wall, cpu = time.perf_counter(), time.process_time()
    report = check(answer, sources, judge=judge)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    assert report.state != "error", report.warnings
    return {
        "claims": len(report.verdicts),
        "tokens_of_sources": tokens,
        "tokens_read": sum(int(batch["attention_mask"].sum()) for batch in network.batches),
        "milliseconds_a_claim": round(1000 * wall / len(report.verdicts)),
        "cpu_milliseconds_a_claim": round(1000 * cpu / len(report.verdicts)),
        "seconds_a_report": round(wall, 1),
    }


def main() -> None:
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    wanted = sys.argv[1:]
    for name, (known, kind, config) in SIZES.items():
        if wanted and not any(word in name for word in wanted):
            continue
        with tempfile.TemporaryDirectory() as folder:
            judge = EncoderJudge(built(Path(folder), kind, config), profile=PROFILES[known], device="cpu")
            judge.load()
            check("The ferry is old.", ["The ferry is old."], judge=judge)  # warm
            for tokens in TOKENS:
                line = {"measure": "encoder", "model": name, "weights": "random", "accuracy": "not measured"}
                machine = {"threads": torch.get_num_threads(), "machine": platform.processor() or platform.machine()}
                print(json.dumps({**line, **measured(judge, tokens), **machine}), flush=True)


if __name__ == "__main__":
    main()
