"""No answer counts that rests on what its arm must not see."""

import pytest
from small_twins import FERRY, small

from trail_callbacks import ProvenanceGraph
from trail_callbacks.canary import Ask, Strategy
from trail_callbacks.canary.passages.translation import Translator
from trail_callbacks.canary.serving.application import FrameworkApp, RealTextServedError
from trail_callbacks.canary.serving.exposure import Exposure
from trail_callbacks.errors import InputError

TWIN = small()
FICTIVE = TWIN.fictive["ferry.md"].text


class Source:
    outside = 0
    translator = Translator(TWIN)


class Retriever:
    def __init__(self, arm=None):
        self.source, self.arm = Source(), arm

    def under(self, arm):
        return Retriever(arm)


def checked(
    arm, graph=None, asked="How long?", *, text="It takes 40 minutes.", finished=False, outside=0, app=None, **served
):
    made = app or FrameworkApp(
        str if finished else lambda *_: str, Retriever(), None, is_app=lambda each: each is str, is_model=callable
    )
    ask = Ask(probe="p", question=asked, arm=arm, strategy=Strategy("s"))
    own = made._for(ask)
    own.retriever.source.outside += outside
    return made._checked(ask, own, Exposure(arm, TWIN, **served), text, graph)


@pytest.mark.parametrize("arm", ["fictive", "empty"])
def test_an_answer_that_rests_on_real_words_is_refused(arm):
    graph = ProvenanceGraph.from_texts("It takes 40 minutes.", [FICTIVE, f"Archive. {FERRY}"])
    with pytest.raises(RealTextServedError, match="wrap every retriever") as caught:
        checked(arm, graph)
    assert "number-0" in str(caught.value)
    assert "Lorne" not in str(caught.value)
    checked("real", graph)
    assert checked(arm, graph, passages=[FERRY], calls=1).passages == (FERRY,)
    checked(arm, graph, passages=[f"title: x\n\nArchive. {FERRY}"])


def test_memory_and_the_words_of_the_question_are_no_source():
    checked("fictive", ProvenanceGraph.from_texts(FERRY, [FICTIVE], question="How long does the ferry take?"))
    asked = f'Is this right: "{FERRY}"'
    graph = ProvenanceGraph.from_texts("Yes.", [f"Question: {asked}"])
    checked("empty", graph, asked)
    with pytest.raises(RealTextServedError):
        checked("empty", graph, "Is this right?")


def test_calls_outside_of_a_run_are_refused_where_they_would_serve_real_texts():
    with pytest.raises(RealTextServedError, match=r"retriever\.under"):
        checked("fictive", finished=True, outside=2)
    checked("fictive", finished=True, outside=2, calls=1)
    checked("fictive", outside=2)
    assert checked("real", finished=True, outside=2).passages is None


def test_what_is_no_app_is_said():
    with pytest.raises(InputError, match="got int"):
        FrameworkApp(7, Retriever(), None, is_app=lambda _: False, is_model=callable)
    app = FrameworkApp(lambda *_: 7, Retriever(), None, is_app=lambda _: False, is_model=callable)
    with pytest.raises(InputError, match="return an app, got int"):
        checked("real", app=app)
