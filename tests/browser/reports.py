"""Reports to look at: a real one with known answers, the demo's, large ones, and those in which something is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from itertools import cycle
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # for judged.py, where pictures are taken
from judged import ABSENT, NO, ODD, SOME, YES, graph_of, node, quoted
from judged import report as judged

from trail_callbacks import ErrorType, ProvenanceGraph, Report, SupportClass, check
from trail_callbacks.diagnosis import verified
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Layer
from trail_callbacks.taxonomy import UNSUPPORTED
from trail_callbacks.text import locate

_HARBOUR = Path(__file__).parents[1] / "runs" / "planted_harbour.json"
_ERRORS = {
    NO: (ErrorType.NUMBER, ErrorType.ENTITY, ErrorType.TEMPORAL),
    ABSENT: (ErrorType.OTHER, ErrorType.ATTRIBUTION_FAILURE),
    SOME: (ErrorType.OVERGENERALIZATION, ErrorType.HYPERBOLE),
}


def harbour() -> Report:
    """A map-reduce run in which it is known which claim is wrong, how, and where it came in."""
    row = json.loads(_HARBOUR.read_text(encoding="utf-8"))
    nodes = [
        node(
            each["id"], "answer" if each["id"] == row["answer_id"] else each["kind"], each["text"], each["step"],
            attributes={"source": f"{each['id']}.md", "rank": 1} if each["kind"] == "document" else {"model": "played"},
        )
        for each in row["nodes"]
    ]  # fmt: skip
    graph = graph_of(nodes, *((source, each["id"]) for each in row["nodes"] for source in each["inputs"]))
    found = []
    for gold in row["claims"]:
        support = SupportClass(gold["support"])
        relation = "contradicts" if support is NO else "supports"
        evidence = [(graph.node(each["node"]), each["quote"]) for each in gold["evidence"]]
        said = {
            "error_type": gold["error_type"] and ErrorType(gold["error_type"]),
            "rationale": f"What the sources say about {gold['id']}, in a sentence.",
            "evidence": tuple(quoted(of, _there(of.text, words), relation) for of, words in evidence),
            "confidence": 0.87,
            "introduced_at": gold["introduced_at"],
            "carried_through": tuple(gold["carried_through"]),
            "history": (Layer(nodes=("n8",), stated_by=("n8",), note="stated here"),) * (support in UNSUPPORTED),
            "judge": "gold/1",
        }
        found.append((_there(graph.answer.text, gold["quote"]), support, said))
    report = judged(
        *found, graph=graph, usage=Usage(calls=4, prompt_tokens=5120, completion_tokens=611, seconds=3.25),
        warnings=("a sentence of warning",), judge="gold/1",
    )  # fmt: skip
    claims = [replace(each, text=gold["text"]) for each, gold in zip(report.claims, row["claims"], strict=True)]
    assert [each.id for each in claims] == [gold["id"] for gold in row["claims"]]
    return replace(report, claims=tuple(claims))


def _there(text: str, quote: str) -> str:
    """A quote as a text spells it."""
    start, end = locate(quote, text)
    return text[start:end]


@cache
def demo(app: str = "langchain") -> Report:
    """The report of `trail demo`. Its apps have loops of their own, so they run in a process of their own."""
    asked = [sys.executable, "-m", "trail_callbacks.cli", "demo", app, "--json"]
    played = subprocess.run(asked, capture_output=True, check=True, timeout=240)
    return Report.from_json(json.dumps(json.loads(played.stdout)["report"]))


def diagnosed() -> Report:
    """A run whose reranker dropped the passage with the answer, diagnosed by the offline judge."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "faults"))
    import langchain_faults
    from cases import cases

    plan = next(each for each in cases(4, seed=3) if each.variant == "reranker")
    return verified(langchain_faults.played(plan))


