"""The front pages are followed as somebody new would: README, the page of LangChain and that of LlamaIndex."""

import ast
import asyncio
import gc
import importlib
import json
import re
from pathlib import Path

import pytest

from trail_callbacks.cli import main
from trail_callbacks.report import State
from trail_callbacks.taxonomy import ERRORS, SUPPORT, table

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
OURS = {"trail_callbacks", "langchain_trail", "llama_index_trail", "pytest_trail"}
QUESTION = "How long does the ferry take?"
SOURCE = "The ferry takes 40 minutes. It sails daily."
WRONG = "The ferry takes 53 minutes."


def page(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name):
    return re.findall(r"^```python\n(.*?)^```", page(name), re.DOTALL | re.MULTILINE)


class Reader:
    """The model of the app, which judges too: it says what a good judge would, recorded here."""

    name = "recorded"

    def reply(self, messages, tools=()):
        from trail_callbacks.demo.chat import Turn

        prompt = "\n".join(str(each.get("content") or "") for each in messages)
        if "<<<ANSWER" not in prompt:
            return Turn(text=WRONG)
        (line,) = re.findall(r"^\[(s\d+)\].* 40 minutes", prompt, re.MULTILINE)
        said = {"quote": WRONG, "contradicting": [line], "comparison": "40 there, 53 here.", "support": "contradicted"}
        return Turn(text=json.dumps({"claims": [{**said, "error_type": "number"}], "abstained": False}))


def followed(name, known):
    """Runs the code of a page from top to end, in one namespace; a hosted model is the recorded one here."""
    for block in blocks(name):
        code = block.replace('"openai/gpt-5-mini"', "judge")
        exec(compile(code, name, "exec"), known)  # noqa: S102 - a page of our own
    return known


