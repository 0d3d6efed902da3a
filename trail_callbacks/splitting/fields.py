r"""A structured answer as fields: each value a statement under the names of its records, free text as prose.

What is a statement:

- a string, number or truth value; `null`, an empty string or list, and a string without a letter or digit are not;
- a field that names where something was found (`sources`) or rates the answer itself (`confidence`) is listed, but not
  checkable, as are questions, greetings and refusals;
- a string with a sentence in it is prose, and so is one in a field that only says that it is the answer.

A statement is read as `subject, keys: value`: what names the records it is in, such as an item for its price,
and the keys that lead to it. Its span is that of the value as it stands, without quotation marks and with its escapes
(`\u00e9`); its text has the characters that are meant. Of keys that occur twice each is a statement.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trail_callbacks.language.detect import language
from trail_callbacks.language.speech import declines, greets, is_question
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting.json_fields import Block, Field, blocks, json_path
from trail_callbacks.splitting.marks import clean, refers
from trail_callbacks.splitting.statements import asserts, is_title

_HEX = "[0-9a-fA-F]"
_SIGN = re.compile(rf"\\(u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|u{_HEX}{{4}}|x{_HEX}{{2}}|.)|.", re.DOTALL)
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "b": " ", "f": " ", "\n": ""}
_WORDS = re.compile(r"[_\-.\s]+|(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SAYS = re.compile(r"\w")
_NO_VALUE = frozenset({"null", "None", "NaN", "nan"})
_SENTENCE = re.compile(r"[.!?\u3002\uff01\uff1f\u061f\u0964\u06d4][\s\"'\u201d\u2019\u00bb)\]}|*_~=-]*$")
_BREAK = re.compile(r"[.!?][\"')\]]*\s+(?=\S)|[\u3002\uff01\uff1f\u0964](?=\S)|\n\s*\n")
_FEW = 4  # words; a shorter value is no sentence, whatever it ends with: `Acme Inc.`
_MANY = 12  # words from which a value is prose though it has no full stop
_UNSPACED = 12  # characters that make a sentence in scripts without spaces
_NAME = 60  # characters of a name; a longer text describes
_LEAD = 200  # characters of the names before a value
_ANSWER = vocabulary("answer response reply output result text content message summary final_answer output_text")
_NAMING = vocabulary("name title label nombre nom navn nome titel titre \u540d\u79f0 \u540d\u524d")
_ORIGIN = vocabulary("source sources citation citations reference references cited_sources source_ids")
_RATING = vocabulary("confidence confidence_score certainty self_confidence")


@dataclass(frozen=True, slots=True)
class FieldEntry:
    """A value that is one statement: `answer[start:end]`.

    Attributes:
        start: Offset in the answer, after an opening quotation mark.
        end: Offset after it.
        path: Where it is, e.g. `items[2].price`.
        text: What it says, read alone.
        checkable: Whether it says something about the world.
        declines: Whether it says that the value is not known.
    """

    start: int
    end: int
    path: str
    text: str
    checkable: bool
    declines: bool


@dataclass(frozen=True, slots=True)
class Prose:
    """Free text, in a field or around the JSON.

    Attributes:
        start: Offset in the answer.
        text: The text as meant.
        offsets: For each of its characters, and for its end, how far after `start` it stands; None if that is equal.
        path: As in `FieldEntry`; empty around the JSON.
        names: The keys that lead to it, in words; empty around the JSON and for a field that says it is the answer.
        subject: What names the records it is in, for a text in a list; elsewhere it has a subject of its own.
    """

    start: int
    text: str
    offsets: Sequence[int] | None = None
    path: str = ""
    names: str = ""
    subject: str = ""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Returns where a part of the text stands in the answer."""
        if self.offsets is None:
            return self.start + start, self.start + end
        return self.start + self.offsets[start], self.start + self.offsets[end]


