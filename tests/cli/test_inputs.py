"""Texts from files, standard input and the command line."""

import json

import pytest
from tower import FALSE, SOURCE, TRUE


def test_standard_input_is_read_once(shell):
    done = shell("check", "--answer", "-", "--source-text", SOURCE, "--json", stdin=FALSE.encode())
    assert json.loads(done.stdout)["hallucination_score"] == 1.0
    twice = shell("check", "--answer", "-", "--source", "-")
    assert twice.returncode == 2
    assert b"only once" in twice.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"caf\xe9 au lait", "not UTF-8 (byte 3 is 0xe9)"),
        (b"\x89PNG\r\n\0\0", "binary"),
        (b"T\0h\0e\0", "binary"),
    ],
)
def test_a_file_that_is_no_text_is_named(trail, file, content, words):
    path = file("odd.bin", content)
    status, out, err = trail("check", "--answer-text", TRUE, "--source", path)
    assert (status, out) == (2, "")
    assert path in err
    assert words in err


def test_a_byte_order_mark_is_no_text(trail, file):
    _, out, _ = trail(
        "check", "--answer", file("a", b"\xef\xbb\xbf" + TRUE.encode()), "--source-text", SOURCE, "--json"
    )
    assert json.loads(out)["claims"][0]["quote"] == TRUE