@pytest.fixture
def langchain_app():
    pytest.importorskip("langchain")
    from langchain_core.documents import Document
    from langchain_core.prompts import PromptTemplate
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnablePassthrough
    from langchain_trail.demo import ChatModel

    class Shelf(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return [Document(SOURCE, metadata={"source": "ferry.md"})]

    model = ChatModel(chat=Reader())
    prompt = PromptTemplate.from_template("Answer from this:\n\n{context}\n\n{question}")
    read = Shelf() | (lambda documents: documents[0].page_content)
    chain = {"context": read, "question": RunnablePassthrough()} | prompt | model
    return {"model": model, "chain": chain, "retriever": Shelf(), "tools": [], "question": QUESTION}


def test_the_page_of_langchain_is_followed_to_its_end(langchain_app, capsys):
    known = followed("docs/langchain.md", langchain_app)
    printed = capsys.readouterr().out
    assert "contradicted (number)" in printed
    assert "ferry.md" in printed
    assert printed.splitlines()[-1] == "assessed 1.0"  # of the block of code
    assert known["result"].report.hallucination_score == 1.0
    assert known["out"]["trail"]["blocked"] is True
    assert known["safe"].invoke(QUESTION).text != WRONG

    async def served():
        reply, run_id = await known["answer"](QUESTION)
        return reply.text, await known["report_of"](run_id)

    text, summary = asyncio.run(served())
    assert (text, summary["hallucination_score"]) == (WRONG, 1.0)


def chat_model_of_llama_index():
    from llama_index.core.llms import ChatMessage, ChatResponse, LLMMetadata
    from llama_index.core.llms.callbacks import llm_chat_callback
    from llama_index.core.llms.function_calling import FunctionCallingLLM

    def answer(messages):
        reply = Reader().reply([{"content": each.content} for each in messages])
        return ChatResponse(message=ChatMessage(role="assistant", content=reply.text), delta=reply.text)

    class Model(FunctionCallingLLM):
        @property
        def metadata(self):
            return LLMMetadata(is_chat_model=True, is_function_calling_model=True, model_name="recorded")

        @llm_chat_callback()
        def chat(self, messages, **kwargs):
            return answer(messages)

        @llm_chat_callback()
        async def achat(self, messages, **kwargs):
            return answer(messages)

        @llm_chat_callback()
        async def astream_chat(self, messages, **kwargs):
            async def parts():
                yield answer(messages)

            return parts()

        def _prepare_chat_with_tools(self, tools, user_msg=None, chat_history=None, **kwargs):
            return {"messages": [*(chat_history or []), *([ChatMessage(content=user_msg)] if user_msg else [])]}

        def get_tool_calls_from_response(self, response, error_on_no_tool_call=True, **kwargs):
            return []

        stream_chat = complete = acomplete = stream_complete = astream_complete = chat

    return Model()


@pytest.fixture
def llama_index_app():
    pytest.importorskip("llama_index.core")
    from llama_index.core import Document, Settings, SummaryIndex
    from llama_index_trail import uninstrument

    llm = chat_model_of_llama_index()
    before, Settings.llm = Settings._llm, llm
    index = SummaryIndex.from_documents([Document(text=SOURCE, metadata={"file_name": "ferry.md"})])
    try:
        yield {"llm": llm, "index": index, "engine": index.as_query_engine(), "tools": [], "question": QUESTION}
    finally:
        uninstrument()
        Settings._llm = before
        gc.collect()  # agents leave databases open: they complain here and not in another test


left_open = pytest.mark.filterwarnings(  # of LlamaIndex itself
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@left_open
def test_the_page_of_llama_index_is_followed_to_its_end(llama_index_app, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known = followed("docs/llama_index.md", llama_index_app)
    printed = capsys.readouterr().out
    assert "contradicted (number)" in printed
    assert "ferry.md" in printed
    assert known["checked"].metadata["trail"]["passed"] is False
    assert known["result"].passing is False

    async def served():
        response = await known["answer"](QUESTION)
        return str(response), await known["report_of"](response), await known["ask"](QUESTION)

    text, summary, (reply, report) = asyncio.run(served())
    assert (text, summary["hallucination_score"]) == (WRONG, 1.0)
    assert str(reply) == WRONG
    assert report.graph.answer.text == WRONG


def test_the_page_of_guards_is_followed(langchain_app):
    pytest.importorskip("langgraph")
    out = followed("docs/guards.md", langchain_app)["out"]
    assert (out["answer"], out["rounds"], out["trail"]["hallucination_score"]) == (WRONG, 3, 1.0)


def test_the_pages_of_traces_and_diagnoses_are_followed(langchain_app, capsys, tmp_path, monkeypatch):
    from langchain_trail import TrailCallbackHandler, as_model

    monkeypatch.chdir(tmp_path)
    recorder = TrailCallbackHandler(evaluate="never")
    langchain_app["chain"].invoke(QUESTION, {"callbacks": [recorder]})
    more = {"judge": as_model(langchain_app["model"]), "chat_model": langchain_app["model"]}
    known = followed("docs/trace.md", {**langchain_app, **more, "traces": [recorder.trace()]})
    assert known["report"].hallucination_score == 1.0
    assert capsys.readouterr().out.endswith(f" {QUESTION}\n")
    known = followed("docs/diagnosis.md", {**langchain_app, **more})
    assert "grounding failure" in capsys.readouterr().out
    assert len(known["found"].from_memory) == 1


def test_the_pages_of_the_store_of_releases_and_of_audits_are_followed(langchain_app, capsys, tmp_path, monkeypatch):
    pytest.importorskip("sqlalchemy")
    from langchain_trail import TrailCallbackHandler, as_model, guarded

    from trail_callbacks.audit import audit
    from trail_callbacks.store import Store
    from trail_callbacks.trace import save

    monkeypatch.chdir(tmp_path)
    store = Store("trail.db")
    judge = as_model(langchain_app["model"])
    known = {**langchain_app, "judge": judge, "guarded": guarded, "audit": audit}
    known |= {"TrailCallbackHandler": TrailCallbackHandler, "instrument": lambda **_: None}  # it asks a PostgreSQL
    kinds = {"kind": "prices", "query_class": "prices"}
    for release in ("v1", "v2", "2026-11-20"):
        handler = TrailCallbackHandler(judge, "inline", store=store, context={"release": release, **kinds})
        langchain_app["chain"].invoke(QUESTION, {"callbacks": [handler]})
        handler.close(30)
    store.close(30)
    Path("logs").mkdir()
    save("logs/one.jsonl", [handler.trace()])
    followed("docs/releases.md", known)
    assert "not_enough_data" in capsys.readouterr().out
    audited, *_ = blocks("docs/audit.md")  # the others need an endpoint for batches, and a cluster
    exec(audited.replace('"openai/gpt-5-mini"', "judge").replace("sample=0.1", "sample=1.0"), known)  # noqa: S102
    assert capsys.readouterr().out == "1.0\n"
    Path("audit").rename("audited")
    followed("docs/store.md", known)
    assert known["week"].decided == known["week"].bad == 1


@pytest.mark.parametrize("name", sorted(str(each.relative_to(ROOT)) for each in ROOT.glob("docs/*.md")))
def test_what_a_page_imports_is_there(name):
    for block in blocks(name):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in OURS:
                module = importlib.import_module(node.module)
                assert [each.name for each in node.names if not hasattr(module, each.name)] == []


@left_open
def test_the_readme_is_followed_with_either_framework(langchain_app, llama_index_app, capsys):
    known = followed("README.md", {**llama_index_app, **langchain_app})
    printed = capsys.readouterr().out
    assert printed.count("contradicted (number)") == 3
    assert printed.splitlines()[-1] == "1.0"
    assert known["agent"].invoke({"messages": [("user", QUESTION)]})["trail"]["blocked"] is True


def test_the_readme_is_one_screen_to_the_first_report_and_short():
    assert len(README.split()) <= 1500
    assert README[: README.index("handler.report()")].count("\n") < 25


def test_the_printed_claims_are_what_the_demo_prints(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    (block,) = re.findall(r"```text\n(.*?)```", README, flags=re.DOTALL)
    parts = block.strip().split("\n\n")
    assert len(parts) > 3
    for part in parts:
        assert part in shown


@pytest.mark.parametrize("meanings", [SUPPORT, ERRORS], ids=["classes", "types"])
def test_the_tables_are_the_taxonomy(meanings):
    assert table(meanings) in page("docs/verdicts.md")


def test_the_readme_has_the_examples_of_the_taxonomy():
    for label, meaning in ERRORS.items():
        assert f"| `{label}` | {meaning.evidence} | {meaning.claim} |" in README


def test_the_page_of_states_has_all_of_them():
    first = page("docs/states.md").split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", first, re.MULTILINE)) == set(State.__args__)


@pytest.mark.parametrize(
    "path", sorted(map(str, [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])), ids=lambda p: Path(p).name
)
def test_links_between_pages_lead_somewhere(path):
    text = Path(path).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)):
        if target.startswith(("http", "mailto")):
            continue
        name, _, anchor = target.partition("#")
        to = Path(path).parent / name if name else Path(path)
        assert to.exists(), target
        if anchor:
            heads = re.findall(r"^#+ (.*)$", to.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}, target
