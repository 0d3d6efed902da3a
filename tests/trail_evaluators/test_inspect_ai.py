"""The scorer in Inspect's own evaluation, with its mock model."""

import pytest

pytestmark = [pytest.mark.filterwarnings("default")]

SOURCE, RIGHT, WRONG = "The tower is 40 m high.", "The tower is 40 m high.", "The tower is 53 m high."


@pytest.fixture
def inspect(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # for its logs
    return pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")


def test_an_evaluation_scores_and_leaves_unscored(inspect, tmp_path):
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from trail_evaluators.inspect_ai import scorer

    outputs = [ModelOutput.from_content("mockllm/model", text) for text in (RIGHT, WRONG, WRONG)]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    samples = [
        Sample(id=str(n), input="How high?", target="", metadata=about)
        for n, about in enumerate([{"context": [SOURCE]}, {"context": [SOURCE]}, {}])
    ]
    task = inspect.Task(dataset=samples, scorer=scorer())
    (log,) = inspect.eval(
        task,
        model=get_model("mockllm/model", custom_outputs=outputs),
        display="none",
        log_dir=str(tmp_path),
        max_samples=1,
    )
    assert log.status == "success", log.error
    values = {sample.id: sample.scores["groundedness"] for sample in log.samples}
    assert (values["0"].value, values["1"].value) == (1.0, 0.0)
    assert WRONG in values["1"].explanation
    assert values["2"].value != values["2"].value  # Inspect's mark for what is unscored
    assert "no_evidence" in str(values["2"].reason)
    assert log.results.scores[0].metrics["mean"].value == 0.5
