"""The sum of a stream's chunks."""

from langchain_core.messages import AIMessageChunk
from langchain_core.runnables import AddableDict
from langchain_trail.chunks import added


def test_chunks_are_added_if_they_can_be_and_else_the_last_one_counts():
    assert added(["Io ", "is ", "volcanic."]) == "Io is volcanic."
    assert added([AIMessageChunk("Io "), AIMessageChunk("is volcanic.")]).text == "Io is volcanic."
    assert added([AddableDict(a="Io"), AddableDict(b="Titan")]) == {"a": "Io", "b": "Titan"}
    assert added([{"a": "Io"}, {"a": "Titan"}]) == {"a": "Titan"}
    assert added([]) is None
