"""Generated graphs whose runs are torn apart: the report on what resumed must be that of the run that nothing tore."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from langchain_blocks import BLOCKS, KEYS, STYLES, ask, draft, function, retriever, tool_of_facts
from langchain_play import MODES, drive
from langchain_trail import TrailCallbackHandler
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from story import Story, Tally, Violation, check

from trail_callbacks import ErrorType, Evidence, LocalJudge, SupportClass
from trail_callbacks.judges.judge import Assessment, Judgement
from trail_callbacks.report import Report

_IN_STATE = (retriever, function, tool_of_facts)
TEARS = ("interrupt before", "interrupt inside", "crash", "next turn", "time travel", "subgraph")
WORKERS = ("same handler", "store", "history", "nothing")


class Literal(LocalJudge):
    """Decides every claim: it is supported where a passage has its words, else absent."""

    name = "literal/1"

    def assess(self, questions: Any, purpose: str = "verdicts") -> Any:
        yield from ()
        return Assessment(judgements=tuple(map(_judged, questions)))


def _judged(question: Any) -> Judgement:
    words = question.claim.quote.strip(" .。-")
    found = tuple(
        Evidence(node_id=each.node_id, start=each.start, end=each.end, quote=each.text, relation="supports")
        for each in question.passages
        if words in each.text
    )
    support = SupportClass.SUPPORTED if found else SupportClass.ABSENT
    error = None if found else ErrorType.OTHER
    return Judgement(claim_id=question.claim.id, support=support, error_type=error, evidence=found)


@dataclass
class Torn:
    """A graph of building blocks, each a node that writes a key of the state, and the place where its run is torn."""

    seed: str
    tear: str
    torn: bool
    in_state: bool = False  # all sources are texts of the state: a history tells no more

    def __post_init__(self) -> None:
        self.story = story = Story.seeded(self.seed)
        random = story.random
        blocks = [random.choice(_IN_STATE), draft] if self.in_state else random.sample(BLOCKS, random.randint(2, 4))
        story.blocks += ["torn", *(block.__name__ for block in blocks)]
        self.works = {key: block(story) for key, block in zip(random.sample(KEYS, len(blocks)), blocks, strict=True)}
        self.style = random.choice(STYLES)
        self.sources = [key for key, block in zip(self.works, blocks, strict=True) if block in _IN_STATE]
        story.replies.append(story.answer())
        self.place = "write" if self.tear == "time travel" else random.choice([*list(self.works)[1:], "write"])
        self.stops = 1
        self.app = self._graph()

    def _node(self, name: str, work: Callable[[dict[str, str]], dict[str, str]]) -> Callable[[Any], dict[str, str]]:
        def node(state: Any) -> dict[str, str]:
            if self.torn and name == self.place and self.stops:
                if self.tear in {"interrupt inside", "subgraph"}:
                    interrupt("Go on?")
                elif self.tear == "crash":
                    self.stops = 0
                    raise ConnectionError("the worker is gone")
            return work(state)

        return node

    def _graph(self) -> Any:
        names = ["question", "answer", *self.works]
        schema = TypedDict("State", dict.fromkeys(names, str), total=False)
        graph, before = StateGraph(schema), START
        nodes = {
            **{key: lambda state, key=key, work=work: {key: work(state)} for key, work in self.works.items()},
            "write": lambda state: {"answer": ask(self.story, self.style, _shown(state), "Answer the question.")},
        }
        first = next(iter(nodes))
        for key, work in nodes.items():
            graph.add_node(f"do_{key}", self._node(key, work))
            if before != START:
                graph.add_edge(before, f"do_{key}")
            before = f"do_{key}"
        graph.add_edge(before, END)
        graph.add_conditional_edges(START, lambda state: "do_write" if state.get("answer") else f"do_{first}")
        stop = [f"do_{self.place}"] if self.torn and self.tear == "interrupt before" else None
        if self.tear != "subgraph":
            return graph.compile(checkpointer=InMemorySaver(), interrupt_before=stop)
        outer = StateGraph(schema)
        outer.add_node("inside", graph.compile())
        outer.add_edge(START, "inside").add_edge("inside", END)
        return outer.compile(checkpointer=InMemorySaver())

    def run(self, mode: str, worker: str, folder: Path) -> Report:
        """Runs the graph, torn or not, and returns the report on its answer."""
        settings: dict[str, Any] = {"judge": Literal(), "evaluate": "never"}
        if worker == "store":
            settings = {"judge": Literal(), "store": folder / f"{self.seed}.db"}
        if worker == "history":
            settings["sources"] = self.sources
        first = TrailCallbackHandler(**settings)
        config = {"configurable": {"thread_id": self.seed}, "callbacks": [first]}
        question = {"question": self.story.question}
        with suppress(ConnectionError):
            drive(self.app, question, config, mode)
        if self.tear == "next turn":
            self.story.replies.append(self.story.replies[-1])
        if not self.torn and self.tear != "next turn":
            return first.report()
        if worker == "store":
            first.flush()
        then = first if worker == "same handler" or not self.torn else TrailCallbackHandler(**settings)
        config = {**config, "callbacks": [then]}
        if worker == "history":
            then.read_history(self.app, config)
        if self.tear == "time travel":
            states = self.app.get_state_history({"configurable": {"thread_id": self.seed}})
            there = next(each for each in states if each.next == (f"do_{self.place}",))
            config["configurable"] = there.config["configurable"]
            self.story.replies.append(self.story.replies[-1])
        again: Any = Command(resume="yes") if self.tear in {"interrupt inside", "subgraph"} else None
        drive(self.app, {"question": self.story.questions[1]} if self.tear == "next turn" else again, config, mode)
        try:
            return then.report()
        finally:
            first.close()
            then.close()


def _shown(state: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in state.items() if name != "answer"}


def found(report: Report, *, origins: bool = True) -> list[tuple[str, str, str | None]]:
    """What a report says: of each claim its outcome, and the step at which it entered; of each source its origin."""
    graph, said = report.graph, []
    for claim, verdict in zip(report.claims, report.verdicts, strict=True):
        step = None if verdict.introduced_at is None else graph.node(verdict.introduced_at).step
        said.append((claim.quote, verdict.outcome, step))
    return said + sorted((leaf.text, str(leaf.origin), leaf.step) for leaf in graph.leaves() if origins)


def played(seed: str, tally: Tally) -> list[Violation]:
    """Tears a run, and compares its report with that of the same run in one piece."""
    random = Story.seeded(seed).random
    tear, worker, mode = random.choice(TEARS), random.choice(WORKERS), random.choice(MODES)
    torn, whole = (Torn(seed, tear, torn=each, in_state=worker == "history") for each in (True, False))
    with tempfile.TemporaryDirectory() as folder:
        wanted = whole.run(mode, "same handler", Path(folder))
        report = torn.run(mode, worker, Path(folder))
    torn.story.blocks += [tear, worker, f"{tear}, {worker}"]
    violations = [
        each for each in check(torn.story, report, tally) if "supported" in each.kind or worker == "same handler"
    ]
    origins = worker in {"same handler", "store"}  # a history knows no retriever
    same = found(report, origins=origins) == found(wanted, origins=origins)
    wrong = not same and (worker != "nothing" or report.state == "assessed")
    if wrong:
        detail = f"{report.state}: {set(found(report, origins=origins)) ^ set(found(wanted, origins=origins))}"
        violations.append(Violation("report differs", f"{tear}, {worker}", detail))
    tally.add(seed, torn.story, violations)
    return violations
