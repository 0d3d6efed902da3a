"""What a draft rests on."""

from llama_index_trail.responses import ended_with

from trail_callbacks import Edge, Node, ProvenanceGraph

FACT = "The sluice at Aarle was built in 1846."
DOCUMENT = Node(id="d", kind="document", text=FACT)


def test_a_text_that_no_recorded_step_wrote_rests_on_all_that_was_read():
    graph = ProvenanceGraph(nodes=(DOCUMENT, Node(id="m", kind="completion", text="Something else.")))
    ended = ended_with(graph, "It was built in 1846.")
    assert ended.answer.text == "It was built in 1846."
    assert [node.text for node in ended.inputs(ended.answer.id)] == [FACT]


def test_a_text_rests_on_what_its_writer_read():
    other = Node(id="o", kind="document", text="Not read by the writer.")
    wrote = Node(id="m", kind="completion", text="Answer: it was built in 1846.")
    graph = ProvenanceGraph(nodes=(DOCUMENT, other, wrote), edges=(Edge(source="d", target="m"),))
    ended = ended_with(graph, "it was built in 1846.")
    assert [leaf.text for leaf in ended.leaves()] == [FACT]
