"""`trail canary perturb` and `trail canary probes`: the fictive twin of a corpus, and questions about what differs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from trail_callbacks.cli.options import BaseUrl, Json, writable
from trail_callbacks.cli.output import complain, display, emit
from trail_callbacks.errors import InputError, JudgeError
from trail_callbacks.render.safe_text import plain, shorten

if TYPE_CHECKING:
    from trail_callbacks.canary import Edit, EditKind, Probe, Size, Skipped, Twin

__all__ = ["perturb", "probes"]

_EXAMPLES = 3
_REASONS = 8  # lines about what was left out
_WIDTH = 160  # characters of an example
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")

Seed = Annotated[int, typer.Option(metavar="N", help="Of all choices; the same seed makes the same twin.")]
Most = Annotated[int | None, typer.Option(min=1, metavar="N", help="Make no more than so many; kinds take turns.")]


def perturb(
    *,
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS",
            help="Folders and files with the texts of the app: text, Markdown, HTML, JSON, JSON lines, CSV or Parquet, "
            "gzip or not, or the export of a vector store.",
        ),
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write the twin, as JSON.", callback=writable),
    ],
    seed: Seed = 0,
    kind: Annotated[
        list[str] | None, typer.Option(metavar="KIND", help="Change only this kind of fact; may be repeated.")
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(metavar="SIZE", help="Change by this much only (small, medium, large); may be repeated."),
    ] = None,
    most: Most = None,
    as_json: Json = False,
) -> None:
    """Makes the fictive twin of a corpus: the same texts, with facts changed in all their mentions.

    The twin is for tests only: its texts are false, and are marked so.
    """
    from trail_callbacks.canary import SIZES  # noqa: PLC0415 - only needed here
    from trail_callbacks.canary.files.reading import read_corpus  # noqa: PLC0415 - as above
    from trail_callbacks.canary.files.saving import save_twin  # noqa: PLC0415 - as above
    from trail_callbacks.canary.perturbers import PERTURBERS  # noqa: PLC0415 - as above
    from trail_callbacks.canary.perturbers.perturb import perturb as perturbed  # noqa: PLC0415 - as above

    read = read_corpus(*corpus)
    twin = perturbed(
        read,
        seed=seed,
        kinds=cast("Sequence[EditKind]", tuple(kind or PERTURBERS)),
        sizes=cast("Sequence[Size]", tuple(size or SIZES)),
        most=most,
    )
    if not twin.edits:
        reasons = "; ".join(_reasons((*read.skipped, *twin.skipped)))
        raise InputError(f"nothing in the corpus can be changed ({reasons or 'it has no fact of such a kind'})")
    save_twin(twin, output)
    if as_json:
        emit(_twin_data(twin, output))
    else:
        display(*_twin_lines(twin, output))
    for line in (*_reasons(read.skipped), *_reasons(twin.skipped)):
        complain(line)


def probes(
    *,
    twin: Annotated[str, typer.Argument(metavar="TWIN", help="A twin that `trail canary perturb` wrote.")],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write the probes, as JSON lines.", callback=writable
        ),
    ],
    most: Most = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Have this model (provider/model) write the questions that rules cannot, and check all of them.",
        ),
    ] = None,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """Makes questions about what differs between a corpus and its twin.

    Each question names neither answer, and is answered by one fact of the corpus only. Read some of them before use.
    """
    from trail_callbacks.canary.files.saving import load_twin  # noqa: PLC0415 - as above
    from trail_callbacks.canary.files.written import write_probes  # noqa: PLC0415 - as above
    from trail_callbacks.canary.questions.making import make_probes  # noqa: PLC0415 - only needed here

    read = load_twin(twin)
    if model is None and base_url is not None:
        raise InputError("--base-url is where --model is to be found: give both")
    made, skipped = make_probes(read, most=most)
    if model is not None:
        made, skipped = _with_model(read, made, skipped, model, base_url)
        made = made[:most]
    if not made:
        raise InputError(f"{twin}: no probe can be made of it ({'; '.join(_reasons(skipped)) or 'it has no edits'})")
    write_probes(made, output)
    if as_json:
        emit(_probes_data(made, skipped, output))
    else:
        display(*_probes_lines(made, output))
    for line in _reasons(skipped):
        complain(line)


def _with_model(
    twin: Twin, made: Sequence[Probe], skipped: Sequence[Skipped], model: str, base_url: str | None
) -> tuple[tuple[Probe, ...], tuple[Skipped, ...]]:
    """Adds the probes that a model writes where rules found none, and leaves out what it cannot answer."""
    from trail_callbacks.canary.questions.model_probes import checked_by_model, probes_by_model  # noqa: PLC0415 - only needed here
    from trail_callbacks.judges.resolve import resolve  # noqa: PLC0415 - as above
    from trail_callbacks.models.drive import drive  # noqa: PLC0415 - as above

    asked = resolve(model, base_url=base_url).model
    if asked is None:
        raise JudgeError(
            f'--model is {model!r}, which writes nothing: expected provider/model, e.g. "openai/gpt-5-mini"'
        )
    left = {each.place for each in skipped}
    (written, refused), _ = drive(probes_by_model(twin, edits=[each for each in twin.edits if each.id in left]), asked)
    order = {edit.id: at for at, edit in enumerate(twin.edits)}
    everything = sorted((*made, *written), key=lambda each: order.get(each.edit or "", 0))
    (kept, unfit), _ = drive(checked_by_model(everything, twin), asked)
    return kept, (*refused, *unfit)


def _twin_lines(twin: Twin, output: str) -> Iterator[str]:
    yield f"{len(twin.edits)} edits in {len(twin.real)} documents, seed {twin.seed}"
    yield f"kinds: {_counted(edit.kind for edit in twin.edits)}"
    sizes = [edit.size for edit in twin.edits if edit.size]
    if sizes:
        yield f"sizes: {_counted(sizes)}"
    yield ""
    yield "some of them:"
    for edit in _spread(twin.edits):
        places = len(edit.replacements)
        yield f"  {edit.id}: {_change(edit)}, in {places} place{'' if places == 1 else 's'}"
    yield ""
    yield f"written to {plain(output)}; next: trail canary probes {plain(output)} -o probes.jsonl"


def _change(edit: Edit) -> str:
    new = [each for each in (edit.fictive, edit.also) if each is not None]
    return shorten(f"{plain(edit.real)} -> {plain(' / '.join(new)) or '(removed)'}", _WIDTH)


def _probes_lines(made: Sequence[Probe], output: str) -> Iterator[str]:
    from trail_callbacks.canary.statistics.precision import planned  # noqa: PLC0415 - only needed here

    yield f"{len(made)} probe{'' if len(made) == 1 else 's'}: {_counted(each.kind or 'other' for each in made)}"
    yield f"if all are scored, {planned(made)}"
    yield ""
    yield "some of them:"
    for each in _spread(made):
        yield f"  {each.id}: {shorten(plain(each.question), _WIDTH)}"
        yield f"    real: {plain(each.real)}; fictive: {plain(each.fictive) if each.fictive else '(removed)'}"
    yield ""
    yield (
        f"written to {plain(output)}; read it, then: "
        f"trail canary run {plain(output)} --app MODULE:ATTRIBUTE --out canary/"
    )


def _spread(several: Sequence[Any]) -> list[Any]:
    """A few of several, from all over."""
    step = max(1, len(several) // _EXAMPLES)
    return list(several[::step][:_EXAMPLES])


def _counted(values: Iterator[str] | Sequence[str]) -> str:
    return ", ".join(f"{n} {value}" for value, n in Counter(values).most_common())


def _reasons(skipped: Sequence[Skipped]) -> list[str]:
    """What was left out, by reason, with an example of each; the commonest first."""
    groups: dict[str, list[Skipped]] = {}
    for each in skipped:
        groups.setdefault(_QUOTED.sub("", each.why[:200]), []).append(each)
    ordered = sorted(groups.values(), key=len, reverse=True)
    lines = [
        f"left out: {shorten(plain(f'{first.place}: {first.why}'), _WIDTH)}"
        + (f" (and {len(more)} more like it)" if more else "")
        for first, *more in ordered[:_REASONS]
    ]
    rest = sum(map(len, ordered[_REASONS:]))
    return [*lines, f"left out for other reasons: {rest}"] if rest else lines


def _twin_data(twin: Twin, output: str) -> dict[str, Any]:
    return {
        "id": twin.id,
        "seed": twin.seed,
        "documents": len(twin.real),
        "edits": len(twin.edits),
        "kinds": Counter(edit.kind for edit in twin.edits),
        "sizes": Counter(edit.size for edit in twin.edits if edit.size),
        "skipped": [{"place": each.place, "why": each.why} for each in (*twin.real.skipped, *twin.skipped)],
        "file": output,
    }


def _probes_data(made: Sequence[Probe], skipped: Sequence[Skipped], output: str) -> dict[str, Any]:
    return {
        "probes": len(made),
        "kinds": Counter(each.kind or "other" for each in made),
        "origins": Counter(each.origin for each in made),
        "skipped": [{"place": each.place, "why": each.why} for each in skipped],
        "file": output,
    }
