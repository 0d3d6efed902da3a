"""What evaluators find in what tools hand over, and which answers pass."""

import subprocess
import sys
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from trail_evaluators.cases import ANSWERS, SOURCES, CaseChecker, retrieved

from trail_callbacks.errors import InputError

SOURCE = RIGHT = "The tower is 40 m high."


@dataclass
class Document:
    page_content: str


@pytest.mark.parametrize(("answer", "sources"), [*zip(ANSWERS * 2, SOURCES, strict=False)])
def test_usual_keys(answer, sources):
    report = CaseChecker(None, None).found([{answer: RIGHT, sources: [SOURCE], "query": "How high?"}], [])
    assert (report.hallucination_score, report.graph.question.text) == (0.0, "How high?")


@pytest.mark.parametrize(
    "reply",
    [RIGHT, {"output": {"content": RIGHT}}, SimpleNamespace(content=RIGHT), {"answer": SimpleNamespace(content=RIGHT)}],
)
def test_an_answer_is_a_text_or_a_message(reply):
    assert CaseChecker(None, None).found([reply], [{"context": SOURCE}]).graph.answer.text == RIGHT


@pytest.mark.parametrize(
    "value",
    [
        SOURCE,
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
        ([{}], {}, "no answer to check"),
        ([{"answer": RIGHT}], {"answer": "said"}, "'said'"),
        ([{"answer": RIGHT}], {"sources": "kb"}, "no sources under the key 'kb'"),
    ],
)
def test_what_is_missing_is_said(given, keys, words):
    with pytest.raises(InputError, match=words):
        CaseChecker(None, None, **keys).found(given, [])


def test_no_tool_is_imported_with_its_module():
    code = (
        "import sys; from trail_evaluators import langsmith, langfuse, phoenix, mlflow\n"
        "assert not {'langsmith', 'langfuse', 'phoenix', 'mlflow', 'opentelemetry'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@pytest.mark.parametrize(
    ("module", "make", "package"),
    [
        ("mlflow", "scorer", "mlflow"),
        ("phoenix", "evaluator", "arize-phoenix-evals"),
    ],
)
def test_without_the_tool_it_is_a_line_to_type(module, make, package, monkeypatch):
    from importlib import import_module

    ours = import_module(f"trail_evaluators.{module}")
    for name in ("mlflow.genai.scorers", "phoenix.evals"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=f"pip install {package}"):
        getattr(ours, make)()
