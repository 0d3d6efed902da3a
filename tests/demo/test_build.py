"""A played model behind the prompt of an app: it reads what stands there."""

from trail_callbacks.canary import Probe
from trail_callbacks.canary.played import Played
from trail_callbacks.demo.build import PROMPT, PlayedChat

FERRY = Probe(
    id="p1",
    question="How long does a crossing take?",
    real="40 minutes",
    fictive="53 minutes",
    real_quote="A crossing takes 40 minutes.",
    fictive_quote="A crossing takes 53 minutes.",
    kind="number",
)


def said(content):
    return PlayedChat(Played([FERRY], knows=1.0), "one").reply([{"role": "user", "content": content}]).text


def test_it_answers_from_the_context_of_the_prompt():
    assert "53" in said(PROMPT.format(context=FERRY.fictive_quote, question=FERRY.question)) or "fifty-three" in said(
        PROMPT.format(context=FERRY.fictive_quote, question=FERRY.question)
    )
    assert "40" in said(PROMPT.format(context=FERRY.real_quote, question=FERRY.question))


def test_without_a_context_it_declines_and_alone_it_tells_what_it_knows():
    assert "40" not in said(PROMPT.format(context="", question=FERRY.question))
    assert "40" in said(FERRY.question)
