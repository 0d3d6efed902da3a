"""The judge in its place: reports, walks, threads, loops and processes."""

import asyncio
import os
import threading
import time

import numpy as np
import pytest
from seen import claim, like, run, watched

from trail_callbacks import (
    CascadeJudge,
    EncoderJudge,
    LocalJudge,
    SupportClass,
    acheck,
    check,
)
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.encoder import loading
from trail_callbacks.judges.judge import Judge, Question
from trail_callbacks.judges.resolve import _encoder, resolve

YES, NO, SILENT = "The town confirms forty cars.", "The ferry denies forty cars.", "The mill is old."
ANSWER = "The ferry carries cars."


def passage(text, node="d1", start=0):
    return Passage(id=f"{node}-{start}", node_id=node, start=start, end=start + len(text), text=text)


def supports(report):
    return [verdict.support for verdict in report.verdicts]


def test_it_is_a_judge_that_makes_no_calls(entailment):
    judge = EncoderJudge(entailment)
    assert isinstance(judge, Judge)
    assert judge.model is None
    report = check(ANSWER, [YES], judge=judge)
    assert report.usage.calls == 0
    assert report.judge == judge.name


def test_a_name_tells_settings_apart_and_hides_where_the_folder_is(entailment, grounding):
    names = [
        EncoderJudge(entailment).name,
        EncoderJudge(entailment, margin=0.2).name,
        EncoderJudge(entailment, threshold=0.7).name,
        EncoderJudge(entailment, chunks=3).name,
        EncoderJudge(entailment, file="model.onnx").name,
        EncoderJudge(entailment, profile="yaxili96/FactCG-DeBERTa-v3-Large").name,
        EncoderJudge(grounding, labels=("supported", "absent"), contradictions=entailment).name,
    ]
    assert len(set(names)) == len(names)
    assert all(name.startswith("encoder/1/tiny-") for name in names)
    assert EncoderJudge(entailment).name == EncoderJudge(entailment).name
    assert EncoderJudge("someone/model", revision="v2").name.startswith("encoder/1/someone/model@v2/")


def test_all_three_classes_in_one_report(entailment):
    answer = "The ferry carries cars."
    judge = EncoderJudge(entailment)
    assert supports(check(answer, [SILENT, YES, SILENT], judge=judge)) == ["supported"]
    assert supports(check(answer, [SILENT, NO], judge=judge)) == ["contradicted"]
    assert supports(check(answer, [SILENT], judge=judge)) == ["absent"]
    both = check(answer, [YES, NO], judge=judge)
    assert {item.relation for item in both.verdicts[0].evidence} == {"supports", "contradicts"}


def test_scores_near_the_threshold_are_undecided(entailment):
    report = check(ANSWER, [YES], judge=EncoderJudge(entailment, threshold=0.95, margin=0.2))
    assert report.state == "unverified"
    assert report.hallucination_score is None
    assert "within 0.20 of the 0.95" in report.verdicts[0].undecided
    assert report.verdicts[0].evidence[0].relation == "nearest"


@pytest.mark.parametrize("own", [{}, {"threshold": 0.05, "margin": 0.01}, {"threshold": 0.95, "margin": 0.6}], ids=str)
def test_a_band_of_a_cascade_takes_the_place_of_threshold_and_margin(entailment, own):
    first = EncoderJudge(entailment, **own)
    asked = [Question(claim=claim(ANSWER), passages=(passage(SILENT),))]
    score = run(first, asked)[0].score
    bands = {(0.0, score): "supported", (score, 1.0): "absent", (0.0, 1.0): None}
    for band, support in bands.items():
        judgement = run(CascadeJudge(first, LocalJudge(), band=band), asked)[0]
        assert judgement.support == support
        assert judgement.judge == (first.name if support else LocalJudge().name)


def test_a_second_model_tells_contradicted_from_absent(grounding, entailment):
    judge = EncoderJudge(grounding, labels=("supported", "absent"), contradictions=entailment)
    assert supports(check(ANSWER, [NO], judge=judge)) == ["contradicted"]
    assert supports(check(ANSWER, [SILENT], judge=judge)) == ["absent"]
    assert supports(check(ANSWER, [YES], judge=judge)) == ["supported"]
    quotes = [item.quote for item in check(ANSWER, [f"{SILENT} {NO}"], judge=judge).verdicts[0].evidence]
    assert quotes == [NO]


def test_claims_in_other_languages_than_the_models_are_undecided(entailment):
    german = "Die Fähre braucht vierzig Minuten bis zur Insel und fährt jeden Tag um neun Uhr ab."
    judge = EncoderJudge(entailment, profile=like("", english=True))
    report = check(german, ["Die Fähre braucht vierzig Minuten."], judge=judge)
    assert "German" in report.verdicts[0].undecided
    assert supports(check(german, ["Die Fähre braucht vierzig Minuten."], judge=EncoderJudge(entailment))) == ["absent"]


