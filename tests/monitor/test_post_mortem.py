"""The template of a post-mortem."""

from __future__ import annotations

from trail_callbacks.monitor.post_mortem import to_post_mortem
from trail_callbacks.monitor.triage import triage


def test_figures_times_and_runs_are_filled_in(incident):
    text = to_post_mortem(triage(incident(), 1_000_000, 2_000_000))
    assert "## The stage that broke first: EO, reached the prompt (ranking)" in text
    assert "| 1970-01-17T04:53:21Z | reranker `r2` was seen first |" in text
    assert "| EO, reached the prompt | " in text
    assert "**broken first**" in text
    assert "- segments: `kind` `policy`" in text
    assert "`run 2" in text
    assert "someone" not in text


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
