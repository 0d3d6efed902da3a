"""Placeholders: equal for equal values, different for different ones, and nothing to compute the value from."""

import subprocess
import sys

from trail_callbacks.redaction.finding import Found
from trail_callbacks.redaction.presets import replaced


def placeholder(value, secret=None):
    return replaced("x", "email", [Found(0, 1, value)], secret)


def test_they_are_equal_for_equal_values_only():
    found = {placeholder(f"user{i}@example.org", b"k" * 32) for i in range(1_000)}
    assert len(found) >= 999
    assert placeholder("a") == placeholder("a")


def test_a_secret_makes_them_the_same_in_another_process():
    code = "from trail_callbacks.redaction.presets import Found, replaced; "
    code += "print(replaced('x', 'email', [Found(0, 1, 'a')], {}))"

    def elsewhere(secret):
        return subprocess.run(
            [sys.executable, "-c", code.format(secret)], capture_output=True, text=True, check=True
        ).stdout.strip()

    assert elsewhere(b"k" * 32) == placeholder("a", b"k" * 32)
    assert elsewhere(None) != placeholder("a")
    assert placeholder("a", b"k" * 32) != placeholder("a", b"l" * 32)
