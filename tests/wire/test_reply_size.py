"""Endpoints that send more than any answer has, over real HTTP: it is not kept, and not asked for again."""

import gzip
import json
import tracemalloc

import pytest
from endpoint import Answer, answer

from trail_callbacks import LLMJudge, check

pytest.importorskip("instructor")
pytestmark = pytest.mark.loopback

LONG = 96 * 1024 * 1024  # bytes


def padded(size):
    whole = json.dumps(answer('{"claims": []}').payload).encode()
    return whole[:-1] + b" " * (size - len(whole)) + b"}"


ENDLESS = {
    "long": lambda: Answer(200, padded(LONG)),
    "packed": lambda: Answer(200, gzip.compress(padded(LONG), 1), {"Content-Encoding": "gzip"}),
    "long error": lambda: Answer(400, padded(LONG)),
}


@pytest.mark.parametrize("said", ENDLESS.values(), ids=ENDLESS)
def test_a_reply_is_cut_off_while_it_is_read(endpoints, said):
    endpoint = endpoints(said())
    judge = LLMJudge("openai/m", base_url=endpoint.url, timeout=60.0, http_retries=2)
    tracemalloc.start()
    try:
        report = check("Tram 1 has 10 seats.", ["Tram 1 has 10 seats."], judge=judge)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < LONG / 2
    assert report.hallucination_score is None
    assert any("longer than 16777216 bytes" in warning for warning in report.warnings), report.warnings
    assert len(endpoint.asked) == 1


def test_a_reply_below_the_bound_is_read(endpoints):
    short = json.dumps({"abstained": True, "claims": []})
    endpoint = endpoints(Answer(200, json.dumps(answer(short).payload).encode() + b" " * 4_000_000))
    judge = LLMJudge("openai/m", base_url=endpoint.url, timeout=60.0)
    assert check("I do not know.", ["Tram 1 has 10 seats."], judge=judge).state == "abstained"
