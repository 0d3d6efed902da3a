"""Real pipelines with one planted fault each: the diagnosis names the stage that broke, and never raises."""

import asyncio
from dataclasses import replace

import langchain_faults
import llama_index_faults
import messy
import pytest
from cases import Plan, cases
from langchain_trail import TrailCallbackHandler
from oracle import Oracle

from trail_callbacks import LLMJudge, Report, VerifyOptions, check
from trail_callbacks.capture.events import Piece, RunEnded, RunStarted
from trail_callbacks.diagnosis import adiagnose, averified, diagnose, diagnosis_cost, verified
from trail_callbacks.errors import InputError
from trail_callbacks.guard import GuardSettings
from trail_callbacks.judges.judge import Judgement
from trail_callbacks.models.call import Budget
from trail_callbacks.report.withheld import without_texts
from trail_callbacks.testing import ScriptedModel
from trail_callbacks.trace import Trace

FRAMEWORKS = {"langchain": langchain_faults, "llama_index": llama_index_faults}
PLANS = [plan for plan in cases(4, seed=7) if not plan.blind]


class Failing:
    """A judge whose model is gone."""

    name = "failing"
    model = ScriptedModel(lambda _: RuntimeError("gone"))


def oracle(plan: Plan) -> Oracle:
    return Oracle(plan.world, plan.asked)


def planted(signature, variant=None, seed=7):
    return next(p for p in cases(4, seed) if p.signature == signature and (variant is None or p.variant == variant))


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("plan", PLANS, ids=lambda p: f"{p.signature}-{p.variant}-{p.world.kind}-{p.world.language}")
def test_the_stage_that_broke_is_named(framework, plan):
    trace = FRAMEWORKS[framework].played(plan)
    retriever = FRAMEWORKS[framework].index(plan) if plan.asks else None
    found = diagnose(trace, oracle(plan), gold=plan.gold, reference=plan.reference, retriever=retriever)
    assert found.signature == plan.signature, found.reasons
    if plan.signature != "right_by_memory":  # what was lost before may or may not be known
        assert (found.first_break is None) == (plan.signature in {"none", "undetermined"})
    assert found.reasons


@pytest.mark.parametrize("case", list(messy.cases(5)), ids=lambda case: case.name)
def test_messy_pipelines_break_where_they_broke(case):
    trace = case.played()
    found = diagnose(trace, messy.Reader(case), retriever=case.retriever())
    assert found.signature == case.truth, found.reasons
    at = f"{found.first_break.stage} {found.first_break.step}" if found.first_break else ""
    assert at.startswith(case.at)
    if "wrapper" in case.name:
        assert not trace.rerankings
    offline = diagnose(trace)
    assert offline.signature in {case.truth, "undetermined"}, offline.reasons


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_index_tells_what_was_missed_from_what_is_not_there(framework):
    plan, module = planted("recall_failure", "too few"), FRAMEWORKS[framework]
    trace, retriever = module.played(plan), module.index(plan)
    before = dict(getattr(retriever, "search_kwargs", {})), getattr(retriever, "similarity_top_k", None)
    alone = diagnose(trace, oracle(plan))
    assert (alone.signature, alone.first_break.certainty, alone.index) == ("recall_failure", "low", None)
    assert "cannot be told from a run" in alone.reasons[-1]
    asked = diagnose(trace, oracle(plan), retriever=retriever)
    assert (asked.index.found, asked.first_break.certainty) == (True, "medium")
    assert asked.index.rank > plan.k
    assert f"at rank {asked.index.rank} for {asked.index.query!r}" in asked.reasons[0]
    assert plan.world.sentence(plan.asked) in asked.index.text
    assert (dict(getattr(retriever, "search_kwargs", {})), getattr(retriever, "similarity_top_k", None)) == before
    assert asyncio.run(adiagnose(trace, oracle(plan), retriever=retriever)) == asked
    report = verified(trace, oracle(plan), retriever=retriever)
    assert report.diagnosis == asked
    assert Report.from_json(report.to_json()) == report
    assert plan.asked.subject not in without_texts(report).to_json()
    assert diagnose(trace, retriever=retriever, gold=["gold"]).first_break.certainty == "high"
    nothing = diagnose(trace, oracle(plan), retriever=lambda _: [])
    assert (nothing.index.found, nothing.signature) == (False, "should_have_abstained")


