"""Whether a cited source supports its claim: settled by the verdict's evidence, or by reading that source by itself."""

import pytest

from trail_callbacks import Edge, Node, ProvenanceGraph, Report, VerifyOptions, acheck, check, verify
from trail_callbacks.testing import ScriptedModel

FERRY, PRICES = "The ferry takes 40 minutes.", "Tickets cost 12 euros. Dogs ride for free."


def statuses(report):
    return [(claim.id, citation.target, citation.status) for claim in report.claims for citation in claim.citations]


def test_each_citation_is_checked_against_the_source_that_it_names():
    answer = (
        "The ferry takes 40 minutes [1]. Tickets cost 12 euros [1]. Dogs ride for free [1, 2]. "
        "The ferry takes 60 minutes [1]. Tickets cost 12 euros (Smith 2020)."
    )
    otherwise = "Tickets cost 9 euros. Dogs do not ride for free."
    report = check(answer, [f"{FERRY} {otherwise}", PRICES])
    assert statuses(report) == [
        ("c1", "1", "supported"),
        ("c2", "1", "not_supported"),
        ("c3", "1", "not_supported"),
        ("c3", "2", "supported"),
        ("c4", "1", "not_supported"),
        ("c5", "Smith 2020", "unknown_source"),
    ]
    assert report.claims[0].citations[0].sources == ("source-1",)
    assert answer[report.claims[0].citations[0].start : report.claims[0].citations[0].end] == "[1]"
    assert (
        "cited for a claim that the cited source does not support: [1] (c2), [1, 2] (c3), [1] (c4)" in report.warnings
    )
    assert "cited, but no source of that name reached the answer: (Smith 2020) (c5)" in report.warnings
    figures = report.citations
    assert (figures.claims, figures.cited, figures.coverage) == (5, 5, 1.0)
    assert (figures.citations, figures.decided, figures.precision, figures.recall) == (6, 6, 2 / 6, 2 / 5)
    assert report.summary()["citations"]["unknown"] == 1
    assert Report.from_json(report.to_json()) == report


def test_two_parts_of_one_source_are_told_apart():
    context = f"[1] On a calm day. {FERRY}\n[2] On a rough day. The ferry takes 50 minutes. {PRICES}"
    report = check("The ferry takes 40 minutes [2]. Tickets cost 12 euros [2].", context)
    assert statuses(report) == [("c1", "2", "not_supported"), ("c2", "2", "supported")]


def test_a_source_in_which_nothing_can_be_decided_leaves_its_citation_undecided():
    """Another source states the claim: whether the cited one does is still open."""
    report = check("Tickets cost 12 euros [1]. Dogs ride for free [1, 2].", [FERRY, PRICES])
    assert statuses(report) == [("c1", "1", "undecided"), ("c2", "1", "undecided"), ("c2", "2", "supported")]
    assert (report.citations.citations, report.citations.decided, report.citations.precision) == (3, 1, 1.0)
    assert not [warning for warning in report.warnings if "does not support" in warning]


def test_without_citations_there_are_no_figures():
    report = check("The ferry takes 40 minutes (in summer). It has [a bar].", [FERRY])
    assert report.citations is None
    assert report.summary()["citations"] is None


def test_a_claim_that_was_not_judged_leaves_its_citation_undecided():
    report = check("The ferry takes 40 minutes [1].", [FERRY], judge=ScriptedModel([]))
    assert statuses(report) in ([], [("c1", "1", "undecided")])
    assert report.citations is None or report.citations.precision is None


async def test_the_asynchronous_call_finds_the_same():
    answer = "The ferry takes 40 minutes [1]. Tickets cost 12 euros [1]."
    options = VerifyOptions(localize=False)
    assert statuses(await acheck(answer, [FERRY, PRICES], options=options)) == statuses(check(answer, [FERRY, PRICES]))


def verdicts(**fields):
    return {
        "supporting": [],
        "contradicting": [],
        "comparison": "",
        "support": "absent",
        "error_type": "other",
    } | fields


@pytest.mark.parametrize(("second", "status"), [("supported", "supported"), ("absent", "not_supported")])
def test_a_model_is_asked_once_more_only_for_sources_that_its_evidence_leaves_out(second, status):
    """Both sources state the claim; the model first names one of them."""
    asked = []

    def reply(call):
        asked.append(call.purpose)
        assert "How long?" in call.messages[-1].content
        if call.purpose == "onepass":
            return {"claims": [{"quote": FERRY, "supporting": ["s1"], "support": "supported"}], "abstained": False}
        supporting = ["s1"] if second == "supported" else []
        return {"verdicts": [verdicts(claim="c1", support=second, supporting=supporting)]}

    cited = f"{FERRY} [1] {FERRY} [2]"[: len(FERRY) + 4] + "[2]"
    report = check(cited, [FERRY, f"Times: {FERRY}"], "How long?", judge=ScriptedModel(reply))
    assert {target: state for _, target, state in statuses(report)} == {"1": "supported", "2": status}
    assert asked == ["onepass", "verdicts"]


@pytest.mark.parametrize(
    "stray", ["x", ["x"], {"1": "d1"}, {"1": [["d1"]]}, {"1": [["d9", 0, 4]]}, {"1": [[1, "a", None]]}, 3]
)
@pytest.mark.parametrize("where", ["document", "answer"])
def test_numbers_that_capture_did_not_write_break_nothing(where, stray):
    """A document's metadata may have any key, and a saved graph any value."""
    attributes = {where: {"source_labels": stray}}
    nodes = (
        Node(id="d1", kind="document", text=FERRY, attributes=attributes.get("document", {})),
        Node(id="answer", kind="answer", text=f"{FERRY[:-1]} [1].", attributes=attributes.get("answer", {})),
    )
    graph = ProvenanceGraph(nodes=nodes, edges=(Edge(source="d1", target="answer"),))
    expected = "unknown_source" if where == "answer" and isinstance(stray, dict) else "supported"
    assert statuses(verify(graph)) == [("c1", "1", expected)]
