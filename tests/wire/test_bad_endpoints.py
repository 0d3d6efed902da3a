"""Endpoints that fail, hang or are busy, over real HTTP: there is a report in time, and no request without need."""

import asyncio
import gc
import socket
import threading
import time
from contextlib import closing
from dataclasses import replace
from email.utils import formatdate

import pytest
from endpoint import answer, error, fair, on

from trail_callbacks import LLMJudge, ProvenanceGraph, SupportClass, VerifyOptions, acheck, averify, check
from trail_callbacks.models.call import Budget

pytest.importorskip("instructor")
pytestmark = pytest.mark.loopback

KEY = "sk-proj-abcdef0123456789SECRET"
TRAMS = [f"Tram {i} has {i}0 seats." for i in range(1, 9)]
MORE = [f"Tram {i} has {i}0 seats." for i in range(1, 17)]
BUSY = error(429, "slow down")
SILENT = replace(answer(""), fault="silent")


def judge_at(endpoint, **settings):
    """A judge that finds claims first, so that there are several calls to go wrong."""
    given = {"api_key": KEY, "http_retries": 2, "timeout": 20.0, "claims_per_call": 8} | settings
    return LLMJudge("openai/m", base_url=endpoint.url, **given)


@pytest.fixture(params=["check", "acheck"])
def checked(request):
    """Checks sentences against themselves."""

    def run(judge, sentences=TRAMS, **options):
        given = {"judge": judge, "options": VerifyOptions(**options)}
        text = " ".join(sentences)
        if request.param == "check":
            return check(text, sentences, **given)
        return asyncio.run(acheck(text, sentences, **given))

    return run


def soon(condition):
    """Waits until something is so."""
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        gc.collect()
        time.sleep(0.01)
    return condition()


@pytest.mark.parametrize("purpose", ["claims", "verdicts"])
@pytest.mark.parametrize(
    "said",
    [BUSY, error(503, "overloaded"), error(429, "slow down", Retry_After="0.2")],
    ids=["429", "503", "retry-after"],
)
def test_an_endpoint_that_recovers_is_asked_once_more(endpoints, checked, said, purpose):
    endpoint = endpoints(on(purpose, said, times=1))
    report = checked(judge_at(endpoint))
    assert (report.state, report.hallucination_score, report.warnings) == ("assessed", 0.0, ())
    assert len(endpoint.asked) == report.usage.calls == 3


@pytest.mark.parametrize("wait", ["3600", "date"])
def test_an_endpoint_that_asks_for_an_hour_is_not_waited_for(endpoints, checked, wait):
    if wait == "date":
        wait = formatdate(time.time() + 3600, usegmt=True)
    endpoint = endpoints(error(429, "slow down", Retry_After=wait))
    report = checked(judge_at(endpoint))
    assert (report.state, len(endpoint.asked)) == ("error", 1)
    assert report.warnings[0].startswith("no claims: busy: slow down (it asks to wait ")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (BUSY, "busy: slow down"),
        (error(500, "oops"), "failed: oops"),
        (replace(answer("x" * 1000), fault="reset"), "unreachable: Connection error."),
    ],
    ids=["429", "500", "reset"],
)
def test_an_endpoint_that_stays_bad_is_given_up(endpoints, checked, said, words):
    endpoint = endpoints(on("verdicts", said))
    report = checked(judge_at(endpoint, http_retries=1))
    assert report.state == "error"
    assert endpoint.purposes == {"claims": 1, "verdicts": 2}
    assert report.usage.calls == 3
    assert {said.error.startswith(words) for said in report.verdicts} == {True}


@pytest.mark.parametrize("fault", ["reset", "chunks", "closed"])
def test_a_reply_that_breaks_off_is_asked_for_once_more(endpoints, checked, fault):
    def script(asked):
        whole = answer(fair(asked))
        return replace(whole, fault=fault) if len(endpoint.asked) in {1, 3} else whole

    endpoint = endpoints(script)
    report = checked(judge_at(endpoint))
    assert (report.state, report.hallucination_score) == ("assessed", 0.0)
    assert endpoint.purposes == {"claims": 2, "verdicts": 2}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (error(401, f"Incorrect API key provided: {KEY}.", "invalid_api_key"), "unauthorised: Incorrect API key"),
        (error(403, f"{KEY} may not do this."), "unauthorised: [key] may not do this."),
        (error(404, "The model `m` does not exist", "model_not_found"), "rejected: The model `m` does not exist"),
        (error(400, "response_format is not supported"), "rejected: response_format is not supported"),
        (
            error(429, "You exceeded your current quota.", "insufficient_quota"),
            "busy: You exceeded your current quota.",
        ),
        (error(503, "down for a day", x_should_retry="false"), "busy: down for a day"),
    ],
    ids=["401", "403", "404", "400", "quota", "told not to"],
)
@pytest.mark.parametrize("purpose", ["claims", "verdicts"])
def test_what_asking_again_cannot_cure_is_asked_once(endpoints, checked, said, words, purpose):
    endpoint = endpoints(on(purpose, said))
    report = checked(judge_at(endpoint))
    assert (report.state, report.hallucination_score) == ("error", None)
    assert endpoint.purposes[purpose] == 1
    assert report.warnings[0].partition(": ")[2].startswith(words)
    assert "SECRET" not in report.to_json() + str(report) + report._repr_html_()


def test_a_request_that_takes_too_long_is_not_paid_twice(endpoints, checked):
    def script(asked):
        judge.model._client.client.timeout = 0.4  # of the next request: the first may be slow
        return on("verdicts", SILENT)(asked)

    endpoint = endpoints(script)
    judge = judge_at(endpoint)
    report = checked(judge)
    assert report.state == "error"
    assert endpoint.purposes == {"claims": 1, "verdicts": 1}
    assert {said.error for said in report.verdicts} == {"unreachable: Request timed out."}
    assert soon(lambda: endpoint.aborted == 1)


