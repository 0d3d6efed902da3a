"""Every room has its tests in a folder of its name, and what the Makefile leaves out exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("folder", ["trail_callbacks", "integrations"])
def test_every_room_has_a_folder_of_tests(folder):
    rooms = {path.parent.name for path in (ROOT / folder).glob("*/__init__.py")}
    assert rooms - {"demo"} <= {path.name for path in (ROOT / "tests").iterdir()}


def test_what_the_makefile_leaves_out_is_there():
    """A path that is gone would be left out of nothing, and nobody would see it."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    listed = re.findall(r"^(?:WHOLE|SLOW) := (.*)$", text, flags=re.MULTILINE)
    names = " ".join(listed).replace("$(addprefix tests/,", "tests/ ").replace(")", "").split()
    paths = [each if each.startswith("tests/") else f"tests/{each}" for each in names]
    assert len(paths) > len(listed)
    assert [each for each in paths if not (ROOT / each).exists()] == []
