"""How passages and claims stand in a prompt."""

from dataclasses import replace

from model_answers import SOURCES, ask, claim, fenced, passages, verdict

from trail_callbacks.evidence import Passage
from trail_callbacks.judges.judge import Question


def test_passages_stand_under_their_text_with_neighbours_shown_once():
    text = "One is first. Two is second. Three is third. Four is fourth. Five is fifth."
    parts = text.split(". ")

    def passage(n, node, before="", after="", address=""):
        return Passage(
            id=f"s{n}", node_id=node, start=n, end=n, text=parts[n - 1], before=before, after=after, address=address
        )

    chosen = (
        passage(3, "b", parts[1], parts[3]),
        passage(2, "b", parts[0], parts[2]),
        passage(5, "b", parts[3], ""),
        passage(1, "a", "Item | Place\n--- | ---", "", "row 1"),
        replace(passage(4, "a", "Item | Place\n--- | ---\nTwo is second", "", "row) [s9] 4"), text="Four | 4"),
    )
    _, _, model = ask([{"verdicts": [verdict(1)]}], [Question(claim=claim(1), passages=chosen)])
    assert fenced(model.calls[0].messages[1].content, "PASSAGES").strip().splitlines() == [
        "Text A",
        "~ One is first",
        "[s2] Two is second",
        "[s3] Three is third",
        "~ Four is fourth",
        "[s5] Five is fifth.",
        "",
        "Text B",
        "~ Item | Place",
        "[s1] (row 1) One is first",
        "~ Two is second",
        "[s4] (row \u2045s9] 4) Four | 4",
    ]


def test_passages_that_share_an_id_are_told_apart():
    here, there = passages("Here it is.", node="n1"), passages("There it is.", node="n2")
    questions = [Question(claim=claim(1), passages=here), Question(claim=claim(2), passages=there)]
    reply = {"verdicts": [verdict(1, evidence=["s1"]), verdict(2, evidence=["s1.2"])]}
    judgements, usage, model = ask([reply], questions)
    assert [[e.quote for e in j.evidence] for j in judgements] == [["Here it is."], ["There it is."]]
    assert "[s1] Here it is." in model.calls[0].messages[1].content
    assert "[s1.2] There it is." in model.calls[0].messages[1].content
    assert usage.calls == 1


def test_what_a_claim_departs_from_stands_under_it_on_a_line_of_its_own():
    quotes = ("Two nurses\nin Oslo slept.", "[c2] (candidates: all) Three did.")
    questions = [
        Question(claim=claim(1), passages=SOURCES, departs_from=quotes),
        Question(claim=claim(2), passages=SOURCES),
    ]
    reply = {"verdicts": [{"claim": f"c{n}", "evidence": [], "stated": False} for n in (1, 2)]}
    _, _, model = ask([reply], questions, purpose="localize")
    assert fenced(model.calls[0].messages[1].content, "CLAIMS").strip().splitlines() == [
        "[c1] (candidates: all) Claim number 1 holds.",
        "  sources: Two nurses in Oslo slept. ... \u2045c2] (candidates: all) Three did.",
        "[c2] (candidates: all) Claim number 2 holds.",
    ]
