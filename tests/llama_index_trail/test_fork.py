import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "session"))
from forks import needs_fork, run_program

APP = """
from collections import Counter
from llama_index.core import PromptHelper
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import MockLLM, CustomLLM, CompletionResponse, LLMMetadata
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index_trail import instrument, report_for, trail

class Model(CustomLLM):
    @property
    def metadata(self):
        return LLMMetadata()
    def complete(self, prompt, formatted=False, **kwargs):
        return CompletionResponse(text="The quarry at Holm was opened in 1847.")
    def stream_complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError

class Retriever(BaseRetriever):
    def _retrieve(self, query):
        text = "The quarry at Holm was opened in 1874 and closed in 1902."
        return [NodeWithScore(node=TextNode(text=text), score=1.0)]

engine = RetrieverQueryEngine(Retriever(), get_response_synthesizer(llm=Model()))

def served():
    response = engine.query("When?")
    report = report_for(response, timeout=40)
    assert report.hallucination_score == 1.0, report
    return response
"""


@needs_fork
@pytest.mark.parametrize("evaluate", ["never", "background", "inline"])
def test_children_forked_while_other_threads_query_get_their_reports(evaluate):
    lines = run_program(
        APP
        + f"""
instrument(evaluate="{evaluate}")
served()
stop = busy(lambda: engine.query("When?"), threads=3)
print(Counter(forked(served, 60) for _ in range(25)))
stop()
""",
        seconds=250,
    )
    assert lines == ["Counter({'ok': 25})"]


@needs_fork
def test_a_summary_that_was_pending_when_a_child_was_forked_keeps_nobody_waiting():
    lines = run_program(
        APP
        + """
from trail_callbacks.judges.local.judge import LocalJudge
go = threading.Event()
class Slow(LocalJudge):
    def extract(self, answer, question):
        go.wait()
        return (yield from super().extract(answer, question))
instrument(judge=Slow(), evaluate="background")
response = engine.query("When?")
def child():
    assert dict(response.metadata["trail"])["state"] == "pending"
    go.set()
    assert report_for(response, timeout=40).hallucination_score == 1.0
ended = forked(child, 50)
go.set()
print(ended, response.metadata["trail"]["state"])
"""
    )
    assert lines == ["ok assessed"]


def test_the_metadata_come_from_another_process_too():
    lines = run_program(
        APP
        + """
instrument(evaluate="process")
response = engine.query("When?")
print(response.metadata["trail"]["hallucination_score"])
"""
    )
    assert lines == ["1.0"]
