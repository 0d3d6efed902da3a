"""Reports to look at: a real one with known answers, the demo's, large ones, and those in which something is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

from trail_callbacks import (
    Claim,
    Edge,
    ErrorType,
    Evidence,
    Node,
    ProvenanceGraph,
    Report,
    SupportClass,
    Verdict,
    check,
)
from trail_callbacks.diagnosis import verified
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Layer
from trail_callbacks.taxonomy import UNSUPPORTED
from trail_callbacks.text import locate

_HARBOUR = Path(__file__).parents[1] / "runs" / "planted_harbour.json"
_RELATIONS = {SupportClass.SUPPORTED: "supports", "undecided": "nearest"}
_ERRORS = {
    SupportClass.CONTRADICTED: (ErrorType.NUMBER, ErrorType.ENTITY, ErrorType.TEMPORAL),
    SupportClass.ABSENT: (ErrorType.OTHER, ErrorType.ATTRIBUTION_FAILURE),
    SupportClass.PARTIALLY_SUPPORTED: (ErrorType.OVERGENERALIZATION, ErrorType.HYPERBOLE),
}


def harbour() -> Report:
    """A map-reduce run in which it is known which claim is wrong, how, and where it came in."""
    row = json.loads(_HARBOUR.read_text(encoding="utf-8"))
    nodes = tuple(
        Node(
            id=each["id"],
            kind="answer" if each["id"] == row["answer_id"] else each["kind"],
            text=each["text"],
            step=each["step"],
            attributes={"source": f"{each['id']}.md", "rank": 1} if each["kind"] == "document" else {"model": "played"},
        )
        for each in row["nodes"]
    )
    edges = tuple(Edge(source=source, target=each["id"]) for each in row["nodes"] for source in each["inputs"])
    graph = ProvenanceGraph(nodes=nodes, edges=edges)
    claims, verdicts = [], []
    for gold in row["claims"]:
        start, end = locate(gold["quote"], graph.answer.text)
        claims.append(Claim(id=gold["id"], text=gold["text"], quote=graph.answer.text[start:end], start=start, end=end))
        support = SupportClass(gold["support"])
        verdicts.append(
            Verdict(
                claim_id=gold["id"],
                support=support,
                error_type=gold["error_type"] and ErrorType(gold["error_type"]),
                rationale=f"What the sources say about {gold['id']}, in a sentence.",
                evidence=tuple(
                    _found(
                        graph.node(each["node"]),
                        each["quote"],
                        "contradicts" if support is SupportClass.CONTRADICTED else "supports",
                    )
                    for each in gold["evidence"]
                ),
                confidence=0.87,
                introduced_at=gold["introduced_at"],
                carried_through=tuple(gold["carried_through"]),
                history=(Layer(nodes=("n8",), stated_by=("n8",), note="stated here"),)
                if support in UNSUPPORTED
                else (),
                judge="gold/1",
            )
        )
    return Report(
        state="assessed",
        graph=graph,
        claims=tuple(claims),
        verdicts=tuple(verdicts),
        usage=Usage(calls=4, prompt_tokens=5120, completion_tokens=611, seconds=3.25),
        warnings=("a sentence of warning",),
        judge="gold/1",
    )


def _found(node: Node, quote: str, relation: str) -> Evidence:
    start, end = locate(quote, node.text)
    return Evidence(node_id=node.id, start=start, end=end, quote=node.text[start:end], relation=relation)


@cache
def demo() -> dict[str, Report]:
    """The reports of `trail demo`, by app. The apps have loops of their own, so they run in a process of their own."""
    command = [sys.executable, "-m", "trail_callbacks.cli", "demo", "--json"]
    return {
        app: Report.from_json(json.dumps(json.loads(subprocess.check_output([*command, app], timeout=240))["report"]))
        for app in ("langchain", "langgraph", "llama-index")
    }


def diagnosed() -> Report:
    """A run whose reranker dropped the passage with the answer, diagnosed by the offline judge."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "faults"))
    import langchain_faults
    from cases import cases

    plan = next(each for each in cases(4, seed=3) if each.variant == "reranker")
    return verified(langchain_faults.played(plan))


