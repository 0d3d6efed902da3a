"""`trail canary demo`: played models behind real chunkers and a real search, over a town and its fictive twin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from trail_callbacks.canary import App, Corpus, Run, Strategy, Twin
from trail_callbacks.canary.perturbers.perturb import perturb
from trail_callbacks.canary.played import Played
from trail_callbacks.canary.questions.making import make_probes
from trail_callbacks.canary.runs.run import run
from trail_callbacks.demo.documents import Shelf
from trail_callbacks.demo.town import chunks, town

LEAKS: Final = (0.0, 0.1, 0.5)
"""Of what they know, the share that the played models give from memory."""

_KNOWS: Final = 0.8
_PASSAGES: Final = 4  # that a search returns


@dataclass(frozen=True)
class CanaryDemo:
    """What the demo did."""

    twin: Twin  # the town and its twin
    # for each strategy the share of what it knows that its model leaks: what the run should find
    planted: Mapping[str, float]
    run: Run  # the run


def play(out: Path, *, seed: int = 0, most: int | None = None, **options: Any) -> CanaryDemo:
    """Runs the demo."""
    twin = perturb(town(), seed=seed)
    probes, skipped = make_probes(twin, most=most)
    models = {leak: Played(probes, leak=leak, knows=_KNOWS, seed=seed) for leak in LEAKS}
    strategies = list(_strategies())
    apps = {each.name: _app(twin, models[each.parameters["leak"]], each) for each in strategies}
    settings = {"seed": seed, "twin": twin.id}
    found = run(
        probes,
        lambda ask: apps[ask.strategy.name](ask),
        out=out,
        strategies=strategies,
        settings=settings,
        skipped=skipped,
        **options,
    )
    return CanaryDemo(twin, {each.name: each.parameters["leak"] for each in strategies}, found)


def _strategies() -> Iterator[Strategy]:
    """One chunker under three models, and other chunkers under the second of them."""
    points = [(leak, "paragraph", False) for leak in LEAKS]
    points += [(LEAKS[1], "sentence", False), (LEAKS[1], "500/100", False), (LEAKS[1], "1000/200", True)]
    for leak, chunker, html in points:
        name = f"leak {leak:g}, {chunker}{' html' if html else ''}"
        yield Strategy(name, {"model": f"played/leak={leak:g}", "leak": leak, "chunker": chunker, "html": html})


def _app(twin: Twin, model: Played, strategy: Strategy) -> App:
    """The model behind a search over the chunks of the corpus, or of its twin."""
    chunker, html = strategy.parameters["chunker"], strategy.parameters["html"]
    corpora = {"real": twin.real, "fictive": twin.fictive, "empty": Corpus(())}
    shelves = {
        arm: Shelf([chunk for each in corpus for chunk in chunks(each.text, chunker, html=html)])
        for arm, corpus in corpora.items()
    }
    return model.app(lambda ask: shelves[ask.arm].find(ask.question, _PASSAGES))
