"""`trail canary demo`: played models behind real chunkers and retrievers, over a town and its fictive twin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeAlias

from trail_callbacks.canary import Answered, App, Ask, Probe, Run, Strategy, Twin
from trail_callbacks.canary.passages.holding import holds
from trail_callbacks.canary.perturbers.perturb import perturb
from trail_callbacks.canary.played import Played
from trail_callbacks.canary.questions.making import make_probes
from trail_callbacks.canary.runs.run import run
from trail_callbacks.demo.build import Build, PlayedChat
from trail_callbacks.demo.plain_app import PlainApp
from trail_callbacks.demo.town import chunks, town
from trail_callbacks.errors import InputError, MissingExtraError

__all__ = ["FRAMEWORKS", "LEAKS", "CanaryDemo", "play"]

LEAKS = (0.0, 0.1, 0.5)
"""Of what they know, the share that the played models give from memory."""

FRAMEWORKS = {"langchain": "LangChain", "llama-index": "LlamaIndex", "none": "plain Python"}
"""Whose retrievers and chains are used."""

Make: TypeAlias = Callable[..., App]
"""Makes an app of a twin, its builds, and `verify`: the ids of probes whose answers are judged."""

_GROUP = "trail_callbacks.demos"
_KNOWS = 0.8
_VERIFIED = 12  # probes whose answers are judged for the page, which takes twice as long


@dataclass(frozen=True)
class CanaryDemo:
    """What the demo did.

    Attributes:
        framework: A key of `FRAMEWORKS`.
        missing: The pip commands for frameworks that would have been used, by name.
        twin: The town and its twin.
        planted: For each strategy the share of what it knows that its model leaks: what the run should find.
        run: The run.
    """

    framework: str
    missing: Mapping[str, str]
    twin: Twin
    planted: Mapping[str, float]
    run: Run


def play(
    framework: str | None, out: Path, *, seed: int = 0, most: int | None = None, verify: bool = False, **options: Any
) -> CanaryDemo:
    """Runs the demo.

    Args:
        framework: A key of `FRAMEWORKS`; None is the first that is installed.
        out: Folder of the run.
        seed: Of the edits and of the models.
        most: Probes at most; None is all.
        verify: Judge some answers offline, so that the page can show the graphs of examples.
        **options: Of `canary.runs.run.run`.

    Raises:
        InputError: If there is no such framework, or the folder has another run.
        MissingExtraError: If the framework is not installed.
    """
    chosen, make, missing = _chosen(framework)
    twin = perturb(town(), seed=seed)
    probes, skipped = make_probes(twin, most=most)
    builds = list(_builds(probes, seed))
    verified = {each.id for each in probes[:_VERIFIED]} if verify else set()
    app = _Named(f"trail canary demo, {FRAMEWORKS[chosen]}", make(twin, builds, verify=verified))
    found = run(
        probes,
        app,
        out=out,
        strategies=[build.strategy for build in builds],
        holds=holds,
        settings={"seed": seed, "twin": twin.id},
        skipped=skipped,
        **options,
    )
    planted = {build.strategy.name: build.strategy.parameters["leak"] for build in builds}
    return CanaryDemo(chosen, missing, twin, planted, found)


@dataclass(frozen=True)
class _Named:
    """An app with the name that the run is kept under."""

    name: str
    app: App

    def __call__(self, ask: Ask) -> Answered | str | Awaitable[Answered | str]:
        return self.app(ask)


def _builds(probes: Sequence[Probe], seed: int) -> Iterator[Build]:
    """One chunker under three models, and other chunkers under the second of them."""
    models = {leak: Played(probes, leak=leak, knows=_KNOWS, seed=seed) for leak in LEAKS}
    points = [(leak, "paragraph", False) for leak in LEAKS]
    points += [(LEAKS[1], "sentence", False), (LEAKS[1], "500/100", False), (LEAKS[1], "1000/200", True)]
    for leak, chunker, html in points:
        model = models[leak]
        name = f"leak {leak:g}, {chunker}{' html' if html else ''}"
        strategy = Strategy(name, {"model": model.name, "leak": leak, "chunker": chunker, "html": html})
        yield Build(strategy, PlayedChat(model, name), _cutter(chunker, html=html))


def _cutter(chunker: str, *, html: bool) -> Callable[[str], list[str]]:
    return lambda text: chunks(text, chunker, html=html)


def _chosen(framework: str | None) -> tuple[str, Make, dict[str, str]]:
    """The framework, its app, and those that are missing."""
    if framework is not None and framework not in FRAMEWORKS:
        raise InputError(f"there is no framework {framework!r}, expected one of {', '.join(FRAMEWORKS)}")
    missing: dict[str, str] = {}
    for name in FRAMEWORKS if framework is None else [framework]:
        try:
            return name, _app(name), missing
        except MissingExtraError as error:
            if framework is not None:
                raise
            missing[name] = f'pip install "trail-callbacks[{error.extra}]"'
    raise AssertionError  # the last one is always there


def _app(framework: str) -> Make:
    """The app, which lives with the adapter, beside the apps of the other demos."""
    if framework == "none":
        return PlainApp
    found = entry_points(group=_GROUP, name=framework)
    try:
        adapter = next(iter(found)).module.partition(".")[0]
        made: Make = import_module(f"{adapter}.canary_demo").canary_app
    except (MissingExtraError, StopIteration) as error:
        raise MissingExtraError(f"the {FRAMEWORKS[framework]} app of trail canary demo", framework) from error
    return made