def layered(wide: int = 1112, deep: int = 9) -> Report:
    """A run of `wide * deep` nodes and a few more: documents, layers of summaries, one answer. Some claims are wrong."""
    nodes = [Node(id="question", kind="question", text="What happened on the river?", step="user")]
    edges = []
    nodes += [
        Node(
            id=f"n0.{row}",
            kind="document",
            text=f"Report {row}. Barge {row} carried {row * 3 + 10} tonnes of gravel. The lock keeper was paid.",
            step="shelf",
            attributes={"source": f"log-{row}.txt"},
        )
        for row in range(wide)
    ]
    for stage in range(1, deep):
        for row in range(wide):
            text = f"Barge {row} carried {row * 3 + 10} tonnes, says summary {stage}."
            nodes.append(Node(id=f"n{stage}.{row}", kind="completion", text=text, step=f"summarise_{stage}"))
            edges.append(Edge(source=f"n{stage - 1}.{row}", target=f"n{stage}.{row}"))
            if row % 10 == 0 and row:
                edges.append(Edge(source=f"n{stage - 1}.{row - 1}", target=f"n{stage}.{row}", basis="scope"))
    claims, verdicts, answer = [], [], ""
    for n in range(12):
        row = n * (wide // 12)
        quote = f"Barge {row} carried {row * 3 + 10 + n % 2} tonnes."
        wrong = bool(n % 2)
        start = len(answer) + (1 if answer else 0)
        answer = f"{answer} {quote}".strip()
        claims.append(Claim(id=f"c{n + 1}", text=quote, quote=quote, start=start, end=start + len(quote)))
        leaf = nodes[1 + row]
        verdicts.append(
            Verdict(
                claim_id=f"c{n + 1}",
                support=SupportClass.CONTRADICTED if wrong else SupportClass.SUPPORTED,
                error_type=ErrorType.NUMBER if wrong else None,
                rationale="The log says another number." if wrong else "",
                evidence=(
                    _found(
                        leaf,
                        f"Barge {row} carried {row * 3 + 10} tonnes of gravel.",
                        "contradicts" if wrong else "supports",
                    ),
                ),
                introduced_at=f"n2.{row}" if wrong else None,
                carried_through=(*(f"n{stage}.{row}" for stage in range(3, deep)), "answer") if wrong else (),
                judge="test/1",
            )
        )
    nodes.append(Node(id="answer", kind="answer", text=answer, step="combine"))
    edges += [Edge(source=f"n{deep - 1}.{row}", target="answer") for row in range(wide)]
    return Report(
        state="assessed",
        graph=ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges)),
        claims=tuple(claims),
        verdicts=tuple(verdicts),
        judge="test/1",
    )


