"""Judges that answer badly, over real HTTP: there is a report, it says why, and no request is made without need."""

import asyncio
import json
import logging
import math

import pytest
from endpoint import Answer, Asked, answer, claim, error, fair, on, reply, verdict

from trail_callbacks import LLMJudge, Report, SupportClass, VerifyOptions, acheck, check

pytest.importorskip("instructor")
pytestmark = pytest.mark.loopback

KEY = "sk-proj-abcdef0123456789SECRET"
TRAMS = [f"Tram {i} has {i}0 seats." for i in range(1, 9)]
SUPPORTED = SupportClass.SUPPORTED


def constant(name):
    raise AssertionError(f"{name} is no JSON")


@pytest.fixture(params=["check", "acheck"])
def judged(request, endpoints):
    """Checks eight claims with a judge that is scripted; what must hold of every report is asserted here."""

    def run(*script, sentences=TRAMS, options=None, at_once=False, **settings):
        endpoint = endpoints(*script)
        settings = {"http_retries": 0, "timeout": 20.0, "api_key": KEY} | settings
        if not at_once:  # finds claims first, so that there are several calls to go wrong
            settings.setdefault("claims_per_call", 8)
        judge = LLMJudge("openai/m", base_url=endpoint.url, **settings)
        given = {"judge": judge, "options": VerifyOptions(**options or {})}
        text = " ".join(sentences)
        report = (
            check(text, sentences, **given)
            if request.param == "check"
            else asyncio.run(acheck(text, sentences, **given))
        )
        assert report.usage.calls == len(endpoint.asked)
        saved = report.to_json()
        json.loads(saved, parse_constant=constant)
        assert Report.from_json(saved).to_json() == saved
        assert "SECRET" not in saved + str(report)
        for said in report.verdicts:
            assert (said.support is None) == (said.error is not None or said.undecided is not None)
            assert all(report.graph.node(e.node_id).text[e.start : e.end] == e.quote for e in said.evidence)
        score = report.hallucination_score
        assert (score is not None) == (report.state in {"assessed", "partial"})
        return report, endpoint

    return run


def errors(report):
    return {said.claim_id: said.error for said in report.verdicts if said.error is not None}


def supported(report):
    return [said.claim_id for said in report.verdicts if said.support is SUPPORTED]


EIGHT = [f"c{i}" for i in range(1, 9)]


def completion(**changes):
    """A completion in which something is not as it should be."""
    whole = answer("x").payload
    return Answer(200, whole | changes)


@pytest.mark.parametrize("mode", ["tools", "json_schema"])
def test_a_fair_judge_that_is_asked_at_once_needs_one_call(judged, mode):
    report, endpoint = judged(fair, at_once=True, mode=mode)
    assert (report.state, report.hallucination_score, report.warnings) == ("assessed", 0.0, ())
    assert endpoint.purposes == {"onepass": 1}
    assert supported(report) == EIGHT


@pytest.mark.parametrize(
    "said",
    [
        answer(""),
        answer("I would rather not."),
        answer(None, refusal="no"),
        answer('{"abstained": false, "claims": [{"quote": "Tram 1', finish="length"),
        error(400, "maximum context length is 10 tokens", code="context_length_exceeded"),
    ],
)
def test_what_cannot_be_used_of_an_answer_at_once_is_asked_for_as_usual(judged, said):
    report, endpoint = judged(on("onepass", said), at_once=True)
    assert (report.state, supported(report)) == ("assessed", EIGHT)
    assert endpoint.purposes == {"onepass": 1, "claims": 1, "verdicts": 1}


def test_of_an_answer_at_once_only_broken_verdicts_are_asked_for_again(judged):
    def some(asked):
        said = fair(Asked(asked.body))
        said["claims"][2]["support"] = "perhaps"
        said["claims"][5]["supporting"] = ["s77"]
        return said

    report, endpoint = judged(on("onepass", some), at_once=True)
    assert (report.state, supported(report)) == ("assessed", EIGHT)
    assert [list(asked.claims) for asked in endpoint.asked[1:]] == [["c3", "c6"]]


def test_an_endpoint_that_fails_is_not_asked_again_in_two_calls(judged):
    report, endpoint = judged(error(401, "bad key"), at_once=True)
    assert (report.state, len(endpoint.asked)) == ("error", 1)
    assert "bad key" in report.claims_error


NOTHING = {
    "empty": answer(""),
    "no choices": completion(choices=[]),
    "thought only": answer("<think>They are all supported, I"),
}
PROSE = {
    "prose": (answer("I would rather not."), "the answer is not JSON: 'I would rather not.'"),
    "another shape": (answer({"result": "fine"}), "the answer has another shape"),
    "too deep": (answer('{"verdicts": ' + "[" * 50_000), "the answer is not JSON"),
}


@pytest.mark.parametrize(
    ("said", "words"),
    [*((said, "the model returned nothing") for said in NOTHING.values()), *PROSE.values()],
    ids=[*NOTHING, *PROSE],
)
def test_an_unusable_answer_is_asked_for_again_once(judged, said, words):
    report, endpoint = judged(on("claims", said))
    assert (report.state, endpoint.purposes) == ("error", {"claims": 2})
    assert report.warnings[0].startswith(f"no claims: invalid: {words}")
    report, endpoint = judged(on("verdicts", said))
    assert (report.state, endpoint.purposes) == ("error", {"claims": 1, "verdicts": 2})
    assert report.warnings[0].startswith(f"8 of 8 claims were not judged: invalid: {words}")
    assert list(errors(report)) == EIGHT


