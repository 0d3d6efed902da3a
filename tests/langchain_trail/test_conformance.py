"""A suite kept outside the repository, run where TRAIL_CONFORMANCE_DIR names its directory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_directory = os.environ.get("TRAIL_CONFORMANCE_DIR")


@pytest.mark.skipif(not _directory, reason="TRAIL_CONFORMANCE_DIR is not set")
@pytest.mark.parametrize("mode", ["invoke", "ainvoke", "stream", "batch"])
def test_langchain_lineage(mode):
    suite = Path(_directory) / "langchain_lineage.py"
    done = subprocess.run(
        [sys.executable, suite, "--mode", mode, "--json"], check=False, capture_output=True, text=True, timeout=280
    )
    assert done.stdout, done.stderr
    result = json.loads(done.stdout)
    failed = {case["case"]: [*case["wrong"], *case["problems"]] for case in result["cases"] if not case["ok"]}
    assert not failed
    assert result["totals"]["passed"] > 0
