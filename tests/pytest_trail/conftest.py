"""Suites that use the plugin, run in this process where that is possible: their lines are then measured, and fast."""

import os
import sys
from pathlib import Path

import pytest

from trail_callbacks import check

ROOT = Path(__file__).parents[2]
# What a check imports must be there before pytester looks: it forgets what a suite imports, and numpy bears no second.
check("The fleet has 12 ships.", ["The fleet has 14 ships."])


@pytest.fixture
def run(pytester, monkeypatch):
    """Runs tests with the plugin, imported anew. Other installed plugins stay out: their start takes longer."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.delenv("CI", raising=False)  # where it is set, pytest repeats whole messages in its summary
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("NO_COLOR", "1")

    def started(text, *args):
        for name in [name for name in sys.modules if name.partition(".")[0] == "pytest_trail"]:
            monkeypatch.delitem(sys.modules, name)
        pytester.makepyfile(text)
        return pytester.runpytest_inprocess("-p", "pytest_trail.plugin", "-p", "no:cacheprovider", *args)

    return started


@pytest.fixture
def run_apart(pytester, monkeypatch):
    """Runs tests in their own process, as an app's tests run, with this copy of the plugin."""
    inherited = os.environ.get("PYTHONPATH")
    paths = [str(ROOT), str(ROOT / "integrations"), *([inherited] if inherited else [])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.delenv("CI", raising=False)  # where it is set, pytest repeats whole messages in its summary

    def started(text, *args):
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess("-p", "pytest_trail.plugin", "-p", "no:cacheprovider", *args)

    return started
