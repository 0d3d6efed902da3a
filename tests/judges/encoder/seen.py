"""Watching what a model is given."""

from contextlib import contextmanager

from trail_callbacks.claims import Claim
from trail_callbacks.judges.encoder.profiles import Profile
from trail_callbacks.models.drive import drive

WITHOUT = "needs the extra encoder: make test ENCODER=1 (see the Makefile for what it downloads)"
"""Why tests are skipped where torch or transformers is not installed."""


@contextmanager
def inputs(judge):
    """Collects the token ids of every input of a judge's model, without padding."""
    found = []
    loaded = judge._first.loaded()

    def note(_, args, kwargs):
        for ids, mask in zip(kwargs["input_ids"], kwargs["attention_mask"], strict=True):
            found.append(ids[: int(mask.sum())].tolist())

    handle = loaded.network.register_forward_pre_hook(note, with_kwargs=True)
    try:
        yield found
    finally:
        handle.remove()


def run(judge, questions, purpose="verdicts"):
    return drive(judge.assess(questions, purpose), None)[0].judgements


def claim(text, id_="c1"):
    return Claim(id=id_, text=text, quote=text, start=0, end=len(text))


def like(name, **changes):
    """The profile of a known model, changed for a tiny one."""
    from dataclasses import replace

    from trail_callbacks.judges.encoder.profiles import PROFILES

    return replace(PROFILES[name], **changes) if name else Profile(**changes)
