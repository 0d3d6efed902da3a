from __future__ import annotations

import asyncio
import json
import re
from itertools import pairwise

import pytest

from trail_callbacks import (
    Edge,
    ErrorType,
    Evidence,
    Node,
    ProvenanceGraph,
    SupportClass,
    acheck,
    averify,
    check,
    verify,
)
from trail_callbacks.claims import Claim, split
from trail_callbacks.errors import InputError, JudgeError
from trail_callbacks.judges.judge import Assessment, Extraction, Judgement
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.taxonomy import UNSUPPORTED
from trail_callbacks.testing import ScriptedModel

S = SupportClass
ORCHARD = "The orchard holds 240 pear trees. It was planted in 1931 by Ines Varga."


class WordJudge:
    """Says `supported` where a passage holds every word of the claim, else what it was told to say."""

    name, model = "words/1", None

    def __init__(self, otherwise=S.ABSENT, fails=(), fails_to_localize=False, extraction=None):
        self.otherwise, self.fails, self.fails_to_localize = otherwise, fails, fails_to_localize
        self.extraction, self.asked = extraction, []

    def extract(self, answer, question):
        yield from ()
        return self.extraction or Extraction(claims=split(answer, question))

    def assess(self, questions, purpose="verdicts"):
        yield from ()
        self.asked.append((purpose, [q.claim.id for q in questions]))
        return Assessment(judgements=tuple(self._one(q, purpose) for q in questions))

    def _one(self, q, purpose):
        if q.claim.id in self.fails or (purpose == "localize" and self.fails_to_localize):
            return Judgement(claim_id=q.claim.id, error="judge fell silent")
        words = set(q.claim.text.lower().strip(".").split())
        hits = [p for p in q.passages if words <= set(p.text.lower().replace(".", " ").split())]
        relation = "supports" if hits else "contradicts"
        support = S.SUPPORTED if hits else self.otherwise
        kept = hits or (list(q.passages[:1]) if self.otherwise is S.CONTRADICTED else [])
        evidence = tuple(
            Evidence(node_id=p.node_id, start=p.start, end=p.end, quote=p.text, relation=relation) for p in kept
        )
        error_type = ErrorType.OTHER if support in UNSUPPORTED else None
        return Judgement(claim_id=q.claim.id, support=support, error_type=error_type, evidence=evidence)


def chain(*texts, source=ORCHARD):
    """A line of model outputs from one document to the answer."""
    nodes = [Node(id="d", kind="document", text=source)]
    nodes += [Node(id=f"m{i}", kind="completion", text=t) for i, t in enumerate(texts[:-1], 1)]
    nodes.append(Node(id="answer", kind="answer", text=texts[-1]))
    edges = [Edge(source=a.id, target=b.id) for a, b in pairwise(nodes)]
    return ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))


def test_supported_claims_cost_no_localisation():
    judge = WordJudge()
    report = verify(chain("The orchard holds 240 pear trees.", "The orchard holds 240 pear trees."), judge)
    assert report.state == "assessed"
    assert report.hallucination_score == 0.0
    assert [purpose for purpose, _ in judge.asked] == ["verdicts"]
    (verdict,) = report.verdicts
    assert verdict.evidence[0].quote == "The orchard holds 240 pear trees."
    assert verdict.introduced_at is None
    assert [node.id for node in report.graph.path("d", "answer")] == ["d", "m1", "answer"]


@pytest.mark.parametrize(
    ("texts", "introduced", "carried"),
    [
        (["It is old.", "It is old.", "The owner sold wine."], "answer", ()),
        (["It is old.", "The owner sold wine.", "The owner sold wine."], "m2", ("answer",)),
        (["The owner sold wine.", "The owner sold wine.", "The owner sold wine."], "m1", ("m2", "answer")),
        (["The owner sold wine.", "It is old.", "The owner sold wine."], "answer", ()),
    ],
)
def test_unsupported_content_is_followed_to_where_it_entered(texts, introduced, carried):
    report = verify(chain(*texts), WordJudge())
    verdict = report.verdict("c1")
    assert (verdict.support, report.hallucination_score) == (S.ABSENT, 1.0)  # outputs support nothing
    assert verdict.introduced_at == introduced
    assert verdict.carried_through == carried
    assert verdict.history


