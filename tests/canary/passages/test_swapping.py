import pytest

from trail_callbacks.canary.passages.places import shown_part


@pytest.mark.parametrize(
    ("old", "new", "cut", "shown"),
    [
        ("40 minutes", "53 minutes", (0, 2), "53"),
        ("40 minutes", "53 minutes", (3, 10), "minutes"),
        ("40 minutes", "53 minutes", (0, 5), "53"),
        ("40 minutes", "53 minutes", (1, 10), "minutes"),
        ("40 minutes", "an hour or so", (0, 2), "an hour or so"),
        ("40 minutes", "an hour or so", (3, 10), ""),
        ("1968", "1975", (0, 2), ""),
        ("1968", "1975", (2, 4), ""),
        ("Dogs are free.", "", (0, 4), ""),
        (" ", "x", (0, 1), ""),
    ],
)
def test_a_border_shows_whole_words_only(old, new, cut, shown):
    assert shown_part(old, new, *cut) == shown