@dataclass(frozen=True, slots=True)
class Structure:
    """A structured answer.

    Attributes:
        entries: Its statements besides those of the free texts, in order.
        prose: Its free texts, in order.
        text: All free texts, each under a heading with the names of its field: what is to be split as prose.
        starts: Where each free text begins in `text`.
    """

    entries: tuple[FieldEntry, ...]
    prose: tuple[Prose, ...]
    text: str
    starts: tuple[int, ...]

    def declines(self, prose: bool | None) -> bool:
        """Tells whether the answer as a whole declines to answer.

        Args:
            prose: Whether its free texts do; None if it has none.
        """
        if prose is False or any(entry.checkable for entry in self.entries):
            return False
        return bool(prose) or any(entry.declines for entry in self.entries)

    def find(self, start: int, end: int) -> tuple[Prose, int, int] | None:
        """Returns the free text that a stretch of `text` lies in, and its span in the answer; None for a heading."""
        at = bisect_right(self.starts, start) - 1
        if at < 0 or end - self.starts[at] > len(self.prose[at].text):
            return None
        return self.prose[at], *self.prose[at].span(start - self.starts[at], end - self.starts[at])


def structure(answer: str) -> Structure | None:
    """Reads a structured answer; None for prose.

    Args:
        answer: Any text.

    Returns:
        Its statements and free texts. Time and memory are linear in the answer.
    """
    found = list(blocks(answer))
    if not found:
        return None
    entries: list[FieldEntry] = []
    prose: list[Prose] = []
    at = 0
    for number, block in enumerate(found):
        prose += _between(answer, at, block.start)
        for each in _values(answer, block, number if len(found) > 1 else None):
            (entries if isinstance(each, FieldEntry) else prose).append(each)  # type: ignore[arg-type]  # as the test says
        at = block.end
    prose += _between(answer, at, len(answer))
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for each in prose:
        head = ", ".join(filter(None, (each.subject, each.names)))
        parts += [f"# {head}\n\n" if head else "", each.text, "\n\n"]
        starts.append(length + len(parts[-3]))
        length += sum(map(len, parts[-3:]))
    return Structure(tuple(entries), tuple(prose), "".join(parts), tuple(starts))


def _between(answer: str, start: int, end: int) -> list[Prose]:
    return [Prose(start, answer[start:end])] if answer[start:end].strip() else []


def _values(answer: str, block: Block, number: int | None) -> Iterator[FieldEntry | Prose]:
    """The values of a block; `number` is its own among several, as of the lines of JSON lines."""
    records = _Records(answer, block.region.fields)
    for each in block.region.fields:
        start, end = _inside(answer, each)
        written = answer[start:end]
        said, offsets = _unescaped(written) if each.is_text else (written, None)
        if not _SAYS.search(said) or (not each.is_text and said in _NO_VALUE):
            continue
        keys = [_unescaped(step)[0] if isinstance(step, str) else step for step in each.steps[1:]]
        path = json_path(keys if number is None else [number, *keys]).removeprefix(".")
        named = [key for key in keys if isinstance(key, str)]
        names, subject = _names(named[:-1] if records.is_named_by(each) else named), records.subject(each)
        bare = not (names or subject)
        if bare or (each.is_text and (_is_prose(said) or _form(named[-1] if named else "") in _ANSWER)):
            listed = any(isinstance(key, int) for key in keys)
            yield Prose(start, said, offsets, path, names, subject if listed else "")
            continue
        value = clean(said) if each.is_text else said.lower() if said[0] in "TF" else said
        text = f"{', '.join(filter(None, (subject, names)))}: {value}"
        yield FieldEntry(start, end, path, text, _is_checkable(named, said), each.is_text and declines(said))


def _inside(answer: str, each: Field) -> tuple[int, int]:
    """The span of a value without its quotation marks; one that was cut off has only the first."""
    if not each.is_text:
        return each.value, each.end
    start, mark = each.value + 1, answer[each.value]
    closed = each.end > start and answer[each.end - 1] == mark
    return start, each.end - 1 if closed else each.end


