"""The metric in DeepEval's own hands."""

import pytest

pytestmark = [pytest.mark.filterwarnings("default")]

SOURCE, RIGHT, WRONG = "The tower is 40 m high.", "The tower is 40 m high.", "The tower is 53 m high."


@pytest.fixture
def deepeval(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # it writes a folder where it is called
    return pytest.importorskip("deepeval", reason="deepeval is not installed")


@pytest.fixture
def case(deepeval):
    from deepeval.test_case import LLMTestCase

    def made(answer, sources=(SOURCE,), **more):
        return LLMTestCase(input="How high is it?", actual_output=answer, retrieval_context=list(sources), **more)

    return made


@pytest.fixture
def metric(deepeval):
    from trail_evaluators.deepeval import metric

    return metric


@pytest.mark.parametrize(
    ("answer", "sources", "measured"),
    [
        (RIGHT, [SOURCE], (1.0, True, False)),
        (WRONG, [SOURCE], (0.0, False, False)),
        ("I don't know.", [SOURCE], (None, True, True)),
        (WRONG, [], (None, False, False)),
    ],
)
async def test_it_measures_alone(case, metric, answer, sources, measured):
    score, success, skipped = measured
    one, other = metric(), metric()
    assert one.measure(case(answer, sources)) == await other.a_measure(case(answer, sources)) == score
    for each in (one, other):
        assert (each.is_successful(), each.skipped) == (success, skipped)
        assert each.report is not None
    assert ("no_evidence" in (one.error or "")) == (not sources)


@pytest.mark.parametrize("in_async", [True, False])
def test_deepeval_evaluates_with_it(deepeval, case, metric, in_async):
    from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig

    answers = [case(RIGHT), case(WRONG), case(WRONG, [])]
    result = deepeval.evaluate(
        answers,
        [metric()],
        async_config=AsyncConfig(run_async=in_async),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        error_config=ErrorConfig(ignore_errors=True),
    )
    by_output = {each.name: each for each in result.test_results}
    assert len(by_output) == 3
    found = sorted(
        (each.metrics_data[0].success, each.metrics_data[0].score)
        for each in result.test_results
        if each.metrics_data[0].score is not None
    )
    assert found == [(False, 0.0), (True, 1.0)]
    assert {each.metrics_data[0].name for each in result.test_results} == {"Groundedness (trail)"}
