"""What the README shows is what the package does."""

import json
import re
from pathlib import Path

import pytest

from trail_callbacks.cli import main
from trail_callbacks.taxonomy import ERRORS, SUPPORT, table

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("meanings", [SUPPORT, ERRORS], ids=["classes", "types"])
def test_the_tables_are_the_taxonomy(meanings):
    assert table(meanings) in README


def test_the_printed_claims_are_what_the_demo_prints(capsys, monkeypatch):
    pytest.importorskip("langchain_core")
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["demo", "--app", "langchain"]) == 0
    shown = capsys.readouterr().out
    (block,) = re.findall(r"```text\n(.*?)```", README, flags=re.DOTALL)
    parts = block.strip().split("\n\n")
    assert len(parts) > 3
    for part in parts:
        assert part in shown


def test_the_example_without_a_framework_runs(capsys):
    (example,) = [each for each in EXAMPLES if "import check" in each]
    exec(example, {})  # noqa: S102 - our own text
    out = capsys.readouterr().out
    assert "contradicted (number)" in out
    assert out.splitlines()[-1] == "1.0"


def test_the_langchain_example_runs(capsys):
    pytest.importorskip("langchain_core")
    from langchain_core.language_models.fake_chat_models import FakeListChatModel
    from langchain_core.prompts import ChatPromptTemplate

    (example,) = [each for each in EXAMPLES if "TrailCallbackHandler" in each]
    chain = ChatPromptTemplate.from_template("{question}") | FakeListChatModel(responses=["It opened in 1968."])
    # Recorded replies, as a good judge would answer.
    claims = {"claims": [{"quote": "It opened in 1968.", "claim": "It opened in 1968.", "checkable": True}]}
    verdicts = {"verdicts": [{"claim": "c1", "comparison": "Silent.", "support": "absent", "error_type": "other"}]}
    model = FakeListChatModel(responses=[json.dumps(claims | {"abstained": False}), json.dumps(verdicts)])
    exec(example, {"chain": chain, "model": model, "question": "When did it open?"})  # noqa: S102 - as above
    assert "1 claim" in capsys.readouterr().out


def test_the_llama_index_example_runs(capsys, monkeypatch):
    pytest.importorskip("llama_index.core")
    from llama_index.core import Settings
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import CustomQueryEngine
    from llama_index_trail import uninstrument

    class Engine(CustomQueryEngine):
        llm: MockLLM

        def custom_query(self, query_str):
            from llama_index.core.base.response.schema import Response

            return Response(self.llm.complete(query_str).text)

    (example,) = [each for each in EXAMPLES if "instrument(" in each]
    monkeypatch.setattr(Settings, "_llm", MockLLM())
    try:
        exec(example, {"engine": Engine(llm=MockLLM()), "question": "The harbour opened in 1968."})  # noqa: S102 - as above
    finally:
        uninstrument()
    state, score = capsys.readouterr().out.split()
    assert (state, score) == ("error", "None")  # this model echoes its prompt
