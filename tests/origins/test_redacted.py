"""Redaction changes no lineage: in generated apps the graph of redacted events has the nodes and edges of the others."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("langgraph")
pytest.importorskip("langchain")
pytest.importorskip("llama_index.core")

sys.path.insert(0, str(Path(__file__).parent))
from sentences import _CHINESE, _CYRILLIC, _LATIN
from story import Tally

from trail_callbacks.capture import recorder
from trail_callbacks.capture.build import build
from trail_callbacks.capture.redaction import Redactor
from trail_callbacks.redaction import presets

emails = presets("email")

pytestmark = [  # as in test_origins.py
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

RUNS = 12
NAMES = re.compile(rf"(?i:(?:{'|'.join((*_LATIN, *_CYRILLIC))}){{3}})|[{_CHINESE}]{{3}}")  # of the stories' places


def pseudonyms(text):
    """Another name for each, in its script."""
    return NAMES.sub(lambda match: match[0][::-1].capitalize(), text)


def with_addresses(text):
    return NAMES.sub(lambda match: f"{match[0].lower()}@example.org", text)


def applied(function, events):
    return [Redactor(function, on_error=pytest.fail).event(event) for event in events]


def shape(graph):
    nodes = [(node.id, node.kind, node.origin, node.stage, node.run_id) for node in graph.nodes]
    return nodes, [(edge.source, edge.target, edge.basis) for edge in graph.edges]


@pytest.fixture(scope="module", params=["langchain", "llama_index"])
def recorded(request):
    """The events of each run of some apps."""
    found = []

    def kept(events, earlier=None):
        found.append(tuple(events))
        return build(events, earlier)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorder, "build", kept)
        apps = import_module(f"{request.param}_apps")
        for seed in range(RUNS):
            apps.played(f"{request.param}-{seed}", Tally())
    assert len(found) >= RUNS
    return found


def test_names_that_are_replaced_by_others_change_no_lineage(recorded):
    changed = 0
    for events in recorded:
        before, after = build(events), build(applied(pseudonyms, events))
        assert shape(after) == shape(before)
        assert [node.model_spans for node in after.nodes] == [node.model_spans for node in before.nodes]
        changed += [node.text for node in after.nodes] != [node.text for node in before.nodes]
    assert changed > len(recorded) / 2


def test_addresses_that_are_replaced_change_no_lineage(recorded):
    changed = 0
    for events in recorded:
        given = applied(with_addresses, events)
        before, after = build(given), build(applied(emails, given))
        assert shape(after) == shape(before)
        assert "@example.org" not in after.to_json()
        changed += "@example.org" in before.to_json()
    assert changed > len(recorded) / 2
