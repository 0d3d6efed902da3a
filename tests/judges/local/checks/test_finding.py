from trail_callbacks.judges.local.checks.finding import Finding
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.taxonomy import ErrorType, SupportClass


def test_a_finding_quotes_both_texts():
    found = Finding.quoting(
        Reading("It has 3 decks."),
        (7, 8),
        Reading("It has 4 decks."),
        (7, 14),
        error_type=ErrorType.NUMBER,
        support=SupportClass.CONTRADICTED,
    )
    assert (found.claim_words, found.evidence_words) == ("3", "4 decks")