@pytest.mark.parametrize("kind", ["entailment", "grounding"])
def test_each_node_that_states_a_claim_is_named(kind, request):
    folder = request.getfixturevalue(kind)
    judge = EncoderJudge(folder, labels=("supported", "absent") if kind == "grounding" else None)
    passages = (
        passage(SILENT, "n1"), passage(YES, "n2"), passage(SILENT, "n3"), passage("The mill confirms it.", "n4"),
    )  # fmt: skip
    (one, two) = run(
        judge,
        [
            Question(claim=claim(ANSWER, "c1"), passages=passages),
            Question(claim=claim(ANSWER, "c2"), passages=passages[:1]),
        ],
        "localize",
    )
    assert one.support is SupportClass.SUPPORTED
    assert [item.node_id for item in one.evidence] == ["n2", "n4"]
    assert two.support is SupportClass.ABSENT


def test_whether_sources_answer_a_question_is_left_open(entailment):
    report = check(
        "I do not know.",
        ["The ferry takes 40 minutes."],
        "How many minutes does the ferry take?",
        EncoderJudge(entailment),
    )
    assert report.state == "abstained"
    assert "undecided whether the sources contain what the answer declines to say" in report.warnings[0]


def test_a_string_names_it_and_the_weights_are_kept_for_the_next_call(entailment, monkeypatch):
    loads = []
    load = loading._load
    _encoder.cache_clear()  # other tests name the same folder
    monkeypatch.setattr(loading, "_load", lambda source: loads.append(source) or load(source))
    for _ in range(3):
        assert supports(check(ANSWER, [YES], judge=f"encoder:{entailment}")) == ["supported"]
    assert len(loads) == 1
    assert resolve(f" Encoder: {entailment} ").name == resolve(f"encoder:{entailment}").name


@pytest.mark.parametrize("error", [MemoryError("bad allocation.\nTried to"), IndexError("no position")])
def test_a_network_that_fails_is_an_error_of_its_claims(entailment, error):
    judge = EncoderJudge(entailment)

    def fail(_):
        raise error

    watched(judge, fail)
    report = check(ANSWER, [YES], judge=judge)
    assert report.state == "error"
    assert report.verdicts[0].error.endswith(f"failed on cpu: {type(error).__name__}: {str(error).splitlines()[0]}")


def test_a_value_that_is_not_a_number_is_an_error_and_not_absent(entailment):
    judge = EncoderJudge(entailment)
    watched(judge, lambda batch: np.full((len(batch["input_ids"]), 3), np.nan))
    verdict = check(ANSWER, [YES], judge=judge).verdicts[0]
    assert verdict.support is None
    assert "not a number" in verdict.error


async def test_the_event_loop_goes_on_while_it_loads_and_runs(entailment, monkeypatch):
    load, beaten = loading._load, threading.Event()

    def slowly(source):
        assert beaten.wait(60)
        return load(source)

    monkeypatch.setattr(loading, "_load", slowly)

    async def heart():
        for _ in range(10):
            await asyncio.sleep(0.01)
        beaten.set()

    beating = asyncio.create_task(heart())
    reports = await asyncio.gather(*(acheck(ANSWER, [YES], judge=EncoderJudge(entailment)) for _ in range(2)))
    await beating
    assert [supports(report) for report in reports] == [["supported"]] * 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_judges_too_and_ends(entailment):
    judge = EncoderJudge(entailment, threads=3)
    assert supports(check(ANSWER, [YES], judge=judge)) == ["supported"]
    held, release = threading.Event(), threading.Event()

    def hold():  # as a thread does that is judging while another forks
        with judge._first._lock, judge._first.loaded().lock:
            held.set()
            release.wait()

    holding = threading.Thread(target=hold)
    holding.start()
    held.wait()
    child = os.fork()
    if child == 0:
        try:
            found = supports(check(ANSWER, [YES], judge=judge))
            del judge  # what it loaded before has threads that are not here
            os._exit(0 if found == ["supported"] else 3)
        finally:
            os._exit(4)
    release.set()
    holding.join()
    until = time.monotonic() + 60
    status = 0
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.parametrize("kind", ["entailment", "grounding"])
def test_through_the_command(kind, request, trail, tmp_path):
    folder = request.getfixturevalue(kind)
    status, out, err = trail(
        "check", "--judge", f"encoder:{folder}", "--answer", ANSWER, "--source", f"{SILENT} {YES}", "--json"
    )
    if kind == "grounding":  # its labels have no names, and the command has no option for them
        assert status == 2
        assert "profile=" in err
        return
    import json

    assert (status, err) == (0, "")
    data = json.loads(out)
    assert data["judge"].startswith("encoder/1/tiny-nli/")
    assert data["verdicts"][0]["support"] == "supported"
    assert data["verdicts"][0]["evidence"][0]["quote"] == YES


@pytest.mark.parametrize("kind", ["entailment", "grounding"])
def test_threads_share_one_model(kind, request, monkeypatch):
    folder = request.getfixturevalue(kind)
    loads = []
    load = loading._load
    monkeypatch.setattr(loading, "_load", lambda source: loads.append(source) or load(source))
    judge = EncoderJudge(folder, labels=("supported", "absent") if kind == "grounding" else None)
    found, begin = {}, threading.Barrier(4)

    def work(n):
        begin.wait()
        report = check(ANSWER, [YES if n % 2 else SILENT], judge=judge)
        found[n] = (report.state, supports(report))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: ("assessed", ["supported" if n % 2 else "absent"]) for n in range(4)}
    assert len(loads) == 1
