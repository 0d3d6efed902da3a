"""Reports to show, and a reader of HTML that is as strict as no browser is."""

import json
import re
from html.parser import HTMLParser

from judged import ABSENT, NO, SOME, YES, graph_of, node, quoted
from judged import report as judged

from trail_callbacks import ErrorType, SupportClass
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Layer

HOSTILE = (
    "\x1b[2J\x1b]0;pwned\x07 [bold red]x[/] <script>alert(1)</script> \u202eevil\u2066 \x9b31m \r\n \x00 & \"' :smile:"
)
VOID = {"meta", "input", "br", "link", "img", "rect"}  # a rect is written `<rect .../>`


class Page(HTMLParser):
    """Checks that elements nest and name an attribute once, and keeps what a test asks for."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.text = [], [], ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, names)
        element = {"tag": tag, "text": "", **dict(attrs)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        assert tag in {*VOID, "path"}, tag  # a path may hold a title
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        self.text += data
        for element in self.open:
            element["text"] += data

    def all(self, tag=None, **attributes):
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        found = (each for each in self.elements if tag in (None, each["tag"]))
        return [e for e in found if all(name in e and value in (..., e[name]) for name, value in wanted.items())]

    @property
    def tags(self):
        return {each["tag"] for each in self.elements}

    @property
    def attributes(self):
        return {name for each in self.elements for name in each} - {"tag", "text"}

    @property
    def data(self):
        (element,) = self.all("script", type="application/json")
        return json.loads(element["text"])


BOATS = "Some boats may be visited on Sundays. The rest may not."


def one_claim(answer, source=BOATS, *, words=None, why="", step="summarise"):
    """A report on an answer of one claim, which a summary brought in."""
    nodes = (
        node("q1", "question", "Which?", "user"),
        node("d1", "document", source, "shelf", attributes={"source": "fleet.md"}),
        node("m2", "completion", answer, step),
        node("answer", "answer", answer, "combine"),
    )
    wrong = {
        "error_type": ErrorType.FALSE_CONCATENATION,
        "rationale": why,
        "evidence": (quoted(nodes[1], source if words is None else words, "contradicts"),),
        "introduced_at": "m2",
        "carried_through": ("answer",),
    }
    graph = graph_of(nodes, ("q1", "m2"), ("d1", "m2", "scope"), ("m2", "answer"))
    return judged((answer, NO, wrong), graph=graph, judge="test")


FLEET = one_claim("All boats may be visited.", words="Some boats may be visited on Sundays.", why="all against some")
NOTED = "The ferry takes 53 minutes."


def _echoed():
    """A report on an answer of four claims: two that only the request supports, one of a tool, one that it echoed."""
    rules, tool = "The pier is closed on Mondays.", "Fare: 4 euros."
    nodes = (
        node("q1", "question", "I am Ada. How long?", "user"),
        node("i1", "instruction", rules, "prompt"),
        node("t1", "tool_result", f"Noted: {NOTED} {tool}", "note", model_spans=((7, 7 + len(NOTED)),)),
        node("t2", "tool_result", NOTED, "memory", origin="model", model_spans=((0, 5),)),
        node("answer", "answer", f"I am Ada. {rules} {tool} {NOTED}", "combine"),
    )
    graph = graph_of(nodes, *((each.id, "answer") for each in nodes[:-1]))
    held = [(words, YES, {"evidence": (quoted(graph.node(at), words),)})
            for words, at in (("I am Ada.", "q1"), (rules, "i1"), (tool, "t1"))]  # fmt: skip
    return judged(*held, (NOTED, ABSENT), graph=graph, judge="")


ECHOED = _echoed()
ANSWER = "The pier is old. Boats leave at nine. Entry is free."
GUIDE = "The pier was built in 1820. Boats leave at ten. \u05e9\u05dc\u05d5\u05dd"


def whole(answer=ANSWER, source=GUIDE, *, why="nine is not ten", step="summarise", ids="c"):
    """A report that holds everything a page can say; its claims have one class after the other."""
    nodes = (
        node("q1", "question", "When do boats leave?", "user"),
        node("d1", "document", source, "shelf", attributes={"source": f"guide.md{why}"}),
        node("m1", "completion", answer, step),
        node("answer", "answer", answer, "combine"),
    )
    wrong = {
        "error_type": ErrorType.NUMBER,
        "second_type": ErrorType.TEMPORAL,
        "detail": why,
        "confidence": 0.87,
        "introduced_at": "m1",
        "carried_through": ("answer",),
        "history": (Layer(nodes=("m1",), stated_by=("m1",), note=why),),
    }
    told = {"rationale": why, "evidence": (quoted(nodes[1], source[:27]),) if source else (), "judge": f"judge/{why}"}
    found = []
    for n, part in enumerate(re.findall(r"[^.]+\.?", answer) or [answer]):
        support = list(SupportClass)[n % len(SupportClass)]
        found.append((part, support, told | (wrong if support in {NO, ABSENT, SOME} else {})))
    return judged(
        *found, ids=ids, graph=graph_of(nodes, ("q1", "m1", "scope"), ("d1", "m1"), ("m1", "answer")),
        usage=Usage(calls=3, prompt_tokens=12_345, completion_tokens=678, seconds=4.5, cache_hits=2),
        warnings=(f"a warning {why}",), judge=f"judge/{why}", run_id="run-1",
    )  # fmt: skip


WHOLE = whole()


def wide(count):
    """A report on many texts, of which the last supports the answer."""
    nodes = [node(f"d{n}", "document", f"Text {n}. " * 40, "shelf") for n in range(count)]
    nodes.append(node("answer", "answer", "It is so."))
    graph = graph_of(nodes, *((each.id, "answer") for each in nodes[:-1]))
    return judged(("It is so.", YES, {"evidence": (quoted(nodes[-2], "Text "),)}), graph=graph)
