"""A withheld text and its copies: whatever carries it is withheld with it.

What an app returns beside an answer is often made of it: the answer as HTML, a log, a title, a number taken out of it.
Sources are not: they stay, although an answer repeats them in part, and is about the same things.

`Clearing` takes such texts out of a value, whatever it is made of; what cannot be read is not let through. Lists,
tuples, sets, dictionaries, dataclasses, pydantic models and other objects are copied where something in them changes. A
text becomes the message, a number None, and an item of a dictionary whose key carries the text is left out. None also
takes the place of what is read only once or later (generators, iterators, files, coroutines), of a function that holds
such a text, and of an object that cannot be copied without it. Classes, enumerations and locks stay.
"""

from __future__ import annotations

import copy
import dataclasses
import html
import io
import re
import unicodedata
from array import array
from collections import UserString, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, MappingView, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, TypeAlias

from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.language.values import quantities
from trail_callbacks.text import encodable, forms, sentences

_RUN = 5  # words in the same order, that no source has: a copy
_UNIT = 8  # letters and digits of a sentence that is looked for in any writing
_READ = 200_000  # characters of what the app read that are compared word by word
_QUOTED = 256  # sources that are cut out of a text in which they are quoted
_TAG = re.compile(r"<[^<>]{0,400}>")
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|([nrtbf])|(["\'/\\]))')
_NUMBER = re.compile(r"\d(?:[\d.,'\u2019\u00a0\u202f ]*\d)?")
_NAME = re.compile(r"[^\W_]*[^\W\d_a-z][^\W_]*|[^\W_]*\d[^\W_]*")


class Withheld:
    """Texts that nobody is to read.

    A text carries one of them if it repeats a sentence of it, in whatever case, spacing and markup, escaped as HTML or
    as JSON, or five words of it in a row that no source has, or a number or a name that only the withheld text has; or
    if all it says stands in the withheld text. A text that is an input of the app or a source, or nothing but several
    of them, does not. In doubt a text is withheld.

    Attributes:
        message: As given.
        is_object: As given.
    """

    def __init__(self, texts: Iterable[str], known: Iterable[str], message: str, *, is_object: bool = False) -> None:
        self.message = message
        self.is_object = is_object
        self._known = {text.strip() for text in known if text.strip()} | {message.strip()}
        ours = [_plain(text) for text in texts if text.strip()]
        read = [forms(_plain(text)) for text in _shortest_first(self._known)]
        there = {word for words in read for word in words}
        sources = [_run(words) for words in read]
        units = {part.text for text in ours for part in sentences(text)} | set(ours)
        unread = [
            run for run in map(_run, map(forms, units)) if run.strip() and not any(run in each for each in sources)
        ]
        self._texts = [_run(forms(text)) for text in ours]
        self._units = [run for run in unread if len(_squeezed(run)) < _UNIT]
        self._squeezed = [_squeezed(run) for run in unread if len(_squeezed(run)) >= _UNIT]
        self._runs = {run for text in ours for run in _runs(forms(text))} - {
            run for words in read for run in _runs(words)
        }
        named = {form for text in ours for name in _NAME.findall(text) for form in forms(name)}
        self._names = {name for name in named - there if len(name) > 1 or not name.isascii() or name.isdigit()}
        self._numbers = {number for text in ours for number in _numbers(text)}

    def carried_by(self, text: str) -> bool:
        """Whether a text carries what is withheld."""
        if text.strip() in self._known:
            return False
        said = _plain(text)
        words = forms(said)
        if not words:
            return False
        if self._repeats(text, words) and not self._only_quotes(text):
            return True
        return any(_run(words) in each for each in self._texts)

    def cleared(self, value: Any, leaf: Leaf | None = None, *, numbers: bool = True) -> Any:
        """Returns a value without what is withheld: the value itself if nothing in it carries that.

        See `Clearing`. Nothing is changed in place. Of a document or node that was retrieved, numbers stay, such as its
        page.
        """
        return Clearing(self, leaf, numbers=numbers).of(value)

    def is_number(self, value: float) -> bool:
        """Whether a number stands in what is withheld."""
        if isinstance(value, bool):
            return any(f" {str(value).lower()} " in each for each in self._texts)
        return _shortest(str(abs(value))) in self._numbers

    def is_known(self, text: object) -> bool:
        """Whether a text is an input of the app, or a source."""
        return isinstance(text, str) and text.strip() in self._known

    def repeated_by(self, text: str) -> bool:
        """As `carried_by`, for a text of few words that says something else, such as the page of a document."""
        return not self.is_known(text) and self._repeats(text, forms(_plain(text))) and not self._only_quotes(text)

    def _repeats(self, text: str, words: Sequence[str]) -> bool:
        run = _run(words)
        if any(unit in run for unit in self._units) or not self._runs.isdisjoint(_runs(words)):
            return True
        if not self._names.isdisjoint(words):
            return True
        squeezed = {_squeezed(run), _squeezed(_run(forms(_TAG.sub("", _unescaped(text)))))}
        return any(unit in each for unit in self._squeezed for each in squeezed)

    def _only_quotes(self, text: str) -> bool:
        """True for a text that carries nothing any more without the sources quoted in it."""
        rest = text
        for source in sorted(self._known, key=len, reverse=True)[:_QUOTED]:
            if len(source) >= _UNIT and source in rest:
                rest = rest.replace(source, "\n")
        if rest is text:
            return False
        words = forms(_plain(rest))
        return not words or not (self._repeats(rest, words) or any(_run(words) in each for each in self._texts))


def _shortest_first(texts: Iterable[str]) -> Iterator[str]:
    """As much of what the app read as takes no time: without the rest, what it says too counts as a copy."""
    left = _READ
    for text in sorted(texts, key=len):
        left -= len(text)
        if left < 0:
            return
        yield text


def read_texts(graph: ProvenanceGraph) -> list[str]:
    """Returns the texts that an app read: documents, results of tools, the request; not what models wrote."""
    return [node.text for node in graph.nodes if node.is_evidence and not node.has_model_text]


def _unescaped(text: str) -> str:
    """A text as it was before a template engine or `json.dumps` wrote it, once or twice."""
    for _ in range(2):
        text = html.unescape(text)
        text = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[3] or " ", text)
    return text


def _plain(text: str) -> str:
    """The words of a text alone; tags and underscores are spaces."""
    return encodable(unicodedata.normalize("NFKC", _TAG.sub(" ", _unescaped(text)))).replace("_", " ")


def _run(words: Sequence[str]) -> str:
    return f" {' '.join(words)} "


def _squeezed(run: str) -> str:
    return run.replace(" ", "")


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1)}


