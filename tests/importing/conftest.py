import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for spans_by_hand.py, recorded_apps.py and test_dialects.py

import spans_by_hand as made

from trail_callbacks.importing import read


@pytest.fixture
def trace(tmp_path):
    """Reads the one trace of some spans."""

    def make(spans, **more):
        path = tmp_path / "spans.jsonl"
        path.write_text(made.lines([made.otlp(spans, **more)]), encoding="utf-8")
        (found,) = read(path)
        return found

    return make
