"""Values in text: numbers with units, money, dates, times of day and names: read, compared and written.

`quantities` reads a text; `follows` says when one quantity is another. Each module knows one thing: `numerals` digits,
separators, number words and magnitudes, `quantity` units, bounds and ranges, `dates` dates and times, `scan` all of
these in a text, `agreement` when two values are the same, `writing` how to write another number in the form of one,
`number_words` how other languages spell numbers.

To add a unit, currency, magnitude, month or limiting word, add it to the table of its module. To add a notation, write
a function that yields `(start, end, quantities)` for each place that has it, and list it in `scan` before the notations
that would read a part of it.
"""

from __future__ import annotations

from trail_callbacks.language.values.agreement import folded, follows, is_same_name, measures
from trail_callbacks.language.values.dates import DAYS, MONTHS, CalendarDate, calendar_dates
from trail_callbacks.language.values.quantity import EXACT, Quantity
from trail_callbacks.language.values.scan import quantities

__all__ = [
    "DAYS",
    "EXACT",
    "MONTHS",
    "CalendarDate",
    "Quantity",
    "calendar_dates",
    "folded",
    "follows",
    "is_same_name",
    "measures",
    "quantities",
]
