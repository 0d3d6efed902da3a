"""In generated apps nothing that a model wrote is evidence, and nothing that a source holds goes missing."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("langgraph")
pytest.importorskip("langchain")
pytest.importorskip("llama_index.core")

sys.path.insert(0, str(Path(__file__).parent))
from limits import is_known
from story import Tally

pytestmark = [  # LlamaIndex's own: it looks at deprecated attributes of every workflow
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

RUNS = 75
PARTS = 3  # so that processes can share the work


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("library", ["langchain", "llama_index"])
def test_no_invention_is_evidence_and_no_source_is_lost(library, part):
    apps, tally = import_module(f"{library}_apps"), Tally()
    for seed in range(part, RUNS, PARTS):
        apps.played(f"{library}-{seed}", tally)
    assert tally.runs["all"] == RUNS // PARTS
    assert tally.classes["known", "supported"] > tally.classes["known", "absent"]
    assert [(seed, each) for seed, each in tally.violations if not is_known(each)] == []


TORN = 60


@pytest.mark.parametrize("part", range(PARTS))
def test_a_run_that_was_torn_has_the_report_of_a_whole_one_or_says_that_it_has_not(part):
    apps, tally = import_module("langchain_torn"), Tally()
    for seed in range(part, TORN, PARTS):
        apps.played(f"torn-{seed}", tally)
    assert tally.runs["all"] == TORN // PARTS
    assert [(seed, each) for seed, each in tally.violations if each.way != "subgraph, history"] == []


def test_an_app_of_llama_index_that_another_worker_continues_likewise():
    apps, tally = import_module("llama_index_torn"), Tally()
    for seed in range(30):
        apps.played(f"torn-{seed}", tally)
    assert tally.violations == []
