"""No answer counts that rests on what its arm must not see."""

import asyncio
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from small_twins import FERRY, small

from trail_callbacks import ProvenanceGraph
from trail_callbacks.canary import Ask, Strategy
from trail_callbacks.canary.passages.translation import Translator
from trail_callbacks.canary.serving.application import FrameworkApp, RealTextServedError
from trail_callbacks.canary.serving.exposure import current
from trail_callbacks.errors import InputError

TWIN = small()
FICTIVE = TWIN.fictive["ferry.md"].text


class Retriever:
    def __init__(self, arm=None):
        self.source = SimpleNamespace(outside=0, translator=Translator(TWIN), twin=TWIN)
        self.arm = arm

    def under(self, arm):
        return Retriever(arm)


class App(FrameworkApp):
    """Asks a function; what is recorded is given."""

    def __init__(self, app, retriever, graph=None):
        self.graph = graph or ProvenanceGraph.from_texts("", [])
        super().__init__(app, retriever, None, verify=False)

    def _is_app(self, made):
        return getattr(made, "is_app", False)

    _is_model = _is_app

    def _recording(self):
        return nullcontext(self)

    async def _reply(self, app, question, recorded):
        return app()

    _alone = _reply


def answered(arm, graph=None, asked="How long?", *, finished=False, outside=0, calls=0, passages=()):
    retriever = Retriever()

    def reply():
        (retriever if finished else own[0]).source.outside += outside
        for _ in range(calls or bool(passages)):
            current().served(passages, ())
        return "It takes 40 minutes."

    reply.is_app, own = True, []
    app = App(reply if finished else lambda mine, _: own.append(mine) or reply, retriever, graph)
    return asyncio.run(app(Ask(probe="p", question=asked, arm=arm, strategy=Strategy("s"))))


@pytest.mark.parametrize("arm", ["fictive", "empty"])
def test_an_answer_that_rests_on_real_words_is_refused(arm):
    graph = ProvenanceGraph.from_texts("It takes 40 minutes.", [FICTIVE, f"Archive. {FERRY}"])
    with pytest.raises(RealTextServedError, match="wrap every retriever") as caught:
        answered(arm, graph)
    assert "number-0" in str(caught.value)
    assert "Lorne" not in str(caught.value)
    answered("real", graph)
    assert answered(arm, graph, passages=[FERRY]).passages == (FERRY,)
    answered(arm, graph, passages=[f"title: x\n\nArchive. {FERRY}"])


def test_memory_and_the_words_of_the_question_are_no_source():
    answered("fictive", ProvenanceGraph.from_texts(FERRY, [FICTIVE], question="How long does the ferry take?"))
    asked = f'Is this right: "{FERRY}"'
    graph = ProvenanceGraph.from_texts("Yes.", [f"Question: {asked}"])
    answered("empty", graph, asked)
    with pytest.raises(RealTextServedError):
        answered("empty", graph, "Is this right?")


def test_calls_outside_of_a_run_are_refused_where_they_would_serve_real_texts():
    with pytest.raises(RealTextServedError, match=r"retriever\.under"):
        answered("fictive", finished=True, outside=2)
    answered("fictive", finished=True, outside=2, calls=1)
    answered("fictive", outside=2)
    assert answered("real", finished=True, outside=2).passages is None


def test_what_is_no_app_is_said():
    with pytest.raises(InputError, match="got int"):
        App(7, Retriever())
    with pytest.raises(InputError, match="return an app, got int"):
        asyncio.run(App(lambda *_: 7, Retriever())(Ask(probe="p", question="?", arm="real", strategy=Strategy("s"))))
