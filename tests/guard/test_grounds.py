"""What a draft rests on."""

from trail_callbacks import Edge, Node, ProvenanceGraph, check
from trail_callbacks.guard import ReadMessage, ended_at, message_nodes
from trail_callbacks.guard.feedback import feedback

FACT = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."
GOOD = "The lighthouse of Genoa is 77 metres tall."


def test_an_unfinished_graph_with_an_answer():
    graph = ProvenanceGraph(
        nodes=(
            Node(id="q1", kind="question", text="How high?"),
            Node(id="d1", kind="document", text=FACT),
            Node(id="m1", kind="completion", text=GOOD, step="writer"),
            Node(id="m2", kind="completion", text="Something later."),
        ),
        edges=(Edge(source="d1", target="m1"), Edge(source="m1", target="m2")),
    )
    whole = ended_at(graph, "m1", GOOD)
    assert [(n.id, n.kind) for n in whole.nodes] == [("q1", "question"), ("d1", "document"), ("m1", "answer")]
    made = ended_at(graph, "m1", "height: 77 metres")
    assert made.answer.text == "height: 77 metres"
    assert [n.id for n in made.inputs("answer")] == ["m1"]
    assert [n.id for n in made.leaves()] == ["d1"]


def test_messages_of_models_and_feedback_are_not_evidence():
    review = feedback(check("It is 99 metres tall.", [FACT]))
    nodes = message_nodes(
        [
            ReadMessage("system", "Be brief."),
            ReadMessage("user", "Hello."),
            ReadMessage("assistant", "It is 99 metres tall."),
            ReadMessage("tool", FACT, "search"),
            ReadMessage("user", f"How tall is it?{review}"),
            ReadMessage("user", review),
        ]
    )
    assert [(node.kind, node.step, node.text) for node in nodes] == [
        ("question", "user", "How tall is it?"),
        ("instruction", "instruction", "Be brief."),
        ("question", "user", "Hello."),
        ("tool_result", "search", FACT),
    ]
