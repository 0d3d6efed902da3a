import pytest

from trail_callbacks import LocalJudge
from trail_callbacks.claims import Claim
from trail_callbacks.evidence import candidates
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Question
from trail_callbacks.judges.local.overlap import answers
from trail_callbacks.judges.local.wording import Wording

SENTENCES = (
    "The Halden Bridge crosses the Orra at Vint.",
    "It opened in 1932.",
    "The bridge was designed by Mara Holt.",
    "It carries 12,000 cars a day.",
    "Lorries cross it at night.",
    "Snow fell in 1887.",
    "There are 60 million sheep.",
)


def indices(question):
    before = Wording("Halden Bridge, a guide.")
    return answers(Wording(question), [(Wording(sentence), before) for sentence in SENTENCES])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did the Halden Bridge open?", "It opened in 1932."),
        ("In what year was the Halden Bridge opened?", "It opened in 1932."),
        ("Who designed the Halden Bridge?", "The bridge was designed by Mara Holt."),
        ("How many cars does the Halden Bridge carry a day?", "It carries 12,000 cars a day."),
    ],
)
def test_sentences_that_answer_a_question_are_named(question, answer):
    assert [SENTENCES[i] for i in indices(question)] == [answer]


@pytest.mark.parametrize(
    "question",
    [
        "When did the Kelder Bridge open?",  # another
        "Who designed the Kelder Bridge?",
        "How tall is the Halden Bridge?",  # no number for it
        "Who opened the Halden Bridge?",  # no name for it
        "When do lorries cross the Halden Bridge?",  # no time that is a number
        "Where is the Halden Bridge?",
        "Why was the Halden Bridge closed?",
        "What is the capital of France?",
        "Tell me about the Halden Bridge.",
        "Wann wurde die Halden Bridge eröffnet?",
        "???",
        "",
    ],
)
def test_in_doubt_a_question_is_not_answered(question):
    assert indices(question) == []


def test_the_judge_names_the_sentence_and_never_the_question():
    asked = "When did the Halden Bridge open?"
    claim = Claim(id="q", text=asked, quote=asked, start=0, end=len(asked))
    nodes = [
        Node(id="d", kind="document", text="The Halden Bridge opened in 1932."),
        Node(id="u", kind="document", text=asked),
    ]
    question = Question(claim=claim, passages=candidates([claim], nodes, 8)["q"])
    with pytest.raises(StopIteration) as stop:
        next(LocalJudge().assess([question], "answerable"))
    (judgement,) = stop.value.value.judgements
    assert [(item.node_id, item.quote) for item in judgement.evidence] == [("d", "The Halden Bridge opened in 1932.")]
