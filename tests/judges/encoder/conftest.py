"""Tiny models, built once a process. Tests that need them are skipped where torch and transformers are not installed."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for tiny.py and seen.py

from seen import WITHOUT


@pytest.fixture(scope="session")
def tiny():
    torch = pytest.importorskip("torch", reason=WITHOUT)
    pytest.importorskip("transformers", reason=WITHOUT)
    torch.set_num_threads(1)
    import tiny

    return tiny


@pytest.fixture(scope="session")
def entailment(tiny, tmp_path_factory):
    """The folder of a pair classifier: "confirms" entails, "denies" contradicts."""
    tok = tiny.tokenizer()
    return tiny.saved(tiny.entailment(tok), tok, tmp_path_factory.mktemp("nli") / "tiny-nli")


@pytest.fixture(scope="session")
def grounding(tiny, tmp_path_factory):
    """The folder of a token classifier: unbacked unless the context confirms; "purple" is always."""
    tok = tiny.tokenizer()
    return tiny.saved(tiny.grounding(tok), tok, tmp_path_factory.mktemp("tokens") / "tiny-tokens")
