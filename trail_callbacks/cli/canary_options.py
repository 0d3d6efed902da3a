"""What `trail canary run` and `trail canary watch` take alike: probes, an app, arms, a judge, and the twin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from trail_callbacks import canary
from trail_callbacks.errors import InputError

if TYPE_CHECKING:
    from trail_callbacks.models.call import Model

__all__ = ["AppName", "Arms", "CanaryJudge", "Probes", "TwinFile", "arms_of", "judge_of", "read_asked"]

Probes = Annotated[
    str, typer.Argument(metavar="PROBES", help="The probes: JSON lines of `trail canary probes`, CSV or a table.")
]
AppName = Annotated[
    str,
    typer.Option(
        "--app", metavar="MODULE:ATTRIBUTE", help="The app: a function, or an object that is called with an Ask."
    ),
]
Arms = Annotated[
    str | None,
    typer.Option(metavar="ARM,..", help="What the app may see: closed_book, real, fictive, empty; all by default."),
]
CanaryJudge = Annotated[
    str | None,
    typer.Option(
        metavar="PROVIDER/MODEL", help="The model that reads answers which code is in doubt of; none by default."
    ),
]
TwinFile = Annotated[
    str | None, typer.Option(metavar="TWIN", help="The twin that the probes are of: they are checked to be.")
]


def read_asked(
    probes: str, twin: str | None
) -> tuple[Sequence[canary.Probe], Sequence[canary.Skipped], canary.Twin | None]:
    """Reads probes and their twin.

    Returns:
        The probes, what was skipped, and the twin.

    Raises:
        InputError: If a file cannot be read, or probes are of another twin.
    """
    from trail_callbacks.canary.questions.checking import usable  # noqa: PLC0415 - other commands do not need it

    found, skipped = canary.read_probes(probes)
    if not found:
        raise InputError(f"{probes} has no probe that can be asked" + (f": {skipped[0].why}" if skipped else ""))
    if twin is None:
        return found, skipped, None
    fictive = canary.load_twin(twin)
    edits = {edit.id for edit in fictive.edits}
    strange = [probe.id for probe in found if probe.edit is not None and probe.edit not in edits]
    if strange:
        raise InputError(f"{probes} is not of {twin}: {len(strange)} probes are of other edits, such as {strange[0]}")
    fit, unfit = usable(found, fictive)
    if not fit:
        raise InputError(f"{probes} has no probe that can be asked with {twin}: {unfit[0].place}: {unfit[0].why}")
    return fit, (*skipped, *unfit), fictive


def arms_of(given: str | None) -> Sequence[canary.Arm]:
    """Reads arms; nothing if none are given.

    Raises:
        InputError: If one does not exist.
    """
    names = [each.strip() for each in (given or "").split(",") if each.strip()]
    if wrong := [name for name in names if name not in canary.ARMS]:
        raise InputError(f"--arms has {wrong[0]!r}, expected some of {', '.join(canary.ARMS)}")
    return tuple(arm for arm in canary.ARMS if arm in names)


def judge_of(judge: str | None, base_url: str | None) -> Model | None:
    """Returns the model that is to decide; None if none is named.

    Raises:
        InputError: If what is named asks no model.
        JudgeError: If it cannot be used.
    """
    from trail_callbacks.judges.resolve import resolve  # noqa: PLC0415 - as above

    if judge is None and base_url is None:
        return None
    model = resolve(judge, base_url=base_url).model
    if model is None:
        raise InputError(f"--judge is {judge!r}, which asks no model: what code cannot decide needs one")
    return model
