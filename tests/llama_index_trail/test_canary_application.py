"""Real LlamaIndex apps asked under each arm of a canary run."""

import asyncio
import sys
import threading
from pathlib import Path

import pytest
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import TextNode
from llama_index_trail import CanaryRetriever, canary_app
from llama_index_trail.tracker import TRACKER

from trail_callbacks.canary import Answered, Ask, Strategy
from trail_callbacks.canary.serving.application import RealTextServedError
from trail_callbacks.canary.trial import ArmUnavailableError
from trail_callbacks.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[1] / "canary"))
from small_twins import small

pytestmark = [  # agents ask pydantic for what is deprecated, chat memories leave databases open
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

TWIN = small()
REAL, FICTIVE = "The ferry to Lorne takes 40 minutes.", "The ferry to Garvane takes 53 minutes."
RULES = [("53 minutes", FICTIVE), ("40 minutes", REAL), ("", "I do not know.")]
ARMS = {"real": REAL, "fictive": FICTIVE, "empty": "Empty Response"}


def index(id_="c1"):
    return VectorStoreIndex([TextNode(text=REAL, id_=id_)], embed_model=MockEmbedding(embed_dim=4))


def canary(own=None):
    return CanaryRetriever((own or index()).as_retriever(), TWIN)


def asked(arm, strategy="plain", **parameters):
    return Ask(probe="p", question="How long does the ferry take?", arm=arm, strategy=Strategy(strategy, parameters))


def answered(app, ask_):
    found = app(ask_)

    async def awaited():
        return await found

    return found if isinstance(found, Answered) else asyncio.run(awaited())


@pytest.mark.parametrize("mode", ["async", "sync"])
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("finished", [True, False])
def test_a_query_engine_answers_each_arm(models, mode, streaming, finished):
    llm = models.Rules(rules=RULES)
    retriever = canary()
    built = []

    def build(own, strategy):
        built.append(own.arm)
        return RetrieverQueryEngine.from_args(own, llm=llm, streaming=streaming)

    app = build(retriever, None) if finished else build
    built.clear()
    app = canary_app(app, retriever, model=llm, mode=mode)
    for _ in range(2):
        for arm, text in ARMS.items():
            found = answered(app, asked(arm))
            assert found.text == text
            assert found.passages == {"real": (REAL,), "fictive": (FICTIVE,), "empty": ()}[arm]
            assert found.usage.calls == (0 if arm == "empty" else 1)
        alone = answered(app, asked("closed_book"))
        assert (alone.text, alone.passages, alone.usage.calls) == ("I do not know.", None, 1)
    assert built == ([] if finished else ["real", "fictive", "empty"])
    assert list(TRACKER.errors) == []


@pytest.mark.parametrize("mode", ["async", "sync"])
def test_a_chat_engine_is_made_for_each_question(models, mode):
    llm = models.Rules(rules=RULES)
    built = []

    def build(own, strategy):
        built.append(own.arm)
        return ContextChatEngine.from_defaults(own, llm=llm)

    app = canary_app(build, canary(), mode=mode)
    for arm in ("fictive", "real", "fictive", "empty"):
        assert answered(app, asked(arm)).text == ARMS[arm], "nothing of before is known"
    assert built == ["fictive", "real", "fictive", "empty"]
    with pytest.raises(InputError, match="pass a function that makes one"):
        canary_app(build(canary(), None), canary())


def test_closed_book_needs_a_model_which_a_strategy_may_choose(models):
    def build(own, strategy):
        return RetrieverQueryEngine.from_args(own, llm=models.Rules(rules=RULES))

    with pytest.raises(ArmUnavailableError, match="model="):
        answered(canary_app(build, canary()), asked("closed_book"))
    app = canary_app(build, canary(), model=lambda strategy: models.Rules(rules=[("", strategy.name)]))
    assert answered(app, asked("closed_book", "big")).text == "big"
    with pytest.raises(InputError, match="unknown mode"):
        canary_app(build, canary(), mode="ainvoke")
    with pytest.raises(InputError, match="expected a CanaryRetriever"):
        canary_app(build, index().as_retriever())


@pytest.mark.parametrize("mode", ["async", "sync"])
def test_reports_are_of_the_arm(models, mode):
    def build(own, strategy):
        return RetrieverQueryEngine.from_args(own, llm=models.Rules(rules=RULES))

    app = canary_app(build, canary(), verify=True, mode=mode)
    for arm in ("real", "fictive"):
        report = answered(app, asked(arm)).report
        assert report.hallucination_score == 0.0
        assert {e.quote for v in report.verdicts for e in v.evidence} == {ARMS[arm]}


class Threaded(BaseRetriever):
    """Retrieves in a thread of its own, without the context."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def _retrieve(self, query_bundle):
        found = []
        thread = threading.Thread(target=lambda: found.extend(self.inner.retrieve(query_bundle)))
        thread.start()
        thread.join()
        return found


def test_a_retriever_in_a_thread_without_context_is_found_out(models):
    retriever = canary()

    def engine(own, strategy):
        return RetrieverQueryEngine.from_args(Threaded(own), llm=models.Rules(rules=RULES))

    with pytest.raises(RealTextServedError):
        answered(canary_app(engine(retriever, None), retriever), asked("fictive"))
    found = answered(canary_app(engine, retriever), asked("fictive"))
    assert found.text == FICTIVE
    assert found.passages is None
