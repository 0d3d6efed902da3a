"""A comparison of two reports in a terminal: the score, then the claims that changed, appeared or vanished."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from rich.text import Text

from trail_callbacks.render.labels import judged_words, mark
from trail_callbacks.render.terminal import RichView, Sheet, indented
from trail_callbacks.report.comparison import Comparison, JudgedClaim, Pair, ScoreChange
from trail_callbacks.text import shorten

_LONGEST = 400  # characters of one claim


def comparison_to_rich(comparison: Comparison) -> RichView:
    """Renders a comparison for a rich console; ASCII only if the console's encoding needs it."""
    return RichView(partial(_drawn, comparison))


def _drawn(found: Comparison, sheet: Sheet) -> Iterator[Any]:
    """The header, then one block for each claim that is not the same as before."""
    yield Text(_headline(found.score), style="bold red" if (found.score.change or 0) > 0 else "bold")
    if found.old.state != found.new.state:
        yield Text(f"state: {found.old.state} -> {found.new.state}", style="bold")
    yield Text(f"claims: {len(found.old.claims)} before, {len(found.new.claims)} now: {_counted(found)}")
    for remark in found.remarks:
        yield Text(f"! {sheet.safe(remark)}", style="yellow")
    for warning in found.warnings_appeared:
        yield Text(f"! new warning: {sheet.safe(warning)}", style="yellow")
    for warning in found.warnings_vanished:
        yield Text(f"! warning gone: {sheet.safe(warning)}", style="dim")
    for pair in (*found.changed, *(each for each in found.reworded if not each.changed)):
        yield from _claim(pair.new, pair, "" if pair.changed else "reworded", sheet)
    for word, claims in (("appeared", found.appeared), ("vanished", found.vanished)):
        for claim in claims:
            yield from _claim(claim, None, word, sheet)


def _claim(new: JudgedClaim, pair: Pair | None, word: str, sheet: Sheet) -> Iterator[Any]:
    outcome = new.verdict.outcome
    yield Text("")
    title = Text(f"{sheet.sign(outcome)} {sheet.safe(new.claim.id)} ", style=mark(outcome).style)
    if word:
        title.append(f"{word}: ", style="bold")
    title.append(sheet.safe(judged_words(new.claim, new.verdict)))
    if pair and {"class", "error_type"} & {*pair.changed}:
        title.append(f", was {sheet.safe(judged_words(pair.old.claim, pair.old.verdict))}")
    yield title
    yield indented(f'"{sheet.safe(shorten(new.claim.text, _LONGEST))}"')
    if pair and pair.reworded:
        yield indented(f'was: "{sheet.safe(shorten(pair.old.claim.text, _LONGEST))}"')
    before = pair.old.entry if pair else None
    if new.entry is None and (before is None or not new.unsupported):
        return
    was = (
        f", was {sheet.safe(before or 'undetermined')}" if pair and pair.old.unsupported and before != new.entry else ""
    )
    yield indented(f"entry step: {sheet.safe(new.entry or 'undetermined')}{was}")


def _headline(score: ScoreChange) -> str:
    before, after = ("none" if value is None else f"{value:.2f}" for value in (score.old, score.new))
    words = f"hallucination score {before} -> {after}"
    if score.change is None:
        return f"{words}: change unknown, {score.reason}"
    words += f": {_signed(score.change)}" if abs(score.change) >= 0.005 else ": no change"  # noqa: PLR2004 - as shown
    if score.interval is None:
        return f"{words}, no interval: {score.reason}"
    low, high = score.interval
    words += f" (95 % interval {_signed(low)} to {_signed(high)})"
    return f"{words}; could be chance" if score.change and low <= 0 <= high else words


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-0.00", "0.00").replace("+0.00", "0.00")


def _counted(found: Comparison) -> str:
    rest = sum(each.reworded for each in found.pairs)
    parts = [
        f"{found.unchanged} judged as before",
        f"{len(found.changed)} changed",
        f"{len(found.appeared)} appeared",
        f"{len(found.vanished)} vanished",
    ]
    return ", ".join(parts) + (f"; {rest} reworded" if rest else "")
