"""The assertion, as promptfoo's own wrapper calls it: a function of an output and a context, and JSON back."""

import json

from trail_evaluators.promptfoo import get_assert

SOURCE, WRONG = "The tower is 40 m high.", "The tower is 53 m high."


def context(config=None, **variables):
    return {"vars": variables, "prompt": "...", "config": config or {}, "providerResponse": {}}


def test_a_made_up_claim_fails_with_its_reason():
    result = json.loads(
        json.dumps(
            get_assert(f"{WRONG} The river is 3 km long.", context(context=[SOURCE, "The river is 3 km long."])),
            allow_nan=False,
        )
    )
    assert (result["pass"], result["score"], result["namedScores"]) == (False, 0.5, {"groundedness": 0.5})
    assert WRONG in result["reason"]
    assert [each["pass"] for each in result["componentResults"]] == [False, True]


def test_a_threshold_and_names_of_variables():
    config = {"max_score": 0.5, "sources": "kb"}
    result = get_assert(f"{WRONG} The river is 3 km long.", context(config, kb=f"{SOURCE} The river is 3 km long."))
    assert result["pass"] is True


def test_without_sources_it_fails_and_says_that_nothing_was_scored():
    result = get_assert(WRONG, context())
    assert (result["pass"], result["score"], result["namedScores"]) == (False, 0.0, {})
    assert "not scored: no_evidence" in result["reason"]