PAGES = {
    "a page": Answer(200, b"<html><body>Sign in</body></html>", {"Content-Type": "text/html"}),
    "no JSON": Answer(200, b"{not json"),
    "a list": Answer(200, []),
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_what_is_no_completion_is_not_asked_for_again(judged, page):
    for purpose, requests in (("claims", 1), ("verdicts", 2)):
        report, endpoint = judged(on(purpose, page))
        assert (report.state, len(endpoint.asked)) == ("error", requests)
        assert "failed: the endpoint's reply is not a chat completion; is base_url right?" in report.warnings[0]


def cut(asked, items, **options):
    """The reply of a fair judge, cut in the middle of the item after `items` good ones."""
    whole = fair(asked)
    text = json.dumps(whole)
    key = next(name for name, value in whole.items() if isinstance(value, list))
    at = text.index(json.dumps(whole[key][items])) + 20
    return reply(asked, text[:at], **options)


def test_a_reply_cut_at_the_token_limit_is_kept_and_the_rest_gets_more_room(judged):
    report, endpoint = judged(on("verdicts", lambda asked: cut(asked, 5, finish="length"), times=1))
    assert (report.state, supported(report)) == ("assessed", EIGHT)
    assert len(endpoint.asked) == 3
    assert list(endpoint.asked[2].claims) == EIGHT[5:]
    first, second = (asked.body["max_tokens"] / len(asked.claims) for asked in endpoint.asked[1:])
    assert second > 1.5 * first


def test_one_claim_with_two_classes_is_asked_for_again_by_itself(judged):
    def twice(asked):
        return {"verdicts": [*fair(asked)["verdicts"], verdict("c3", support="absent")]}

    report, endpoint = judged(on("verdicts", twice))
    assert (report.state, list(errors(report)), len(endpoint.asked)) == ("partial", ["c3"], 3)
    assert "two classes" in errors(report)["c3"]
    assert list(endpoint.asked[2].claims) == ["c3"]
    assert report.warnings[-1] == f"1 of 8 claims were not judged: {errors(report)['c3']}"


@pytest.mark.parametrize("label", ["mostly_true", None, math.nan])
def test_a_class_that_does_not_exist_is_an_error_of_that_claim(judged, label):
    def extra(asked):
        items = fair(asked)["verdicts"]
        return {"verdicts": [item | ({"support": label} if item["claim"] == "c4" else {}) for item in items]}

    report, endpoint = judged(on("verdicts", extra))
    assert (report.state, list(errors(report)), len(endpoint.asked)) == ("partial", ["c4"], 3)
    assert errors(report)["c4"].startswith("invalid: the model")
    assert list(endpoint.asked[2].claims) == ["c4"]


def test_ten_thousand_claims_that_the_answer_does_not_make_are_dropped_and_counted(judged):
    def many(asked):
        return {"claims": [*fair(asked)["claims"], *(claim(f"Bus {i} is green.") for i in range(9_992))]}

    report, endpoint = judged(on("claims", many))
    assert (report.state, supported(report), len(endpoint.asked)) == ("assessed", EIGHT, 2)
    assert any("9992 of 10000" in warning for warning in report.warnings)


@pytest.mark.parametrize("count", [math.nan, -5, "many", None])
def test_token_counts_that_are_none_are_zero(judged, count):
    def uncounted(asked):
        said = answer(fair(asked)).payload
        return Answer(
            200, said | {"usage": {"prompt_tokens": count, "completion_tokens": count, "total_tokens": count}}
        )

    report, endpoint = judged(uncounted)
    assert (report.state, len(endpoint.asked)) == ("assessed", 2)
    assert (report.usage.prompt_tokens, report.usage.completion_tokens) == (0, 0)


@pytest.mark.parametrize("escaped", [True, False], ids=["escaped", "raw"])
def test_characters_that_no_text_can_hold_do_no_harm(judged, escaped):
    half, control = "\ud83d", "\x00\x1b[2J"

    def odd(asked):
        items = [item | {"comparison": half + control, "detail": half} for item in fair(asked)["verdicts"]]
        return answer(json.dumps({"verdicts": items}, ensure_ascii=escaped))

    report, endpoint = judged(on("verdicts", odd))
    assert (report.state, supported(report), len(endpoint.asked)) == ("assessed", EIGHT, 2)
    report.to_json().encode()
    str(report).encode()


def test_a_filter_that_objects_to_one_sentence_costs_that_sentence_only(judged):
    def filtered(asked):
        if TRAMS[5] in asked.block("ANSWER"):
            return error(400, "The prompt triggered the content management policy.", "content_filter")
        return fair(asked)

    report, endpoint = judged(on("claims", filtered))
    assert (report.state, len(report.claims) - len(report.uncovered)) == ("partial", 7)
    assert [claim.quote for claim in report.uncovered] == [TRAMS[5]]
    assert any("some claims are missing: refused:" in warning for warning in report.warnings)
    assert endpoint.purposes == {"claims": 1 + 2 + 2 + 2, "verdicts": 1}


REFUSALS = {
    "refusal": answer(None, refusal="I cannot help with that."),
    "filter": answer("", finish="content_filter"),
}


@pytest.mark.parametrize("said", REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_ends_as_data(judged, said):
    report, endpoint = judged(on("verdicts", said))
    assert report.state == "error"
    assert all(why.startswith("refused: ") for why in errors(report).values())
    assert endpoint.purposes == {"claims": 1, "verdicts": 15}  # every claim is tried by itself


def test_nothing_of_a_failure_is_logged_with_a_key(judged, caplog):
    caplog.set_level(logging.INFO)
    report, _ = judged(error(401, f"Incorrect API key provided: {KEY}."))
    assert "unauthorised: Incorrect API key provided: [key]." in report.warnings[0]
    assert "SECRET" not in caplog.text
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
