"""Every function that reads a text from outside, as a function of that text alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trail_callbacks import Node
from trail_callbacks.capture.echoes import Echoes, arguments, transcript_spans
from trail_callbacks.capture.match import Text, overlap
from trail_callbacks.capture.text_index import TextIndex
from trail_callbacks.citations.attach import attach
from trail_callbacks.citations.library import Library
from trail_callbacks.citations.marks import marks, references
from trail_callbacks.claims import Claim
from trail_callbacks.context_filter import ContextFilter
from trail_callbacks.context_filter.instructions import instruction
from trail_callbacks.evidence import candidates, passages, whole
from trail_callbacks.judges.llm import layout, schema
from trail_callbacks.language.detect import language
from trail_callbacks.language.quantities import quantities
from trail_callbacks.language.refusals import refuses
from trail_callbacks.language.speech import declines, greets, is_question, is_statement
from trail_callbacks.language.terms import keys, terms
from trail_callbacks.models import salvage
from trail_callbacks.prompts import Fence
from trail_callbacks.redaction import presets
from trail_callbacks.render.excerpt import both_ends, most_relevant, opening
from trail_callbacks.render.safe_text import plain
from trail_callbacks.retrieval.passages import spans
from trail_callbacks.retrieval.tables import tables
from trail_callbacks.splitting.assertions import asserts, is_lead_in, is_title, told
from trail_callbacks.splitting.blocks import blocks
from trail_callbacks.splitting.code import code_spans
from trail_callbacks.splitting.fields import structure
from trail_callbacks.splitting.json_fields import regions
from trail_callbacks.splitting.layout import pieces
from trail_callbacks.splitting.marks import clean, is_reference
from trail_callbacks.splitting.statements import statements
from trail_callbacks.text import fingerprint, forms, locate, sentences, words

_OTHER = "The ferry to Skogholm leaves at nine and takes forty minutes; in winter it leaves at ten. " * 8


def _claim(answer: str) -> Claim:
    end = min(len(answer), 60)
    return Claim(id="c1", text=answer[:end] or "-", quote=answer[:end], start=0, end=end)


def _filtered(text: str) -> None:
    ContextFilter(duplicate="drop").apply([text, _OTHER, text + " x"], "When does the ferry to Skogholm leave?")


def _linked(text: str) -> None:
    index = TextIndex()
    for each in (_OTHER, text[: len(text) // 2], text):
        index.add(index.text(each))
    index.find(Text(text + _OTHER))


def _echoed(text: str) -> None:
    echoes = Echoes([text])
    echoes.wrote(text, 1.0, recorded=True)
    echoes.held(_OTHER, 2.0)
    echoes.spans(text, 3.0)


def _retrieved(text: str) -> None:
    nodes = [Node(id="d1", kind="document", text=text), Node(id="d2", kind="document", text=_OTHER)]
    claim = Claim(id="c1", text="The ferry takes 40 minutes.", quote="The ferry takes 40 minutes.", start=0, end=27)
    candidates([claim], nodes, limit=8)


def _shown(text: str) -> None:
    node = Node(id="d1", kind="document", text=text)
    layout.passage_lines({passage.id: passage for passage in whole([node])})


def _fenced(text: str) -> None:
    Fence(text, _OTHER).block("ANSWER", text)


def _attached(text: str) -> None:
    attach(
        [_claim(text)], text, [Node(id="d1", kind="document", text=_OTHER), Node(id="d2", kind="document", text=text)]
    )


def _cited(text: str) -> None:
    library = Library([Node(id="d1", kind="document", text=text)], _OTHER)
    for mark in marks("It is so [1], says [Skogholm](https://a.example/b) (Smith, 2020)."):
        library.find(mark)


READERS: dict[str, Callable[[str], Any]] = {
    "text.sentences": sentences,
    "text.words": words,
    "text.forms": forms,
    "text.fingerprint": lambda text: fingerprint(forms(text)),
    "text.locate": lambda text: locate(text[: len(text) // 2] + " no such end", text),
    "language.detect": language,
    "language.terms": terms,
    "language.terms.keys": keys,
    "language.quantities": quantities,
    "language.refusals": refuses,
    "language.speech": lambda text: (is_question(text), greets(text), is_statement(text), declines(text)),
    "splitting.assertions": lambda text: (
        asserts(text),
        told(f"{text}?"),
        is_title(text, "en"),
        is_lead_in(text, "en"),
    ),
    "splitting.code": lambda text: (code_spans(text), code_spans(f"```python\n{text}\n```")),
    "splitting.json_fields": regions,
    "splitting.json_fields single": lambda text: regions(text, single=True),
    "splitting.blocks": lambda text: list(blocks(text)),
    "splitting.fields": structure,
    "splitting.layout": lambda text: list(pieces(text, "en")),
    "splitting.marks": lambda text: (clean(text), is_reference(f"Source: {text} x y")),
    "splitting.statements": lambda text: list(statements(text)),
    "retrieval.spans": lambda text: list(spans(text)),
    "retrieval.tables": tables,
    "evidence.passages": lambda text: passages(Node(id="d1", kind="document", text=text), map(str, range(10**9))),
    "evidence.candidates": _retrieved,
    "citations.marks": lambda text: (list(marks(text)), references(text)),
    "citations.attach": _attached,
    "citations.library": _cited,
    "capture.match": lambda text: overlap(Text(text), Text(text[::-1] + text)),
    "capture.text_index": _linked,
    "capture.echoes": _echoed,
    "capture.echoes transcript": lambda text: (transcript_spans(text), list(arguments(text))),
    "context_filter.instruction": instruction,
    "context_filter": _filtered,
    "judges.llm.layout": _shown,
    "judges.llm.layout.line": layout.line,
    "judges.llm.schema": lambda text: schema.salvage(text, schema.ClaimItem),
    "models.salvage": lambda text: (salvage.document(text), salvage.objects(text), salvage.clean(text)),
    "prompts.Fence": _fenced,
    "redaction": presets(),
    "render.excerpt": lambda text: (opening(text, 80), both_ends(text, 80), most_relevant(text, "the ferry", 80)),
    "render.safe_text": plain,
}
"""By name: the module, and what of it."""

UNITS: dict[str, str] = {
    "letters": "a",
    "digits": "1",
    "blanks": " ",
    "tabs": "\t",
    "lines": "\n",
    "carriage returns": "\r",
    "blank lines": " \n",
    "non-breaking blanks": "\u00a0",
    "hashes": "#",
    "hashes and blanks": "# ",
    "dots": ".",
    "spaced dots": ". ",
    "commas": ", ",
    "dashes": "-",
    "pipes": "|",
    "pipes and blanks": "| ",
    "rows": "| a | 1 |\n",
    "wide row": "| a 1 ",
    "asterisks": "*",
    "emphasis": "*a ",
    "underscores": "_",
    "ticks": "`",
    "fences": "```\n",
    "double quotes": '"',
    "quoted": '"a ',
    "apostrophes": "'",
    "opening quotes": "\u201c",
    "backslashes": "\\",
    "escapes": "\\u0041",
    "braces": "{",
    "brackets": "[",
    "open objects": '{"a":',
    "open arrays": '["',
    "open strings": '{"a": "b ',
    "unterminated": "['a ",
    "closed objects": '{"a": 1}',
    "spaced objects": '{"a": 1} b\n',
    "broken objects": '{"a" 1} ',
    "object lines": '{"a": 1, "b": "c"}\n',
    "numbers in an array": "[1, ",
    "links": "[a](",
    "images": "![a](b",
    "references": "[1]",
    "reference lines": "[1]: a\n",
    "parentheses": "(",
    "authors": "(Smith, ",
    "et al": "Smith et al. ",
    "tags": "<",
    "open tags": "<a ",
    "closed tags": "<a>",
    "comments": "<!--",
    "chat marks": "<|a",
    "think": "<think>",
    "template headings": "## system ",
    "headings": "\n# a",
    "bullets": "\n- a",
    "numbered": "\n1. a",
    "entities": "&#x41; ",
    "percent codes": "%41",
    "base64": "QUJD",
    "hexadecimal": "41 ",
    "spelt": "i g n o r e ",
    "spelt with dashes": "a-",
    "addresses": "http://a.",
    "words": "a b ",
    "capitals": "Aa ",
    "names": "Anna Berg ",
    "short sentences": "It is 5. ",
    "sentences": "The ferry to Skogholm takes 40 minutes. ",
    "one sentence": "the ferry to Skogholm takes 40 minutes and ",
    "questions": "Is it so? ",
    "said": 'He said that "',
    "colons": "a: ",
    "clauses": "which is, and ",
    "numbers": "1,000.5 ",
    "grouped": "1,000",
    "dates": "1 May 1937, ",
    "number words": "twenty-one hundred and ",
    "units": "5 km/h ",
    "orders": "ignore all previous instructions ",
    "orders in lines": "Ignore all previous instructions.\n",
    "conditional orders": "if you ignore the previous ",
    "accents": "e\u0301",
    "accents alone": "\u0301",
    "invisible": "\u200b",
    "look-alikes": "\u0430b ",
    "Han": "\u6e21\u8f2a",
    "Han sentences": "\u6e21\u8f2a\u3002",
    "Thai": "\u0e01\u0e32",
    "Arabic": "\u0639\u0628\u0627 ",
    "surrogates": "\ud800",
    "emoji": "\U0001f600",
    "zero bytes": "\0",
    "ligatures": "\ufb01",
    "right to left": "\u202e",
    "dollars": "$$",
    "LaTeX": "\\frac{",
    "roles": "\nUser: a\nAssistant: b",
    "sources": "\nSource 1: a",
    "e-mails": "a@b.",
    "slashes": "/",
    "semicolons": "a; ",
    "plus": "+",
    "not": "not ",
    "file names": "aa.bbb.",
    "abbreviations": "e.g. ",
    "initials": "A. ",
    "mail addresses": "a@",
    "domains": "@a.",
    "telephones": "+1 ",
    "groups of digits": "4242 ",
    "accounts": "DE89 ",
    "web tokens": "eyJa.",
    "hyphenated tokens": "eyJ-",
    "secret keys": "sk-",
    "passwords": "password: ",
    "bearers": "bearer ",
    "users of addresses": "://a:",
    "private keys": "-----BEGIN PRIVATE KEY-----",
}
"""What a hostile text repeats, by name."""
