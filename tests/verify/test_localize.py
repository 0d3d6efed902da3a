"""Where unsupported content entered, with a judge that knows which node states what."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import Edge, Node, ProvenanceGraph
from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence, quoted
from trail_callbacks.judges.judge import Assessment, Judgement
from trail_callbacks.models.drive import drive
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.verify.localize import Suspect, localize

LIE = "The owner sold wine."
CLAIM = Claim(id="c1", text=LIE, quote=LIE, start=0, end=len(LIE))


class Knowing:
    """Knows which nodes state which statement; counts what it is asked."""

    name, model = "knowing/1", None

    def __init__(self, stated, fails_at=()):
        self.stated = stated if isinstance(stated, dict) else {LIE: set(stated)}
        self.fails_at, self.calls, self.read = set(fails_at), 0, []

    def assess(self, questions, purpose="verdicts"):
        yield from ()
        assert purpose == "localize"
        self.calls += 1
        return Assessment(judgements=tuple(self._one(question) for question in questions))

    def _one(self, question):
        shown = dict.fromkeys(p.node_id for p in question.passages)
        self.read += shown
        if self.fails_at & set(shown):
            return Judgement(claim_id=question.claim.id, error="refused: no")
        hits = [p for p in question.passages if p.node_id in self.stated.get(question.claim.text, ())]
        return Judgement(
            claim_id=question.claim.id,
            support=SupportClass.SUPPORTED if hits else SupportClass.ABSENT,
            error_type=None if hits else ErrorType.OTHER,
            evidence=tuple(quoted(p, "supports") for p in hits),
            rationale="Compared.",
        )


def graph(say="Words of {}, which stand only here.", /, **inputs):
    """A graph by the inputs of each node; names that begin with d are documents, `answer` is the answer."""
    names = dict.fromkeys([*inputs, *(source for given in inputs.values() for source in given.split())])
    kinds = {"a": "answer", "d": "document"}
    nodes = [Node(id=n, kind=kinds.get(n[0], "completion"), text=say.format(n)) for n in names]
    edges = [Edge(source=source, target=name) for name, sources in inputs.items() for source in sources.split()]
    return ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))


def chain(length):
    names = ["doc", *(f"m{i}" for i in range(1, length + 1)), "answer"]
    return graph("In {} it says that the owner sold wine.", **{target: source for source, target in pairwise(names)})


def origin(given, judge, *faults):
    (found, _), _ = drive(localize(given, [Suspect(claim=CLAIM, faults=faults)], judge), None)
    return found["c1"]


@given(length=st.integers(1, 60), data=st.data())
def test_a_chain_is_read_twelve_outputs_at_a_time(length, data):
    first = data.draw(st.integers(1, length + 1))  # one past the end: the answer itself
    judge = Knowing({f"m{i}" for i in range(first, length + 1)})
    found = origin(chain(length), judge)
    names = [*(f"m{i}" for i in range(1, length + 1)), "answer"]
    assert found.introduced_at == names[first - 1]
    assert found.carried_through == tuple(names[first:])
    assert judge.calls == -(-min(length, length - first + 2) // 12)
    assert len(judge.read) <= 12 * judge.calls


@pytest.mark.parametrize("corrected", [1, 20, 40])
def test_an_error_that_was_corrected_and_came_back_is_found_in_a_long_chain_too(corrected):
    judge = Knowing({f"m{i}" for i in range(1, 41)} - {f"m{corrected}"})
    assert origin(chain(40), judge).introduced_at == (f"m{corrected + 1}" if corrected < 40 else "answer")


def test_of_two_faults_one_may_stay_undetermined():
    class Half(Knowing):
        def _one(self, question):
            if question.claim.text == "It was wine.":
                return Judgement(claim_id="c1", error="refused: no")
            return super()._one(question)

    found = origin(chain(2), Half({"The owner sold it.": {"m2"}}), "It was wine.", "The owner sold it.")
    assert found.introduced_at == "m2"
    assert any(layer.note == "undetermined: refused: no" for layer in found.history)


def test_a_judge_that_fails_leaves_the_origin_undetermined():
    found = origin(chain(3), Knowing({"m3"}, fails_at={"m1"}))
    assert found.introduced_at is None
    assert found.carried_through == ()
    assert [layer.note for layer in found.history] == ["undetermined: refused: no"]


def test_parallel_outputs_are_all_read_in_one_round():
    parts = [f"p{i}" for i in range(30)]
    given = graph(answer=" ".join(parts), **dict.fromkeys(parts, "doc"))
    judge = Knowing({"p3", "p29"})
    found = origin(given, judge)
    assert found.introduced_at == "p3"
    assert judge.calls == 1
    assert set(judge.read) == set(parts)


def test_of_a_very_wide_layer_those_are_read_that_share_most_with_the_claim():
    parts = [f"p{i}" for i in range(300)]
    texts = {"p250": f"In the end it is clear. {LIE}"}
    wide = graph(answer=" ".join(parts), **dict.fromkeys(parts, "doc"))
    nodes = tuple(Node(id=n.id, kind=n.kind, text=texts.get(n.id, n.text)) for n in wide.nodes)
    judge = Knowing({"p250"})
    found = origin(ProvenanceGraph(nodes=nodes, edges=wide.edges), judge)
    assert found.introduced_at == "p250"
    assert len(judge.read) <= 48
    assert judge.calls == 1


def test_without_intermediate_outputs_nobody_is_asked():
    judge = Knowing(())
    found = origin(graph(answer="doc"), judge)
    assert (found.introduced_at, found.history, judge.calls) == ("answer", (), 0)


@given(st.data())
def test_any_graph_gets_an_origin_that_states_the_claim_although_no_input_of_it_does(data):
    size = data.draw(st.integers(1, 14))
    names = [f"m{i}" for i in range(size)]
    inputs = {
        name: " ".join(data.draw(st.lists(st.sampled_from(["doc", *names[:i]]), min_size=1, max_size=4, unique=True)))
        for i, name in enumerate(names)
    }
    last = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True))
    given = graph(answer=" ".join(last), **inputs)
    stating = data.draw(st.sets(st.sampled_from(names)))
    found = origin(given, Knowing(stating))
    first = found.introduced_at
    assert first in {*stating, "answer"}
    assert not any(node.id in stating for node in given.inputs(first))
    assert all(id_ in stating for id_ in found.carried_through[:-1])
    assert first == "answer" or found.carried_through[-1] == "answer"


OTHER = "The barn burnt down."


def test_which_of_two_parts_a_lone_judgement_is_about_is_not_guessed():
    class Half(Knowing):
        def assess(self, questions, purpose="verdicts"):
            assessment = yield from super().assess(questions, purpose)
            return Assessment(judgements=assessment.judgements[1:])

    found = origin(graph(m1="doc", answer="m1"), Half({LIE: {"m1"}, OTHER: {"m1"}}), LIE, OTHER)
    assert found.introduced_at is None


@pytest.mark.parametrize("faults", [("",), ("  ", LIE), (LIE, LIE)])
def test_blank_and_repeated_faults_are_not_followed(faults):
    judge = Knowing({LIE: {"m2", "m3"}, "": {"m1", "m2"}, "  ": {"m1", "m2"}})
    found = origin(chain(3), judge, *faults)
    assert found.introduced_at == "m2"
    assert found == origin(chain(3), Knowing({"m2", "m3"}))


def test_in_a_wide_layer_a_fault_is_looked_for_by_its_own_words():
    fault = "Wolves guard it."
    nodes = [Node(id=f"m{i}", kind="completion", text=f"The owner sold wine, says {i}.") for i in range(60)]
    nodes += [
        Node(id="told", kind="completion", text="Wolves guard it, all night long."),
        Node(id="answer", kind="answer", text=LIE),
    ]
    edges = tuple(Edge(source=node.id, target="answer") for node in nodes[:-1])
    given = ProvenanceGraph(nodes=tuple(nodes), edges=edges)
    assert origin(given, Knowing({fault: {"told"}}), fault).introduced_at == "told"


@pytest.mark.parametrize(
    ("quote", "copied"), [("It opened in 1932.", False), (f"{'The bridge opened in 1932, ' * 3}.", True)]
)
def test_only_a_telling_sentence_counts_where_the_judge_did_not_name_it(quote, copied):
    class Naming(Knowing):
        def _one(self, question):
            judgement = super()._one(question)
            return replace(judgement, evidence=tuple(e for e in judgement.evidence if e.quote == quote))

    given = graph("Here it says something about {} now. " + quote, answer="p", p="q", q="doc")
    assert origin(given, Naming({"p"})).introduced_at == ("q" if copied else "p")


def test_where_a_judge_abstains_nobody_guesses():
    """Not even from what it did decide nearer to the answer: the claim may stand in what it left open."""

    class Abstaining(Knowing):
        def _one(self, question):
            if {passage.node_id for passage in question.passages} & {"m1"}:
                return Judgement(claim_id=question.claim.id, undecided="too vague")
            return super()._one(question)

    judge = Abstaining({"m2", "m3"})
    found = origin(chain(3), judge)
    assert (found.introduced_at, found.carried_through) == (None, ())
    assert found.history[-1].note == "undetermined: too vague"
    assert judge.calls == 1


class Listening(Knowing):
    """Remembers what it was told that the claim departs from."""

    def assess(self, questions, purpose="verdicts"):
        self.told = [question.departs_from for question in questions]
        return (yield from super().assess(questions, purpose))


def told(*evidence, faults=()):
    judge = Listening({"m1"})
    suspect = Suspect(claim=CLAIM, faults=faults, evidence=evidence)
    drive(localize(chain(1), [suspect], judge), None)
    return judge.told


def said(quote, relation="supports"):
    return Evidence(node_id="doc", start=0, end=len(quote), quote=quote, relation=relation)


def test_the_judge_is_told_what_the_sources_say_instead_first_what_contradicts():
    cider, rent, sold = said("The owner made cider."), said("He paid rent."), said("He sold cider.", "contradicts")
    assert told(cider, rent, sold) == [("He sold cider.", "The owner made cider.")]
    assert told() == [()]  # no source says anything: the claim is absent


def test_of_a_long_quote_the_sentence_is_told_that_is_nearest_to_each_fault():
    field = (
        '"text": "'
        + "Rent is due on the first day of a month. " * 5
        + 'The owner sold cider. Nobody drank, cf. Sec. 3, beer."'
    )
    assert told(said(field), faults=("The owner sold wine.", "Everybody drank beer.")) == [
        ("The owner sold cider.",),
        ("Nobody drank, cf. Sec. 3, beer.",),
    ]


@pytest.mark.parametrize("quote", ["wine " * 400, "w" * 5000, "Wein, " * 400, "\u9152" * 3000])
def test_what_the_judge_is_told_is_short(quote):
    ((short,),) = told(said(quote))
    assert 0 < len(short) <= 600
    assert short in quote


def through(said):
    """A chain over one output."""
    nodes = [replace(node, text=said) if node.id == "m1" else node for node in chain(1).nodes]
    return ProvenanceGraph(nodes=tuple(nodes), edges=chain(1).edges)


@pytest.mark.parametrize(
    "said",
    [
        "billing",
        "Category: wine",
        '{"route": "wine", "confidence": 0.93}',
        "What did the owner of the mill do?",
        '{"items": [{"sub_question": "What did the owner of it do?", "tool": "docs"}]}',
        'search({"query": "owner of the mill at that time"})\nread({"page": 3})',
    ],
)
def test_nobody_is_asked_of_labels_questions_and_calls_which_state_nothing(said):
    judge = Knowing({"m1"})
    found = origin(through(said), judge)
    assert (judge.calls, found.introduced_at) == (0, "answer")


@pytest.mark.parametrize(
    "said", ["Owner sold wine.", "It was sold, all of it.", 'note({"text": "The owner sold wine in May."})']
)
def test_what_may_state_a_claim_is_read_however_short_or_wherever_it_stands(said):
    assert origin(through(said), Knowing({"m1"})).introduced_at == "m1"
