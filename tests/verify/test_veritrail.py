"""The published walk: worked traces with judges that are told what they find where."""

from dataclasses import replace

import pytest

from trail_callbacks import (
    Edge,
    Evidence,
    Node,
    ProvenanceGraph,
    Report,
    SupportClass,
    veritrail,
)
from trail_callbacks.claims import Claim, split
from trail_callbacks.evidence import quoted
from trail_callbacks.judges.judge import Assessment, Extraction, Judgement, SearchResult, Tracer
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType

S = SupportClass
FS, NFS, INC = "fully supported", "not fully supported", "inconclusive"
STATEMENT = "The well is 40 metres deep."


class Told:
    """Finds evidence in the nodes it is told, and gives the verdicts it is told, in order."""

    name, model = "told/1", None

    def __init__(self, evidence, verdicts, parts=None, summaries=True):
        self.evidence, self.verdicts, self.parts = set(evidence), list(verdicts), parts or {}
        self.summaries = summaries
        self.read, self.contexts, self.taken_apart = [], [], []

    def extract(self, answer, question):
        yield from ()
        return Extraction(claims=(Claim(id="c1", text=STATEMENT, quote=answer, start=0, end=len(answer)),))

    def decompose(self, claims):
        yield from ()
        self.taken_apart += [claim.text for claim in claims]
        return tuple(tuple(self.parts.get(claim.text, [claim.text])) for claim in claims)

    def select(self, searches):
        yield from ()
        found = []
        for search in searches:
            self.read.append(sorted({p.node_id for p in search.passages}))
            mine = tuple(p for p in search.passages if p.node_id in self.evidence)
            summaries = {p.node_id: f"Summary of {p.node_id}." for p in mine} if self.summaries else {}
            found.append(SearchResult(passages=mine, summaries=summaries))
        return tuple(found)

    def assess(self, questions, purpose="verdicts"):
        yield from ()
        assert purpose == "verdicts"
        return Assessment(judgements=tuple(self._one(question) for question in questions))

    def _one(self, question):
        self.contexts.append([p.text for p in question.passages])
        verdict, first = self.verdicts.pop(0), question.passages[0]
        id_ = question.claim.id
        against = verdict is S.CONTRADICTED
        both = ("supports", "contradicts") if verdict == INC else ("contradicts",) if against else ("supports",)
        evidence = tuple(
            Evidence(node_id=first.node_id, start=first.start, end=first.end, quote=first.text, relation=relation)
            for relation in both
        )
        support = verdict if isinstance(verdict, S) else S.ABSENT if verdict == NFS else S.SUPPORTED
        error = ErrorType.OTHER if support in UNSUPPORTED else None
        return Judgement(claim_id=id_, support=support, error_type=error, evidence=evidence, rationale=str(verdict))


def graph(**inputs):
    """A graph by the inputs of each node, e.g. `F="A B"`; names that begin with R are sources, F is the answer."""
    names = dict.fromkeys([*inputs, *(source for given in inputs.values() for source in given.split())])
    kinds = {"R": "document", "F": "answer"}
    nodes = [Node(id=n, kind=kinds.get(n[0], "completion"), text=f"Text of {n}. More of {n}.") for n in names]
    edges = [Edge(source=source, target=name) for name, given in inputs.items() for source in given.split()]
    return ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))


DEEP = graph(F="A B", A="C D", C="R1", D="R2", B="R3")


def walk(given, judge, q=1):
    report = veritrail(given, judge, q=q)
    assert isinstance(judge, Tracer)
    return report.verdict("c1")


def test_t1_the_walk_follows_only_what_gave_evidence():
    judge = Told(["A", "C", "R1"], [FS, FS, FS])
    verdict = walk(DEEP, judge)
    assert verdict.support is S.SUPPORTED
    assert [layer.stated_by for layer in verdict.history] == [("A",), ("C",), ("R1",)]
    assert judge.read == [["A", "B"], ["C", "D"], ["R1"]]
    assert verdict.evidence[0].quote == "Text of R1."
    assert verdict.introduced_at is None


def test_t2_after_a_miss_the_inputs_of_every_node_are_read():
    given = graph(F="A B C", A="R1", B="R2", C="R3")
    judge = Told("A", [NFS])
    verdict = walk(given, judge, q=2)
    assert verdict.support in UNSUPPORTED
    assert judge.read == [["A", "B", "C"], ["R1", "R2", "R3"]]
    assert (verdict.introduced_at, verdict.carried_through) == ("F", ())


