"""Pointing at evidence with a model: what is asked, what of a reply counts, and what happens when it fails."""

import re

from trail_callbacks import LLMJudge, Node, ProvenanceGraph, SupportClass, veritrail
from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Passage
from trail_callbacks.graph import Edge
from trail_callbacks.judges.judge import Search, Tracer
from trail_callbacks.models.call import Failure, Reply
from trail_callbacks.models.drive import drive
from trail_callbacks.testing import ScriptedModel


def claim(n, text=None):
    return Claim(id=f"k{n}", text=text or f"Pump {n} leaks.", quote="", start=0, end=0)


def texts(**by_node):
    return tuple(
        Passage(id=f"{node}{i}", node_id=node, start=i * 100, end=i * 100 + len(sentence), text=sentence)
        for node, sentences in by_node.items()
        for i, sentence in enumerate(sentences)
    )


TWO = texts(a=["Pump 1 leaks.", "It is old."], b=["Pump 2 was mended.", "Pump 2 leaks again."])


def select(script, searches=None, claims_per_call=8):
    model = ScriptedModel(script)
    judge = LLMJudge(model, claims_per_call=claims_per_call)
    assert isinstance(judge, Tracer)
    searches = searches or [Search(claim=claim(1), passages=TWO), Search(claim=claim(2), passages=TWO)]
    result, usage = drive(judge.select(searches), model, concurrency=1)
    return result, usage, model


def found(claim_, *sentences, summary="As said."):
    return {"claim": claim_, "text": "A", "sentences": list(sentences), "summary": summary}


def test_one_call_reads_the_texts_once_for_all_claims():
    selections, usage, model = select([{"found": [found("c1", "a0"), found("c2", "b0", "b1", summary="It leaks.")]}])
    assert [[p.id for p in s.passages] for s in selections] == [["a0"], ["b0", "b1"]]
    assert [dict(s.summaries) for s in selections] == [{"a": "As said."}, {"b": "It leaks."}]
    assert usage.calls == 1
    prompt = model.calls[0].messages[1].content
    assert prompt.count("It is old.") == 1
    assert "Text A\n[a0] Pump 1 leaks." in prompt
    assert "[c2] Pump 2 leaks." in prompt


def test_a_cut_reply_divides_the_claims_then_the_texts_then_gets_more_room():
    def short_of_room(call):
        claims = re.findall(r"^\[c\d\]", call.messages[1].content, re.MULTILINE)
        if len(claims) > 1 or call.messages[1].content.count("\nText ") + 1 > 2:
            return Reply(failure=Failure("length", "cut"), text='{"found": [{"cla')
        return {"found": [found(claims[0], "a0")]}

    selections, *_ = select(short_of_room)
    assert [[p.id for p in s.passages] for s in selections] == [["a0"], ["a0"]]
    never = select(lambda _: Reply(failure=Failure("length", "cut")))
    assert {s.error for s in never[0]} == {"length: cut"}
    assert never[1].calls < 16


def test_a_walk_with_a_model_from_the_answer_to_the_source():
    nodes = (
        Node(id="R", kind="document", text="The well is 40 metres deep. It was dug in 1887."),
        Node(id="A", kind="completion", text="It was dug in 1878. Its depth is 40 metres."),
        Node(id="F", kind="answer", text="The well is 40 metres deep and was dug in 1878."),
    )
    graph = ProvenanceGraph(nodes=nodes, edges=(Edge(source="R", target="A"), Edge(source="A", target="F")))

    def answer(call):
        """Answers as a good judge would, by what is shown."""
        prompt = call.messages[1].content
        if call.purpose == "claims":
            quotes = ["The well is 40 metres deep", "was dug in 1878"]
            claims = ["The well is 40 metres deep.", "The well was dug in 1878."]
            return {"claims": [{"quote": q, "claim": c} for q, c in zip(quotes, claims, strict=True)]}
        if call.purpose == "decompose":
            return {"claims": []}
        shown = dict(re.findall(r"^\[(s\d+)[^\]]*\] (.*)$", prompt, re.MULTILINE))
        depth = [id_ for id_, text in shown.items() if "40 metres" in text]
        dug = [id_ for id_, text in shown.items() if "dug" in text]
        if call.purpose == "select":
            return {
                "found": [
                    found("c1", *depth, summary="The depth is 40 metres."),
                    found("c2", *dug, summary=shown[dug[0]]),
                ]
            }
        wrong = any("1887" in shown[id_] for id_ in dug)
        verdicts = []
        if "[c1]" in prompt:
            verdicts.append({"claim": "c1", "supporting": depth, "support": "supported"})
        if "[c2]" in prompt:
            against = {"contradicting": dug, "support": "contradicted", "error_type": "number"}
            verdicts.append({"claim": "c2", **(against if wrong else {"supporting": dug, "support": "supported"})})
        return {"verdicts": verdicts}

    model = ScriptedModel(answer)
    report = veritrail(graph, LLMJudge(model))
    assert [v.support for v in report.verdicts] == [SupportClass.SUPPORTED, SupportClass.CONTRADICTED]
    assert report.verdict("c2").introduced_at == "A"
    assert report.verdict("c2").carried_through == ("F",)
    assert report.verdict("c2").evidence[0].quote == "It was dug in 1887."
    assert [layer.nodes for layer in report.verdict("c1").history] == [("A",), ("R",)]
    assert [call.purpose for call in model.calls] == ["claims", "decompose", "select", "verdicts", "select", "verdicts"]
