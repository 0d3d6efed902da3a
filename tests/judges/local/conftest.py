"""What the tests of alignments use."""

import pytest

from trail_callbacks.judges.local.alignment import laid_beside
from trail_callbacks.judges.local.wording import Wording


@pytest.fixture
def aligned():
    """Lays a claim beside a sentence."""

    def make(claim, passage, *others):
        wordings = [Wording(each) for each in (passage, *others)]
        return laid_beside(Wording(claim), wordings[:1], wordings)[0]

    return make
