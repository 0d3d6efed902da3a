"""Where a `trail()` block begins and ends."""

from contextvars import copy_context

import pytest
from llama_index_trail import status, trail

from trail_callbacks.errors import InputError


def test_a_block_may_be_closed_in_another_context_and_twice(ask):
    block = trail(evaluate="never")
    opened = copy_context()
    opened.run(block.__enter__)
    closed = opened.copy()
    closed.run(block.__exit__, None, None, None)
    assert status().trails == 0
    engine = ask(["The sluice was built in 1846."], "It was built in 1846.")
    closed.run(engine.query, "When was it built?")
    with pytest.raises(InputError, match="nothing was recorded"):
        _ = block.graph
    block.__exit__(None, None, None)
    assert status().trails == 0
