"""The structure of the engine in numbers: `python tests/benchmarks/rooms.py`. One JSON line a measurement.

- `rooms`: packages and modules directly below `trail_callbacks`; `arrows`: pairs of rooms of which one imports the other,
  wherever in a module the import stands; `circles`: groups of rooms, and of modules, that import each other in a circle.
- `entered`: modules of the engine in which a function runs during one `check()` and its `to_html()`, by room; and those of
  engine and adapter from a LangChain callback to the page, where LangChain is installed.
- `lines`: lines of Python by room.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

import grimp
import networkx as nx

import trail_callbacks

ROOT = Path(trail_callbacks.__file__).parent
ROOTS = (ROOT, ROOT.parent / "integrations" / "langchain_trail")
ANSWER = "The bridge opened in 1986. It carries 12,000 cars a day, and all lorries use the lower deck."
SOURCES = ["The bridge opened in 1968. Some lorries use the lower deck.", '{"cars_a_day": 12000}']


def emit(**line) -> None:
    print(json.dumps(line), flush=True)


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else "(package)"


def circles(arrows: Mapping[Hashable, Iterable[Hashable]]) -> list[list[Hashable]]:
    graph = nx.DiGraph([(start, end) for start, ends in arrows.items() for end in ends])
    return [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]


def entered(work: Callable[[], object]) -> Counter[str]:
    """Counts the modules in which a function runs, module bodies aside: importing is no step of a check."""
    files: set[str] = set()

    def watch(frame, event, _):
        if event == "call" and frame.f_code.co_name != "<module>":
            files.add(frame.f_code.co_filename)

    work()  # a warm-up
    for kind in (sys, threading):  # this thread, and those that it starts
        kind.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    inside = [path.relative_to(root) for path in map(Path, files) for root in ROOTS if path.is_relative_to(root)]
    return Counter(path.parts[0].removesuffix(".py") for path in inside)


def checked() -> None:
    trail_callbacks.check(ANSWER, SOURCES, question="What do you know of the bridge?").to_html()


def recorded() -> None:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableLambda
    from langchain_trail import TrailCallbackHandler

    class Shelf(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return [Document(text) for text in SOURCES]

    handler = TrailCallbackHandler(evaluate="never")  # judged on this thread, when it is asked for
    (Shelf() | RunnableLambda(lambda _: ANSWER)).invoke("What do you know of the bridge?", {"callbacks": [handler]})
    handler.report().to_html()


def main() -> None:
    graph = grimp.build_graph("trail_callbacks", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    between: dict[Hashable, set[Hashable]] = {}
    for module, used in imports.items():
        between.setdefault(room(module), set()).update(room(other) for other in used)
    arrows = {start: ends - {start} for start, ends in between.items()}
    emit(measure="rooms", value=len([r for r in arrows if r != "(package)"]))
    emit(measure="arrows", value=sum(map(len, arrows.values())))
    emit(measure="circles", rooms=circles(arrows), modules=circles(imports))
    for name, work in (("entered", checked), ("entered from a callback", recorded)):
        if work is checked or find_spec("langchain_core"):
            steps = entered(work)
            emit(measure=name, value=sum(steps.values()), by_room=dict(sorted(steps.items())))
    lines: Counter[str] = Counter()
    for path in ROOT.rglob("*.py"):
        part = path.relative_to(ROOT).parts[0].removesuffix(".py")
        lines[part] += len(path.read_text(encoding="utf-8").splitlines())
    emit(measure="lines", value=lines.total(), by_room=dict(lines.most_common()))


if __name__ == "__main__":
    main()
