"""Tiny models, built once a process. Tests of torch are skipped where torch and transformers are not installed."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for graphs.py, tiny.py and seen.py

import graphs
from seen import WITHOUT


@pytest.fixture(scope="session")
def tiny():
    torch = pytest.importorskip("torch", reason=WITHOUT)
    pytest.importorskip("transformers", reason=WITHOUT)
    torch.set_num_threads(1)
    import tiny

    return tiny


@pytest.fixture(scope="session")
def entailment(tmp_path_factory):
    """The folder of a pair classifier: "confirms" entails, "denies" contradicts."""
    return graphs.entailment(tmp_path_factory.mktemp("nli") / "tiny-nli")


@pytest.fixture(scope="session")
def grounding(tmp_path_factory):
    """The folder of a token classifier: unbacked unless the context confirms; "purple" is always."""
    return graphs.grounding(tmp_path_factory.mktemp("tokens") / "tiny-tokens")
