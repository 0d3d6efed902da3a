import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for rows.py and judges.py


@pytest.fixture
def lines(tmp_path):
    """Writes objects as JSON lines; returns the path. Texts are written as they are."""

    def make(name, objects):
        path = tmp_path / name
        path.write_text("".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in objects))
        return path

    return make


@pytest.fixture
def table():
    """Reads JSON lines back."""

    def read(folder, name="answers"):
        return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]

    return read
