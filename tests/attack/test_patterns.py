r"""No pattern of the package may read a text in more than linear time: found mechanically, in what `re` itself parses.

A pattern is suspect if a repeat without an upper bound stands directly inside another one (`(a+)+`), or next to one
that reads some of the same characters (`a+a+`, `\s*\s+`): a text that fails can then be parted in many ways.
"""

import importlib
import pkgutil
import re
import sys
import tracemalloc
from re import _constants as sre
from re import _parser

import langchain_trail
import llama_index_trail
import pytest

import trail_callbacks
from trail_callbacks.capture.echoes import _CLAUSE
from trail_callbacks.language.terms import keys, terms
from trail_callbacks.splitting import marks
from trail_callbacks.text import forms

ENDLESS = 5_000  # a bound above this is none
SAMPLE = [chr(code) for code in (*range(0x180), 0x2018, 0x201C, 0x2028, 0x3002, 0x4E00, 0x0430, 0x200B)]
OPTIONAL = {"trail_callbacks.judges.encoder.torch"}

ALLOWED = {
    "(?:[^\\r\\n.!?\u3002\uff01\uff1f]|[.!?](?=\\w))+[.!?\u3002\uff01\uff1f]*": "nothing follows that could fail",
    r"^[ \t>]*(?:```|~~~)[ \t]*([\w-]*)[^\n]*$": "the last part reads to the end of the line, where $ always holds",
    marks._MARKER.pattern: "nothing follows that could fail",
}
"""By pattern: why it is linear all the same."""


def modules():
    for package in (trail_callbacks, langchain_trail, llama_index_trail):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if found.name.endswith("__main__") or any(found.name.startswith(each) for each in OPTIONAL):
                continue
            yield importlib.import_module(found.name)


def compiled():  # noqa: C901 - looks into all there is
    """All patterns: of modules, of classes, in containers, and what cached functions return."""
    seen = {}

    def look(value, depth=0):
        if isinstance(value, re.Pattern):
            seen[value.pattern, value.flags] = value
        elif depth < 4 and isinstance(value, dict):
            for each in value.values():
                look(each, depth + 1)
        elif depth < 4 and isinstance(value, list | tuple | set | frozenset):
            for each in value:
                look(each, depth + 1)

    for module in modules():
        for name, value in list(vars(module).items()):
            look(value)
            if hasattr(value, "cache_info") and value.__module__ == module.__name__ and name in KEPT:
                for arguments in KEPT[name]:
                    look(value(**arguments))
            if isinstance(value, type) and value.__module__ == module.__name__:
                look(vars(value).copy())
    return seen


KEPT = {"rules": [{}], "_lexicons": [{"ascii_only": False}], "_tokens": [{}]}  # cached functions that make patterns


def starts(node, flags):
    """The characters of the sample that a repeated part may begin with, and that it may hold."""
    op, argument = node
    if op in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
        return union(argument[2], flags)
    if op is sre.SUBPATTERN:
        return union(argument[3], flags)
    if op is sre.BRANCH:
        return set().union(*(union(part, flags) for part in argument[1]))
    if op in {sre.AT, sre.ASSERT, sre.ASSERT_NOT}:
        return set()
    parsed = _parser.SubPattern(_parser.State(), [node])
    return {c for c in SAMPLE if matches(parsed, c, flags)}


def matches(parsed, character, flags):
    op, argument = parsed[0]
    folded = {character, character.lower(), character.upper()} if flags & re.IGNORECASE else {character}
    if op is sre.LITERAL:
        return any(argument == ord(c) for c in folded if len(c) == 1)
    if op is sre.NOT_LITERAL:
        return argument != ord(character)
    if op is sre.ANY:
        return bool(flags & re.DOTALL) or character != "\n"
    if op is sre.IN:
        negated = argument and argument[0][0] is sre.NEGATE
        return any(member(each, c) for each in argument for c in folded if len(c) == 1) != bool(negated)
    return True  # a reference may be anything


CATEGORIES = {
    sre.CATEGORY_DIGIT: str.isdecimal,
    sre.CATEGORY_NOT_DIGIT: lambda c: not c.isdecimal(),
    sre.CATEGORY_SPACE: str.isspace,
    sre.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    sre.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    sre.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}


def member(item, character):
    op, argument = item
    if op is sre.LITERAL:
        return argument == ord(character)
    if op is sre.RANGE:
        return argument[0] <= ord(character) <= argument[1]
    return op is sre.CATEGORY and CATEGORIES[argument](character)


