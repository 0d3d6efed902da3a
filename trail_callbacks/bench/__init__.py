"""Judges measured: on labelled answers, side by side, and by what people say of their verdicts."""

from trail_callbacks.bench.calibration import RULES, Calibration, JudgedClaim, calibrated, failures, read_marks
from trail_callbacks.bench.cascades import Choice, cascades, chosen
from trail_callbacks.bench.items import SHIPPED, Item, read_items
from trail_callbacks.bench.results import Bench, Judged, Label, Labelled, Reading, Said
from trail_callbacks.bench.running import bench, expected

__all__ = [
    "RULES",
    "SHIPPED",
    "Bench",
    "Calibration",
    "Choice",
    "Item",
    "Judged",
    "JudgedClaim",
    "Label",
    "Labelled",
    "Reading",
    "Said",
    "bench",
    "calibrated",
    "cascades",
    "chosen",
    "expected",
    "failures",
    "read_items",
    "read_marks",
]
