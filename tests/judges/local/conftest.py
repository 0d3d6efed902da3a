"""What the tests of alignments use."""

import pytest

from trail_callbacks.judges.local.alignment import align, tokens
from trail_callbacks.judges.local.reading import Reading


@pytest.fixture
def aligned():
    """Lays a claim beside a sentence."""

    def make(claim, passage, *others):
        one, other = Reading(claim), Reading(passage)
        names = one.named | other.named
        return align(one, tokens(one, names), other, tokens(other, names), [other, *map(Reading, others)])

    return make
