"""The prompts, one Markdown file each: credits in a comment, then a system part and a user part with named slots."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from string import Template

from trail_callbacks.models.call import Message
from trail_callbacks.taxonomy import ERRORS, SUPPORT, table

__all__ = ["Fence", "Prompt", "digest", "load"]

_COMMENT = re.compile(r"\A\s*<!--.*?-->\s*", re.DOTALL)
_PARTS = re.compile(r"^# (System|User)\s*$", re.MULTILINE)
_LOOKALIKE = re.compile(
    r"<{3,}|>{3,}"  # our own fence
    r"|<\|[^<>|\n]{1,40}\|>|</?(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>|</?s>"  # turns of chat templates
)
_BRACKETS = str.maketrans("<>[]", "\u2039\u203a\u2045\u2046")  # close enough to read, no bracket to a machine


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with its slots.

    Attributes:
        name: Its file, without the suffix.
        system: What never changes between calls, so that providers can cache it.
        user: The task at hand, with slots.
    """

    name: str
    system: str
    user: Template

    def messages(self, **slots: str) -> tuple[Message, ...]:
        """Fills in the user part.

        Raises:
            KeyError: If a slot of the prompt is not given.
        """
        return Message("system", self.system), Message("user", self.user.substitute(slots))


class Fence:
    """Puts text under judgement between marks that the text itself cannot contain.

    The marks carry a key derived from all fenced texts: the same prompt has the same key, and a text cannot know
    its own. Look-alikes of the marks, and of the turn marks of common chat templates, lose their brackets.

    Args:
        *texts: All texts that will be fenced in one prompt.
    """

    def __init__(self, *texts: str) -> None:
        from hashlib import sha256  # noqa: PLC0415 - only who asks a model needs it

        self.key = sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def block(self, label: str, text: str) -> str:
        """Fences a text that may have many lines."""
        return f"<<<{label} {self.key}>>>\n{neutral(text)}\n<<<END {label} {self.key}>>>"


def neutral(text: str) -> str:
    """Returns a text in which nothing looks like a fence or a chat template's turn."""
    return _LOOKALIKE.sub(lambda match: match[0].translate(_BRACKETS), text)


@cache
def load(name: str) -> Prompt:
    """Reads a prompt; the tables of classes and types in its system part come from the taxonomy."""
    from importlib.resources import files  # noqa: PLC0415 - as hashlib

    text = files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    _, _, system, _, user = _PARTS.split(_COMMENT.sub("", text))
    filled = Template(system.strip()).substitute(classes=table(SUPPORT), types=table(ERRORS))
    return Prompt(name, filled, Template(user.strip()))


def digest(*names: str) -> str:
    """Returns 8 hex digits that change whenever one of the prompts does, taxonomy included."""
    parts = (part for name in names for part in (load(name).system, load(name).user.template))
    from hashlib import sha256  # noqa: PLC0415 - as above

    return sha256("\0".join(parts).encode()).hexdigest()[:8]
