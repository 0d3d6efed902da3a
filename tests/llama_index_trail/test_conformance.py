"""A suite kept outside the repository, run where TRAIL_CONFORMANCE_DIR names its directory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_directory = os.environ.get("TRAIL_CONFORMANCE_DIR")


@pytest.mark.skipif(not _directory, reason="TRAIL_CONFORMANCE_DIR is not set")
def test_llama_index_lineage():
    suite = Path(_directory) / "llama_index_lineage.py"
    done = subprocess.run([sys.executable, suite, "--json"], check=False, capture_output=True, text=True, timeout=280)
    assert done.stdout, done.stderr
    result = json.loads(done.stdout)
    failed = {
        f"{case['setup']} {case['case']} {case['mode']}": case["problems"]
        for case in result["results"]
        if not case["ok"]
    }
    assert not failed
    assert result["passed"] > 0
