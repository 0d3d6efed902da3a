"""Taking withheld texts out of a value, whatever it is made of. What cannot be read is not let through.

Lists, tuples, sets, dictionaries, dataclasses, pydantic models and other objects are copied where something in them
changes. A text becomes the message, a number None, and an item of a dictionary whose key carries the text is left out.
None also takes the place of what is read only once or later (generators, iterators, files, coroutines), of a function
that holds such a text, and of an object that cannot be copied without it. Classes, enumerations and locks stay.
"""

from __future__ import annotations

import copy
import dataclasses
import io
from array import array
from collections import UserString, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, MappingView, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from trail_callbacks.guard.withheld import Withheld

__all__ = ["Clearing", "Leaf"]

_DEPTH = 32
_MOST = 200_000  # objects of a value that are read
_UNSET = object()
_ONCE = (Iterator, AsyncIterator, Awaitable, io.IOBase)
Leaf: TypeAlias = Callable[[Any], Any]
"""Returns what takes the place of an object of the framework; `NotImplemented` for all other objects."""


class Clearing:
    """One walk through one value.

    Args:
        withheld: What is taken out.
        leaf: See `Leaf`; None for no object of a framework.
        numbers: False leaves numbers alone.
    """

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
