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

        def tell(why: str, place: str = place) -> None:
            on_error(InputError(f"{place} {why}"))

        if value.keys() >= _MARK:
            marks.setdefault(str(value["run"]), []).append(value)
            continue
        try:
            yield place, _item(value, place.rpartition(" ")[2], tell)
        except TrailError as error:
            tell(str(error))
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
            yield each.place, each.value


def _item(value: Mapping[str, Any], number: str, tell: Callable[[str], object]) -> Item:
    graph = _of_steps(value) if "nodes" in value else _of_row(value)
    answer = graph.answer
    if answer is None or not answer.text.strip():
        raise InputError("has an empty answer")
    if not graph.leaves(answer.id):
        raise InputError("has no sources: there is nothing to judge by")
    if "sentences" in value:
        labels = _of_sentences(graph, answer.text, _listed(value["sentences"]), tell)
    elif "wrong" in value or "right" in value:
        labels = _of_quotes(graph, answer.text, value, tell)
    else:
        raise InputError("has no labels: expected wrong (quotes; empty if all is right), right or sentences")
    id_, tags = value.get(column("id", value, {}) or ""), cell(value.get("tags") or ())
    return _made(
        number if id_ in (None, "") else str(id_),
        graph,
        labels,
        str(value.get("language") or ""),
        [each.strip() for each in tags.split(",")] if isinstance(tags, str) else map(str, tags),
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
        last, asked = value["answer_id"], value.get("question")
        nodes = [Node(id="question", kind="question", text=asked, step="user")] if asked else []
        edges = [Edge(source="question", target=last)] if asked else []
        for each in value["nodes"]:
            kind: NodeKind = "answer" if each["id"] == last else each["kind"]
            nodes.append(Node(id=each["id"], kind=kind, text=each["text"], step=each.get("step")))
            edges += [Edge(source=one, target=each["id"]) for one in dict.fromkeys(each.get("inputs", ()))]
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"has steps that cannot be read ({error!r}): expected id, kind, text and inputs") from error
    return ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))


def _listed(value: Any) -> list[Any]:
    """The members of a list, which a cell of a table holds as JSON or as lines."""
    value = cell(value)
    if isinstance(value, str):
        return [each for each in value.splitlines() if each.strip()]
    return value if isinstance(value, list) else [] if value is None else [value]


def _of_sentences(
    graph: ProvenanceGraph, answer: str, rows: Sequence[Any], tell: Callable[[str], object]
) -> dict[Span, Label]:
    found, at = dict[Span, Label](), 0
    for each in rows:
        if not isinstance(each, dict) or not isinstance(each.get("text"), str) or not isinstance(each.get("ok"), bool):
            tell("has a sentence without text and ok (true or false): it is left out")
            continue
        span = locate(each["text"], answer, at)
        if span is None:
            tell(f"has the sentence {_short(each['text'])}, which is not in the answer behind the one before: left out")
            continue
        at = span[1]
        found[span] = _label(each, graph, wrong=not each["ok"])
    return found


def _of_quotes(
    graph: ProvenanceGraph, answer: str, value: Mapping[str, Any], tell: Callable[[str], object]
) -> dict[Span, Label]:
    units = _units(answer)
    partly = "wrong" not in value or value.get("right") not in (None, "")
    found = {} if partly else dict.fromkeys(units, Label(wrong=False))
    for name in ("right", "wrong"):
        for each in _listed(value.get(name)):
            about = each if isinstance(each, dict) else {"quote": each}
            quote = str(about.get("quote") or "")
            span = locate(quote, answer)
            if span is None:
                why = f"has the {name} quote {_short(quote)}, which is not in the answer"
            elif name == "wrong" and locate(quote, answer, span[1]) is not None:
                why = f"has the wrong quote {_short(quote)}, which is in the answer twice: quote more of it"
            else:
                label = _label(about, graph, wrong=name == "wrong")
                for unit in _touched(answer, units, span) or [span]:
                    if not (unit in found and found[unit].wrong):
                        found[unit] = label
                continue
            if name == "wrong" and not partly:  # which of the others are right is not known then
                raise InputError(f"{why}: the answer is left out")
            tell(f"{why}: it is left out")
    return found


def _of_marks(run: str, rows: Sequence[Mapping[str, Any]]) -> Item:
    """An answer with the claims that people looked at; one of which they only say what it is not has no label."""
    graphs = [row["graph"] for row in rows if row.get("graph")]
    if not graphs:
        raise InputError("has marks and no graph: it was exported by an earlier release; name the store itself")
    graph = ProvenanceGraph.from_json(json.dumps(graphs[0]))
    found: dict[Span, Label] = {}
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
    entry = about.get("entry") or None
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