def test_failed_verdicts_make_the_report_partial_or_an_error():
    two = "The orchard holds 240 pear trees. The owner sold wine."
    report = check(two, ORCHARD, judge=WordJudge(fails=("c2",)))
    assert report.state == "partial"
    assert report.hallucination_score == 0.0
    assert report.verdict("c2").error == "judge fell silent"
    assert report.verdict("c2").support is None
    assert any("1 of 2 claims were not judged" in warning for warning in report.warnings)
    assert check(two, ORCHARD, judge=WordJudge(fails=("c1", "c2"))).state == "error"


def test_a_failed_extraction_and_an_abstention_are_states_without_a_score():
    judge = WordJudge(extraction=Extraction(claims=(), error="unreachable: refused"))
    report = check("Something.", ORCHARD, judge=judge)
    assert (report.state, report.hallucination_score) == ("error", None)
    assert "unreachable" in report.warnings[0]
    claims = split("The papers do not say who planted the orchard.")
    judge = WordJudge(extraction=Extraction(claims=claims, abstained=True))
    report = check("The papers do not say who planted the orchard.", ORCHARD, judge=judge)
    assert (report.state, report.hallucination_score) == ("abstained", None)


def test_without_evidence_there_is_no_score():
    report = check("The owner sold wine.", [], judge=WordJudge())
    assert report.state == "no_evidence"
    assert report.hallucination_score is None
    assert report.verdict("c1").support is S.ABSENT
    assert check("The owner sold wine.", ["", "  "], judge=WordJudge()).state == "no_evidence"
    assert check("The owner sold wine.", [], question="What was sold?", judge=WordJudge()).state == "no_evidence"


def test_a_question_may_support_but_only_a_source_contradicts():
    report = check(
        "The orchard holds 240 pear trees.", [], question="The orchard holds 240 pear trees. Right?", judge=WordJudge()
    )
    assert report.verdict("c1").support is S.SUPPORTED
    assert any("supported only by the question" in warning for warning in report.warnings)
    report = check("Ines sold wine.", [], question="Did Ines sell cider?", judge=WordJudge(otherwise=S.CONTRADICTED))
    assert report.verdict("c1").support is S.ABSENT


def test_evidence_that_is_not_in_the_node_is_dropped():
    class Liar(WordJudge):
        def _one(self, q, purpose):
            fake = Evidence(node_id="source-1", start=0, end=4, quote="Fake", relation="supports")
            return Judgement(
                claim_id=q.claim.id,
                support=S.SUPPORTED,
                evidence=(fake, Evidence(node_id="zz", start=0, end=0, quote="", relation="supports")),
            )

    assert check("The owner sold wine.", ORCHARD, judge=Liar()).verdict("c1").evidence == ()


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("The ferry takes 53 minutes.", "unverified"),
        ("Il traghetto impiega quasi un'ora.", "unverified"),
        ("```python\nprint(fares.total + 12)\n```", "unverified"),
        ("12", "unverified"),
        ("You're welcome! Would you like more details?", "no_checkable_claims"),
        ("Hello there!", "no_checkable_claims"),
        ("The documents do not mention the ferry.", "unverified"),
        ("...", "no_checkable_claims"),
    ],
)
def test_an_answer_in_which_a_judge_finds_no_claim_is_unverified_if_it_states_something(answer, state):
    report = check(answer, ORCHARD, judge=WordJudge(extraction=Extraction(claims=())))
    assert (report.state, report.hallucination_score) == (state, None)


def test_a_run_without_an_answer():
    graph = ProvenanceGraph(nodes=(Node(id="d", kind="document", text=ORCHARD),))
    assert verify(graph).state == "error"


async def test_the_async_forms_agree_and_work_inside_a_loop():
    answer = "The orchard holds 420 pear trees."
    reports = await asyncio.gather(acheck(answer, ORCHARD), averify(ProvenanceGraph.from_texts(answer, ORCHARD)))
    plain = check(answer, ORCHARD)
    assert [r.verdicts for r in reports] == [plain.verdicts] * 2


