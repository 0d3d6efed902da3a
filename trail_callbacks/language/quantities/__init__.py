"""Numbers in text as comparable values: digits and words, magnitudes, units, money, dates and times of day.

What belongs here is how a number is written. When two of them agree is decided by who compares them. `scan` finds the
numbers; the other modules each know one thing: `numerals` digits, separators, number words and magnitudes, `units` what
a number is of, `quantity` what makes it a bound or a range, `dates` the calendar.

To add a unit, currency, magnitude, month or limiting word, add it to the table of its module. To add a notation, write
a function that yields `(start, end, quantities)` for each place that has it, and list it in `scan` before the notations
that would read a part of it.
"""

from __future__ import annotations

from trail_callbacks.language.quantities.dates import DAYS, MONTHS
from trail_callbacks.language.quantities.quantity import EXACT, Quantity
from trail_callbacks.language.quantities.scan import quantities

__all__ = ["DAYS", "EXACT", "MONTHS", "Quantity", "quantities"]
