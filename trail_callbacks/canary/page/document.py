"""The page as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from string import Template

from trail_callbacks.canary.page.examples import gallery
from trail_callbacks.canary.page.tables import matrix, order, other_rates, outcomes, splits, unscored
from trail_callbacks.canary.report.examples import examples
from trail_callbacks.canary.report.results import Results
from trail_callbacks.canary.report.words import answer, notes, summary, warnings
from trail_callbacks.render.page.document import base_style, security_policy
from trail_callbacks.render.safe_text import line, plain, shorten

__all__ = ["to_page"]

_TITLE = "Does it answer from its context?"
_SETTINGS = 12  # shown of them
_VALUE, _ANSWER = 80, 600  # characters


def to_page(found: Results, *, title: str | None = None, most: int = 3) -> str:
    """Renders the results of a run as one self-contained HTML file.

    All text of the run is escaped, control and bidirectional characters included. The page has no script and loads
    nothing; its policy allows the style sheet of this file by its hash. Tables and texts are cut, and say so.

    Args:
        found: The results.
        title: Title of the page.
        most: Examples of each outcome.
    """
    style = _style()
    heading = title or _TITLE
    return Template(_asset("canary.html")).substitute(
        policy=security_policy((), (style,)),
        style=style,
        title=line(shorten(plain(heading), 120)),
        heading=line(shorten(plain(heading), 300)),
        policy_name=found.rates.policy,
        answer=line(shorten(plain(answer(found)), _ANSWER)),
        summary=line(summary(found)),
        facts="".join(_facts(found)),
        warnings="".join(f"<li>{line(each)}</li>" for each in warnings(found)),
        notes="".join(f'<p class="faint">{line(each)}</p>' for each in notes(found)),
        matrix="".join(matrix(found)),
        order="".join(order(found)),
        rates="".join(other_rates(found)),
        outcomes="".join(outcomes(found)),
        splits="".join(splits(found)),
        unscored="".join(unscored(found)),
        examples="".join(gallery(examples(found.run, most))),
    )


def _facts(found: Results) -> Iterator[str]:
    said = {"policy": found.rates.policy.replace("_", " ")}
    settings = list(found.run.settings.items())[:_SETTINGS]
    said |= {str(name): shorten("none" if value is None else str(value), _VALUE) for name, value in settings}
    for name, value in said.items():
        yield f"<div><dt>{line(shorten(name, _VALUE))}</dt><dd><bdi>{line(value)}</bdi></dd></div>"


@cache
def _style() -> str:
    return base_style() + _asset("canary.css")


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text("utf-8")