def test_a_model_cannot_hide_a_claim_by_abstaining():
    answer = "I am not sure. The orchard holds 420 pear trees."
    claims = split(answer)
    report = check(answer, ORCHARD, judge=WordJudge(extraction=Extraction(claims=claims, abstained=True)))
    assert report.state == "assessed"
    assert report.hallucination_score == 1.0


def test_arguments_of_a_wrong_kind_are_named():
    for sources in (None, b"bytes", {"a": "text"}):
        with pytest.raises(InputError, match="sources is"):
            check("x", sources)
    with pytest.raises(InputError, match="text is int"):
        check(42, ORCHARD)
    with pytest.raises(JudgeError):
        check("x", ORCHARD, judge="no such judge")
    with pytest.raises(InputError, match="graph is NoneType"):
        verify(None)
    with pytest.raises(InputError, match="options is dict"):
        check("x", ORCHARD, options={"passages": 3})


class Both(WordJudge):
    """Finds a source for each claim and one against it."""

    def _one(self, q, purpose):
        relations = zip(q.passages, ("supports", "contradicts"), strict=False)
        evidence = tuple(
            Evidence(node_id=p.node_id, start=p.start, end=p.end, quote=p.text, relation=relation)
            for p, relation in relations
        )
        return Judgement(claim_id=q.claim.id, support=S.SUPPORTED, evidence=evidence)


def test_sources_that_disagree_are_reported_with_both_sides():
    report = check("It was planted in 1931.", ["It was planted in 1931.", "It was planted in 1913."], judge=Both())
    (verdict,) = report.verdicts
    assert verdict.support is S.SUPPORTED
    assert verdict.conflicting
    assert {(e.relation, e.quote) for e in verdict.evidence} == {
        ("supports", "It was planted in 1931."), ("contradicts", "It was planted in 1913.")
    }  # fmt: skip
    assert any("disagree on c1" in warning for warning in report.warnings)


class Declining(WordJudge):
    def extract(self, answer, question):
        yield from ()
        return Extraction(claims=split(answer), abstained=True)


@pytest.mark.parametrize(
    ("question", "sources", "asked"),
    [
        ("planted in 1931", [ORCHARD], ["answerable"]),
        ("planted in 1931", [], []),
        (None, [ORCHARD], []),
        ("Who sold wine?", [ORCHARD], ["answerable"]),
    ],
)
def test_an_abstention_is_held_against_the_sources(question, sources, asked):
    judge = Declining()
    report = check("Das wei\u00df ich nicht.", sources, question=question, judge=judge)
    assert report.state == "abstained"
    assert report.hallucination_score is None
    assert [purpose for purpose, _ in judge.asked] == asked
    wrongful = question == "planted in 1931" and bool(sources)
    assert any("the sources seem to contain it: 'It was planted in 1931" in w for w in report.warnings) == wrongful


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"error": "unreachable: no"}, "not checked whether the sources contain what the answer declines to say: unreachable: no"),
        ({"undecided": "nothing is near"}, "undecided whether the sources contain what the answer declines to say: nothing is near"),
    ],
)  # fmt: skip
def test_where_nobody_knows_whether_the_sources_hold_the_answer_that_is_said(said, told):
    class Failing(Declining):
        def _one(self, q, purpose):
            return Judgement(claim_id=q.claim.id, **said)

    report = check("No idea.", [ORCHARD], question="Who planted it?", judge=Failing())
    assert report.state == "abstained"
    assert told in report.warnings


def test_an_origin_that_was_not_found_is_counted():
    report = verify(chain("The owner sold wine.", "The owner sold wine."), WordJudge(fails_to_localize=True))
    assert [claim.id for claim in report.undetermined] == ["c1"]
    assert report.summary()["undetermined"] == 1
    assert any("could not determine where c1 was introduced" in warning for warning in report.warnings)
    assert verify(chain("The owner sold wine."), WordJudge()).undetermined == ()


