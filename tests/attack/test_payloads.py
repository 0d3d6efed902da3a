"""Payloads that raise whatever they are asked, `SystemExit` too: the app never notices, and the rest is recorded."""

import itertools
import os
import signal
import time

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_trail import TrailCallbackHandler
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index_trail import trail

SAID = "The bridge of Halden is 31 metres high."
ASKED = ("str", "repr", "eq", "hash", "iter", "len", "bool", "getattr", "getattribute", "format", "reduce_ex")
METHODS = (*(f"__{name}__" for name in ASKED), "copy", "keys", "items", "get")
span = get_dispatcher(__name__).span


def hostile(error):
    """Objects of classes of which one method raises."""

    def refuse(self, *_, **__):
        raise error

    for method, base in itertools.product((*METHODS, "__class__"), (object, dict, list, str, ValueError)):
        kind = type("Odd", (base,), {method: property(refuse) if method == "__class__" else refuse})
        given = {dict: ({"a": SAID},), list: ([SAID],)}.get(base, () if base is object else (SAID,))
        yield f"{method} of {base.__name__}", kind(*given)


def fail(payload):
    raise payload if issubclass(type(payload), BaseException) else ValueError(payload)


def langchain_ways(payload):
    answer = {"answer": SAID, "beside": payload}
    return {
        "output": lambda config: RunnableLambda(lambda _: answer).invoke("q", config),
        "input": lambda config: RunnableLambda(lambda _: SAID).invoke([payload], config),
        "alone": lambda config: RunnableLambda(lambda _: payload).invoke(payload, config),
        "document": lambda config: RunnableLambda(lambda _: [Document(SAID, metadata={"a": payload})]).invoke("q", config),
        "metadata": lambda config: RunnableLambda(lambda _: SAID).invoke("q", {**config, "metadata": {"thread_id": payload}}),
        "error": lambda config: RunnableLambda(fail).invoke(payload, config),
    }  # fmt: skip


class Retriever(BaseRetriever):
    def __init__(self, payload):
        super().__init__()
        self._payload = payload

    def _retrieve(self, query_bundle):
        odd = TextNode(text="Odd.")
        odd.metadata["a"] = self._payload
        return [NodeWithScore(node=odd), NodeWithScore(node=TextNode(text=SAID))]


def llama_index_ways(payload):
    return {
        "output": lambda: span(lambda question: {"answer": SAID, "beside": payload})("q"),
        "input": lambda: span(lambda question, beside: SAID)("q", payload),
        "node": lambda: Retriever(payload).retrieve("q"),
        "error": lambda: span(fail)(payload),
    }


def ended(run, *given):
    """How the app ended."""
    try:
        run(*given)
    except BaseException as error:  # noqa: BLE001 - whatever it is
        return type(error)


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()], ids=repr)
def test_a_payload_of_langchain_raises_nothing_into_the_app(error):
    for name, payload in hostile(error):
        for way, run in langchain_ways(payload).items():
            handler = TrailCallbackHandler(evaluate="never")
            same = ended(run, {"callbacks": [BaseCallbackHandler()]}) is ended(run, {"callbacks": [handler]})
            assert same, (name, way)
            assert handler.report(timeout=30).state
            assert repr(handler.session.errors)
            assert way in {"alone", "error"} or SAID in handler.graph().to_json(), (name, way)


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()], ids=repr)
def test_a_payload_of_llama_index_raises_nothing_into_the_app(error):
    for name, payload in hostile(error):
        for way, run in llama_index_ways(payload).items():
            fine = {ended(run), ended(fail, payload) if way == "error" else None}  # it is LlamaIndex that writes errors
            with trail(evaluate="never") as t:
                assert ended(run) in fine, (name, way)
            if way != "error":
                assert t.report.state
                assert SAID in t.graph.to_json(), (name, way)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("way", ["hook", "graph"])
def test_what_a_signal_raises_while_a_payload_is_read_reaches_the_app(number, way):
    def stop(_, __):
        raise SystemExit(3)

    class SlowError(ValueError):
        def __str__(self):
            os.kill(os.getpid(), number)
            until = time.monotonic() + 5
            while time.monotonic() < until:
                pass
            return "never"

    handler, wanted = (
        TrailCallbackHandler(evaluate="never"),
        SystemExit if number is signal.SIGTERM else KeyboardInterrupt,
    )
    before = signal.signal(number, stop if number is signal.SIGTERM else signal.default_int_handler)
    try:
        app = RunnableLambda(fail if way == "hook" else lambda slow: slow)
        found = ended(app.invoke, SlowError(), {"callbacks": [handler]})
        assert (found if way == "hook" else ended(handler.graph)) is wanted
    finally:
        signal.signal(number, before)
