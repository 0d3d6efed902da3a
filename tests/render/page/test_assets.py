"""Colours that can be read and told apart, and libraries that are what their publishers published."""

import hashlib
import json
import re
from importlib.resources import files

import pytest

from trail_callbacks.render.labels import OUTCOMES, mark

ASSETS = files("trail_callbacks.render.page") / "assets"
STYLE = "".join((ASSETS / name).read_text("utf-8") for name in ("colours.css", "base.css", "page.css"))
COLOURS = dict(re.findall(r"--([\w-]+): light-dark\((#\w{6}, #\w{6})\);", STYLE))


def luminance(colour):
    """Relative luminance as of WCAG 2.2."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_can_be_read_on_what_it_stands_on(theme):
    colour = {name: both.split(", ")[theme] for name, both in COLOURS.items()}
    pairs = [(text, ground) for text in ("ink", "soft") for ground in ("paper", "card")]
    pairs += [("accent", "card"), ("accent", "paper"), ("ink", "glow"), ("paper", "accent")]
    for name in OUTCOMES:
        pairs += [
            ("ink", f"{name}-tint"),
            (name, f"{name}-tint"),
            (name, "card"),
            (name, "paper"),
            ("soft", f"{name}-tint"),
        ]
    for text, ground in pairs:
        assert contrast(colour[text], colour[ground]) >= 4.5, (text, ground)  # WCAG 2.2 AA


def test_every_class_has_a_colour_a_sign_and_an_underline_of_its_own():
    for values in (
        [COLOURS[name] for name in OUTCOMES],
        [COLOURS[f"{name}-tint"] for name in OUTCOMES],
        [mark(name).symbol for name in OUTCOMES],
        [re.search(rf'^mark\[data-class="{name}"\] (.*)$', STYLE, re.MULTILINE)[1] for name in OUTCOMES],
    ):
        assert len(set(values)) == len(OUTCOMES)


def test_vendored_libraries_come_with_version_licence_and_integrity():
    vendor = ASSETS / "vendor"
    libraries = json.loads((vendor / "vendored.json").read_text("utf-8"))
    listed = {name for library in libraries.values() for name in library["files"]}
    assert listed == {each.name for each in vendor.iterdir()} - {"vendored.json"}
    for library in libraries.values():
        assert library["integrity"].startswith("sha512-")
        assert library["licence"] == "MIT"
        for name, digest in library["sha256"].items():
            assert hashlib.sha256((vendor / name).read_bytes()).hexdigest() == digest
        (licence,) = [name for name in library["files"] if name.endswith(".LICENSE")]
        assert "Permission is hereby granted, free of charge" in (vendor / licence).read_text("utf-8")
