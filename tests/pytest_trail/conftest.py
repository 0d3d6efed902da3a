"""Suites that use the plugin, run in this process where that is possible: their lines are then measured, and fast."""

import os
import sys
from pathlib import Path

import pytest

from trail_callbacks import check

ROOT = Path(__file__).parents[2]
# What a check imports must be there before pytester looks: it forgets what a suite imports, and numpy bears no second.
check("The fleet has 12 ships.", ["The fleet has 14 ships."])


PLUGIN = ("-p", "pytest_trail.plugin", "-p", "no:cacheprovider")


@pytest.fixture
def clean(monkeypatch):
    """An environment of its own: pytest repeats whole messages in its summary where CI is set."""
    for name in ("GITHUB_STEP_SUMMARY", "CI"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.fixture
def run(pytester, clean):
    """Runs tests with the plugin, imported anew. Other installed plugins stay out: their start takes longer."""
    clean.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    clean.setenv("NO_COLOR", "1")

    def started(text, *args):
        for name in [name for name in sys.modules if name.partition(".")[0] == "pytest_trail"]:
            clean.delitem(sys.modules, name)
        pytester.makepyfile(text)
        return pytester.runpytest_inprocess(*PLUGIN, *args)

    return started


@pytest.fixture
def run_apart(pytester, clean):
    """Runs tests in their own process, as an app's tests run, with this copy of the plugin."""
    paths = [str(ROOT), str(ROOT / "integrations"), *filter(None, [os.environ.get("PYTHONPATH")])]
    clean.setenv("PYTHONPATH", os.pathsep.join(paths))

    def started(text, *args):
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess(*PLUGIN, *args)

    return started
