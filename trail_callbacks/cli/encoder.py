"""`trail encoder`: models that judge on this machine, made ready to run without torch."""

from __future__ import annotations

from typing import Annotated

import typer

from trail_callbacks.cli.options import Json, Word, Words, group, option
from trail_callbacks.cli.output import complain, deliver
from trail_callbacks.judges.encoder.profiles import DEFAULT, profile_of
from trail_callbacks.render.excerpt import plain

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
    found = done["parity"]["int8"] or done["parity"]
    if int8 and found["flipped"]:
        complain(
            "the label of some answers is another in 8 bits: measure it on your own (trail bench) before you use it"
        )
    apart = f"probabilities differ from those of torch by up to {found['largest']:.2g}, and"
    of = f"{found['decisions']:,} answers to {found['inputs']} inputs"
    lines = (
        f"written to {plain(output)}, for EncoderJudge({plain(output)!r})",
        f"{apart} {found['flipped']:,} of {of} have another label",
    )
    deliver(done, lines, as_json=as_json)