def layered(wide: int = 1112, deep: int = 9) -> Report:
    """A run of `wide * deep` nodes and a few more: documents, layers of summaries, one answer. Some claims are wrong."""
    log = "Report {0}. Barge {0} carried {1} tonnes of gravel. The lock keeper was paid."
    logs = [
        node(f"n0.{row}", "document", log.format(row, row * 3 + 10), "shelf", attributes={"source": f"log-{row}.txt"})
        for row in range(wide)
    ]
    nodes, edges = [node("question", "question", "What happened on the river?", "user"), *logs], []
    for stage in range(1, deep):
        for row in range(wide):
            said = f"Barge {row} carried {row * 3 + 10} tonnes, says summary {stage}."
            nodes.append(node(f"n{stage}.{row}", "completion", said, f"summarise_{stage}"))
            edges.append((f"n{stage - 1}.{row}", f"n{stage}.{row}"))
            if row % 10 == 0 and row:
                edges.append((f"n{stage - 1}.{row - 1}", f"n{stage}.{row}", "scope"))
    found = []
    for n in range(12):
        row, wrong = n * (wide // 12), n % 2
        words = f"Barge {row} carried {row * 3 + 10} tonnes of gravel."
        said = {"evidence": (quoted(logs[row], words, "contradicts" if wrong else "supports"),), "judge": "test/1"}
        if wrong:
            through = (*(f"n{stage}.{row}" for stage in range(3, deep)), "answer")
            said |= {"error_type": ErrorType.NUMBER, "rationale": "The log says another number."}
            said |= {"introduced_at": f"n2.{row}", "carried_through": through}
        found.append((f"Barge {row} carried {row * 3 + 10 + wrong} tonnes.", NO if wrong else YES, said))
    nodes.append(node("answer", "answer", " ".join(words for words, *_ in found), "combine"))
    return judged(*found, graph=graph_of(nodes, *edges, *((f"n{deep - 1}.{row}", "answer") for row in range(wide))))


def long_answer(claims: int = 200) -> Report:
    """An answer with many claims of every class and type."""
    rooms = [f"Room {n} of the museum shows {n % 20 + 2} ship models." for n in range(claims)]
    sources = [
        node(f"d{n}", "document", " ".join(f"Room {n * 20 + k} of the museum shows {k + 2} ship models." for k in range(20)),
             "retrieve")
        for n in range((claims + 19) // 20)
    ]  # fmt: skip
    order, found = [*SupportClass, "undecided", None], []
    for (n, words), support in zip(enumerate(rooms), cycle(order), strict=False):
        types = _ERRORS.get(support, ())
        said = {"rationale": f"Why room {n} is judged so.", "judge": "test/1"}
        if support in (YES, "undecided"):
            said |= {"evidence": (quoted(sources[n // 20], words, "supports" if support == YES else "nearest"),)}
        if types:
            said |= {"error_type": types[n // len(order) % len(types)]}
            said |= {"introduced_at": "draft", "carried_through": ("answer",)}
        said |= {"undecided": f"No sentence says what room {n} shows."} if support == "undecided" else {}
        said |= {"error": "the judge gave no answer"} if support is None else {}
        found.append((words, support if isinstance(support, SupportClass) else None, said))
    answer = "".join(words + ("\n\n" if n % 7 == 6 else " ") for n, words in enumerate(rooms))
    inputs = [node("q", "question", "What does each room show?", "user"), *sources]
    nodes = [*inputs, node("draft", "completion", answer, "write"), node("answer", "answer", answer, "polish")]
    graph = graph_of(nodes, *((each.id, "draft") for each in inputs), ("draft", "answer"))
    return judged(*found, graph=graph, state="partial", warnings=("some claims were not judged",))


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
    graph = ProvenanceGraph.from_texts(answer, [source], answer)
    evidence = (quoted(graph.node("source-1"), _second(source), "contradicts"),)
    said = {"error_type": ErrorType.NUMBER, "rationale": source, "evidence": evidence, "introduced_at": "answer"}
    return judged((answer, NO, {**said, "judge": "test/1"}), graph=graph)


def _second(source: str) -> str:
    """The sentence with the year."""
    year = source.index("26") if "1926" not in source else source.index("1926")
    ends = ".。"
    start = max(source.rfind(end, 0, year) for end in ends) + 1
    stop = min(at for end in ends if (at := source.find(end, year)) >= 0) + 1
    return source[start:stop].strip()


_RAISED = graph_of(
    (node("q", "question", "When did it open?", "user"), node("d1", "document", "It opened in 1926.", "retrieve"))
)
_GREETING = ProvenanceGraph.from_texts("Hello! How can I help?", ["It opened in 1926."], "When did it open?")
_UNSOURCED = ProvenanceGraph.from_texts("It opened in 1962.", [], "When did it open?")
_BLANK = ProvenanceGraph.from_texts("", ["", "It opened in 1926."], "When did it open?")


MISSING = {
    "no graph": lambda: Report(state="no_evidence", graph=ProvenanceGraph(nodes=())),
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
    "no edges": lambda: replace(harbour(), graph=ProvenanceGraph(nodes=harbour().graph.nodes)),
    "bare verdict": lambda: judged(("It opened in 1962.", ODD), sources=["It opened in 1926."], judge=""),
}
