"""Coverage, precision and recall of citations."""

from trail_callbacks.claims import Citation, Claim
from trail_callbacks.report.verdict import citation_figures


def claim(n, *statuses, checkable=True):
    citations = tuple(Citation(start=9, end=12, target="1", sources=(), status=status) for status in statuses)
    return Claim(id=f"c{n}", text="a", quote="a", start=0, end=1, checkable=checkable, citations=citations)


def test_shares_are_over_checkable_claims_and_decided_citations():
    figures = citation_figures(
        [
            claim(1, "supported", "not_supported"),
            claim(2, "unknown_source"),
            claim(3, "undecided"),
            claim(4),
            claim(5, checkable=False),
        ]
    )
    assert (figures.claims, figures.cited, figures.coverage, figures.recall) == (4, 3, 0.75, 0.25)
    assert (figures.citations, figures.decided, figures.precision, figures.unknown) == (4, 3, 1 / 3, 1)


def test_what_cannot_be_divided_is_none():
    assert citation_figures([]) is None
    assert citation_figures([claim(1), claim(2, checkable=False)]) is None
    assert citation_figures([claim(1, "undecided")]).precision is None