def test_t3_the_last_full_support_names_the_node():
    judge = Told(["A", "C", "R1"], [FS, NFS])
    verdict = walk(DEEP, judge)
    assert verdict.support in UNSUPPORTED
    assert (verdict.introduced_at, verdict.carried_through) == ("A", ("F",))


def test_t4_support_further_back_ends_a_row_of_misses():
    judge = Told(["A", "C", "R1"], [FS, NFS, FS])
    verdict = walk(DEEP, judge, q=2)
    assert verdict.support is S.SUPPORTED
    assert judge.read == [["A", "B"], ["C", "D"], ["R1", "R2"]]


def test_t6_a_source_with_evidence_stays_in_the_context():
    given = graph(F="R A", A="C", C="R2")
    judge = Told(["R", "A", "C"], [FS, FS, FS, FS])
    verdict = walk(given, judge)
    assert judge.read == [["A", "R"], ["C"], ["R2"]]  # R is not read again, and still counts
    assert judge.contexts[1] == ["Summary of C.", "Text of R.", "More of R."]
    assert verdict.history[1].nodes == ("C", "R")


def test_summaries_stand_for_outputs_and_whole_texts_for_sources():
    judge = Told(["A", "C", "R1"], [FS, FS, FS])
    walk(DEEP, judge)
    assert judge.contexts == [["Summary of A."], ["Summary of C."], ["Text of R1.", "More of R1."]]
    judge = Told(["A", "C", "R1"], [FS, FS, FS], summaries=False)
    walk(DEEP, judge)
    assert judge.contexts[0] == ["Text of A.", "More of A."]


def test_sources_that_disagree_support_the_claim_and_show_both_sides():
    report = veritrail(DEEP, Told(["A", "C", "R1"], [FS, FS, INC]))
    verdict = report.verdict("c1")
    assert (verdict.support, verdict.conflicting, verdict.introduced_at) == (S.SUPPORTED, True, None)
    assert verdict.history[-1].note.startswith("inconclusive")
    assert [item.relation for item in verdict.evidence] == ["supports", "contradicts"]
    assert "the sources disagree on c1: see the evidence for and against" in report.warnings


def test_an_output_or_answer_from_nowhere_supports_nothing():
    verdict = walk(graph(F="A"), Told("A", [FS]))
    assert (verdict.support, verdict.introduced_at, verdict.carried_through) == (S.ABSENT, "A", ("F",))
    bare = ProvenanceGraph(nodes=(Node(id="F", kind="answer", text="Text of F."),))
    verdict = walk(bare, Told("", []))
    assert (verdict.support, verdict.introduced_at) == (S.ABSENT, "F")


def test_claims_are_taken_apart_until_they_do_not_come_apart():
    parts = {STATEMENT: ["There is a well.", "It is deep."], "It is deep.": ["It is 40 metres deep.", "It is a well."]}
    judge = Told(["R1"], [FS], parts=parts)
    walk(graph(F="R1"), judge)
    assert judge.taken_apart == [
        STATEMENT, "There is a well.", "It is deep.", "It is 40 metres deep.", "It is a well."
    ]  # fmt: skip


def test_endless_rewriting_ends_after_twenty_attempts():
    class Rewriting(Told):
        def decompose(self, claims):
            yield from ()
            self.taken_apart += [claim.text for claim in claims]
            return tuple((f"{claim.text} A", f"{claim.text} B") for claim in claims)

    judge = Rewriting(["R1"], [FS])
    assert walk(graph(F="R1"), judge).support is S.SUPPORTED
    assert len(judge.taken_apart) == 20


def test_a_failure_of_the_judge_is_an_error_of_that_claim():
    class Failing(Told):
        def select(self, searches):
            yield from ()
            return tuple(SearchResult(error="unreachable: no route") for _ in searches)

    report = veritrail(DEEP, Failing("", []))
    assert report.state == "error"
    assert report.verdict("c1").error == "unreachable: no route"
    assert report.verdict("c1").introduced_at is None


