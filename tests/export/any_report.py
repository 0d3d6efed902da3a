"""Reports to export: bare ones, and any that hypothesis can think of."""

from dataclasses import replace

from hypothesis import strategies as st
from judged import NO, graph_of, node, quoted
from judged import report as judged

from trail_callbacks import Claim, Edge, ErrorType, Evidence, Node, ProvenanceGraph, Report, SupportClass, Verdict

HOSTILE = (
    "end", "a b", 'a"b', "r:node/x", "x.", "%41", "a%2Eb", "naïve", "港口", "\u202eabc", "<b>&amp;", "a\nb", "\x00\x1b", "]]>",
    '"]; click n0 href "javascript:alert(1)"', "%%{init: {}}%%", "#quot;", "`**x**`", "=1+1", "\ufffe", "a\rb", "\U0001f600",
)  # fmt: skip
text = st.one_of(
    st.sampled_from(HOSTILE), st.text(max_size=20), st.lists(st.sampled_from(HOSTILE), max_size=3).map("".join)
)
ids = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12))
unsupported = st.sampled_from([SupportClass.CONTRADICTED, SupportClass.ABSENT, SupportClass.PARTIALLY_SUPPORTED])


@st.composite
def reports(draw):
    """Any report that can be saved: hostile ids and texts, every class, with or without an answer."""
    names = draw(st.lists(ids, min_size=1, max_size=6, unique=True))
    kinds = st.sampled_from(["question", "instruction", "document", "tool_result", "completion"])
    nodes = [
        Node(
            id=name, kind=draw(kinds), text=draw(text), step=draw(st.none() | text), run_id=draw(st.none() | text),
            attributes=draw(st.dictionaries(text, st.none() | st.integers() | text, max_size=2)),
        )
        for name in names
    ]  # fmt: skip
    if draw(st.booleans()):
        nodes[-1] = Node(id=names[-1], kind="answer", text=draw(text), step=draw(st.none() | text))
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=6)) if pairs else []
    basis = st.sampled_from(["declared", "matched", "scope"])
    edges = [Edge(source=a, target=b, basis=draw(basis), coverage=draw(st.floats(0, 1))) for a, b in chosen]
    claims, verdicts = [], []
    for claim_id in draw(st.lists(ids, max_size=4, unique=True)):
        where = draw(st.sampled_from(nodes))
        words = draw(text)
        claims.append(Claim(id=claim_id, text=words, quote=draw(st.just(words) | text), start=0, end=len(words)))
        evidence = (
            Evidence(node_id=where.id, start=0, end=len(where.text), quote=where.text, relation=draw(st.sampled_from(["supports", "contradicts", "nearest"]))),
        )  # fmt: skip
        verdicts.append(
            draw(
                st.one_of(
                    st.builds(Verdict, claim_id=st.just(claim_id), support=st.just(SupportClass.SUPPORTED), evidence=st.just(evidence), judge=text),
                    st.builds(Verdict, claim_id=st.just(claim_id), error=text.filter(bool)),
                    st.builds(Verdict, claim_id=st.just(claim_id), undecided=text.filter(bool), evidence=st.just(evidence)),
                    st.builds(
                        Verdict, claim_id=st.just(claim_id), support=unsupported, error_type=st.sampled_from(list(ErrorType)), evidence=st.just(evidence),
                        introduced_at=st.none() | st.sampled_from(names), carried_through=st.lists(st.sampled_from(names), max_size=2).map(tuple),
                        rationale=text, confidence=st.none() | st.floats(0, 1), detail=st.none() | text,
                    ),
                )
            )
        )  # fmt: skip
    return Report(
        state=draw(st.sampled_from(["assessed", "error"])), graph=ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges)),
        claims=tuple(claims), verdicts=tuple(verdicts), judge=draw(text), warnings=tuple(draw(st.lists(text, max_size=2))),
    )  # fmt: skip


def bare():
    """Reports that lack what others have."""
    alone = graph_of([node("d1", "document", "A text.")])
    return {
        "nothing": Report(state="error", graph=ProvenanceGraph(nodes=()), warnings=("the judge failed",)),
        "no answer": Report(state="error", graph=alone),
        "no claims": judged(answer="Hello!", state="no_checkable_claims"),
        "not judged": judged(("It is.", None), state="partial"),
    }


LONE = "a\ud800b\udfff"
PARTS = ("id", "text", "step", "run_id", "attribute", "key", "nested", "judge", "rationale", "warning", "claim id", "none")  # fmt: skip


def with_half_characters(part):
    """A report with lone surrogates, which JSON from outside may hold and no file can, in one of its parts."""
    odd = {each: LONE if each == part else "plain" for each in PARTS}
    attributes = {odd["key"]: 1, "title": odd["attribute"], "list": [odd["nested"], {odd["nested"]: odd["nested"]}]}
    source = node(f"d{odd['id']}", "document", odd["text"], odd["step"], run_id=odd["run_id"], attributes=attributes)
    graph = graph_of((source, node("answer", "answer", "It is so.", odd["step"])), (source.id, "answer"))
    wrong = {
        "rationale": odd["rationale"],
        "evidence": (quoted(graph.nodes[0], graph.nodes[0].text, "contradicts"),),
        "introduced_at": "answer",
        "judge": odd["judge"],
    }
    report = judged(("It is so.", NO, wrong), graph=graph, judge=odd["judge"], warnings=(odd["warning"],))
    (claim,), (verdict,) = report.claims, report.verdicts
    return replace(
        report, claims=(replace(claim, id=odd["claim id"]),), verdicts=(replace(verdict, claim_id=odd["claim id"]),)
    )
