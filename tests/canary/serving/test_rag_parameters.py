import pytest

from trail_callbacks.canary import Strategy
from trail_callbacks.canary.serving.rag_parameters import PROMPT, rag_parameters
from trail_callbacks.errors import InputError


def test_defaults():
    found = rag_parameters(Strategy("plain"), {}, has_embeddings=False)
    assert (found.chunker, found.html, found.retriever, found.embedding, found.k) == (
        "1000/200",
        False,
        "bm25",
        "real",
        3,
    )
    assert found.prompt == PROMPT
    assert found.model is None
    assert rag_parameters(Strategy("plain"), {}, has_embeddings=True).retriever == "vector"


def test_prompts_are_named_or_written():
    written = "{context} {question}"
    for given in ("short", written):
        strategy = Strategy("s", {"prompt": given, "html": "true", "model": "big"})
        found = rag_parameters(strategy, {"short": written}, has_embeddings=False)
        assert (found.prompt, found.html, found.model) == (written, True, "big")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"chunks": 3}, "unknown parameter 'chunks'"),
        ({"retriever": "web"}, "choose vector or bm25"),
        ({"retriever": "vector"}, "needs a model of embeddings"),
        ({"embedding": "x"}, "choose real or fictive"),
        ({"k": 0}, "whole number"),
        ({"k": True}, "whole number"),
        ({"k": "3"}, "whole number"),
        ({"prompt": "strict"}, "neither one of those given"),
        ({"html": "perhaps"}, "true or false"),
    ],
)
def test_what_is_none_is_an_error_that_names_the_strategy(parameters, words):
    with pytest.raises(InputError, match=words) as caught:
        rag_parameters(Strategy("odd", parameters), {}, has_embeddings=False)
    assert "'odd'" in str(caught.value)