@pytest.mark.parametrize("q", [1, 3])
def test_judges_that_select_nothing_themselves_walk_too(q):
    nodes = (
        Node(id="R", kind="document", text="The well is 40 metres deep. It was dug in 1887."),
        Node(id="A", kind="completion", text="The well is 40 metres deep. It was dug in 1878."),
        Node(id="F", kind="answer", text="The well is 40 metres deep. The well was dug in 1878."),
    )
    edges = (Edge(source="R", target="A"), Edge(source="A", target="F"))
    report = veritrail(ProvenanceGraph(nodes=nodes, edges=edges), q=q)
    assert [verdict.support for verdict in report.verdicts] == [S.SUPPORTED, S.CONTRADICTED]
    assert report.verdict("c2").introduced_at == "A"
    assert report.verdict("c1").evidence[0].node_id == "R"


def test_a_verdict_that_outputs_had_a_part_in_is_followed_by_one_on_sources_alone():
    given = graph(F="A R", A="R")
    judge = Told(["A", "R"], [FS, S.ABSENT])
    verdict = walk(given, judge)
    assert [layer.nodes for layer in verdict.history] == [("A", "R"), ("R",)]
    assert judge.read == [["A", "R"]]
    assert (verdict.support, verdict.introduced_at, verdict.carried_through) == (S.ABSENT, "A", ("F",))


def test_of_several_outputs_with_evidence_the_one_that_states_it_introduced_it():
    class Pointing(Told):
        def _one(self, question):
            judgement = super()._one(question)
            named = [p for p in question.passages if p.node_id == "B"] or list(question.passages)
            return replace(judgement, evidence=(quoted(named[0], "supports"),))

    judge = Pointing(["A", "B"], [FS])
    verdict = walk(graph(F="A B", A="R1", B="R2"), judge)
    assert verdict.history[0].stated_by == ("B",)
    assert (verdict.introduced_at, verdict.carried_through) == ("B", ("F",))


class Pointing:
    """No `Tracer`: says which passages hold the claim, and remembers what it was shown."""

    name, model = "pointing/1", None

    def __init__(self):
        self.questions = []

    def extract(self, answer, question):
        yield from ()
        return Extraction(claims=split(answer, question))

    def assess(self, questions, purpose="verdicts"):
        yield from ()
        self.questions += questions
        return Assessment(judgements=tuple(map(self._one, questions)))

    def _one(self, question):
        hits = [p for p in question.passages if question.claim.text in p.text]
        return Judgement(
            claim_id=question.claim.id,
            support=S.SUPPORTED if hits else S.ABSENT,
            error_type=None if hits else ErrorType.OTHER,
            evidence=tuple(quoted(p, "supports") for p in hits),
        )


def test_passages_have_their_own_ids_also_where_words_select_them():
    filler = " ".join(f"The well of farm {i} is {i} metres wide." for i in range(200))
    nodes = [
        Node(id="R1", kind="document", text=f"The well is 40 metres deep. {filler}"),
        Node(id="R2", kind="document", text="The barn is red. The well has a lid."),
        Node(id="A", kind="completion", text="The well is 40 metres deep. The barn is red."),
        Node(id="F", kind="answer", text="The well is 40 metres deep. The barn is red. The barn is blue."),
    ]
    edges = [Edge(source=a, target=b) for a, b in (("R1", "A"), ("R2", "A"), ("A", "F"), ("R1", "F"))]
    judge = Pointing()
    report = veritrail(ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges)), judge)
    assert [verdict.support for verdict in report.verdicts] == [S.SUPPORTED, S.SUPPORTED, S.ABSENT]
    places = {}
    for question in judge.questions:
        for passage in question.passages:
            assert places.setdefault(passage.id, (passage.node_id, passage.start)) == (passage.node_id, passage.start)
    assert len(set(places.values())) == len(places)


def test_walks_that_all_end_inconclusive_leave_the_report_partial():
    given = graph(F="R1")
    stating = tuple(replace(node, text=STATEMENT) if node.id == "F" else node for node in given.nodes)
    given = ProvenanceGraph(nodes=stating, edges=given.edges)
    report = veritrail(given, Told(["R1"], [S.UNEVALUATABLE]))
    assert report.verdict("c1").rationale.startswith("Inconclusive.")
    assert report.state == "partial"
    assert report.hallucination_score is None


