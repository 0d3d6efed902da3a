"""Labelled answers, read from files of users, from the marks that people left on verdicts, or from the set that ships.

The unit is a sentence, list item, table row or value of JSON; where only parts of an answer were looked at, each part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from trail_callbacks.bench.results import Label, Labelled
from trail_callbacks.claims import structured
from trail_callbacks.errors import InputError, TrailError
from trail_callbacks.graph import Edge, Node, NodeKind, ProvenanceGraph
from trail_callbacks.reading import Broken, is_database, records
from trail_callbacks.reading.rows import COLUMNS, cell, column, held
from trail_callbacks.splitting.statements import stated
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass
from trail_callbacks.text import locate, shorten

SHIPPED = Path(__file__).parent / "data" / "answers.jsonl"
"""The answers that the package brings along."""

_MARK = frozenset({"run", "claim_id", "right"})  # keys of what a page exports
_LABELS = ("wrong", "right", "sentences")
_SHOWN = 60  # characters of a quote in a message

Span = tuple[int, int]
Name = TypeVar("Name", bound=StrEnum)
OnError = Callable[[InputError], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An answer whose sentences people labelled.

    Attributes:
        labelled: The labels.
        graph: What a judge reads: the answer and its sources, or all steps.
        spans: Where in the answer each label belongs.
    """

    labelled: Labelled
    graph: ProvenanceGraph
    spans: tuple[Span, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of what a judge reads: the same for the same answer under another id."""
        return sha256(self.graph.to_json().encode()).hexdigest()

    @property
    def answer(self) -> str:
        """The text that was labelled."""
        return self.graph.answer.text if self.graph.answer else ""


def read_items(paths: str | Path | Sequence[str | Path], on_error: OnError) -> Iterator[Item]:
    """Reads labelled answers: JSON lines, JSON or CSV, packed or not; a page's export of marks; or a store of marks.

    A row has `answer` and `sources`, perhaps `question`, `id`, `language` and `tags`, and labels: `wrong`, a list of
    quotes, each a text or an object with `quote`, `support`, `error_type` and `entry`. All other sentences are right,
    unless `right` quotes those that are; then nothing is known of the rest. Or `sentences`, a list of objects with
    `text` and `ok`. In place of answer and sources there may be `nodes` and `answer_id`, the steps of a run.

    Args:
        paths: A file or several, or stores of judged runs with marks (a file, or a URL).
        on_error: Called with what is left out, and why.

    Raises:
        InputError: If a file cannot be read.
    """
    seen: dict[str, str] = {}
    for path in [paths] if isinstance(paths, str | Path) else paths:
        for place, found in _found(path, on_error):
            if found.labelled.id in seen:
                on_error(InputError(f"{place} has the id {found.labelled.id!r}, as {seen[found.labelled.id]} has"))
                continue
            if not found.spans:
                on_error(InputError(f"{place} has no sentence with a label"))
                continue
            seen[found.labelled.id] = place
            yield found


def _found(path: str | Path, on_error: OnError) -> Iterator[tuple[str, Item]]:
    """Each item of a file with its place; marks last."""
    marks: dict[str, list[Mapping[str, Any]]] = {}
    for place, value in _values(path, on_error):
        if value.keys() >= _MARK:
            marks.setdefault(str(value["run"]), []).append(value)
            continue
        told: list[str] = []
        try:
            yield place, _item(value, place.rpartition(" ")[2], told.append)
        except (TrailError, TypeError, ValueError) as error:  # whatever a row holds, the others are read
            told = [str(error)]
        for why in told:
            on_error(InputError(f"{place} {why}"))
    for run, rows in marks.items():
        try:
            yield f"{path}, run {run}", _of_marks(run, rows)
        except (TrailError, TypeError, ValueError) as error:
            on_error(InputError(f"{path}, run {run} {error}"))


def _values(path: str | Path, on_error: OnError) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if is_database(path):
        from trail_callbacks.bench.marks import marked  # noqa: PLC0415 - SQLAlchemy is needed by few
        from trail_callbacks.store import Store  # noqa: PLC0415 - as above

        yield from ((str(path), row) for row in marked(Store(str(path), make=False), graphs=True))
        return
    for each in records(path, expected="labelled answers"):
        if isinstance(each, Broken):
            on_error(InputError(f"{each.place} {each.why}"))
        else:
            text = json.dumps(each.value, ensure_ascii=False)  # half of a pair of UTF-16 is no text that can be kept
            yield each.place, json.loads(text.encode("utf-8", "replace"))


def _item(value: Mapping[str, Any], number: str, tell: Callable[[str], object]) -> Item:
    graph = _of_steps(value) if "nodes" in value else _of_row(value)
    answer = graph.answer
    if answer is None or not answer.text.strip():
        raise InputError("has an empty answer")
    if not graph.leaves(answer.id):
        raise InputError("has no sources: there is nothing to judge by")
    if value.keys().isdisjoint(_LABELS):
        raise InputError(f"has no labels: expected {', '.join(_LABELS)} (an empty list if all is right)")
    id_ = value.get(column("id", value, {}) or "")
    return _made(
        number if id_ in (None, "") else str(id_),
        graph,
        _labels(graph, answer.text, value, tell),
        str(value.get("language") or ""),
        map(str, _listed(value.get("tags"))),
    )


def _made(id_: str, graph: ProvenanceGraph, labels: Mapping[Span, Label], language: str = "", tags: Any = ()) -> Item:
    spans = tuple(sorted(labels))
    found = Labelled(id=id_, labels=tuple(labels[each] for each in spans), language=language, tags=tuple(tags))
    return Item(labelled=found, graph=graph, spans=spans)


def _of_row(value: Mapping[str, Any]) -> ProvenanceGraph:
    names = {role: column(role, value, {}) for role in COLUMNS}
    for role in ("answer", "sources"):
        if names[role] is None:
            raise InputError(f"has no {' or '.join(COLUMNS[role])}")
    row = held(value, names)
    nodes = [
        Node(id=f"source-{n}", kind="document", text=source["text"], step="source", attributes=source["attributes"])
        for n, source in enumerate(row["sources"], 1)
    ]
    return ProvenanceGraph.from_texts(row["answer"], nodes, row["question"] or None)


def _of_steps(value: Mapping[str, Any]) -> ProvenanceGraph:
    try:
        last, asked = str(value["answer_id"]), value.get("question")
        nodes = [Node(id="question", kind="question", text=asked, step="user")] if asked else []
        edges = [Edge(source="question", target=last)] if asked else []
        for each in value["nodes"]:
            id_ = str(each["id"])  # which may be numbers
            kind: NodeKind = "answer" if id_ == last else each["kind"]
            nodes.append(Node(id=id_, kind=kind, text=each["text"], step=each.get("step")))
            edges += [Edge(source=one, target=id_) for one in dict.fromkeys(map(str, each.get("inputs", ())))]
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"has steps that cannot be read ({error!r}): expected id, kind, text and inputs") from error
    return ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))


def _listed(value: Any) -> list[Any]:
    """The members of a list, which a cell of a table holds as JSON or as lines."""
    value = cell(value)
    if isinstance(value, str):
        return [each for each in value.splitlines() if each.strip()]
    return value if isinstance(value, list) else [] if value is None else [value]


def _quotes(value: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], bool]]:
    """What is quoted of an answer, and whether it is wrong."""
    if "sentences" not in value:
        given = [(each, name == "wrong") for name in ("right", "wrong") for each in _listed(value.get(name))]
        return [(each if isinstance(each, dict) else {"quote": each}, wrong) for each, wrong in given]
    sentences = _listed(value["sentences"])
    if not all(isinstance(each, dict) and isinstance(each.get("ok"), bool) for each in sentences):
        raise InputError("has a sentence that is no object with text and ok (true or false)")
    return [({"quote": each.get("text"), **each}, not each["ok"]) for each in sentences]


def _labels(
    graph: ProvenanceGraph, answer: str, value: Mapping[str, Any], tell: Callable[[str], object]
) -> dict[Span, Label]:
    """The labels of the sentences that quotes are in, and of the others where only what is wrong is quoted."""
    one_each = "sentences" in value
    partly = one_each or "wrong" not in value or value.get("right") not in (None, "")
    units, at = [] if one_each else _units(answer), 0
    found = {} if partly else dict.fromkeys(units, Label(wrong=False))
    for about, wrong in _quotes(value):
        quote = str(about.get("quote") or "")
        span = locate(quote, answer, at)
        if span is None or (wrong and not one_each and locate(quote, answer, span[1]) is not None):
            why = "which is not in the answer" if span is None else "which is in the answer twice: quote more of it"
            if wrong and not partly:  # which of the others are right is not known then
                raise InputError(f"has the quote {_short(quote)}, {why}; the answer is left out")
            tell(f"has the quote {_short(quote)}, {why}; it is left out")
            continue
        at, label = span[1] if one_each else 0, _label(about, graph, wrong=wrong)
        for unit in _touched(answer, units, span) or [span]:
            if unit not in found or not found[unit].wrong:
                found[unit] = label
    return found


def _of_marks(run: str, rows: Sequence[Mapping[str, Any]]) -> Item:
    """An answer with the claims that people looked at; one of which they only say what it is not has no label."""
    graphs = [row["graph"] for row in rows if row.get("graph")]
    if not graphs:
        raise InputError("has marks and no graph: it was exported by an earlier release; name the store itself")
    graph = ProvenanceGraph.from_json(json.dumps(graphs[0]))
    found = dict[Span, Label]()
    for row in rows:
        support = _one_of(SupportClass, row.get("label"), "label")
        if support is None or row.get("span") is None:
            continue
        start, end = map(int, row["span"])
        label = Label(wrong=support in UNSUPPORTED, support=support)
        if found.setdefault((start, end), label).wrong != label.wrong:
            raise InputError(f"has marks that disagree about {_short(row.get('quote'))}")
    return _made(run, graph, found)


def _label(about: Mapping[str, Any], graph: ProvenanceGraph, *, wrong: bool) -> Label:
    support = _one_of(SupportClass, about.get("support"), "support")
    if support is not None and wrong != (support in UNSUPPORTED):
        raise InputError(f"calls a sentence {'wrong' if wrong else 'right'} and {support}")
    entry = None if about.get("entry") in (None, "") else str(about["entry"])
    if entry is not None and all(node.id != entry for node in graph.nodes):
        raise InputError(f"has the entry {entry!r}, which is no node of it")
    return Label(
        wrong=wrong, support=support, error_type=_one_of(ErrorType, about.get("error_type"), "error_type"), entry=entry
    )


def _one_of(kind: type[Name], value: Any, name: str) -> Name | None:
    try:
        return kind(value) if value else None
    except ValueError as error:
        raise InputError(f"has the {name} {value!r}, expected one of {', '.join(kind)}") from error


def _units(answer: str) -> list[Span]:
    """Where the sentences, list items, table rows and values of JSON of an answer are that state something."""
    read = structured(answer)
    if read is None:
        return list(stated(answer))
    values = [(each.start, each.end) for each in read.entries if each.checkable]
    return sorted(values + [part.span(*span) for part in read.prose for span in stated(part.text)])


def _touched(answer: str, units: Sequence[Span], span: Span) -> list[Span]:
    """The units that a span shares a letter or digit with."""
    return [
        (start, end)
        for start, end in units
        if any(letter.isalnum() for letter in answer[max(start, span[0]) : min(end, span[1])])
    ]


def _short(quote: Any) -> str:
    return repr(shorten(str(quote), _SHOWN))