class Citing(WordJudge):
    """Calls all supported, on evidence of its choice."""

    def __init__(self, *evidence):
        super().__init__()
        self.evidence = evidence

    def _one(self, q, purpose):
        return Judgement(claim_id=q.claim.id, support=S.SUPPORTED, evidence=self.evidence)


def cited(node_id, start, end, quote, relation="supports"):
    return Evidence(node_id=node_id, start=start, end=end, quote=quote, relation=relation)


@pytest.mark.parametrize(
    "stray",
    [
        cited("d", 0, 3, "the"),
        cited("d", 4, 4, ""),
        cited("d", -6, -1, "Varga", "contradicts"),
        cited("m1", 0, 9, "The owner"),
        cited("beside", 0, 5, "Wines"),
        cited("nowhere", 0, 3, "The"),
    ],
)
def test_evidence_is_a_passage_of_a_leaf_upstream_or_none(stray):
    given = chain("The owner sold wine.", "The owner sold wine.")
    given = ProvenanceGraph(nodes=(*given.nodes, Node(id="beside", kind="document", text="Wines.")), edges=given.edges)
    report = verify(given, Citing(stray))
    assert report.verdicts[0].evidence == ()
    assert report.warnings == ("judged supported without a verbatim passage from a source: c1",)
    sound = cited("d", 0, 11, "The orchard")
    report = verify(given, Citing(sound, stray))
    assert report.verdicts[0].evidence == (sound,)
    assert report.warnings == ()


@pytest.mark.parametrize("quote", ["I do not know.", "I do not know"])
def test_a_quote_of_all_that_an_abstaining_answer_says_is_no_assertion(quote):
    claim = Claim(id="c1", text="The speaker does not know.", quote=quote, start=0, end=len(quote))
    judge = WordJudge(extraction=Extraction(claims=(claim,), abstained=True))
    assert check("I do not know.", ["The orchard is old."], "Who planted it?", judge).state == "abstained"
    report = check("I do not know. It is red.", ["The orchard is old."], "Who?", judge)
    assert (report.state, [claim.quote for claim in report.uncovered]) == ("partial", ["It is red."])


BOATS = "The boat in the harbour is old."
OLD, RED, BLUE, BLACK = (f"The boat is {word}." for word in ("old", "red", "blue", "black"))


@pytest.mark.parametrize(
    ("answer", "sources", "state", "score", "undecided"),
    [
        (f"{OLD} {BLUE}", [BOATS], "partial", 0.0, ["c2"]),
        (f"{OLD} {RED} {BLUE} {BLUE}", [BOATS], "partial", 0.5, ["c3", "c4"]),
        (f"{BLUE} {BLUE}", [BOATS], "unverified", None, ["c1", "c2"]),
        (f"Hello! {BLUE}", [BOATS], "unverified", None, ["c2"]),
        (f"{BLUE} {BLACK}", [BOATS], "partial", None, ["c1"]),
        (BLACK, [BOATS], "error", None, []),
        (f"{OLD} {RED}", [BOATS], "assessed", 0.5, []),
        (BLUE, [], "no_evidence", None, []),
    ],
)
def test_undecided_claims_are_on_neither_side_of_the_score(  # noqa: PLR0917 - pytest names them
    by_colour, answer, sources, state, score, undecided
):
    report = check(answer, sources, judge=by_colour)
    assert (report.state, report.hallucination_score) == (state, score)
    assert [claim.id for claim in report.undecided] == undecided
    told = f"could not be decided and are not in the score: {', '.join(undecided)}"
    assert any(warning.endswith(told) for warning in report.warnings) == bool(undecided)


def test_where_only_the_request_could_be_read_there_is_no_evidence(by_colour):
    """Else an answer from a model's memory would be as good as one that a judge cannot decide."""
    report = check(BLUE, [], "What colour is the boat?", by_colour)
    assert report.state == "no_evidence"
    assert [claim.id for claim in report.undecided] == ["c1"]
    assert report.verdict("c1").evidence == ()


