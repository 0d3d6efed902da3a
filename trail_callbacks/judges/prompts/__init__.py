"""The prompts, one Markdown file each: credits in a comment, then a system part and a user part with named slots.

What two prompts share stands in one of them, between `<!-- part NAME -->` and `<!-- end -->`, and the other has a line
`<!-- include FILE NAME -->`.

Start with `load`; `Fence` encloses untrusted text in a prompt. What goes into the slots, and what becomes of the reply,
is up to `judges.llm` and, for `feedback.md`, `guard`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from string import Template

from trail_callbacks.models.call import Message
from trail_callbacks.taxonomy import ERRORS, SUPPORT, ErrorType, Meaning, SupportClass
from trail_callbacks.text import IGNORABLE

__all__ = ["Fence", "Prompt", "digest", "load"]

_COMMENT = re.compile(r"\A\s*<!--.*?-->\s*", re.DOTALL)
_PARTS = re.compile(r"^# (System|User)\s*$", re.MULTILINE)
_PART = re.compile(r"^<!-- part (\w+) -->\n(.*?)^<!-- end -->\n", re.MULTILINE | re.DOTALL)
_INCLUDE = re.compile(r"^<!-- include (\w+) (\w+) -->\n", re.MULTILINE)
_LESS, _MORE = "<\uff1c\ufe64\u226a\u22d8", ">\uff1e\ufe65\u226b\u22d9"
_PIPE = "[|\uff5c]"
_UNSEEN = f"[{IGNORABLE}]*"
_NAME = rf"[^\s{_LESS}{_MORE}\u2039\u203a\[\]\uff3b\uff3d(){{}}\"'`,;=\\]"
_LOOKALIKE = re.compile(
    rf"(?:[{_LESS}]{_UNSEEN}){{3,}}|(?:[{_MORE}]{_UNSEEN}){{3,}}"  # our own fence
    # What templates of chats mark turns, thoughts and tools with: a bare name between brackets, whatever the name. Code
    # and tags of HTML may look so, and can be read all the same; labels of ours (`[s3]`, see `layout.line`) stay.
    rf"|[{_LESS}]{_UNSEEN}{_PIPE}[^{_LESS}{_MORE}\u2039\u203a\n]{{1,60}}{_PIPE}{_UNSEEN}[{_MORE}]"
    rf"|[{_LESS}]{_NAME}{{1,60}}[{_MORE}]|>>{_NAME}{{1,60}}<<"
    rf"|[\[\uff3b](?![a-z]\d)(?={_NAME}{{0,59}}?[^\W\d_]){_NAME}{{2,60}}[\]\uff3d]"
    rf"|[\[\]](?={_NAME}{{0,59}}?~){_NAME}{{1,60}}[\[\]]"
)
_BRACKETS = str.maketrans(
    dict.fromkeys(_LESS, "\u2039")
    | dict.fromkeys(_MORE, "\u203a")
    | dict.fromkeys("[\uff3b", "\u2045")  # readable, but not a bracket to a parser
    | dict.fromkeys("]\uff3d", "\u2046")
)
# What is not seen and can hide or reorder text: control characters, bidirectional overrides, tags, and more of what
# shapes letters and emoji than any letter has.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\U000e0000-\U000e00ff]+"
    f"|[{IGNORABLE}]{{4,}}"
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with its slots.

    Attributes:
        system: The part that is the same in all calls, so that providers can cache it.
        user: The task, with slots.
    """

    system: str
    user: Template

    def messages(self, **slots: str) -> tuple[Message, ...]:
        """Fills in the user part; a paragraph whose slots are empty is left out."""
        filled = (Template(paragraph).substitute(slots) for paragraph in self.user.template.split("\n\n"))
        return Message("system", self.system), Message("user", "\n\n".join(part for part in filled if part.strip()))


class Fence:
    """Encloses untrusted text in markers that the text itself cannot contain.

    The markers contain a key derived from all fenced texts, so that the same prompt has the same key. Safety does not
    depend on the key being hard to guess: anything in a text that looks like a marker with any key, or like one of a
    chat template, is neutralised, and a key that occurs in one of the texts is not used.
    """

    def __init__(self, *texts: str) -> None:
        joined = "\0".join(texts)
        known, key = joined.casefold(), sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()
        while key[:8] in known:
            key = sha256(key.encode()).hexdigest()
        self.key = key[:8]

    def block(self, label: str, text: str) -> str:
        """Fences a text of any number of lines."""
        return f"<<<{label} {self.key}>>>\n{neutral(text)}\n<<<END {label} {self.key}>>>"


def neutral(text: str) -> str:
    """Returns a text without hidden characters and without anything that looks like a fence or a chat template."""
    return _LOOKALIKE.sub(lambda match: match[0].translate(_BRACKETS), _HIDDEN.sub(" ", text))


@cache
def load(name: str) -> Prompt:
    """Reads a prompt; classes and types in its system part are filled in from the taxonomy."""
    _, _, system, _, user = _PARTS.split(_COMMENT.sub("", _read(name)))
    system = _INCLUDE.sub(lambda match: dict(_PART.findall(_read(match[1])))[match[2]], system)
    filled = Template(_PART.sub(r"\2", system).strip()).substitute(classes=_labels(SUPPORT), types=_labels(ERRORS))
    return Prompt(filled, Template(user.strip()))


def _read(name: str) -> str:
    from importlib.resources import files  # noqa: PLC0415 - only needed to call a model

    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")


def _labels(meanings: dict[SupportClass, Meaning] | dict[ErrorType, Meaning]) -> str:
    """Labels with definitions, without the examples, which would cost more tokens than all rules together."""
    return "\n".join(f"- `{label.value}`: {meaning.definition}" for label, meaning in meanings.items())


def digest(*names: str) -> str:
    """Returns 8 hex digits that change whenever one of the prompts or the taxonomy does."""
    parts = (part for name in names for part in (load(name).system, load(name).user.template))
    return sha256("\0".join(parts).encode()).hexdigest()[:8]
