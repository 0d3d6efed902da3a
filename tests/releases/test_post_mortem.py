"""The template of a post-mortem."""

from __future__ import annotations

from trail_callbacks.releases.post_mortem import to_post_mortem
from trail_callbacks.releases.triage import triage


def test_figures_times_and_runs_are_filled_in(incident):
    text = to_post_mortem(triage(incident(), 1_000_000, 2_000_000))
    assert "## The stage that broke first: EO, reached the prompt (ranking)" in text
    assert "| 1970-01-17T04:53:21Z | reranker `r2` was seen first |" in text
    assert "| EO, reached the prompt | " in text
    assert "**broken first**" in text
    assert "- segments: `kind` `policy`" in text
    assert "`run 2" in text
    assert "someone" not in text


def test_a_stage_keeps_its_owner_where_the_evaluator_comes_first(incident):
    text = to_post_mortem(triage(incident(failing=0.3), 1_000_000, 2_000_000))
    assert "Look at the evaluator first" in text
    assert "## The stage that broke first: EO, reached the prompt (ranking)" in text


def test_what_only_people_know_is_blank(incident):
    text = to_post_mortem(triage(incident(), 1_000_000, 2_000_000))
    assert "## Summary\n\n_to be filled in_" in text
    assert "| _to be filled in_ | mitigated |" in text
    assert "Why it broke: _to be filled in_" in text
    assert "| mend the cause | _to be filled in_ | _to be filled in_ |" in text


def test_it_blames_no_stage_without_evidence(incident):
    text = to_post_mortem(triage(incident(broken=False), 1_000_000, 2_000_000))
    assert "## The stage that broke first: _to be filled in_" in text
    assert "broken first**" not in text


def test_times_are_in_order(incident):
    text = to_post_mortem(triage(incident(), 1_000_000, 2_000_000))
    times = [line[2:22] for line in text.splitlines() if line.startswith("| 19")]
    assert times == sorted(times)
    assert len(times) == 4


def test_runs_that_were_not_judged_are_estimated(incident, answer):
    text = to_post_mortem(triage(incident(), 1_000_000, 2_000_000))
    assert "stand for" not in text
    earlier, later = (
        [answer(f"{t} {n}", bad, against=bad, at=t + n, rate=0.1) for n in range(60)]
        for t, bad in ((0.0, 0), (100.0, 4))
    )
    assert "they stand for about 600" in to_post_mortem(triage(earlier + later, 100.0, 200.0))
