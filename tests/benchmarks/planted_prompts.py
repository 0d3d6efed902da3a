"""Parses what a prompt shows from its structure alone, and counts its tokens."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FENCED = re.compile(r"<<<([A-Z ]+) (\w+)>>>\n(.*?)\n<<<END \1 \2>>>", re.DOTALL)
_ITEM = re.compile(r"\[([\w.-]+)\]\s*(.*)")
_TEXT = re.compile(r"Text ([A-Z]+)\b")
_ADDRESS = re.compile(r"\([^)]*\) ")  # place of a passage in a table or JSON


@dataclass(frozen=True)
class Shown:
    """What a prompt shows: claims by id, and passages with the nodes they may be from."""

    claims: dict[str, tuple[str, frozenset[str]]]  # text as shown, ids of the passages it may be judged by
    passages: dict[str, str]
    homes: dict[str, frozenset[str]]
    groups: tuple[tuple[str, ...], ...]  # ids of passages that are listed under one text


def blocks(prompt: str) -> dict[str, str]:
    """The fenced parts of a prompt, by name."""
    return {match[1]: match[3] for match in _FENCED.finditer(prompt)}


def items(block: str) -> dict[str, str]:
    """The lines of a block that start with an id."""
    return {match[1]: match[2] for row in block.splitlines() if (match := _ITEM.match(row))}


def groups_of(block: str, homes) -> list[tuple[str, dict[str, str]]]:
    """The texts of a block, separately, with their letters and passages; addresses are left out."""
    groups: list[tuple[str, dict[str, str]]] = [("", {})]
    for row in block.splitlines():
        named = _TEXT.match(row)
        if named or not row.strip():
            groups.append((named[1] if named else "", {}))
        elif match := _ITEM.match(row):
            groups[-1][1][match[1]] = match[2] if homes(match[2]) else _ADDRESS.sub("", match[2], count=1)
    return [(name, group) for name, group in groups if group]


def apart(groups, homes: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Two groups show two different nodes, so what is known of one narrows down the others."""
    homes = dict(homes)
    for _ in groups:
        sure = {h for _, group in groups if len(h := homes[next(iter(group))]) == 1}
        taken = frozenset().union(*sure) if sure else frozenset()
        for _, group in groups:
            for id_ in group:
                if len(homes[id_]) > 1 and homes[id_] - taken:
                    homes[id_] -= taken
    return homes


@cache
def tokenizer():
    """The tokens of cl100k_base, from the copy of its table that llama-index-core ships: nothing is downloaded."""
    from importlib.util import find_spec

    core = find_spec("llama_index.core")
    folder = Path(core.origin).parent / "_static" / "tiktoken_cache" if core and core.origin else None
    if folder is None or not folder.is_dir():
        raise RuntimeError('counting tokens needs the table in llama-index-core: pip install "llama-index-core>=0.12"')
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        import tiktoken

        encoding = tiktoken.get_encoding("cl100k_base")
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
    return encoding


def tokens(text: str) -> int:
    return len(tokenizer().encode(text, disallowed_special=()))