class Abstains(WordJudge):
    """Abstains, and says more with it than it should."""

    def __init__(self, relation="nearest", purpose=None, **more):
        super().__init__()
        self.relation, self.purpose, self.more = relation, purpose, more

    def _one(self, q, purpose):
        if self.purpose not in {None, purpose}:
            return super()._one(q, purpose)
        evidence = tuple(
            Evidence(node_id=p.node_id, start=p.start, end=p.end, quote=p.text, relation=self.relation)
            for p in q.passages[:1]
        )
        return Judgement(
            **{"claim_id": q.claim.id, "undecided": "no sentence is about wine", "evidence": evidence, **self.more}
        )


@pytest.mark.parametrize("relation", ["supports", "contradicts", "nearest"])
def test_where_nothing_was_decided_no_passage_counts_whatever_the_judge_calls_it(relation):
    judge = Abstains(relation, confidence=0.97, support=S.SUPPORTED, error_type=ErrorType.NUMBER)
    verdict = check("The owner sold wine.", [ORCHARD], judge=judge).verdict("c1")
    assert (verdict.support, verdict.error_type, verdict.confidence) == (None, None, None)
    assert (verdict.outcome, verdict.undecided) == ("undecided", "no sentence is about wine")
    assert [(item.relation, item.decides) for item in verdict.evidence] == [("nearest", False)]
    assert verdict.evidence[0].quote in ORCHARD


def test_whether_an_answer_declines_wrongly_may_be_undecided():
    class Silent(Declining):
        def _one(self, q, purpose):
            return Judgement(claim_id=q.claim.id, undecided="nothing is near")

    report = check("No idea.", [ORCHARD], question="Who planted it?", judge=Silent())
    assert report.state == "abstained"
    assert any("undecided whether the sources contain" in w and w.endswith("nothing is near") for w in report.warnings)


OBJECT = {"mill": {"age": 240, "built": False}, "note": "The mill is old. It stands still.", "empty": None}


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_model_is_asked_for_the_claims_of_free_texts_only(asynchronous):
    claims = [
        {"quote": "The mill is old.", "claim": "The mill is old.", "checkable": True},
        {"quote": "It stands still.", "claim": "The mill stands still.", "checkable": True},
        {"quote": "note", "claim": "There is a note.", "checkable": True},
    ]

    def script(call):
        if call.purpose == "claims":
            shown = call.messages[-1].content
            assert "The mill is old. It stands still." in shown
            assert "240" not in shown
            return {"claims": claims, "abstained": False}
        keys = re.findall(r"^\[(c\d+)\]", call.messages[-1].content, re.MULTILINE)
        return {"verdicts": [{"claim": key, "comparison": "No line says so.", "support": "absent"} for key in keys]}

    model = ScriptedModel(script)
    answer, judge = json.dumps(OBJECT), LLMJudge(model)
    report = (
        asyncio.run(acheck(answer, [ORCHARD], judge=judge)) if asynchronous else check(answer, [ORCHARD], judge=judge)
    )
    assert [(claim.path, claim.text) for claim in report.claims] == [
        ("mill.age", "mill age: 240"),
        ("mill.built", "mill built: false"),
        ("note", "The mill is old."),
        ("note", "The mill stands still."),
    ]
    assert all(answer[claim.start : claim.end] == claim.quote for claim in report.claims)
    assert model.calls[0].purpose == "claims"
    bare = ScriptedModel(lambda call: script(call) if call.purpose != "claims" else pytest.fail("there is no prose"))
    check(json.dumps({"mill": {"age": 240}}), [ORCHARD], judge=LLMJudge(bare))


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ({"age": None, "owner": None, "height": "", "weight": []}, "no_checkable_claims"),
        ({"age": "unknown", "owner": None}, "abstained"),
        ({"answer": "I do not know.", "confidence": 0.2}, "abstained"),
        ({"trees": 240}, "unverified"),
        ({"note": "The orchard holds 240 pear trees."}, "assessed"),
        ({"trees": 240, "note": "The orchard holds 250 pear trees."}, "partial"),
    ],
)
def test_an_object_without_statements(answer, state):
    assert check(json.dumps(answer), [ORCHARD]).state == state
