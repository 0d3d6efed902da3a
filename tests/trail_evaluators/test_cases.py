"""What evaluators find in what tools hand over, and which answers pass."""

import subprocess
import sys
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest
from trail_evaluators.cases import ANSWERS, SOURCES, Case, found, passes, retrieved, why_not

from trail_callbacks import check
from trail_callbacks.errors import InputError

SOURCE, RIGHT, WRONG = "The tower is 40 m high.", "The tower is 40 m high.", "The tower is 53 m high."


@dataclass
class Document:
    page_content: str


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("sources", SOURCES)
def test_usual_keys(answer, sources):
    assert found([{answer: RIGHT, sources: [SOURCE]}], []) == Case(RIGHT, (SOURCE,), None)


@pytest.mark.parametrize(
    "reply",
    [RIGHT, {"output": {"content": RIGHT}}, SimpleNamespace(content=RIGHT), {"answer": SimpleNamespace(content=RIGHT)}],
)
def test_an_answer_is_a_text_or_a_message(reply):
    assert found([reply], [{"context": SOURCE}]).answer == RIGHT


@pytest.mark.parametrize(
    "value",
    [
        SOURCE,
        [SOURCE],
        [[SOURCE]],
        Document(SOURCE),
        [{"page_content": SOURCE, "metadata": {}}],
        {"documents": [{"page_content": SOURCE}]},
        {"output": [{"type": "Document", "page_content": SOURCE}]},
        [{"text": SOURCE}, None, ""],
    ],
)
def test_sources_come_in_many_forms(value):
    assert retrieved(value) == (SOURCE,)


@pytest.mark.parametrize(
    ("given", "keys", "words"),
    [
        ([None], {}, "no answer to check"),
        ([{}], {}, "no answer to check"),
        ([{"answer": RIGHT}], {"answer": "said"}, "'said'"),
        ([{"answer": RIGHT}], {"sources": "kb"}, "no sources under the key 'kb'"),
    ],
)
def test_what_is_missing_is_said(given, keys, words):
    with pytest.raises(InputError, match=words):
        found(given, [], **keys)


@pytest.mark.parametrize(
    ("answer", "sources", "passed"),
    [
        (RIGHT, [SOURCE], True),
        (WRONG, [SOURCE], False),
        (WRONG, [], None),
        ("I don't know.", [SOURCE], True),
        ("Hello!", [SOURCE], True),
    ],
)
def test_which_answers_pass(answer, sources, passed):
    assert passes(check(answer, sources), 0.0) is passed


def test_what_could_not_be_judged_neither_passes_nor_fails():
    failed = replace(check(RIGHT, [SOURCE]), state="error", warnings=("unreachable",))
    assert passes(failed, 1.0) is None
    assert why_not(failed) == "not scored: error; unreachable"


def test_no_tool_is_imported_with_its_module():
    tools = "langsmith langfuse phoenix mlflow deepeval inspect_ai opentelemetry"
    code = (
        "import sys, importlib\n"
        "for name in 'langsmith langfuse phoenix mlflow promptfoo deepeval inspect_ai'.split():\n"
        "    importlib.import_module('trail_evaluators.' + name)\n"
        f"assert not [name for name in {tools.split()!r} if name in sys.modules], sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@pytest.mark.parametrize(
    ("module", "make", "package"),
    [
        ("mlflow", "scorer", "mlflow"),
        ("phoenix", "evaluator", "arize-phoenix-evals"),
        ("deepeval", "metric", "deepeval"),
        ("inspect_ai", "scorer", "inspect-ai"),
    ],
)
def test_without_the_tool_it_is_a_line_to_type(module, make, package, monkeypatch):
    from importlib import import_module

    ours = import_module(f"trail_evaluators.{module}")
    for name in ("mlflow.genai.scorers", "phoenix.evals", "deepeval.metrics", "inspect_ai.scorer"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=f"pip install {package}"):
        getattr(ours, make)()
