"""No guard lets an answer out whose judge leaves out, turns round or rewrites one of its statements, however it is called."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("langchain", minversion="1.2.9")
sys.path.insert(0, str(Path(__file__).parent))
from apps import APPS, WAYS

from trail_callbacks import LLMJudge
from trail_callbacks.testing import ScriptedModel

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # LlamaIndex's own
SOURCE = "The lighthouse of Genoa is 77 metres tall. The city of Genoa sued its keeper in 1990."
TRUE = "The lighthouse of Genoa is 77 metres tall."
FALSE = "Quixodoro illegally sued the city of Genoa in 1990."
LEAKED = "Quixodoro"
TRICKS = {  # an answer, and the claims that the judge makes of it: pairs of a quote and a text
    # a word that the answer has not would be caught earlier: then the judge is asked about the quote itself
    "left out": (f"{TRUE} {FALSE}", [(TRUE, TRUE)]),
    "turned round": (f"{TRUE} {FALSE}", [(TRUE, TRUE), (FALSE, "The city of Genoa illegally sued Quixodoro in 1990.")]),
    "rewritten": (
        f"{TRUE} {FALSE}",
        [(TRUE, TRUE), (FALSE, "The lighthouse of Genoa illegally sued the city in 1990.")],
    ),
    "weakened": (f"{TRUE} {FALSE}", [(TRUE, TRUE), (FALSE, "Quixodoro sued the city of Genoa in 1990.")]),
    "in brackets": (TRUE.replace("Genoa", f"Genoa ({LEAKED} and Vexx, 1986)"), [("is 77 metres tall", TRUE)]),
}


def talked_over(claims):
    """A judge that makes these claims and calls each of them supported."""
    judged = [{"quote": q, "claim": text, "supporting": ["s1"], "support": "supported"} for q, text in claims]

    def reply(call):
        if call.purpose == "onepass":
            return {"claims": judged, "abstained": False}
        if call.purpose == "claims":
            return {"claims": [{"quote": q, "claim": text} for q, text in claims], "abstained": False}
        ids = [f"c{n}" for n in range(1, len(claims) + 2)]
        return {"verdicts": [{"claim": id_, "supporting": ["s1"], "support": "supported"} for id_ in ids]}

    return LLMJudge(ScriptedModel(reply))


@pytest.mark.parametrize(("app", "way"), [(app, way) for app, ways in WAYS.items() for way in ways])
def test_what_the_judge_was_talked_over_is_withheld(app, way):
    shown = {
        trick: APPS[app](answer, SOURCE, way, {"judge": talked_over(claims), "on_fail": "block"})
        for trick, (answer, claims) in {**TRICKS, "honest": (TRUE, [(TRUE, TRUE)])}.items()
    }
    assert [trick for trick, text in shown.items() if LEAKED in text] == []
    assert "metres" in shown["honest"]