def union(parsed, flags):
    return set().union(*(starts(node, flags) for node in parsed)) if len(parsed) else set()


def edge(parsed, flags, *, last):
    """The characters with which what is read may begin, or end."""
    found = set()
    for node in reversed(list(parsed)) if last else parsed:
        op, argument = node
        if op in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
            found |= edge(argument[2], flags, last=last)
        elif op is sre.SUBPATTERN:
            found |= edge(argument[3], flags, last=last)
        elif op is sre.BRANCH:
            found |= set().union(*(edge(part, flags, last=last) for part in argument[1]))
        else:
            found |= starts(node, flags)
        if not may_be_empty(node):
            break
    return found


def endless(node):
    op, argument = node
    return op in {sre.MAX_REPEAT, sre.MIN_REPEAT} and argument[1] > ENDLESS


def may_be_empty(node):
    return _parser.SubPattern(_parser.State(), [node]).getwidth()[0] == 0


def flat(parsed):
    """The parts in a row, those of groups among them."""
    for node in parsed:
        if node[0] is sre.SUBPATTERN:
            yield from flat(node[1][3])
        else:
            yield node


def suspects(parsed, flags):  # noqa: C901 - one branch for each kind of part
    """What is wrong with a parsed pattern, in words."""
    row = list(flat(parsed))
    for i, node in enumerate(row):
        op, argument = node
        if endless(node):
            inner = list(flat(argument[2]))
            if len(inner) == 1 and endless(inner[0]):
                yield "nested"
            ends = len(inner) > 1 and endless(inner[-1])  # what ends a round may be read at the start of the next
            if ends and edge(argument[2], flags, last=False) & starts(inner[-1], flags):
                yield "nested"
            for other in row[i + 1 :]:
                mine = edge(argument[2], flags, last=True)
                if endless(other) and mine & edge(other[1][2], flags, last=False):
                    yield "adjacent"
                if not may_be_empty(other) or other[0] is sre.AT:
                    break
        if op in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
            yield from suspects(argument[2], flags)
        elif op is sre.ATOMIC_GROUP:
            yield from suspects(argument, flags)
        elif op is sre.BRANCH:
            for part in argument[1]:
                yield from suspects(part, flags)
        elif op in {sre.ASSERT, sre.ASSERT_NOT}:
            yield from suspects(argument[1], flags)


def found_in(pattern, flags=0):
    parsed = _parser.parse(pattern, flags)
    return sorted(set(suspects(parsed, parsed.state.flags)))


@pytest.mark.parametrize(
    "pattern", [r"(a+)+b", r"(?:\s*\s+)x", r"\w+\d*x", r"(?:a*)*", r".*.*x", r"(?:ab*a*)+c", r"\s*(?:\s*,)?\n*\s+"]
)
def test_what_is_not_linear_is_found(pattern):
    assert found_in(pattern)


@pytest.mark.parametrize(
    "pattern", [r"\w+\s*,", r"(?:\w+,)+", r"\s{0,8}\s{1,8}", r"a+b+a+", r"\"[^\"\\]*(?:\\.[^\"\\]*)*\""]
)
def test_what_is_linear_is_not(pattern):
    assert found_in(pattern) == []


def test_no_pattern_of_the_package_repeats_without_end_beside_or_inside_another():
    patterns = compiled()
    assert len(patterns) > 100
    wrong = {
        pattern[:200]: found
        for pattern, flags in patterns
        if isinstance(pattern, str) and (found := found_in(pattern, flags)) and pattern not in ALLOWED
    }
    assert wrong == {}
    assert set(ALLOWED) <= {pattern for pattern, _ in patterns}
    assert sys.version_info >= (3, 11)  # where `re._parser` is


def clauses(text):
    return [match.span() for match in _CLAUSE.finditer(text)]


@pytest.mark.parametrize("read", [terms, keys, forms, clauses])
@pytest.mark.parametrize("part", ["QUJD", "\u0915\u094b", "\u00e9"])
def test_reading_a_long_word_remembers_nothing_for_each_letter(read, part):
    """A repeated choice of characters, such as `(?:a|b)+`, keeps a hundred bytes for each; its time is linear."""
    word = part * (400_000 // len(part))
    read(part)
    tracemalloc.start()
    try:
        read(word)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 64 * len(word)
