"""Runs of pipelines with planted faults; see tests/faults."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "faults"))
