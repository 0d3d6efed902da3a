"""Taking claims apart with a model."""

from trail_callbacks import LLMJudge
from trail_callbacks.claims import Claim
from trail_callbacks.models.call import Failure, Reply
from trail_callbacks.models.drive import drive
from trail_callbacks.testing import ScriptedModel


def claim(n, text=None):
    return Claim(id=f"k{n}", text=text or f"Pump {n} leaks.", quote="", start=0, end=0)


def decompose(script, *statements, claims_per_call=8):
    model = ScriptedModel(script)
    judge = LLMJudge(model, claims_per_call=claims_per_call)
    result, usage = drive(judge.decompose([claim(n, text) for n, text in enumerate(statements)]), model)
    return result, usage


def test_claims_come_apart_by_id():
    reply = {"claims": [{"claim": "c2", "parts": ["B one.", "B  two."]}, {"claim": "c9", "parts": ["Z."]}]}
    parts, usage = decompose([reply], "A.", "B one and two.")
    assert parts == (("A.",), ("B one.", "B two."))
    assert usage.calls == 1


def test_the_items_of_a_broken_reply_are_kept():
    text = '{"claims": [{"claim": "c1", "parts": ["A one.", "A two."]}, {"claim": "c2", "par'
    assert decompose([Reply(failure=Failure("length", "cut"), text=text)], "A.", "B.")[0] == (
        ("A one.", "A two."),
        ("B.",),
    )
