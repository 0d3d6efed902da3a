"""The HTML report in a real browser: Debian's Chromium, driven by Playwright, which brings none of its own here."""

import importlib.util
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # for browsing.py, hostile.py and reports.py

import browsing


def _missing():
    if importlib.util.find_spec("playwright") is None:
        return "no Playwright: pip install --group browser"
    if browsing.executable() is None:
        return "no Chromium: install it (Debian: apt-get install chromium), or name it in TRAIL_CHROMIUM"
    return None


# Not once a session: while Playwright's synchronous interface runs, no other test of this thread can start a loop.
@pytest.fixture(scope="module")
def chromium():
    missing = _missing()
    if missing and os.environ.get("CI") == "true":
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
    with browsing.started() as browser:
        yield browser


@pytest.fixture
def show(chromium, tmp_path):
    """Opens a report; at the end of the test, nothing may have happened that nobody asked for."""
    import contextlib

    with contextlib.ExitStack() as stack:
        views = []
        before = len(chromium.sink.taken)

        def opened(report, **how):
            folder = tmp_path / str(len(views))
            folder.mkdir()
            views.append(stack.enter_context(chromium.opened(report, folder, **how)))
            if how.get("script", True):
                views[-1].settled()
            return views[-1]

        yield opened
        assert [what for view in views for what in view.seen.all] == []
        assert chromium.sink.taken[before:] == []
