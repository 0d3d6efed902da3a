"""Numbers in text as comparable values: digits and words, magnitudes, units, money, years and dates.

`scan` finds them; the other modules each know one way in which numbers are written.
"""

from __future__ import annotations

from trail_callbacks.language.quantities.quantity import EXACT, Quantity
from trail_callbacks.language.quantities.scan import quantities

__all__ = ["EXACT", "Quantity", "quantities"]
