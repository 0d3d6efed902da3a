"""`trail encoder`: models that judge on this machine, made ready to run without torch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from trail_callbacks.cli.options import Json, Word, Words, group, option
from trail_callbacks.cli.output import complain, deliver
from trail_callbacks.judges.encoder.profiles import DEFAULT, profile_of
from trail_callbacks.render.excerpt import plain

if TYPE_CHECKING:
    from trail_callbacks.judges.encoder.export import Difference

encoder = group("Gets models that judge on this machine.")

_Model = Annotated[str, typer.Argument(metavar="MODEL", help="Hub id of the model, or the folder of a saved one.")]
_Revision = Annotated[Word, option("NAME", "Branch, tag or commit on the hub.", "--revision")]


@encoder.command()
def fetch(
    *,
    model: _Model = DEFAULT,
    file: Annotated[Word, option("NAME", "Another ONNX file of the model than the usual one.", "--file")] = None,
    revision: _Revision = None,
) -> None:
    """Downloads a model for EncoderJudge into the cache of the hub, once: no judge downloads anything by itself.

    Files, sizes and licence are said before, and afterwards the revision and the hash to pin.
    """
    from trail_callbacks.judges.encoder.fetching import fetch as fetched  # noqa: PLC0415 - as below

    fetched(model, revision, profile_of(model), file, say=complain)


@encoder.command()
def export(
    *,
    model: _Model,
    output: Annotated[str, option("FOLDER", "Folder to make.", "--output", "-o")],
    int8: Annotated[
        bool, option(None, "Write weights in 8 bits: a quarter of the size, and other probabilities.", "--int8")
    ] = False,
    profile: Annotated[Word, option("HUB_ID", "The known model that it is a copy of.", "--profile")] = None,
    labels: Annotated[
        Words, option("LABEL", "What its outputs mean, by index: supported, absent or contradicted.", "--label")
    ] = None,
    revision: _Revision = None,
    as_json: Json = False,
) -> None:
    """Writes a model for EncoderJudge to read without torch, and compares the two.

    Needs torch, once: pip install "trail-callbacks[encoder-torch]". What is on this machine is not downloaded.
    """
    from trail_callbacks.judges.encoder.export import export as written  # noqa: PLC0415 - other commands do not need it

    done = written(model, output, profile=profile, labels=labels or (), revision=revision, int8=int8, say=complain)
    if done.int8 and done.int8.flipped:
        complain(
            f"in 8 bits the likeliest label is another in {done.int8.flipped} of {done.int8.decisions:,} answers: "
            "measure the judge on your own labelled answers (trail bench) before you use it"
        )

    def lines() -> Iterator[str]:
        yield f"{plain(output)}: {done.bytes / 1e6:,.1f} MB, read by EncoderJudge({plain(output)!r})"
        yield f"against torch: {_told(done.parity)}"
        if done.int8:
            yield f"in 8 bits: {_told(done.int8)}"

    deliver({"folder": output, **asdict(done)}, lines(), as_json=as_json)


def _told(difference: Difference) -> str:
    return (
        f"probabilities differ by up to {difference.largest:.2g}, on average by {difference.mean:.2g}, "
        f"in {difference.flipped} of {difference.decisions:,} answers to {difference.inputs} inputs the label"
    )
