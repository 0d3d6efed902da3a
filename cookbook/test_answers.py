"""The offline judge in a CI test: an answer that its sources do not support fails the build. Copy it to your tests.

Simulated here: the app, by `answer`, a function that returns recorded answers; replace it by a call of your own app,
and the sources by those it retrieved. The judge is offline and deterministic: no key, no network, no flaky tests.

    pip install trail-callbacks pytest
    pytest cookbook/test_answers.py        # or: python cookbook/test_answers.py
"""

import pytest

from trail_callbacks import Report, check

MAX_SCORE = 0.2  # accepted share of unsupported claims; start with the measured value and lower it

SOURCES = [
    "Orders are shipped within two working days. Returns are accepted for 30 days if the box is unopened.",
    "Support answers on weekdays from 9 to 17 o'clock.",
]
RECORDED = {
    "How fast do you ship?": "Orders are shipped within two working days.",
    "May I return it?": "Returns are accepted for 30 days if the box is unopened.",
    "When do you answer?": "Support answers on weekdays from 9 to 17 o'clock.",
}


def answer(question: str) -> str:
    return RECORDED[question]


def gate(report: Report) -> None:
    """Fails with the whole report, also if the answer could not be fully verified."""
    assert report.state in {"assessed", "abstained"}, f"not verified\n{report}"
    score = report.hallucination_score or 0.0  # None for an answer that declines
    assert score <= MAX_SCORE, f"over {MAX_SCORE}\n{report}"


@pytest.mark.parametrize("question", RECORDED)
def test_answers_are_supported_by_their_sources(question: str) -> None:
    gate(check(answer(question), SOURCES, question=question))


def test_a_planted_error_fails() -> None:
    report = check("Returns are accepted for 90 days if the box is unopened.", SOURCES, question="May I return it?")
    with pytest.raises(AssertionError, match="contradicted") as failure:
        gate(report)
    print(f"\nWhat a failing build says:\n{failure.value}")  # shown by pytest -s


def test_an_answer_without_sources_fails() -> None:
    with pytest.raises(AssertionError, match="no source reached the answer"):
        gate(check(answer("How fast do you ship?"), []))


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__, "-v", "-s", "-p", "no:cacheprovider"]))
