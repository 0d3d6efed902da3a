"""What the tests of all checks use."""

import pytest

from trail_callbacks.judges.local.checks.reading import Reading


@pytest.fixture
def found():
    """Makes a check and gives the words that it found in claim and passage, or None."""

    def compare(check, claim, passage):
        finding = check(Reading(claim), Reading(passage))
        if finding is None:
            return None
        assert claim[slice(*finding.claim_span)] == finding.claim_words
        assert passage[slice(*finding.span)] == finding.evidence_words
        return finding.claim_words, finding.evidence_words

    return compare