class Abstaining(Told):
    """Abstains where it is told `None`."""

    def _one(self, question):
        if self.verdicts[0] is not None:
            return super()._one(question)
        self.contexts.append([p.text for p in question.passages])
        self.verdicts.pop(0)
        first = quoted(question.passages[0], "nearest")
        return Judgement(claim_id=question.claim.id, undecided="too vague", evidence=(first,))


def test_a_walk_that_ends_undecided_says_neither_absent_nor_inconclusive():
    verdict = walk(DEEP, Abstaining(["A", "C", "R1"], [FS, FS, None]))
    assert (verdict.outcome, verdict.undecided) == ("undecided", "too vague")
    assert verdict.introduced_at is None
    assert [item.relation for item in verdict.evidence] == ["nearest"]
    assert verdict.history[-1].note == "undecided: too vague"
    assert verdict.history[-1].stated_by == ()


def test_an_undecided_verdict_does_not_end_a_walk():
    judge = Abstaining(["A", "C", "R1"], [None, FS, S.SUPPORTED])
    verdict = walk(DEEP, judge)
    assert verdict.support is S.SUPPORTED
    assert len(judge.contexts) == 3


def test_evidence_that_is_too_long_is_selected_from_again_and_then_cut():
    long = " ".join(f"Sentence {n} of the record is about the well." for n in range(800))
    nodes = (Node(id="R1", kind="document", text=long), Node(id="F", kind="answer", text="Text of F."))
    judge = Told(["R1"], [FS])
    verdict = walk(ProvenanceGraph(nodes=nodes, edges=(Edge(source="R1", target="F"),)), judge)
    assert (verdict.support, len(judge.read)) == (S.SUPPORTED, 3)
    (shown,) = judge.contexts
    assert 23_900 < sum(map(len, shown)) <= 24_000
    assert long.startswith(" ".join(shown))
    assert "the last of it was not read" in verdict.rationale


def trail(layer):
    return [(one.node_id, one.start, one.end, one.quote) for one in layer.selected]


class FirstSentences(Told):
    """Selects the first sentence of each text with evidence, last text first."""

    def select(self, searches):
        found = yield from super().select(searches)
        first = [tuple({p.node_id: p for p in reversed(one.passages)}.values()) for one in found]
        return tuple(replace(one, passages=passages) for one, passages in zip(found, first, strict=True))


def test_the_report_keeps_what_was_selected_at_each_step():
    report = veritrail(DEEP, FirstSentences(["A", "C", "R1"], [FS, FS, FS]))
    verdict = report.verdict("c1")
    assert [trail(layer) for layer in verdict.history] == [
        [("A", 0, 10, "Text of A.")],
        [("C", 0, 10, "Text of C.")],
        [("R1", 0, 11, "Text of R1.")],
    ]
    assert all(layer.summaries == () for layer in verdict.history)
    assert Report.from_json(report.to_json()) == report


def test_summaries_are_kept_if_asked_for():
    report = veritrail(DEEP, Told(["A", "C", "R1"], [FS, NFS]), summaries=True)
    said = [[(one.node_id, one.text) for one in layer.summaries] for layer in report.verdict("c1").history]
    assert said == [[("A", "Summary of A.")], [("C", "Summary of C.")]]
    assert Report.from_json(report.to_json()) == report


def test_only_what_stands_in_the_node_is_selected():
    class Inventing(Told):
        def select(self, searches):
            (found,) = yield from super().select(searches)
            first = found.passages[0]
            forged = replace(first, id="x", text="The well is dry.")
            return (replace(found, passages=(forged, first, first, replace(first, node_id="R9"))),)

    verdict = walk(graph(F="R1"), Inventing(["R1"], [FS]))
    assert trail(verdict.history[0]) == [("R1", 0, 11, "Text of R1.")]


def test_a_walk_that_fails_keeps_its_trail_up_to_there():
    class Failing(Told):
        def _one(self, question):
            judgement = super()._one(question)
            return judgement if self.verdicts else Judgement(claim_id=judgement.claim_id, error="unreachable: no route")

    verdict = walk(DEEP, Failing(["A", "C", "R1"], [FS, FS]))
    assert verdict.error == "unreachable: no route"
    assert [one.node_id for layer in verdict.history for one in layer.selected] == ["A", "A"]
