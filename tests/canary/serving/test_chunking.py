import pytest
from small_twins import FERRY, MUSEUM

from trail_callbacks.canary.serving.chunking import chunks, flag
from trail_callbacks.errors import InputError


def by_size(text, size, overlap):
    return [text[at : at + size] for at in range(0, len(text), size - overlap)]


def test_chunkers_by_name():
    assert chunks(FERRY, "sentence", html=False, by_size=by_size) == [
        "The ferry to Lorne takes 40 minutes to cross the bay.",
        "Dogs travel free of charge on the lower deck.",
        "A ticket costs €12.50 in summer.",
    ]
    assert chunks("One.\nTwo.\n \n\nThree.", "paragraph", html=False, by_size=by_size) == ["One.\nTwo.", "Three."]
    assert chunks(FERRY, "document", html=False, by_size=by_size) == [FERRY]
    assert chunks(FERRY, " 50 / 10 ", html=False, by_size=by_size) == by_size(FERRY, 50, 10)
    assert chunks(" \n ", "paragraph", html=False, by_size=by_size) == []


def test_html_is_stripped_or_kept():
    assert chunks(MUSEUM, "paragraph", html=False, by_size=by_size) == [
        "The museum",
        "It opened in 1968 & holds 2,400\u00a0paintings by Dutch masters.",
    ]
    kept = chunks(MUSEUM, "paragraph", html=True, by_size=by_size)
    assert kept[0] == "<html><body><h1>The museum</h1>"
    assert "".join(kept) == MUSEUM


@pytest.mark.parametrize("chunker", ["words", "100", "100/100", "100/200", ""])
def test_other_chunkers_are_an_error(chunker):
    with pytest.raises(InputError, match="chunker"):
        chunks(FERRY, chunker, html=False, by_size=by_size)


def test_flags():
    assert flag("True", "html") is flag(True, "html") is True
    assert flag("no", "html") is flag(False, "html") is False
    with pytest.raises(InputError, match="html: expected true or false, got 3"):
        flag(3, "html")