def long_answer(claims: int = 200) -> Report:
    """An answer with many claims of every class and type."""
    sources = [
        Node(
            id=f"d{n}",
            kind="document",
            text=" ".join(f"Room {n * 20 + k} of the museum shows {k + 2} ship models." for k in range(20)),
            step="retrieve",
        )
        for n in range((claims + 19) // 20)
    ]
    answer, found, verdicts = "", [], []
    order = [*SupportClass, "undecided", None]
    for n in range(claims):
        support = order[n % len(order)]
        quote = f"Room {n} of the museum shows {n % 20 + 2} ship models."
        start = len(answer)
        found.append(Claim(id=f"c{n + 1}", text=quote, quote=quote, start=start, end=start + len(quote)))
        answer += quote + ("\n\n" if n % 7 == 6 else " ")
        types = _ERRORS.get(support, ())
        leaf = sources[n // 20]
        verdicts.append(
            Verdict(
                claim_id=f"c{n + 1}",
                support=support if isinstance(support, SupportClass) else None,
                error_type=types[n // len(order) % len(types)] if types else None,
                rationale=f"Why room {n} is judged so.",
                evidence=(_found(leaf, quote, _RELATIONS[support]),) if support in _RELATIONS else (),
                undecided=f"No sentence says what room {n} shows." if support == "undecided" else None,
                introduced_at="draft" if types else None,
                carried_through=("answer",) if types else (),
                error="the judge gave no answer" if support is None else None,
                judge="test/1",
            )
        )
    nodes = (
        Node(id="q", kind="question", text="What does each room show?", step="user"),
        *sources,
        Node(id="draft", kind="completion", text=answer, step="write"),
        Node(id="answer", kind="answer", text=answer, step="polish"),
    )
    edges = (
        *(Edge(source=each.id, target="draft") for each in nodes[:-2]),
        Edge(source="draft", target="answer"),
    )
    return Report(
        state="partial",
        graph=ProvenanceGraph(nodes=nodes, edges=edges),
        claims=tuple(found),
        verdicts=tuple(verdicts),
        warnings=("some claims were not judged",),
        judge="test/1",
    )


_SCRIPTS = {
    "arabic": ("افتتح المتحف عام 1962.", "بني المتحف من الحجر. افتتح المتحف عام 1926. الدخول مجاني."),
    "hebrew": ("המוזיאון נפתח בשנת 1962.", "המוזיאון נבנה מאבן. המוזיאון נפתח בשנת 1926. הכניסה חינם."),
    "chinese": ("博物馆于1962年开放。", "博物馆由石头建成。博物馆于1926年开放。免费入场。"),
    "japanese": ("博物館は1962年に開館した。", "博物館は石造りです。博物館は1926年に開館した。入場は無料です。"),
    "korean": ("박물관은 1962년에 문을 열었다.", "돌로 지었다. 박물관은 1926년에 문을 열었다. 무료이다."),
    "emoji": (
        "The 🏛️ opened in 1962 👩‍👩‍👧‍👦🇳🇴.",
        "🚢🚢🚢 It is made of stone 🪨. The 🏛️ opened in 1926 👩‍👩‍👧‍👦🇳🇴. Entry is free 🎟️.",
    ),
    "zero width": (
        "The mu\u200bseum opened in 19\u200d62.",
        "\ufeffMade of stone.\u00ad The mu\u200bseum opened in 19\u200d26. Free.",
    ),
    "combining": ("Das Muse\u0301um wurde 1962 ero\u0308ffnet.", "A\u030a. Das Muse\u0301um wurde 1926 ero\u0308ffnet."),
    "line ends": (
        "The museum\r\nopened in 1962.",
        "Made of stone.\r\n\r\nThe museum\ropened in 1926.\r\nFree.\x0b\x0c\x85\u2028End.",
    ),
}  # fmt: skip


def scripts() -> dict[str, Report]:
    """Reports in other scripts; the evidence is the second sentence, and its place counts code points."""
    return {name: _of_museum(answer, source) for name, (answer, source) in _SCRIPTS.items()}


def _of_museum(answer: str, source: str) -> Report:
    start = next(source.index(each) for each in (_second(source),))
    quote = _second(source)
    graph = ProvenanceGraph.from_texts(answer, [source], answer)
    verdict = Verdict(
        claim_id="c1",
        support=SupportClass.CONTRADICTED,
        error_type=ErrorType.NUMBER,
        rationale=source,
        evidence=(
            Evidence(node_id="source-1", start=start, end=start + len(quote), quote=quote, relation="contradicts"),
        ),
        introduced_at="answer",
        judge="test/1",
    )
    claim = Claim(id="c1", text=answer, quote=answer, start=0, end=len(answer))
    return Report(state="assessed", graph=graph, claims=(claim,), verdicts=(verdict,), judge="test/1")


def _second(source: str) -> str:
    """The sentence with the year."""
    year = source.index("26") if "1926" not in source else source.index("1926")
    ends = ".。"
    start = max(source.rfind(end, 0, year) for end in ends) + 1
    stop = min(at for end in ends if (at := source.find(end, year)) >= 0) + 1
    return source[start:stop].strip()


_EMPTY = ProvenanceGraph(nodes=(), edges=())
_RAISED = ProvenanceGraph(
    nodes=(
        Node(id="q", kind="question", text="When did it open?", step="user"),
        Node(id="d1", kind="document", text="It opened in 1926.", step="retrieve"),
    ),
    edges=(),
)
_GREETING = ProvenanceGraph.from_texts("Hello! How can I help?", ["It opened in 1926."], "When did it open?")
_UNSOURCED = ProvenanceGraph.from_texts("It opened in 1962.", [], "When did it open?")
_BLANK = ProvenanceGraph.from_texts("", ["", "It opened in 1926."], "When did it open?")


def _alone(report: Report) -> Report:
    """Without edges: texts are known, what led to what is not."""
    return replace(report, graph=ProvenanceGraph(nodes=report.graph.nodes, edges=()))


def _bare() -> Report:
    """Claims, and verdicts that say as little as a verdict may."""
    claim = Claim(id="c1", text="It opened in 1962.", quote="It opened in 1962.", start=0, end=18)
    graph = ProvenanceGraph.from_texts("It opened in 1962.", ["It opened in 1926."])
    return Report(state="assessed", graph=graph, claims=(claim,), verdicts=(
        Verdict(claim_id="c1", support=SupportClass.UNEVALUATABLE),))  # fmt: skip


MISSING = {
    "no graph": lambda: Report(state="no_evidence", graph=_EMPTY),
    "no answer": lambda: Report(state="error", graph=_RAISED, warnings=("the app raised ValueError: no such harbour",)),
    "interrupted": lambda: Report(state="interrupted", graph=_RAISED, warnings=("the run waits to be resumed",)),
    "judge failed": lambda: Report(state="error", graph=_UNSOURCED, warnings=("the judge failed: 401 no key",)),
    "no evidence": lambda: check("It opened in 1962.", [], "When did it open?"),
    "abstained": lambda: check("I do not know.", ["It opened in 1926."], "When did it open?"),
    "no checkable claims": lambda: check("Hello! How can I help?", ["It opened in 1926."], "When did it open?"),
    "unverified": lambda: check("```python\nprint(53)\n```", ["It opened in 1926."], "When did it open?"),
    "no claims": lambda: Report(state="no_checkable_claims", graph=_GREETING),
    "partial": lambda: replace(long_answer(12), warnings=("out of budget: 2 claims were not judged",)),
    "blank texts": lambda: Report(state="no_checkable_claims", graph=_BLANK),
    "no edges": lambda: _alone(harbour()),
    "bare verdict": _bare,
}
