"""Watching what a model is given."""

import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from trail_callbacks.claims import Claim
from trail_callbacks.judges.encoder.profiles import Profile
from trail_callbacks.models.drive import drive

ROOT = Path(__file__).parents[3]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
WITHOUT = "needs the extra encoder-torch: make test ENCODER=1 (see the Makefile for what it downloads)"
"""Why tests are skipped where torch or transformers is not installed."""


class Watched:
    """A network that keeps what it is given; `answer` is run in its place if there is one."""

    def __init__(self, network, answer=None):
        self.outputs, self.device = network.outputs, network.device
        self.answer, self.batches = answer or network.logits, []

    def logits(self, batch):
        self.batches.append(batch)
        return self.answer(batch)


def watched(judge, answer=None):
    """Puts a `Watched` in the place of a judge's network."""
    loaded = judge._first.loaded()
    network = Watched(loaded.network, answer)
    judge._first._loaded = replace(loaded, network=network)
    return network


@contextmanager
def inputs(judge):
    """Collects the token ids of every input of a judge's model, without padding."""
    found, network = [], watched(judge)
    try:
        yield found
    finally:
        for batch in network.batches:
            rows = zip(batch["input_ids"], batch["attention_mask"], strict=True)
            found += [ids[: int(mask.sum())].tolist() for ids, mask in rows]


def run(judge, questions, purpose="verdicts"):
    return drive(judge.assess(questions, purpose), None)[0].judgements


def claim(text, id_="c1"):
    return Claim(id=id_, text=text, quote=text, start=0, end=len(text))


def like(name, **changes):
    """The profile of a known model, changed for a tiny one."""
    from trail_callbacks.judges.encoder.profiles import PROFILES

    return replace(PROFILES[name], **changes) if name else Profile(**changes)


def python(code, **env):
    env = {k: v for k, v in os.environ.items() if not k.startswith("HF_")} | env
    path = os.pathsep.join([str(ROOT), str(ROOT / "integrations"), env.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**env, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