def _numbers(text: str) -> set[str]:
    """The numbers in a text, as digits and as words, without what groups their digits; in doubt in several readings."""
    found = {f"{each.value:.12g}" for each in quantities(text)}
    for number in _NUMBER.findall(unicodedata.normalize("NFKC", text)):
        parts = re.split(r"\D+", number)
        whole, point, decimals = number.rpartition(".")
        found |= {"".join(parts), *parts} if not point else {f"{''.join(re.findall(r'[0-9]', whole))}.{decimals}"}
    return {_shortest(number) for number in found}


def _shortest(number: str) -> str:
    digits = number.lstrip("0") or "0"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


_DEPTH = 32
_MOST = 200_000  # objects of a value that are read
_UNSET = object()
_ONCE = (Iterator, AsyncIterator, Awaitable, io.IOBase)
Leaf: TypeAlias = Callable[[Any], Any]
"""Returns what takes the place of an object of the framework; `NotImplemented` for all other objects."""


class Clearing:
    """One walk through one value."""

    def __init__(self, withheld: Withheld, leaf: Leaf | None, *, numbers: bool = True) -> None:
        self._withheld = withheld
        self._numbers = numbers
        self._leaf = leaf or (lambda _: NotImplemented)
        self._open: set[int] = set()
        self._done: dict[tuple[int, bool], tuple[Any, Any]] = {}  # an object, so that it lives, and what replaces it
        self._retrieved = 0

    def of(self, value: Any, depth: int = 0) -> Any:
        """Returns a value without what is withheld: the value itself if nothing in it carries that."""
        if isinstance(value, str | UserString) and not isinstance(value, Enum):
            return self._text(value)
        if value is None or isinstance(value, type | ModuleType | Enum | BuiltinFunctionType) or _is_lock(value):
            return value
        if isinstance(value, int | float):
            return None if self._numbers and not self._retrieved and self._withheld.is_number(value) else value
        if isinstance(value, bytes | bytearray | memoryview | array):
            return None if self._withheld.carried_by(bytes(value).decode("utf-8", "replace")) else value
        key = id(value), bool(self._retrieved)
        if key not in self._done:
            if isinstance(value, _ONCE) or depth > _DEPTH or id(value) in self._open or len(self._done) > _MOST:
                return None
            self._done[key] = value, self._inside(value, depth + 1)
        return self._done[key][1]

    def _inside(self, value: Any, depth: int) -> Any:
        self._open.add(id(value))
        source = _is_document(value) and self._withheld.is_known(_document_text(value))
        self._retrieved += source
        try:
            return self._object(value, depth)
        except Exception:  # noqa: BLE001 - an object that cannot be copied without a part is left out
            return None
        finally:
            self._retrieved -= source
            self._open.discard(id(value))

    def _text(self, text: str | UserString) -> str | UserString:
        carries = self._withheld.repeated_by if self._retrieved else self._withheld.carried_by
        return self._withheld.message if carries(str(text)) else text

    def _object(self, value: Any, depth: int) -> Any:
        other = self._leaf(value)
        if other is not NotImplemented:
            return other
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, Sequence | AbstractSet | MappingView | deque):
            return self._items(value, depth)
        if isinstance(value, FunctionType | MethodType | partial):
            return value if self._same(_held(value), depth) else None
        return self._attributes(value, depth)

    def _same(self, values: Sequence[Any], depth: int) -> bool:
        return all(self.of(each, depth) is each for each in values)

    def _items(self, value: Any, depth: int) -> Any:
        items = list(value)
        cleared = [self.of(item, depth) for item in items]
        if all(a is b for a, b in zip(items, cleared, strict=True)):
            return value
        if hasattr(value, "_fields"):
            return type(value)(*cleared)
        return cleared if isinstance(value, MappingView) else type(value)(cleared)

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> Any:
        cleared = {
            key: self.of(item, depth)
            for key, item in value.items()
            if not (isinstance(key, str) and self._withheld.repeated_by(key))
        }
        if len(cleared) == len(value) and all(cleared[key] is value[key] for key in value):
            return value
        made: Any = type(value)
        return made(cleared)

    def _attributes(self, value: Any, depth: int) -> Any:
        names = [name for name in _names(value) if not name.startswith("__")]
        if not names:
            return self._closed(value, depth)
        held = {name: getattr(value, name, _UNSET) for name in names}
        cleared = {name: self.of(item, depth) for name, item in held.items() if item is not _UNSET}
        places = {
            place: (getattr(value, place, None) or {}) for place in ("__pydantic_extra__", "__pydantic_private__")
        }
        inside = {place: self.of(dict(items), depth) for place, items in places.items() if items}
        changed = {name: item for name, item in cleared.items() if item is not held[name]}
        moved = {place: items for place, items in inside.items() if items != dict(places[place])}
        if not changed and not moved:
            return None if self._is_written(value) else value
        made = copy.copy(value)
        for name, item in {**changed, **moved}.items():
            object.__setattr__(made, name, item)
        return made

    def _closed(self, value: Any, depth: int) -> Any:
        """An object without attributes: what a copy of it would be made of shows what it holds."""
        if type(value) is object:
            return value
        _, *parts = value.__reduce_ex__(2)
        held = [list(part) if isinstance(part, Iterator) else part for part in parts]
        return value if self._same(held, depth) and not self._is_written(value) else None

    def _is_written(self, value: Any) -> bool:
        """Whether an object that writes a text of its own writes what is withheld."""
        if self._retrieved or dataclasses.is_dataclass(value) or hasattr(type(value), "model_fields"):
            return False
        writes = any("__str__" in vars(kind) for kind in type(value).__mro__[:-1])
        return writes and self._withheld.carried_by(str(value))


def _held(function: Any) -> list[Any]:
    """What a function holds besides its code."""
    if isinstance(function, partial):
        return [function.func, *function.args, *function.keywords.values()]
    if isinstance(function, MethodType):
        return [function.__self__, function.__func__]
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return [*cells, *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *vars(function).values()]


def _names(value: Any) -> list[str]:
    """The attributes of an object: its own, and those that its classes have a slot for."""
    slots = [getattr(kind, "__slots__", ()) for kind in type(value).__mro__]
    listed = [name for each in slots for name in ((each,) if isinstance(each, str) else each)]
    return list(dict.fromkeys([*getattr(value, "__dict__", {}), *listed]))


def _is_lock(value: Any) -> bool:
    return hasattr(type(value), "acquire") and hasattr(type(value), "release")


def _is_document(value: Any) -> bool:
    if isinstance(value, Mapping):
        return "page_content" in value
    return hasattr(value, "page_content") or (hasattr(value, "get_content") and hasattr(value, "metadata"))


def _document_text(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value["page_content"]
    return value.page_content if hasattr(value, "page_content") else value.get_content()