def _unescaped(written: str) -> tuple[str, list[int] | None]:
    """The text that is meant, and where each of its characters is in the text as written; None if equal."""
    if "\\" not in written:
        return written, None
    parts: list[str] = []
    offsets: list[int] = []
    for sign in _SIGN.finditer(written):
        parts.append(_meant(sign[1]) if sign[1] else sign[0])
        offsets += [sign.start()] * len(parts[-1])
    return "".join(parts), [*offsets, len(written)]


def _meant(code: str) -> str:
    """The character that an escape stands for, by what is behind its backslash."""
    if len(code) == 1:
        return _PLAIN.get(code, code)
    return bytes.fromhex(code.replace("\\u", "").lstrip("ux").rjust(4, "0")).decode("utf-16-be", "replace")


def _is_prose(text: str) -> bool:
    words = len(text.split())
    if words >= _MANY:
        return True
    spaceless = words < _FEW and len(text) >= _UNSPACED and any(sign >= "\u0e00" for sign in text)
    if words < _FEW and not spaceless:
        return False
    return (_SENTENCE.search(text) or _BREAK.search(text) or _SENTENCE.search(clean(text))) is not None


def _is_checkable(keys: Sequence[str], value: str) -> bool:
    about = any(_form(key) in _ORIGIN for key in keys) or (keys and _form(keys[-1]) in _RATING)
    plain = not (is_question(value) or greets(value) or declines(value))
    if plain and not about:
        return True
    value = clean(value)
    if about and refers(value):
        return False
    return asserts(value) and not (about and is_title(value, language(value) or "en", column=True))


def _form(key: str) -> str:
    """A key as it is looked up: `finalAnswer` as `final_answer`."""
    return "_".join(_WORDS.sub(" ", key).casefold().split())


def _names(keys: Sequence[str]) -> str:
    """Keys in words; those that only say that this is the answer are left out, and the innermost stay if too long."""
    words: list[str] = []
    room = _LEAD
    for key in reversed(keys):
        said = " ".join(word if word.isupper() else word.lower() for word in _WORDS.sub(" ", key[:_NAME]).split())
        if _form(key) not in _ANSWER and said and len(said) <= room:
            words.append(said)
            room -= len(said) + 1
    return " ".join(reversed(words))


class _Records:
    """What names each record of a block: its field `name` or the like; in a list else its first field, if a text."""

    def __init__(self, answer: str, fields: Sequence[Field]) -> None:
        self._answer = answer
        self._naming: dict[int, tuple[int, str]] = {}  # by the start of a record: the field that names it, and its text
        first: dict[int, Field] = {}
        for each in fields:
            key = each.steps[-1]
            if not isinstance(key, str):
                continue
            record = each.record[-1]
            first.setdefault(record, each)
            if record not in self._naming and _form(key).rpartition("_")[2] in _NAMING:
                self._name(record, each)
        for record, each in first.items():
            steps = each.steps
            if record not in self._naming and len(steps) > 1 and isinstance(steps[-2], int):
                self._name(record, each)

    def _name(self, record: int, each: Field) -> None:
        start, end = _inside(self._answer, each)
        if each.is_text and end - start <= _NAME:
            said = clean(_unescaped(self._answer[start:end])[0])
            if _SAYS.search(said) and not _SENTENCE.search(said):
                self._naming[record] = each.start, said

    def is_named_by(self, each: Field) -> bool:
        """Whether a field names its record in a list: `items: lamp` says it better than `items name: lamp`."""
        steps: list[str | int] = ["", "", *each.steps]
        in_list = steps[-3] != "" and isinstance(steps[-3], str) and isinstance(steps[-2], int)
        return in_list and self._naming.get(each.record[-1], (-1, ""))[0] == each.start

    def subject(self, each: Field) -> str:
        """The names of the records that a field is in, the outermost first; the field itself is none of them."""
        found: list[str] = []
        room = _LEAD
        for record in reversed(each.record):
            start, said = self._naming.get(record, (each.start, ""))
            if start != each.start and len(said) <= room and said not in found:
                found.append(said)
                room -= len(said) + 2
        return ", ".join(reversed(found))
