"""JSON with offsets, each value a field of its own; passages of JSON sources are tested in `tests/evidence`."""

import json

from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.splitting.json_fields import regions

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


def leaves(value, path=()):
    if isinstance(value, dict | list):
        for step, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(each, (*path, step))
    else:
        yield path, value


@given(st.dictionaries(st.text(max_size=8), VALUES, min_size=1, max_size=4), st.sampled_from([None, 1, 4]))
def test_single_values_are_those_that_a_parser_finds(value, indent):
    text = json.dumps(value, indent=indent)
    found = [
        (tuple(json.loads(f'"{step}"') if isinstance(step, str) else step for step in each.steps[1:]), each)
        for region in regions(text, single=True)
        for each in region.fields
    ]
    assert [(path, json.loads(text[each.value : each.end])) for path, each in found] == list(leaves(value))