def test_an_endpoint_that_is_not_there_is_a_state(checked):
    with closing(socket.socket()) as deaf:  # bound, so that nobody else takes the port, and not listening
        deaf.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"
        report = checked(LLMJudge("openai/m", base_url=url, http_retries=1))
    assert report.state == "error"
    assert report.warnings[0].startswith("no claims: unreachable: Connection error.")
    assert report.usage.calls == 2


def test_one_batch_that_fails_costs_its_claims_only(endpoints, checked):
    def script(asked):
        return error(500, "oops") if "c9" in asked.claims else fair(asked)

    endpoint = endpoints(script)
    report = checked(judge_at(endpoint, http_retries=1), MORE)
    assert (report.state, report.hallucination_score) == ("partial", 0.0)
    assert [said.claim_id for said in report.verdicts if said.error] == [f"c{i}" for i in range(9, 17)]
    assert endpoint.purposes == {"claims": 1, "verdicts": 3}


def test_a_report_is_there_when_its_time_is_over(endpoints, checked):
    endpoint = endpoints(lambda asked: SILENT if "c9" in asked.claims else fair(asked))
    judge = judge_at(endpoint, timeout=60.0)
    checked(judge)  # has everything imported and connected
    before = len(endpoint.asked)
    report = checked(judge, MORE, budget=Budget(seconds=6.0))
    assert report.state == "partial"
    assert {said.error for said in report.verdicts[8:]} == {"budget: the time was over before the answer came"}
    assert {said.support for said in report.verdicts[:8]} == {SupportClass.SUPPORTED}
    assert len(endpoint.asked) - before == report.usage.calls == 3
    assert soon(lambda: endpoint.aborted == 1)


def rejecting(*names):
    """A judge behind an endpoint that knows none of some parameters, and names the first."""

    def script(asked):
        for name in names:
            if name in asked.body:
                return error(400, f"Unsupported parameter: '{name}' is not supported.", "unsupported_parameter", name)
        return fair(asked)

    return script


@pytest.mark.parametrize(
    ("unknown", "settings", "wasted"),
    [
        (["temperature", "seed"], {"temperature": 0, "seed": 7, "top_p": 1}, 2),
        (["max_tokens", "max_completion_tokens"], {"temperature": 0}, 2),
        (["seed", "max_tokens"], {"seed": 7}, 2),
    ],
)
def test_a_parameter_that_is_rejected_is_dropped_once_for_all(endpoints, checked, unknown, settings, wasted):
    endpoint = endpoints(rejecting(*unknown))
    judge = judge_at(endpoint, **settings)
    report = checked(judge)
    assert (report.state, report.hallucination_score) == ("assessed", 0.0)
    assert len(endpoint.asked) == report.usage.calls == 2 + wasted
    reports = []
    threads = [threading.Thread(target=lambda: reports.append(checked(judge))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [report.state for report in reports] == ["assessed"] * 4
    assert len(endpoint.asked) == 2 + wasted + 4 * 2
    kept = set(settings) - set(unknown)
    assert all(kept <= sent.keys() and not sent.keys() & set(unknown) for sent in endpoint.requests[2 + wasted :])


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
async def test_a_client_of_the_app_is_used_as_it_is(endpoints, asynchronous):
    import instructor
    import openai

    endpoint = endpoints(on("verdicts", BUSY, times=1))
    made = (openai.AsyncOpenAI if asynchronous else openai.OpenAI)(base_url=endpoint.url, api_key=KEY, max_retries=0)
    judge = LLMJudge(
        instructor.from_openai(made, mode=instructor.Mode.JSON_SCHEMA),
        model_name="m",
        http_retries=5,
        claims_per_call=8,
    )
    report = await acheck(" ".join(TRAMS), TRAMS, judge=judge)
    assert (report.state, endpoint.purposes["verdicts"]) == ("error", 1)  # its client repeats nothing, and so do we
    report = await acheck(" ".join(TRAMS), TRAMS, judge=judge)
    assert (report.state, len(endpoint.asked)) == ("assessed", 4)
    assert not made.is_closed()
    await made.close() if asynchronous else made.close()


def named(name):
    return sum(thread.name.startswith(name) for thread in threading.enumerate())


@pytest.mark.parametrize("batches", [1, 2])
async def test_a_cancelled_verification_cancels_its_requests_and_leaves_nothing(endpoints, batches):
    endpoint = endpoints(on("verdicts", SILENT))
    judge = judge_at(endpoint, timeout=60.0)
    models, callers = named("trail-models"), named("trail-call")  # a test before may have left some that wait
    sentences = MORE[: 8 * batches]
    graph = ProvenanceGraph.from_texts(" ".join(sentences), sentences)
    task = asyncio.create_task(averify(graph, judge))
    assert await asyncio.to_thread(soon, lambda: endpoint.purposes["verdicts"] == batches)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert await asyncio.to_thread(soon, lambda: endpoint.aborted == batches)
    assert len(endpoint.asked) == 1 + batches
    report = await acheck(
        TRAMS[0], TRAMS[:1], judge=judge, options=VerifyOptions(budget=Budget(calls=1))
    )  # it works on
    assert len(report.claims) == 1
    del judge, task
    assert await asyncio.to_thread(soon, lambda: endpoint.connections == 0)
    assert await asyncio.to_thread(soon, lambda: named("trail-models") <= models)
    assert named("trail-call") <= callers
