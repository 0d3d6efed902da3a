"""Random runs with known dependencies: everything that was quoted is found, and nothing else."""

import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from planted_runs import WAYS, near_copies, planted_run

from trail_callbacks.capture.build import build


def links_of(planted):
    """What the graph says reached the models, by the texts of both ends."""
    graph = build(planted.events)
    nodes = {node.id: node for node in graph.nodes}
    return {
        (nodes[edge.source].text, nodes[edge.target].text): edge
        for edge in graph.edges
        if edge.basis != "scope"
        and nodes[edge.source].kind not in {"instruction", "question"}
        and nodes[edge.target].kind in {"completion", "answer"}
    }


def near(planted, pair):
    """True if another text that holds this one, or is held by it, was quoted there."""
    return any((pair[0] in other or other in pair[0]) and target == pair[1] for other, target in planted.links)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), nodes=st.integers(3, 25), ways=st.sets(st.sampled_from(WAYS), min_size=1))
def test_what_was_quoted_is_found_and_nothing_else(seed, nodes, ways):
    planted = planted_run(seed, nodes, tuple(sorted(ways)))
    found = links_of(planted)
    missed = [pair for pair in planted.links if pair not in found and pair not in planted.unsure]
    assert missed == []
    assert [pair for pair in found if pair not in planted.links and not near(planted, pair)] == []
    copied = {text for pair in near_copies(planted) for text in pair}
    for pair, (_, share) in planted.links.items():
        if pair in found and pair[0] not in copied:
            assert abs(found[pair].coverage - share) < 0.35  # openings that many share count, too


def test_words_that_stand_in_two_sources_are_marked_ambiguous():
    marked = plain = 0
    for seed in range(120):
        planted = planted_run(seed)
        found = links_of(planted)
        for _, target in planted.unsure:
            marked += any(edge.ambiguous for (_, end), edge in found.items() if end == target)
        alone = [found[pair] for pair in planted.links if pair in found and pair not in planted.unsure]
        plain += sum(edge.ambiguous == 0 for edge in alone)
        assert sum(edge.ambiguous > 0 for edge in alone) <= len(planted.unsure)
    assert marked > 5
    assert plain > 1_000
