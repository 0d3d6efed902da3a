"""A comparison of two reports in a terminal: the score, then the claims that changed, appeared or vanished."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from rich.padding import Padding
from rich.text import Text

from trail_callbacks.render.excerpt import plain
from trail_callbacks.render.labels import error_words, mark
from trail_callbacks.render.terminal import RichView
from trail_callbacks.report.comparison import Comparison, JudgedClaim, Pair, ScoreChange
from trail_callbacks.text import shorten

_LONGEST = 400  # characters of one claim


def comparison_to_rich(comparison: Comparison) -> RichView:
    """Renders a comparison for a rich console; ASCII only if the console's encoding needs it."""
    return RichView(partial(_drawn, comparison))


def _drawn(comparison: Comparison, ascii: bool) -> Iterator[Any]:  # noqa: A002 - named like Python's own function
    """The header, then one block for each claim that is not the same as before."""
    page = _Page(comparison, ascii)
    yield from page.header()
    yield from page.changes()


@dataclass(frozen=True, slots=True)
class _Page:
    comparison: Comparison
    ascii: bool

    def header(self) -> Iterator[Text]:
        found = self.comparison
        worse = (found.score.change or 0) > 0
        yield Text(_headline(found.score), style="bold red" if worse else "bold")
        if found.old.state != found.new.state:
            yield Text(f"state: {found.old.state} -> {found.new.state}", style="bold")
        yield Text(f"claims: {len(found.old.claims)} before, {len(found.new.claims)} now: {_counted(found)}")
        for remark in found.remarks:
            yield Text(f"! {self._safe(remark)}", style="yellow")
        for warning in found.warnings_appeared:
            yield Text(f"! new warning: {self._safe(warning)}", style="yellow")
        for warning in found.warnings_vanished:
            yield Text(f"! warning gone: {self._safe(warning)}", style="dim")

    def changes(self) -> Iterator[Any]:
        found = self.comparison
        for each in found.changed:
            yield from self._pair(each)
        for each in found.reworded:
            if not each.changed:
                yield from self._pair(each)
        for word, claims in (("appeared", found.appeared), ("vanished", found.vanished)):
            for claim in claims:
                yield Text("")
                yield self._title(claim, word)
                yield self._quoted(claim)
                yield from self._entry(None, claim)

    def _pair(self, each: Pair) -> Iterator[Any]:
        yield Text("")
        title = self._title(each.new, "" if each.changed else "reworded")
        if "class" in each.changed or "error_type" in each.changed:
            title.append(f", was {self._class(each.old)}")
        yield title
        yield self._quoted(each.new)
        if each.reworded:
            yield self._quoted(each.old, "was: ")
        yield from self._entry(each.old, each.new)

    def _title(self, each: JudgedClaim, word: str) -> Text:
        how = mark(each.verdict.outcome)
        title = Text(f"{how.ascii if self.ascii else how.symbol} {self._safe(each.claim.id)} ", style=how.style)
        if word:
            title.append(f"{word}: ", style="bold")
        return title.append(self._class(each))

    def _class(self, each: JudgedClaim) -> str:
        words = error_words(each.verdict)
        return mark(each.verdict.outcome).word + (f" ({self._safe(words)})" if words else "")

    def _quoted(self, each: JudgedClaim, label: str = "") -> Padding:
        return Padding(Text(f'{label}"{self._safe(shorten(each.claim.text, _LONGEST))}"'), (0, 0, 0, 2))

    def _entry(self, old: JudgedClaim | None, new: JudgedClaim) -> Iterator[Padding]:
        if new.entry is None and (old is None or old.entry is None or not new.unsupported):
            return
        where = self._safe(new.entry or "undetermined")
        if old is not None and old.unsupported and old.entry != new.entry:
            where += f", was {self._safe(old.entry or 'undetermined')}"
        yield Padding(Text(f"entry step: {where}"), (0, 0, 0, 2))

    def _safe(self, text: str) -> str:
        return plain(text, ascii=self.ascii)


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
