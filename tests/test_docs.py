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
