"""An estimate of what a run takes, before anybody is asked."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from tower_probes import probes

from trail_callbacks.canary.runs.cost import estimate
from trail_callbacks.models.tokens import count


def test_without_a_model():
    cost = estimate(probes(10), 2, ["real", "fictive"])
    assert (cost.questions, cost.judge_calls, cost.judge_tokens) == (40, 0, 0)
    assert cost.question_tokens == 4 * sum(count(each.question) for each in probes(10))
    assert estimate([], 1, ["real"], judged=True).questions == 0


def test_the_prompts_of_the_judge_are_counted():
    cost = estimate(probes(64), 1, ["real", "fictive"], judged=True)
    assert 128 / 8 <= cost.judge_calls <= 128
    assert cost.judge_tokens > 128 * 60 + 5_000
