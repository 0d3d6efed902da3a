"""`trail canary perturb` and `trail canary probes`: the fictive twin of a corpus, and questions about what differs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any, cast

import typer

from trail_callbacks import canary
from trail_callbacks.cli.options import Json, Word, Words, judge_of, option, writable
from trail_callbacks.cli.output import complain, deliver
from trail_callbacks.errors import InputError, JudgeError
from trail_callbacks.render.excerpt import plain
from trail_callbacks.text import shorten

_EXAMPLES = 3
_REASONS = 8  # lines about what was left out
_WIDTH = 160  # characters of an example
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")

Most = Annotated[int | None, option("N", "Make no more than so many; kinds take turns.", min=1)]


def perturb(
    *,
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS",
            help="Folders and files with the texts of the app: text, Markdown, HTML, JSON, JSON lines, CSV or Parquet, "
            "gzip or not; also the records that a vector store exports.",
        ),
    ],
    output: Annotated[str, option("FILE", "Where to write the twin, as JSON.", "--output", "-o", callback=writable)],
    seed: Annotated[int, option("N", "Of all choices; the same seed makes the same twin.")] = 0,
    kind: Annotated[Words, option("KIND", "Change only this kind of fact; may be repeated.")] = None,
    most: Most = None,
    as_json: Json = False,
) -> None:
    """Makes the fictive twin of a corpus: the same texts, with facts changed in all their mentions.

    The twin is for tests only: its texts are false, and are marked so.
    """
    read = canary.read_corpus(*corpus)
    kinds = cast("Sequence[canary.EditKind]", tuple(kind or canary.KINDS))
    twin = canary.perturb(read, seed=seed, kinds=kinds, most=most)
    skipped = (*read.skipped, *twin.skipped)
    if not twin.edits:
        reasons = "; ".join(_reasons(skipped)) or "it has no fact of such a kind"
        raise InputError(f"nothing in the corpus can be changed ({reasons})")
    canary.save_twin(twin, output)
    counts = Counter(edit.kind for edit in twin.edits)
    data = {"id": twin.id, "seed": seed, "documents": len(read), "edits": len(twin.edits), "kinds": counts}
    views = [
        f"{len(twin.edits)} edits in {len(read)} documents, seed {seed}",
        f"kinds: {_counted(counts)}",
        "\nsome of them:",
        *map(change, spread(twin.edits)),
        f"\nwritten to {plain(output)}; next: trail canary probes {plain(output)} -o probes.jsonl",
    ]
    deliver({**data, "skipped": [asdict(each) for each in skipped], "file": output}, views, as_json=as_json)
    left_out(skipped)


def probes(
    *,
    twin: Annotated[str, typer.Argument(metavar="TWIN", help="A twin that `trail canary perturb` wrote.")],
    output: Annotated[
        str, option("FILE", "Where to write the probes, as JSON lines.", "--output", "-o", callback=writable)
    ],
    most: Most = None,
    model: Annotated[
        Word,
        option(
            "MODEL",
            "Have this model (provider/model, or with @URL) write the questions that rules ask as a gap or not.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Makes questions about what differs between a corpus and its twin.

    Each question names neither answer, and is answered by one fact of the corpus only. Read some of them before use.
    """
    from trail_callbacks.canary.statistics.rates import planned  # noqa: PLC0415 - other commands do not need it

    read = canary.load_twin(twin)
    made, skipped = canary.make_probes(read, most=most)
    if model is not None:
        from trail_callbacks.canary.questions.model_probes import improved  # noqa: PLC0415 - as above
        from trail_callbacks.models.drive import drive  # noqa: PLC0415 - as above

        asked = judge_of(model).model
        if asked is None:
            raise JudgeError(f'--model is {model!r}, which writes nothing: expected one like "openai/gpt-5-mini"')
        made, skipped = drive(improved(read, made, skipped), asked)[0]
        made = made[:most]
    if not made:
        raise InputError(f"{twin}: no probe can be made of it ({'; '.join(_reasons(skipped)) or 'it has no edits'})")
    canary.write_probes(made, output)
    kinds = Counter(each.kind or "other" for each in made)
    data = {"probes": len(made), "kinds": kinds, "origins": Counter(each.origin for each in made)}
    views = [
        f"{len(made)} probe{'' if len(made) == 1 else 's'}: {_counted(kinds)}",
        f"if all are scored, {planned(made)}",
        "\nsome of them:",
        *(line for each in spread(made) for line in _question(each)),
        f"\nwritten to {plain(output)}; next: trail canary run {plain(output)} --app MODULE:ATTRIBUTE --out canary/",
    ]
    deliver({**data, "skipped": [asdict(each) for each in skipped], "file": output}, views, as_json=as_json)
    left_out(skipped)


def change(edit: canary.Edit) -> str:
    """An edit, in a line."""
    new = " / ".join(each for each in (edit.fictive, edit.also) if each is not None)
    shown = shorten(f"{plain(edit.real)} -> {plain(new) or '(removed)'}", _WIDTH)
    places = len(edit.replacements)
    return f"  {edit.id}: {shown}, in {places} place{'' if places == 1 else 's'}"


def _question(probe: canary.Probe) -> Iterator[str]:
    yield f"  {probe.id}: {shorten(plain(probe.question), _WIDTH)}"
    yield f"    real: {plain(probe.real)}; fictive: {plain(probe.fictive) if probe.fictive else '(removed)'}"


def spread(several: Sequence[Any]) -> Sequence[Any]:
    """A few of several, from all over."""
    return several[:: max(1, len(several) // _EXAMPLES)][:_EXAMPLES]


def _counted(counts: Counter[Any]) -> str:
    return ", ".join(f"{n} {value}" for value, n in counts.most_common())


def left_out(skipped: Sequence[canary.Skipped]) -> None:
    """Says on stderr what was left out."""
    for line in _reasons(skipped):
        complain(line)


def _reasons(skipped: Sequence[canary.Skipped]) -> list[str]:
    """What was left out, by reason, with an example of each; the commonest first."""
    groups: dict[str, list[canary.Skipped]] = {}
    for each in skipped:
        groups.setdefault(_QUOTED.sub("", each.why[:200]), []).append(each)
    ordered = sorted(groups.values(), key=len, reverse=True)
    return [
        f"left out: {shorten(plain(f'{first.place}: {first.why}'), _WIDTH)}"
        + (f" (and {len(more)} more like it)" if more else "")
        for first, *more in ordered[:_REASONS]
    ]
