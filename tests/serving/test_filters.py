"""Filters: an address says what is shown, and says it again."""

from __future__ import annotations

from urllib.parse import parse_qsl

from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.serving.filters import Filters

KNOWN = {
    "window": "30d",
    "until": "7200",
    "segment": "kind=a=b",
    "signal": "contradiction",
    "by": "tenant",
    "state": "partial",
    "stage": "packing",
    "sort": "worst",
    "q": "how long?",
    "a": "v1",
    "b": "v2",
}


def test_an_address_is_read_and_written_again():
    filters = Filters.read(KNOWN)
    again = dict(parse_qsl(filters.href("/x").partition("?")[2]))
    assert {**again, "until": str(int(float(again["until"])))} == KNOWN
    assert filters.runs().segment == {"kind": "a=b"}
    assert (filters.runs().until, filters.runs().since) == (7200.0, 7200.0 - 30 * 86_400)


@given(st.dictionaries(st.sampled_from([*KNOWN, "after"]), st.text(max_size=30)))
def test_whatever_an_address_says_is_read(query):
    filters = Filters.read(query)
    window = filters.runs()
    assert window.since < window.until
    Filters.read(dict(parse_qsl(filters.href("/").partition("?")[2])))


def test_windows_have_whole_hours():
    assert Filters.read({"until": "3601"}).runs().until == 7200.0
