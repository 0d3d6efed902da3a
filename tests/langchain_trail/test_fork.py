import pickle
import sys
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableLambda
from langchain_trail import TrailCallbackHandler
from langchain_trail.handler import _written

from trail_callbacks import Retention

sys.path.insert(0, str(Path(__file__).parents[1] / "session"))
from forks import needs_fork, run_program

APP = """
from collections import Counter
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_trail import TrailCallbackHandler

class Retriever(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(page_content="The quarry at Holm was opened in 1874 and closed in 1902.")]

chain = Retriever() | RunnableLambda(lambda _: "The quarry at Holm was opened in 1847.")

def ask(handler):
    chain.invoke("When?", {"callbacks": [handler]})

def served(handler):
    ask(handler)
    report = handler.report(timeout=40)
    assert report.hallucination_score == 1.0, (report, handler.errors)
"""


@needs_fork
def test_a_handler_of_the_master_serves_in_each_worker_of_a_server_that_forks_first():
    lines = run_program(
        APP
        + """
handler = TrailCallbackHandler()  # preloaded, as by `gunicorn --preload`
served(handler)
def worker():
    threads = [threading.Thread(target=served, args=(handler,)) for _ in range(3)]
    [thread.start() for thread in threads]
    [thread.join(60) for thread in threads]
    assert handler.flush(60)
    assert len(handler.reports) == 4, handler.errors  # that of the master, and its own
    pids = []
    assert forked(lambda: served(handler), 60) == "ok"  # a task queue forks once more
print(Counter(forked(worker, 120) for _ in range(3)))
""",
        seconds=250,
    )
    assert lines == ["Counter({'ok': 3})"]


@needs_fork
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_handlers_go_to_processes_of_multiprocessing(method, tmp_path):
    code = f"""
import multiprocessing
from trail_callbacks import Retention

def score(handler):
    served(handler)
    return handler.report().hallucination_score

if __name__ == "__main__":
    handler = TrailCallbackHandler(keep=Retention(runs=7))
    served(handler)
    with multiprocessing.get_context("{method}").Pool(2) as pool:
        print(pool.map(score, [handler] * 4))
"""
    assert run_program(APP + code, name="app.py", tmp_path=tmp_path) == ["[1.0, 1.0, 1.0, 1.0]"]


class Named(TrailCallbackHandler):
    def __init__(self, name, **settings):
        super().__init__(**settings)
        self.label = name


@pytest.mark.parametrize("evaluate", ["background", "inline"])
def test_a_pickled_handler_has_the_settings_and_none_of_the_runs(evaluate, monkeypatch):
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or type(sys)(__name__))
    monkeypatch.setattr(sys.modules[__name__], "Named", Named, raising=False)
    handler = Named("mine", evaluate=evaluate, keep=Retention(runs=7))
    RunnableLambda(lambda x: x).invoke("Hello.", {"callbacks": [handler]})
    assert handler.flush(20)
    copy = pickle.loads(pickle.dumps(handler))  # noqa: S301 - our own
    assert _written(type(copy)) is Named
    assert copy.label == "mine"
    assert copy.session.settings == handler.session.settings
    assert (len(handler.reports), len(copy.reports)) == (1, 0)
    RunnableLambda(lambda x: x).invoke("Hello.", {"callbacks": [copy]})
    assert copy.report(timeout=20).graph.answer.text == "Hello."


@needs_fork
@pytest.mark.parametrize("evaluate", ["never", "background", "inline"])
def test_children_forked_while_other_threads_run_chains_get_their_reports(evaluate):
    lines = run_program(
        APP
        + f"""
handler = TrailCallbackHandler(evaluate="{evaluate}")
served(handler)
stop = busy(lambda: ask(handler), threads=3)
print(Counter(forked(lambda: served(handler), 60) for _ in range(40)))
stop()
served(handler)
handler.close(1)
""",
        seconds=250,
    )
    assert lines == ["Counter({'ok': 40})"]
