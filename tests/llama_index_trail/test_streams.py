"""Streams that are read in full, in part, never, elsewhere, or that break."""

import asyncio
import gc
import threading
import weakref
from collections.abc import AsyncGenerator, Generator
from contextvars import copy_context

import pytest
from llama_index.core.response_synthesizers import CompactAndRefine
from llama_index_instrumentation.span import active_span_id
from llama_index_trail import instrument, report_for, status, trail

from trail_callbacks.errors import InputError

LOOM = "The loom in the back room weaves eleven ells of linen a week."
HOW = "How much linen does the loom weave?"
ELLS = "The loom in the back room weaves eleven ells a week."


@pytest.fixture(params=["compact", "refine", "tree_summarize", "simple_summarize"])
def engine(request, ask):
    return ask([LOOM], ELLS, response_mode=request.param, streaming=True)


def test_the_report_is_there_right_after_the_last_token(engine):
    with trail() as t:
        response = engine.query(HOW)
        assert isinstance(response.response_gen, Generator)
        assert "trail" not in (response.metadata or {})
        assert "".join(response.response_gen) == ELLS
    assert response.metadata["trail"] == t.report.summary()
    assert t.graph.answer.text == ELLS
    assert report_for(response) == t.report


async def test_in_an_event_loop_the_report_follows_without_blocking_it(engine):
    with trail() as t:
        response = await engine.aquery(HOW)
        assert isinstance(response.response_gen, AsyncGenerator)
        assert "".join([token async for token in response.async_response_gen()]) == ELLS
    report = await t.areport()
    assert response.metadata["trail"] == report.summary()
    assert t.graph.answer.text == ELLS


def test_a_stream_read_outside_the_block_belongs_to_the_block(engine):
    with trail() as t:
        response = engine.query(HOW)
    with trail(evaluate="never") as other:
        assert "".join(response.response_gen) == ELLS
    assert t.graph.answer.text == ELLS
    assert sum(node.kind == "document" for node in t.graph.nodes) == 1
    with pytest.raises(InputError):
        _ = other.graph
    assert not status().listening


def test_a_stream_read_by_another_thread_is_the_same_run(engine):
    read = []
    with trail() as t:
        response = engine.query(HOW)
        thread = threading.Thread(target=lambda: read.append("".join(response.response_gen)))
        thread.start()
        thread.join()
    assert read == [ELLS]
    assert t.graph.answer.text == ELLS
    assert t.report.state == "assessed"


def test_the_reader_of_a_stream_is_not_inside_its_span(engine):
    with trail(evaluate="never"):
        seen = {active_span_id.get() for _ in engine.query(HOW).response_gen}
    assert seen == {None}


@pytest.mark.parametrize("read", [0, 1])
def test_a_stream_that_is_dropped_ends_its_run(engine, read):
    with trail(evaluate="never") as t:
        response = engine.query(HOW)
        for _ in range(read):
            next(response.response_gen)
        assert status().open_runs == 1
        del response
        gc.collect()
        assert status().open_runs == 0
    assert (t.graph.answer is not None) == bool(read)


def test_nothing_keeps_a_dropped_stream_alive(engine):
    with trail(evaluate="never"):
        response = engine.query(HOW)
        dead = [weakref.ref(response), weakref.ref(response.response_gen)]
        gc.disable()
        try:
            del response
            assert [ref() for ref in dead] == [None, None]  # without the help of the collector: no cycle either
        finally:
            gc.enable()


@pytest.mark.parametrize("tokens", [[], ["It ", "weaves "]])
def test_an_error_in_mid_stream_reaches_the_app_unchanged(ask, tokens):
    fault = ConnectionError("the line went dead")
    engine = ask([LOOM], [[*tokens, fault]] and [("", [*tokens, fault])], streaming=True)
    with trail() as t, pytest.raises(ConnectionError) as caught:
        list(engine.query(HOW).response_gen)
    assert caught.value is fault
    assert t.graph.answer is None
    assert any(node.text == LOOM for node in t.graph.nodes)
    assert t.errors == []
    assert status().open_runs == 0


async def test_an_error_in_mid_async_stream_likewise(ask):
    fault = ConnectionError("the line went dead")
    engine = ask([LOOM], [("", ["It ", fault])], streaming=True)
    with trail() as t, pytest.raises(ConnectionError) as caught:
        async for _ in (await engine.aquery(HOW)).async_response_gen():
            pass
    assert caught.value is fault
    assert t.graph.answer is None


async def test_twenty_streams_read_in_turns_stay_apart(shelf, models):
    facts = [f"Spindle {n} of the north wall turns {n + 40} times a minute." for n in range(20)]
    replies = [f"Spindle {n} makes {n + 40} turns." for n in range(20)]
    llm = models.Rules(rules=[(f"Spindle {n} of", reply) for n, reply in reversed(list(enumerate(replies)))])
    engine = shelf(*facts).as_query_engine(llm=llm, similarity_top_k=1, streaming=True)

    async def one(n):
        with trail(evaluate="never") as t:
            response = await engine.aquery(f"How fast is spindle {n} of the north wall, at {n + 40} turns?")
            text = ""
            async for token in response.async_response_gen():
                text += token
                await asyncio.sleep(0)
        return text, {node.text for node in t.graph.nodes if node.kind == "document"}, t.graph.answer.text

    results = await asyncio.gather(*(one(n) for n in range(20)))
    for n, (text, documents, said) in enumerate(results):
        assert text == said
        assert documents == {facts[n]}
        assert text == replies[n]


def test_generators_are_closed_when_the_app_closes_them(models, shelf):
    """The model's own clean-up runs at the moment it ran without us."""
    closed = []

    class Careful(models.Bare):
        def stream_complete(self, prompt, formatted=False, **kwargs):
            def parts():
                try:
                    yield from super(Careful, self).stream_complete(prompt)
                finally:
                    closed.append(True)

            return parts()

    engine = shelf(LOOM).as_query_engine(llm=Careful(rules=[("", ELLS)]), streaming=True)
    instrument(evaluate="never")
    stream = engine.query(HOW).response_gen
    next(stream)
    stream.close()
    assert closed == [True]


class Kept(CompactAndRefine):
    """Reads its stream in the context of the call that made it, as other instrumentations do."""

    def get_response(self, *arguments, **options):
        stream, context = super().get_response(*arguments, **options), copy_context()
        return (token for token in iter(lambda: context.run(next, stream, None), None))


def test_a_stream_read_in_the_context_of_its_maker_is_the_same_run(shelf, models):
    llm = models.Rules(rules=[("", ELLS)])
    engine = shelf(LOOM).as_query_engine(llm=llm, response_synthesizer=Kept(llm=llm, streaming=True))
    with trail(evaluate="never") as t:
        response = engine.query(HOW)
        assert "".join(response.response_gen) == ELLS
    assert t.graph.answer.text == ELLS
    assert sum(node.origin == "model" for node in t.graph.nodes) == 1
    assert any(node.kind == "instruction" for node in t.graph.inputs(t.graph.answer.id))
    assert status().open_runs == 0
