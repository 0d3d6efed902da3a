"""An estimate against what the run costs then."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from tower_probes import decide, probes

from trail_callbacks.audit import Budget
from trail_callbacks.canary import Strategy
from trail_callbacks.canary.outcomes import decide_all
from trail_callbacks.canary.runs.cost import estimate
from trail_callbacks.models.call import Usage
from trail_callbacks.models.tokens import count


def test_without_a_model_or_prices():
    cost = estimate(probes(10), [Strategy("a"), Strategy("b")], ["real", "fictive"])
    assert (cost.questions, cost.judge_calls, cost.judge_tokens) == (40, 0, 0)
    assert cost.question_tokens == 4 * sum(count(each.question) for each in probes(10))
    assert cost.money is cost.minutes is cost.app_tokens is None


def test_with_a_model_a_pace_and_prices():
    budget = Budget(requests_per_minute=40, price_in=1.0, price_out=10.0)
    usage = Usage(prompt_tokens=1000, completion_tokens=50)
    cost = estimate(probes(100), arms=["real"], decide=decide, budget=budget, per_question=usage)
    assert (cost.questions, cost.judge_calls, cost.minutes) == (100, 100, 5.0)
    assert cost.app_tokens == 105_000
    read = cost.judge_tokens - 100 * 60
    assert read > 500
    assert cost.money == (100_000 + read + 10 * (5_000 + 6_000)) / 1_000_000


def test_of_nothing():
    assert estimate([], decide=decide).questions == 0


def test_prompts_of_the_real_judge_are_counted():
    cost = estimate(probes(64), arms=["real", "fictive"], decide=decide_all)
    assert 128 / 8 <= cost.judge_calls <= 128
    assert cost.judge_tokens > 128 * 60 + 5_000
