import json

from trail_callbacks.context_filter.decision import Decision, Filtered, Reason

REASON = Reason(
    kind="contradiction", score=0.66666, drops=True, start=2, end=5, quote="1950", signals=("date",), why="Why.", against=(0, 1)
)  # fmt: skip


def test_a_reason_without_quotes_has_nothing_verbatim():
    data = REASON.to_dict(quotes=False)
    assert data["score"] == 0.667
    assert data["against"] == [0, 1]
    assert data.keys().isdisjoint({"quote", "why"})
    assert json.loads(json.dumps(REASON.to_dict())) == data | {"quote": "1950", "why": "Why."}


def test_an_outcome_tells_kept_from_dropped_and_flagged():
    decisions = [
        Decision(index=0, passage="a", kept=True),
        Decision(index=1, passage="b", kept=False, reasons=(REASON,)),
        Decision(index=2, passage="c", kept=True, reasons=(REASON,)),
    ]
    outcome = Filtered(decisions=decisions)
    assert outcome.kept == ["a", "c"]
    assert outcome.dropped == [decisions[1]]
    assert outcome.flagged == [decisions[2]]
