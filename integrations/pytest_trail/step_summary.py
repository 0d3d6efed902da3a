"""The summary of a GitHub Actions step, in Markdown. What answers say is data: nothing in it is read as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["literal", "markdown"]

_ROWS, _FINDINGS, _LENGTH = 50, 5, 160  # GitHub drops a summary above 1 MiB
_HEAD = "| test | check | outcome | score | state | claims | not grounded |\n|" + " --- |" * 7
_JOINERS = "\u200c\u200d"  # spell words in Persian and Indic scripts


def markdown(tests: Mapping[str, Mapping[str, Any]], notes: Iterable[str]) -> str:
    """Returns the summary.

    Args:
        tests: What was recorded, as in `CheckedTest.to_json`, by node id.
        notes: Remarks, a line each.
    """
    rows = [
        (not check["findings"], test, number, _row(test, number, recorded["outcome"], check))
        for test, recorded in tests.items()
        for number, check in enumerate(recorded["checks"], 1)
    ]
    shown = [row for *_, row in sorted(rows)[:_ROWS]]
    if len(rows) > len(shown):
        shown.append(f"\n{len(rows) - len(shown)} more are not shown.")
    listed = "".join(f"- {literal(note)}\n" for note in notes)
    table = "\n".join([_HEAD, *shown]) if rows else ""
    return f"### Grounding of answers\n\n{listed}\n{table}\n\n"


def _row(test: str, number: int, outcome: str, check: Mapping[str, Any]) -> str:
    score = "none" if check["score"] is None else f"{check['score']:.2f}"
    cells = [literal(test), str(number), outcome, score, check["state"], str(check["claims"])]
    return f"| {' | '.join([*cells, _found(check['findings'])])} |"


def _found(findings: Sequence[Sequence[str]]) -> str:
    shown = [f"{outcome}: {literal(quote)}" for quote, outcome in findings[:_FINDINGS]]
    more = len(findings) - len(shown)
    return "<br>".join([*shown, *([f"and {more} more"] if more else [])])


def literal(text: str) -> str:
    """Writes a text so that Markdown shows it as it is: no markup, link, mention or table cell begins in it.

    All but letters, digits and single spaces is a character reference, which cannot be structure, in an element that
    nothing is linked in. It is cut at 160 characters.
    """
    flat = " ".join(text.split())
    cut = flat if len(flat) <= _LENGTH else f"{flat[: _LENGTH - 3]}..."
    return f"<code>{''.join(map(_reference, cut))}</code>"


def _reference(character: str) -> str:
    if character == " " or character.isalnum():
        return character
    return f"&#{ord(character)};" if character.isprintable() or character in _JOINERS else "\ufffd"
