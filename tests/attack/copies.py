"""What an app may make of its model's text besides the answer, and everything that can be read in it."""

from __future__ import annotations

import array
import asyncio
import io
from collections import ChainMap, OrderedDict, UserDict, UserList, UserString, defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import PurePosixPath
from types import FunctionType, MappingProxyType, MethodType, SimpleNamespace
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from llama_index.core.llms import ChatMessage
from llama_index.core.schema import NodeWithScore, TextNode
from pydantic import BaseModel, PrivateAttr


@dataclass
class Card:
    text: str
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Frozen:
    text: str


class Pair(NamedTuple):
    text: str
    size: int


class Page(BaseModel):
    text: str
    inside: dict[str, Any] = {}
    _hidden: str = PrivateAttr("")

    def model_post_init(self, context):
        self._hidden = self.text


class Slotted:
    __slots__ = ("text",)

    def __init__(self, text):
        self.text = text


class Calls:
    """An object that can be called."""

    def __init__(self, text):
        self.text = text

    def __call__(self):
        return self.text


class Dumped:
    """An object that keeps its text where nobody looks, and writes it."""

    def __init__(self, text):
        object.__setattr__(self, "_Dumped__parts", tuple(text))

    def __str__(self):
        return "".join(vars(self)["_Dumped__parts"])


def _closure(text):
    return lambda: text


def _defaults(text):
    def said(what=text):
        return what

    return said


async def _agenerated(text):
    yield text


def _future(text):
    done: Future[str] = Future()
    done.set_result(text)
    return done


def _element(text):
    element = ET.Element("p")
    element.text = text
    return element


COPIES: dict[str, Callable[[str], Any]] = {
    "HTML": lambda x: f"<p>{x}</p>",
    "list": lambda x: [x],
    "tuple": lambda x: (x, len(x)),
    "key": lambda x: {x: 1},
    "document": Document,
    "metadata of a document": lambda x: Document("A page.", metadata={"gist": x}),
    "node": lambda x: NodeWithScore(node=TextNode(text=x), score=0.5),
    "metadata of a node": lambda x: NodeWithScore(node=TextNode(text="A page.", metadata={"gist": x}), score=0.5),
    "dataclass": lambda x: Card("A card.", [x]),
    "frozen dataclass": Frozen,
    "named tuple": lambda x: Pair(x, 1),
    "model": lambda x: Page(text="A page.", inside={"said": [x]}),
    "private attribute": lambda x: Page(text=x),
    "message": AIMessage,
    "additional_kwargs": lambda x: AIMessage("Done.", additional_kwargs={"draft": x}),
    "response_metadata": lambda x: AIMessage("Done.", response_metadata={"logprobs": [x]}),
    "block": lambda x: AIMessage([{"type": "text", "text": "Done."}, {"type": "custom", "said": x}]),
    "arguments of a tool": lambda x: AIMessage("", tool_calls=[{"name": "log", "args": {"said": x}, "id": "1"}]),
    "artifact": lambda x: ToolMessage("Done.", tool_call_id="1", artifact={"said": x}),
    "metadata of a tool's message": lambda x: ToolMessage("Done.", tool_call_id="1", response_metadata={"said": x}),
    "name of a message": lambda x: HumanMessage("Done.", name=x),
    "chat message": lambda x: ChatMessage(role="assistant", content="Done.", additional_kwargs={"draft": x}),
    "generator": lambda x: (word for word in [x]),
    "iterator": lambda x: iter([x]),
    "map": lambda x: map(str, [x]),
    "asynchronous generator": _agenerated,
}
"""By name: what apps have been seen to return."""
HARD: dict[str, Callable[[str], Any]] = {
    "partial": lambda x: partial(str, x),
    "closure": _closure,
    "default of a function": _defaults,
    "method": lambda x: Calls(x).__call__,
    "object that can be called": Calls,
    "slots": Slotted,
    "namespace": lambda x: SimpleNamespace(text=x),
    "user list": lambda x: UserList([x]),
    "user dictionary": lambda x: UserDict(said=x),
    "user string": UserString,
    "dictionary with a default": lambda x: defaultdict(list, said=[x]),
    "ordered dictionary": lambda x: OrderedDict(said=x),
    "chain of dictionaries": lambda x: ChainMap({"said": x}),
    "read-only dictionary": lambda x: MappingProxyType({"said": x}),
    "view": lambda x: {"said": x}.values(),
    "deque": lambda x: deque([x], maxlen=3),
    "bytes": str.encode,
    "bytearray": lambda x: bytearray(x.encode()),
    "memoryview": lambda x: memoryview(x.encode()),
    "array": lambda x: array.array("b", x.encode("ascii", "replace")),
    "file": io.StringIO,
    "binary file": lambda x: io.BytesIO(x.encode()),
    "element": _element,
    "future": _future,
    "exception": ValueError,
    "path": PurePosixPath,
    "object that writes it": Dumped,
    "decimal": lambda x: Decimal(9713) if "9713" in x else Decimal(1),
    "fraction": lambda x: Fraction(9713) if "9713" in x else Fraction(1),
}
"""By name: what else can hold a text."""


def read(value: Any, depth: int = 0) -> str:
    """All that can be read in a value, by whoever calls, iterates and awaits what it finds."""
    if depth > 12:
        return ""
    more = list(_parts(value))
    try:
        shown = f"{value} {value!r}"
    except Exception:  # noqa: BLE001 - what cannot be shown is read by its parts
        shown = ""
    if isinstance(value, bytes | bytearray | memoryview | array.array):
        shown += bytes(value).decode("utf-8", "replace")
    return "\n".join([shown, *(read(each, depth + 1) for each in more)])


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, str | bytes | bytearray | memoryview | int | float | array.array) or value is None:
        return
    for kind, parts in _READERS.items():
        if isinstance(value, kind):
            yield from parts(value)
            break
    if not hasattr(value, "__dict__"):
        yield getattr(value, "text", None)
        return
    yield dict(vars(value))
    yield from (getattr(value, place, None) for place in ("__pydantic_private__", "__pydantic_extra__"))


_READERS: dict[Any, Callable[[Any], Iterable[Any]]] = {
    Mapping: lambda value: [*value.keys(), *value.values()],
    AsyncIterator: lambda value: asyncio.run(_all(value)),
    Future: lambda value: [value.result()],
    (io.StringIO, io.BytesIO): lambda value: [value.getvalue()],
    partial: lambda value: [value.args, value.keywords],
    FunctionType: lambda value: [
        *(cell.cell_contents for cell in value.__closure__ or ()),
        *(value.__defaults__ or ()),
    ],
    MethodType: lambda value: [value.__self__],
    (BaseModel, PurePosixPath): lambda value: [],
    Iterable: list,
}
"""How the parts of a value are read, by its class; the first that fits."""


async def _all(value: AsyncIterator[Any]) -> list[Any]:
    return [each async for each in value]
