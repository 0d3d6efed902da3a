import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for tower.py


@pytest.fixture
def file(tmp_path):
    """Writes a file; returns its path."""

    def make(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return make


@pytest.fixture
def shell():
    """Runs the command in a process of its own."""

    def run(*args, stdin=b"", **env):
        return subprocess.run(
            [sys.executable, "-m", "trail_callbacks.cli", *args],
            input=stdin,
            capture_output=True,
            check=False,
            env={**os.environ, **env},
            timeout=200,
        )

    return run
