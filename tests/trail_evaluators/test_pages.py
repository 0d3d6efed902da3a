"""The code of the pages under docs/ecosystems: it is Python, and what it takes from us is there."""

import ast
import inspect
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "ecosystems"
PAGES = sorted(page for page in FOLDER.glob("*.md") if page.stem != "README")
OURS = ("trail_callbacks", "trail_evaluators", "langchain_trail")


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def taken(tree):
    """What a block imports from us: the name it has there, and the object."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in OURS:
            if find_spec(node.module) is None:
                assert node.module == "trail_callbacks.importing"  # a room of its own
                continue
            for each in node.names:
                module = import_module(node.module)
                held = getattr(module, each.name, None) or import_module(f"{node.module}.{each.name}")
                yield each.asname or each.name, held


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_takes_from_us_is_there_and_takes_these_arguments(page):
    known = {}
    assert blocks(page)
    for block in blocks(page):
        tree = ast.parse(block)
        known |= dict(taken(tree))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (called := ast.unparse(node.func)).split(".")[0] in known:
                name, _, part = called.partition(".")
                function = getattr(known[name], part) if part else known[name]
                keywords = {each.arg: None for each in node.keywords}
                inspect.signature(function).bind(*node.args, **keywords)


def test_the_index_has_all_pages():
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if f"]({page.name})" not in index] == []


def test_the_recipe_for_ragas_scores_and_gives_the_reason():
    """RAGAS brings half of LangChain, and does not import as installed today: its function is tested without it."""
    (page,) = [page for page in PAGES if page.stem == "ragas"]
    tree = ast.parse(blocks(page)[0])
    (function,) = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    function.decorator_list.clear()
    space = {"MetricResult": lambda **kw: kw}
    exec("from trail_callbacks import check\n" + ast.unparse(function), space)  # noqa: S102 - a page of our own
    source = "The tower is 40 m high."
    result = space["groundedness"](response="The tower is 53 m high.", retrieved_contexts=[source])
    assert result["value"] == 0.0
    assert "53 m" in result["reason"]
    assert space["groundedness"](response=source, retrieved_contexts=[source])["value"] == 1.0
    assert space["groundedness"](response=source, retrieved_contexts=[])["value"] is None


def test_the_recipe_for_promptfoo_fails_what_is_made_up_or_not_judged():
    (page,) = [page for page in PAGES if page.stem == "promptfoo"]
    space = {}
    exec(blocks(page)[0], space)  # noqa: S102 - a page of our own
    source = "The tower is 40 m high."
    for output, context, passed in ((source, source, True), ("The tower is 53 m high.", source, False)):
        result = space["get_assert"](output, {"vars": {"context": context}})
        assert (result["pass"], result["score"]) == (passed, float(passed))
    result = space["get_assert"]("The tower is 53 m high.", {"vars": {"context": []}})
    assert (result["pass"], result["reason"]) == (False, "not scored: no_evidence")
