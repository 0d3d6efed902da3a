"""What operations keep of a judged run, and whether it is bad, good, or neither, because nobody knows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_trail import TrailCallbackHandler

from trail_callbacks import SupportClass, check
from trail_callbacks.diagnosis import diagnose
from trail_callbacks.monitor import SIGNALS, DocumentUse, Observation, Tally, observe, question_key
from trail_callbacks.report.diagnosis import Figure

SOURCES = ["The ferry takes 40 minutes.", "A ticket costs 9 euros [1]."]


def test_a_report_without_a_trace_has_figures_of_its_claims():
    report = check("The ferry takes 40 minutes. A ticket costs 12 euros.", SOURCES, "How long does it take?")
    run = observe(report, at=5.0, rate=0.5)
    assert (run.at, run.rate, run.state, run.judge, run.diagnosed) == (5.0, 0.5, "assessed", report.judge, False)
    assert run.outcomes == {"supported": 1, "contradicted": 1}
    assert (run.decided, run.unsupported, run.score) == (2, 1, report.hallucination_score)
    assert (run.figures["answer_coverage"].value, run.figures["answer_coverage"].n) == (0.5, 2)
    assert "query_coverage" not in run.figures
    assert run.id == observe(report, at=6.0).id


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("How long?", "  how\nLONG? ", True),
        ("\uff28ow long?", "How long?", True),
        ("How long?", "How far?", False),
    ],
)
def test_questions_that_are_written_alike_pair(one, two, same):
    assert (question_key(one) == question_key(two)) is same


class Shelf(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        dated = {"source": "times.md", "last_modified": "2026-01-02T00:00:00Z", "indexed_at": 1_767_400_000_000}
        return [Document(SOURCES[0], metadata=dated), Document("Boats are red.", metadata={"source": "boats.md"})]


def test_a_recorded_run_has_segments_versions_and_documents():
    handler = TrailCallbackHandler(evaluate="never", context={"versions": {"app": "v7", "index": "i3"}})
    model = FakeListChatModel(responses=["The ferry takes 40 minutes."])
    chain = RunnableLambda(lambda q: f"Context: {Shelf().invoke(q)[0].page_content}\nQuestion: {q}") | model
    metadata = {"query_class": "times", "tenant_id": "acme", "user_id": "u1", "beta": True, "note": "x" * 999}
    chain.invoke("How long does the ferry take?", {"callbacks": [handler], "metadata": metadata})
    trace = handler.trace()
    report = handler.report()
    run = observe(report, trace)
    assert (run.id, run.at) == (trace.id, trace.context.started)
    assert (run.release, run.versions["index"], run.user) == ("v7", "i3", "u1")
    assert run.fields == {"query_class": "times", "tenant": "acme", "beta": "true"}
    assert [run.segment(name) for name in ("release", "index", "query_class", "nothing")] == ["v7", "i3", "times", None]
    assert (run.segment("tenant_id"), run.segment("user_id")) == ("acme", None)
    assert run.documents == (
        DocumentUse(name="times.md", passages=1, selected=1, updated=1_767_312_000.0, ingested=1_767_400_000.0),
        DocumentUse(name="boats.md", passages=1),
    )
    assert report.verdicts[0].support is SupportClass.SUPPORTED


def test_a_diagnosed_run_has_the_figures_of_its_evidence_path():
    handler = TrailCallbackHandler(evaluate="never")
    model = FakeListChatModel(responses=["The ferry takes 50 minutes."])
    chain = RunnableLambda(lambda q: f"Context: {Shelf().invoke(q)[0].page_content}\nQuestion: {q}") | model
    chain.invoke("How long does the ferry take?", {"callbacks": [handler]})
    trace = handler.trace()
    found = diagnose(trace, gold=["none of them"])
    run = observe(replace(handler.report(), diagnosis=found), trace)
    assert run.diagnosed
    assert run.broken == (found.first_break.stage if found.first_break else None)
    assert {"query_coverage", "answer_coverage"} <= set(run.figures)
    assert SIGNALS["contradiction"].bad(run)


@pytest.mark.parametrize(
    ("gold", "kept", "bad"), [(0, 1.0, (False, False)), (1, 0.0, (False, True)), (9, None, (True, None))]
)
def test_with_gold_passages_retrieval_and_ranking_are_told_apart(gold, kept, bad):
    """Of two passages the prompt holds the first; a third was not retrieved."""
    handler = TrailCallbackHandler(evaluate="never")
    model = FakeListChatModel(responses=["I do not know."])
    chain = RunnableLambda(lambda q: f"Context: {Shelf().invoke(q)[0].page_content}\nQuestion: {q}") | model
    chain.invoke("How long does the ferry take?", {"callbacks": [handler]})
    trace = handler.trace()
    names = dict(enumerate(each.document_id or each.hash for each in trace.retrievals[0].candidates))
    found = diagnose(trace, gold=[names.get(gold, "elsewhere")])
    run = observe(replace(handler.report(), diagnosis=found), trace)
    assert tuple(SIGNALS[name].bad(run) for name in ("query_coverage", "evidence_overlap")) == bad
    assert kept is None or run.figures["evidence_overlap"].value == kept


class EmptyShelf(Shelf):
    def _get_relevant_documents(self, query, *, run_manager):
        return []


def test_a_retrieval_that_brings_nothing_covers_nothing_whoever_judges():
    handler = TrailCallbackHandler(evaluate="never")
    model = FakeListChatModel(responses=["I do not know."])
    chain = RunnableLambda(lambda q: f"Context: {EmptyShelf().invoke(q)}\nQuestion: {q}") | model
    chain.invoke("How long does the ferry to Aldhaven take?", {"callbacks": [handler]})
    trace = handler.trace()
    run = observe(replace(handler.report(), diagnosis=diagnose(trace)), trace)
    assert SIGNALS["query_coverage"].bad(run)
    assert run.broken == "retrieval"


def test_an_answer_that_cites_nothing_is_known_to():
    said = {answer: observe(check(answer, SOURCES)) for answer in ("A ticket costs 9 euros.", "I do not know.")}
    bad = [[SIGNALS[f"citation_{name}"].bad(run) for name in ("presence", "coverage")] for run in said.values()]
    assert bad == [[True, True], [None, None]]
    cited = observe(check("A ticket costs 9 euros [2].", ["The ferry takes 40 minutes.", "A ticket costs 9 euros."]))
    assert SIGNALS["citation_presence"].bad(cited) is False


RUN = Observation(id="r1", at=0.0, state="assessed", claims=2, outcomes={"supported": 2})


@pytest.mark.parametrize(
    ("name", "change", "bad"),
    [
        ("contradiction", {}, False),
        ("contradiction", {"outcomes": {"supported": 1, "contradicted": 1}}, True),
        ("contradiction", {"state": "error", "outcomes": {}}, None),
        ("unsupported", {"outcomes": {"supported": 1, "absent": 1}}, True),
        ("unsupported", {"state": "partial", "outcomes": {"supported": 1, "undecided": 1}}, False),
        ("abstention", {"state": "abstained"}, True),
        ("abstention", {"state": "unverified"}, None),
        ("undecided", {"state": "error"}, True),
        ("undecided", {"state": "partial", "outcomes": {"not_judged": 2}}, True),
        ("undecided", {"state": "partial", "outcomes": {"supported": 1, "undecided": 1}}, False),
        ("query_coverage", {}, None),
        ("query_coverage", {"figures": {"query_coverage": Figure(value=0.2, n=4, decided_by="words")}}, None),
        ("query_coverage", {"figures": {"query_coverage": Figure(value=0.2, n=4)}}, None),
        ("query_coverage", {"figures": {"query_coverage": Figure(value=0.2, n=4, decided_by="gold")}}, True),
        ("query_coverage", {"figures": {"query_coverage": Figure(value=0.79, n=4, decided_by="judge")}}, True),
        ("evidence_overlap", {"figures": {"selection": Figure(value=0.5, n=4, decided_by="judge")}}, True),
        (
            "evidence_overlap",
            {
                "figures": {
                    "selection": Figure(value=0.5, n=4, decided_by="judge"),
                    "evidence_overlap": Figure(value=1.0, n=3, decided_by="judge"),
                }
            },
            False,
        ),
    ],
)
def test_a_run_is_bad_good_or_unknown(name, change, bad):
    assert SIGNALS[name].bad(replace(RUN, **change)) is bad


BAD = {"supported": 1, "contradicted": 1}


def run(n, at, *, outcomes=None, state="assessed", rate=1.0):
    return Observation(id=f"r{n}", at=at, state=state, outcomes=outcomes or {"supported": 1}, rate=rate)


RUNS = [
    run(1, 10.0),
    run(2, 20.0, outcomes=BAD),
    run(3, 30.0, outcomes=BAD, rate=0.1),
    run(4, 40.0, state="error", outcomes={"not_judged": 1}),
]


def test_what_nobody_knows_counts_neither_way():
    found = Tally.of(RUNS[3:], SIGNALS["contradiction"])
    assert (found.runs, found.decided, found.share, found.effective) == (1, 0, None, 0.0)


def test_a_run_stands_for_those_that_were_not_judged():
    found = Tally.of(RUNS, SIGNALS["contradiction"])
    assert (found.runs, found.decided, found.bad) == (4, 3, 2)
    assert found.share == pytest.approx(11 / 12)
    assert found.effective == pytest.approx(12**2 / 102)
