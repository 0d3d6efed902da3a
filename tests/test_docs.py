"""The code of the pages under docs/: every judge shown there can be built."""

import ast
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest

from trail_callbacks.language.terms import keys

PAGE = (Path(__file__).parents[1] / "docs" / "models.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
JUDGES = [
    ast.get_source_segment(block, node)
    for block in BLOCKS
    for node in ast.walk(ast.parse(block))
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "LLMJudge"
]


def test_the_page_shows_judges():
    assert len(JUDGES) >= 7


@pytest.mark.parametrize("code", JUDGES)
def test_a_judge_that_is_shown_can_be_built(code, monkeypatch):
    pytest.importorskip("instructor")
    from trail_callbacks import LLMJudge

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    judge = eval(code, {"LLMJudge": LLMJudge, "azure_key": "none", "key": "none"})  # noqa: S307 - a page of our own
    assert judge.name.startswith("llm/openai/")


TRACE_PAGE = (Path(__file__).parents[1] / "docs" / "trace.md").read_text(encoding="utf-8")
TRACE_WORDS = re.sub(r"^```.*?^```", "", TRACE_PAGE, flags=re.DOTALL | re.MULTILINE)
SECTIONS = dict(part.partition("\n")[::2] for part in TRACE_WORDS.split("\n## "))


@pytest.mark.parametrize(
    ("named", "section"), [("CONTEXT", "Whose run it was"), ("VERSIONS", "Which versions answered")]
)
def test_the_page_of_traces_lists_the_keys_of_each_field(named, section):
    from trail_callbacks.capture import payloads

    for field, listed in getattr(payloads, named).items():
        (row,) = re.findall(rf"^\| `{field}` \| ([^|]*) \|", SECTIONS[section], re.MULTILINE)
        assert tuple(re.findall(r"`(\w+)`", row)) == listed, field


def test_the_page_of_traces_names_all_fields_and_the_keys_of_documents():
    from dataclasses import fields
    from typing import get_args

    from trail_callbacks import trace
    from trail_callbacks.capture import payloads

    steps = (
        trace.Retrieval,
        trace.Candidate,
        trace.Reranking,
        trace.Reranked,
        trace.Packing,
        trace.Packed,
        trace.ModelCall,
    )
    names = [field.name for kind in (*steps, trace.Context, trace.Versions) for field in fields(kind)]
    shown = set(re.findall(r"`([^`]+)`", TRACE_WORDS))
    assert {name for name in (*names, *payloads.DOCUMENTS, *get_args(trace.Dropped)) if name not in shown} == set()


CANARY_PAGE = (Path(__file__).parents[1] / "docs" / "canary.md").read_text(encoding="utf-8")
CANARY_BLOCKS = re.findall(r"^```python\n(.*?)^```", CANARY_PAGE, re.DOTALL | re.MULTILINE)


def canary_block(words):
    (found,) = [block for block in CANARY_BLOCKS if words in block]
    return found


@pytest.fixture
def notes(tmp_path, monkeypatch):
    """A folder of texts, as the page has it, with its twin and probes; and a model that reads what it is given."""
    from trail_callbacks.canary.files.corpora import read_corpus
    from trail_callbacks.canary.files.probes import write_probes
    from trail_callbacks.canary.files.twins import save_twin
    from trail_callbacks.canary.perturbers.perturb import perturb
    from trail_callbacks.canary.questions.making import make_probes

    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name, text in texts().items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    twin = perturb(read_corpus("docs/"), seed=7)
    save_twin(twin, "twin.json")
    probes, _ = make_probes(twin)
    write_probes(probes, "probes.jsonl")
    return twin, probes


def texts(ends=".txt"):
    from trail_callbacks.demo.town import town

    return {each.id: each.text for each in town() if each.id.endswith(ends)}


@cache
def paragraphs(ends):
    from trail_callbacks.demo.documents import Shelf

    return Shelf([part for text in texts(ends).values() for part in text.split("\n\n")])


def searched(question, ends=".txt"):
    return paragraphs(ends).find(question, 4)


def test_the_python_of_the_page_of_the_canary_runs(notes, capsys):
    from trail_callbacks.canary.played import Played

    twin, probes = notes
    played = Played(probes, knows=1.0)
    by_question = {probe.question: probe for probe in probes}
    known = {
        "search": searched,
        "answer": lambda question, context: played.answer(by_question[question], context),
        "documents": [{"page_content": text} for text in texts().values()],
    }
    for words in ("def app(ask)", "needed_for_bound", "refuse_fictive", "Watch("):
        exec(compile(canary_block(words), "docs/canary.md", "exec"), known)  # noqa: S102 - a page of our own
    assert known["twin"].id == twin.id
    assert known["results"].rate("follow").value > 0.9
    assert known["results"].rate("right_closed_book").value > 0.9
    assert Path("canary.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert known["history"].turns == 1
    printed = capsys.readouterr().out
    assert "95 % interval 0 to" in printed
    assert "fictive" in printed
    assert "trail_canary_leak_limit 0.05" in printed


class PlayedChat:
    """A played model as the chat model of an app."""

    name = "played"

    def __init__(self, probes):
        from trail_callbacks.canary.played import Played

        self.probes, self.played = probes, Played(probes, knows=1.0)

    def reply(self, messages, tools=()):
        from trail_callbacks.demo.chat import Turn

        prompt = "\n".join(str(each.get("content") or "") for each in messages)
        probe = max((each for each in self.probes if each.question in prompt), key=lambda each: len(each.question))
        read, is_app = prompt.replace(probe.question, " "), "context" in prompt.casefold()
        return Turn(text=self.played.answer(probe, [read] if is_app else None))


def test_the_chain_of_the_page_of_the_canary_is_an_app(notes):
    pytest.importorskip("langchain_core")
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_trail.demo import ChatModel

    class Words(Embeddings):
        """Hashed words."""

        def embed_documents(self, texts):
            return [self.embed_query(text) for text in texts]

        def embed_query(self, text):
            words = {crc32(key.encode()) % 256 for key in keys(text)}
            return [float(n in words) for n in range(256)]

    _, probes = notes
    store = InMemoryVectorStore(Words())
    store.add_documents([Document(text, metadata={"source": name}) for name, text in texts().items()])
    known = {"store": store, "chat_model": ChatModel(chat=PlayedChat(probes))}
    exec(compile(canary_block("langchain_trail"), "docs/canary.md", "exec"), known)  # noqa: S102 - as above
    assert_it_reads(known["canary"], probes)


def test_the_engine_of_the_page_of_the_canary_is_an_app(notes):
    pytest.importorskip("llama_index.core")
    from llama_index.core import Document, VectorStoreIndex
    from llama_index_trail.demo import ChatModel, HashedWords

    _, probes = notes
    index = VectorStoreIndex.from_documents(
        [Document(text=text, id_=name) for name, text in texts().items()], embed_model=HashedWords(),
        transformations=[],
    )  # fmt: skip
    llm = ChatModel(writer=PlayedChat(probes))
    known = {"index": index, "llm": llm}
    exec(compile(canary_block("llama_index_trail"), "docs/canary.md", "exec"), known)  # noqa: S102 - as above
    assert_it_reads(known["canary"], probes)


def assert_it_reads(app, probes):
    from trail_callbacks.canary.runs.run import run
    from trail_callbacks.canary.statistics.rates import rates

    found = run(probes, app, out="canary/")
    assert [trial.error for trial in found.trials if trial.error] == []
    figures = rates(found).strategies["default"].rates
    assert figures["follow"].value > 0.9
    assert figures["leak"].low < 0.01
    assert figures["right_closed_book"].value > 0.9


SHOP = """
from test_docs import searched

from trail_callbacks.canary import Answered, Translator, load_twin, read_probes
from trail_callbacks.canary.played import Played

probes, _ = read_probes("probes.jsonl")
asked = {probe.id: probe for probe in probes}
translator = Translator(load_twin("twin.json"))
played = Played(probes, knows=1.0)


def canary(ask):
    if ask.arm == "closed_book":
        return played.answer(asked[ask.probe], None)
    passages = [] if ask.arm == "empty" else searched(ask.question, "")
    if ask.arm == "fictive":
        passages = [text for each in passages if (text := translator.fictive(each))]
    return Answered(text=played.answer(asked[ask.probe], passages), passages=passages)
"""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """The folder of somebody who follows the page: texts, and an app in `shop.py`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name, text in texts("").items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    (tmp_path / "shop.py").write_text(SHOP, encoding="utf-8")
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path}


def test_the_commands_and_the_test_of_the_page_of_the_canary_run(shop, tmp_path):
    """In the order of the page, in a folder where nothing else is."""

    def said(*command):
        done = subprocess.run(
            [sys.executable, "-m", *command], check=False, env=shop, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return " ".join(done.stdout.split())

    (block,) = re.findall(r"^```text\n(.*?)^```", CANARY_PAGE, re.DOTALL | re.MULTILINE)
    outputs = [said("trail_callbacks.cli", *shlex.split(line)[1:]) for line in block.splitlines()]
    for output, line in zip(outputs, block.splitlines()[1:], strict=False):
        assert "next: trail" in output or "then: trail" in output
        assert " ".join(line.split()[:3]) in output, output  # each command names the one that follows it on the page
    assert "leaks the real value in 0 % [0, " in outputs[-1]
    assert (tmp_path / "canary.html").exists()
    (tmp_path / "test_shop.py").write_text(canary_block("trail_canary"), encoding="utf-8")
    assert "1 passed" in said("pytest", "-q", "-p", "no:cacheprovider", "test_shop.py")


def test_the_matrix_of_the_page_of_the_canary_can_be_read(tmp_path):
    from trail_callbacks.canary.runs.journal import read_matrix

    (block,) = re.findall(r"^```toml\n(.*?)^```", CANARY_PAGE, re.DOTALL | re.MULTILINE)
    (tmp_path / "strategies.toml").write_text(block, encoding="utf-8")
    strategies, arms = read_matrix(tmp_path / "strategies.toml")
    assert (len(strategies), arms) == (5, ("closed_book", "real", "fictive"))


def test_the_page_of_the_canary_names_all_kinds_outcomes_and_arms():
    from trail_callbacks.canary import ARMS, KINDS, OUTCOMES

    shown = set(re.findall(r"^\| `(\w+)` \|", CANARY_PAGE, re.MULTILINE))
    assert shown == {*ARMS, *KINDS, *OUTCOMES}