def test_an_index_is_asked_within_limits_and_only_for_what_is_missing():
    plan, asked = planted("recall_failure", "too few"), []

    async def find(query):
        asked.append(query)
        raise ConnectionError("gone")

    trace = langchain_faults.played(plan)
    found = asyncio.run(adiagnose(trace, oracle(plan), retriever=find, retriever_calls=2))
    assert found.index.queries == tuple(asked)
    assert len(asked) == 2
    assert found.index.found is None
    assert "gone" in found.warnings[-1]
    assert "could not be told" in found.reasons[-1]
    assert diagnose(trace, oracle(plan), retriever=find, retriever_calls=1).index.found is None
    right = planted("none", "right")
    assert diagnose(langchain_faults.played(right), oracle(right), retriever=find).index is None
    assert len(asked) == 3
    for wrong in ({"retriever": "docs"}, {"retriever": dict}, {"retriever": find, "retriever_calls": 0}):
        with pytest.raises(InputError, match="retriever"):
            diagnose(trace, oracle(plan), **wrong)


def test_a_model_words_the_queries_and_reads_the_conversation():
    (case,) = [each for each in messy.cases(0) if each.name.startswith("right follow-up")]
    replies = {"seek": {"queries": ["its limit in kW"]}, "survey": {"facets": [{"id": "f1", "text": "limit"}]}}

    def script(call):
        return replies.get(call.purpose) or {"claims": [], "abstained": True}

    model, asked = ScriptedModel(script), []
    diagnose(case.played(), LLMJudge(model), retriever=lambda query: asked.append(query) or [])
    assert asked[:2] == [case.question, "its limit in kW"]
    for call in model.calls:
        if call.purpose in {"seek", "survey"}:
            assert f"USER: {case.earlier}" in call.messages[1].content


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_lost_passage_is_found_at_the_step_that_dropped_it(framework):
    plan = planted("selection_failure", "reranker")
    found = diagnose(FRAMEWORKS[framework].played(plan), oracle(plan))
    assert found.first_break.stage == "reranking"
    assert found.first_break.step in {"ContextualCompressionRetriever", "Without"}
    assert [stage.name for stage in found.stages if stage.broken] == ["reranking"]
    assert any("dropped" in reason for reason in found.first_break.reasons)
    asked = found.facets[1]
    assert asked.where == "dropped"
    assert asked.depths == ("retrieved",)
    assert found.coverage.sufficient == {"retrieved": True, "reranked": False, "selected": False}


def test_figures_have_an_n_or_a_reason():
    plan = planted("recall_failure", "known gold")
    found = diagnose(langchain_faults.played(plan), oracle(plan), gold=plan.gold)
    cover = found.coverage
    assert cover.query["retrieved"].n == 2
    assert cover.query["retrieved"].value == 0.5
    assert cover.overlap["retrieved"].recall.value == 0.0
    assert cover.overlap["retrieved"].jaccard.value == 0.0
    assert cover.citation_presence.value is None
    assert cover.citation_presence.why == "the answer cites nothing"


def test_overlap_counts_by_id_document_and_content():
    plan = planted("none", "right")
    trace = langchain_faults.played(plan)
    gold = next(c for r in trace.retrievals for c in r.candidates if c.id == "gold")
    for name in ("gold", gold.hash):
        overlap = diagnose(trace, oracle(plan), gold=[name]).coverage.overlap["selected"]
        assert overlap.recall.value == 1.0
        assert overlap.precision.value == overlap.jaccard.value == 0.25


def test_what_a_judge_cannot_decide_is_undetermined():
    class Blind(Oracle):
        def _judged(self, question, purpose):
            return Judgement(claim_id=question.claim.id, undecided="blind")

        survey = None

    plan = planted("grounding_failure", "wrong value")
    found = diagnose(langchain_faults.played(plan), Blind(plan.world, plan.asked))
    assert found.signature == "undetermined"
    assert any("undecided" in reason for reason in found.reasons)


def test_a_report_carries_its_diagnosis_and_reads_back():
    plan = planted("truncation")
    report = verified(langchain_faults.played(plan), oracle(plan))
    assert report.diagnosis.signature == "truncation"
    assert report.summary()["signature"] == "truncation"
    assert Report.from_json(report.to_json()) == report


def test_sync_and_async_agree():
    plan = planted("source_conflict")
    trace, judge = langchain_faults.played(plan), oracle(plan)
    assert asyncio.run(adiagnose(trace, judge)) == diagnose(trace, judge)
    assert asyncio.run(averified(trace, judge)).diagnosis == verified(trace, judge).diagnosis


def test_a_report_may_be_given_but_only_of_this_answer():
    plan, other = planted("none", "right"), planted("grounding_failure")
    trace = langchain_faults.played(plan)
    report = verified(trace, oracle(plan))
    assert diagnose(trace, oracle(plan), report=report).signature == "none"
    with pytest.raises(InputError, match="another answer"):
        diagnose(langchain_faults.played(other), oracle(other), report=report)
    with pytest.raises(InputError, match="expected a Trace"):
        diagnose(report)


def test_without_a_retrieval_nothing_is_covered_and_nothing_is_not():
    plan = planted("undetermined", "no retrieval")
    found = diagnose(langchain_faults.played(plan))
    assert found.coverage.query == {}
    assert [stage.name for stage in found.stages if stage.there is None] == ["retrieval"]
    assert any("no retrieval" in reason for reason in found.reasons)


