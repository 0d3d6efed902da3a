"""Evidence that is too long for one verdict: shortened, then judged in parts."""

import re

from trail_callbacks import LLMJudge, ProvenanceGraph, SupportClass, veritrail
from trail_callbacks.models.call import Failure, Reply
from trail_callbacks.testing import ScriptedModel

S = SupportClass
CLAIM = "The well is 40 metres deep."
FILLER = [f"Bucket {n} of the well held {n} litres of water." for n in range(30)]
SAYS = "A survey of the well found 40 metres."
DENIES = "Later the well was found to be 35 metres deep."
LINE = re.compile(r"^\[([sc]\d+)\] (.*)$", re.MULTILINE)


class Well:
    """Selects what it is told, and judges by two sentences; refuses verdicts on more than `most` characters.

    Args:
        most: Characters of all passages of a verdict.
        select: The number of sentences selected from a text; None is all.
    """

    def __init__(self, most, select=None):
        self.most, self.selected = most, select
        self.shown, self.refused = [], 0

    def __call__(self, call):
        text = call.messages[1].content
        match call.purpose:
            case "claims":
                return {"claims": [{"quote": CLAIM, "claim": CLAIM}]}
            case "decompose":
                return {"claims": []}
            case "select":
                ids = [id_ for id_, said in LINE.findall(text) if self.selected is None or said in self.selected]
                return {"found": [{"claim": "c1", "text": "A", "sentences": ids, "summary": "-"}]}
            case "verdicts":
                return self._verdict({said: id_ for id_, said in LINE.findall(text) if id_[0] == "s"})

    def _verdict(self, shown):
        if sum(map(len, shown)) > self.most:
            self.refused += 1
            return Reply(failure=Failure("too_long", "the prompt exceeds the context window"))
        self.shown.append(list(shown))
        says, denies = shown.get(SAYS), shown.get(DENIES)
        support = "supported" if says else "contradicted" if denies else "absent"
        cited = [says] if says else []
        verdict = {"claim": "c1", "support": support, "supporting": cited, "contradicting": [denies] if denies else []}
        return {"verdicts": [{**verdict, "comparison": f"It is {support}."}]}


def judged(well, sentences, **options):
    graph = ProvenanceGraph.from_texts(CLAIM, [" ".join(sentences)])
    report = veritrail(graph, LLMJudge(ScriptedModel(well)), **options)
    assert report.claims[0].text == CLAIM
    return report.verdicts[0]


def quotes(verdict):
    return [(item.relation, item.quote) for item in verdict.evidence]


def test_a_verdict_that_does_not_fit_the_model_is_divided():
    well = Well(900)
    verdict = judged(well, [SAYS, *FILLER])
    assert (verdict.support, verdict.error) == (S.SUPPORTED, None)
    assert well.refused
    assert sorted({said for part in well.shown for said in part}) == sorted([SAYS, *FILLER])
    assert quotes(verdict) == [("supports", SAYS)]
    assert f"in {len(well.shown)} parts" in verdict.rationale


def test_before_it_is_divided_it_is_reduced_to_what_was_selected():
    well = Well(300, select={SAYS})
    verdict = judged(well, [SAYS, *FILLER])
    assert verdict.support is S.SUPPORTED
    assert well.shown == [[SAYS]]
    assert well.refused == 1
    assert "parts" not in verdict.rationale


def test_where_parts_contradict_each_other_both_sides_are_shown():
    verdict = judged(Well(900), [SAYS, *FILLER, DENIES])
    assert (verdict.support, verdict.conflicting) == (S.SUPPORTED, True)
    assert set(quotes(verdict)) == {("supports", SAYS), ("contradicts", DENIES)}


def test_a_single_sentence_that_does_not_fit_is_an_error_and_ends():
    well = Well(10)
    verdict = judged(well, [SAYS, *FILLER])
    assert verdict.support is None
    assert verdict.error.startswith("too_long")
    assert well.refused < 64


def test_other_failures_stand():
    def script(call):
        well = Well(10_000)
        if call.purpose == "verdicts":
            return Reply(failure=Failure("unreachable", "no route"))
        return well(call)

    verdict = judged(script, [SAYS])
    assert verdict.error == "unreachable: no route"
