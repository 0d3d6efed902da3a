import pytest
from small_twins import FERRY, small

from trail_callbacks import ProvenanceGraph
from trail_callbacks.canary.passages.translation import Translator
from trail_callbacks.canary.serving.exposure import Exposure
from trail_callbacks.canary.serving.real_words import RealTextServedError, refuse_real_words, refuse_unseen

TWIN = small()


@pytest.mark.parametrize("arm", ["fictive", "empty"])
def test_an_answer_that_rests_on_real_words_is_refused(arm):
    translator = Translator(TWIN)
    graph = ProvenanceGraph.from_texts("It takes 40 minutes.", [TWIN.fictive["ferry.md"].text, f"Archive. {FERRY}"])
    with pytest.raises(RealTextServedError, match="wrap every retriever") as caught:
        refuse_real_words(graph, translator, Exposure(arm, TWIN))
    assert "number-0" in str(caught.value)
    assert "Lorne" not in str(caught.value)
    refuse_real_words(graph, translator, Exposure("real", TWIN))
    refuse_real_words(graph, translator, Exposure(arm, TWIN, passages=[FERRY]))
    refuse_real_words(graph, translator, Exposure(arm, TWIN, passages=[f"title: x\n\nArchive. {FERRY}"]))


def test_what_the_model_says_from_memory_is_no_source():
    graph = ProvenanceGraph.from_texts(FERRY, [TWIN.fictive["ferry.md"].text], question="How long does the ferry take?")
    refuse_real_words(graph, Translator(TWIN), Exposure("fictive", TWIN))


def test_the_words_of_the_question_are_no_source():
    asked = f'Is this right: "{FERRY}"'
    graph = ProvenanceGraph.from_texts("Yes.", [f"Question: {asked}"])
    translator = Translator(TWIN)
    refuse_real_words(graph, translator, Exposure("empty", TWIN), asked)
    with pytest.raises(RealTextServedError):
        refuse_real_words(graph, translator, Exposure("empty", TWIN), "Is this right?")


def test_calls_outside_of_a_run_are_refused_where_they_would_serve_real_texts():
    with pytest.raises(RealTextServedError, match=r"retriever\.under"):
        refuse_unseen("fictive", 0, 2)
    refuse_unseen("fictive", 1, 2)
    refuse_unseen("fictive", 0, 0)
    refuse_unseen("real", 0, 2)
