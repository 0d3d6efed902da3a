"""The sum of a stream's chunks."""

from langchain_core.messages import AIMessageChunk
from langchain_core.runnables import AddableDict
from langchain_trail.answers import added, shown


def test_chunks_are_added_if_they_can_be_and_else_the_last_one_counts():
    assert added(["Io ", "is ", "volcanic."]) == "Io is volcanic."
    assert added([AIMessageChunk("Io "), AIMessageChunk("is volcanic.")]).text == "Io is volcanic."
    assert added([AddableDict(a="Io"), AddableDict(b="Titan")]) == {"a": "Io", "b": "Titan"}
    assert added([{"a": "Io"}, {"a": "Titan"}]) == {"a": "Titan"}
    assert added([]) is None


def test_what_the_updates_of_a_graph_showed_together():
    updates = [{"write": {"answer": "It is high."}}, {"note": {"log": ["done"]}}]
    assert shown(updates[-1], updates)["answer"] == "It is high."
    assert shown(updates[-1], [("updates", each) for each in updates]) is updates[-1]  # their sum is a tuple
    tagged = [("updates", each) for each in updates]
    assert shown(tagged[-1], tagged)["answer"] == "It is high."
    assert shown("ab", ["a", "b"]) == "ab"
    assert shown({"answer": "x"}, None) == {"answer": "x"}