def run(question, answer, *, documents=(), earlier=(), answered=True, error=None):
    """A run of events by hand: a retriever and a model."""
    text = "\n".join(documents)
    pieces = tuple(
        Piece(text=each, form="document", path=(n,), id=f"i{n}", attributes={"score": float("nan"), "rank": -1})
        for n, each in enumerate(documents)
    )
    events = [
        RunStarted(seq=1, run_id="root", parent_id=None, kind="chain", name="app", inputs=(Piece(text=question),)),
        RunStarted(seq=2, run_id="r", parent_id="root", kind="retriever", name="find", inputs=(Piece(text=question),)),
        RunEnded(seq=3, run_id="r", outputs=pieces),
        RunStarted(
            seq=4, run_id="m", parent_id="root", kind="model", name="model", inputs=(Piece(text=f"{text}\n{question}"),)
        ),
    ]
    if answered:
        reply = (Piece(text=answer, form="message", role="assistant"),)
        events += [RunEnded(seq=5, run_id="m", outputs=reply), RunEnded(seq=6, run_id="root", outputs=reply)]
    return Trace(id="root", events=tuple(events))


@pytest.mark.parametrize(
    "trace",
    [
        run("", "It is red.", documents=["It is blue."]),
        run("What? And when? And who?", "It is red.", documents=["It is blue.", "It is blue."]),
        run("How long is it?", "", documents=["It is blue."]),
        run("How long is it?", "It is red.", documents=[]),
        run("How long is it?", "It is red.", documents=["It is blue."], answered=False),
        Trace(id="empty", events=()),
    ],
    ids=["no question", "several questions", "empty answer", "nothing retrieved", "no answer", "no events"],
)
def test_odd_runs_are_diagnosed_with_a_reason(trace):
    for judge in (None, LLMJudge(Failing.model)):
        found = diagnose(trace, judge)
        assert found.signature
        assert found.reasons
        assert all(figure.value is not None or figure.why for figure in found.coverage.query.values())


def test_a_retrieval_that_failed_is_named():
    trace = run("How long is the Halden Bridge?", "It is 30 metres long.")
    events = [each for each in trace.events if not (isinstance(each, RunEnded) and each.run_id == "r")]
    from trail_callbacks.capture.events import RunFailed

    failed = RunFailed(seq=3, run_id="r", error="ConnectionError: no index")
    found = diagnose(replace(trace, events=tuple(sorted([*events, failed], key=lambda e: e.seq))))
    assert found.signature == "recall_failure"
    assert "ConnectionError" in found.reasons[0]


def test_limits_hold_for_verification_and_diagnosis_together():
    plan = planted("selection_failure", "reranker")
    model = ScriptedModel(lambda _: "{}")
    verified(langchain_faults.played(plan), LLMJudge(model), VerifyOptions(budget=Budget(calls=1)))
    assert len(model.calls) == 1


def test_the_cost_is_known_before():
    plan = planted("selection_failure", "reranker")
    trace = langchain_faults.played(plan)
    model = ScriptedModel(lambda _: "{}")
    expected = diagnosis_cost(trace, LLMJudge(model))
    assert model.calls == []
    assert expected.calls == 2  # claims with their verdicts, survey
    assert expected.more_calls == 1  # what the model did not read
    assert diagnosis_cost(trace).calls == 0


@pytest.mark.parametrize("evaluate", ["inline", "background", "process"])
def test_a_handler_diagnoses_if_asked(evaluate):
    plan = planted("truncation")
    handler = TrailCallbackHandler(evaluate=evaluate, options=VerifyOptions(diagnose=True))
    langchain_faults.chain(plan).invoke(plan.question, config={"callbacks": [handler]})
    try:
        report = handler.report(timeout=60)
    finally:
        handler.close()
    assert report.diagnosis is not None
    assert report.diagnosis.stages
    assert not handler.errors


def test_a_check_has_no_recorded_run():
    with pytest.raises(InputError, match="diagnose needs a recorded run"):
        check("It is red.", ["It is blue."], options=VerifyOptions(diagnose=True))
    with pytest.raises(InputError, match="a draft is no recorded run"):
        GuardSettings(judge="local", options=VerifyOptions(diagnose=True))


def test_a_report_without_texts_keeps_none_in_its_diagnosis():
    plan = planted("selection_failure", "reranker")
    report = verified(langchain_faults.played(plan), oracle(plan))
    kept = without_texts(report)
    assert kept.diagnosis.signature == report.diagnosis.signature
    assert kept.diagnosis.coverage.query == report.diagnosis.coverage.query
    assert plan.asked.subject in str(report.diagnosis)
    assert plan.asked.subject not in kept.to_json()
    assert Report.from_json(kept.to_json()) == kept
