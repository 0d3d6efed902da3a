"""The code of the pages under docs/: every judge shown there can be built."""

import ast
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "models.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
JUDGES = [
    ast.get_source_segment(block, node)
    for block in BLOCKS
    for node in ast.walk(ast.parse(block))
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "LLMJudge"
]


def test_the_page_shows_judges():
    assert len(JUDGES) >= 8


@pytest.mark.parametrize("code", JUDGES)
def test_a_judge_that_is_shown_can_be_built(code, monkeypatch):
    pytest.importorskip("instructor")
    from trail_callbacks import LLMJudge

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    judge = eval(code, {"LLMJudge": LLMJudge, "azure_key": "none", "key": "none"})  # noqa: S307 - a page of our own
    assert judge.name.startswith("llm/openai/")


def test_every_block_is_python():
    for block in BLOCKS:
        compile(block, "docs/models.md", "exec")


TRACE_PAGE = (Path(__file__).parents[1] / "docs" / "trace.md").read_text(encoding="utf-8")
TRACE_WORDS = re.sub(r"^```.*?^```", "", TRACE_PAGE, flags=re.DOTALL | re.MULTILINE)
SECTIONS = dict(part.partition("\n")[::2] for part in TRACE_WORDS.split("\n## "))


@pytest.mark.parametrize(
    ("named", "section"), [("CONTEXT", "Whose run it was"), ("VERSIONS", "Which versions answered")]
)
def test_the_page_of_traces_lists_the_keys_of_each_field(named, section):
    from trail_callbacks.capture import keys

    for field, listed in getattr(keys, named).items():
        (row,) = re.findall(rf"^\| `{field}` \| ([^|]*) \|", SECTIONS[section], re.MULTILINE)
        assert tuple(re.findall(r"`(\w+)`", row)) == listed, field


def test_the_page_of_traces_names_all_fields_and_the_keys_of_documents():
    from dataclasses import fields
    from typing import get_args

    from trail_callbacks import trace
    from trail_callbacks.capture import keys

    steps = (
        trace.Retrieval,
        trace.Candidate,
        trace.Reranking,
        trace.Ranked,
        trace.Packing,
        trace.Packed,
        trace.ModelCall,
    )
    names = [field.name for kind in (*steps, trace.Context, trace.Versions) for field in fields(kind)]
    shown = set(re.findall(r"`([^`]+)`", TRACE_WORDS))
    assert {name for name in (*names, *keys.DOCUMENTS, *get_args(trace.Dropped)) if name not in shown} == set()


def test_every_block_of_the_page_of_traces_is_python():
    for block in re.findall(r"^```python\n(.*?)^```", TRACE_PAGE, re.DOTALL | re.MULTILINE):
        compile(block, "docs/trace.md", "exec")
