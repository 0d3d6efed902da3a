import sys
import threading
from functools import cached_property
from pathlib import Path

import pytest

from trail_callbacks.forking import ChildSafeLock, renewed_in_child

sys.path.insert(0, str(Path(__file__).parent / "session"))
from forks import needs_fork, run_program

pytestmark = needs_fork


class Owner:
    def __init__(self):
        self.renewed = 0
        renewed_in_child(self, Owner.renew)

    def renew(self):
        self.renewed += 1


def test_an_owner_is_renewed_in_the_child_and_not_in_the_parent():
    lines = run_program("""
from trail_callbacks.forking import renewed_in_child
class Owner:
    pid = os.getpid()
    def renew(self):
        self.pid = os.getpid()
class Broken(Owner):
    def renew(self):
        raise RuntimeError("broken")
broken, owner = Broken(), Owner()
renewed_in_child(broken, Broken.renew)
renewed_in_child(owner, Owner.renew)
def child():
    assert owner.pid == os.getpid()
print(forked(child), owner.pid == os.getpid())
""")
    assert lines == ["ok True"]


def test_a_lock_that_another_thread_holds_is_free_in_the_child():
    lines = run_program("""
from trail_callbacks.forking import ChildSafeLock
lock, held = ChildSafeLock(), threading.Event()
def hold():
    with lock:
        held.set()
        time.sleep(60)
threading.Thread(target=hold, daemon=True).start()
held.wait()
def child():
    with lock, lock:
        pass
print(forked(child, 15))
""")
    assert lines == ["ok"]


def test_a_lock_keeps_others_out():
    lock, entered = ChildSafeLock(), threading.Event()

    def enter():
        with lock:
            entered.set()

    thread = threading.Thread(target=enter)
    with lock:
        thread.start()
        assert not entered.wait(0.1)
    thread.join(5)
    assert entered.is_set()


def test_a_fork_waits_for_what_must_not_be_cut_in_two():
    lines = run_program("""
from trail_callbacks.forking import unforked
entered, left = threading.Event(), []
def importing():
    with unforked():
        entered.set()
        time.sleep(0.3)
        left.append(True)
threading.Thread(target=importing, daemon=True).start()
entered.wait()
def child():
    assert left
    with unforked():
        pass
print(forked(child), forked(child))
""")
    assert lines == ["ok ok"]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="cached properties have no lock any more")
def test_cached_properties_of_ours_are_free_in_the_child():
    lines = run_program("""
from trail_callbacks.graph import ProvenanceGraph
held = threading.Event()
def hold():
    with ProvenanceGraph.__dict__["_by_id"].lock:
        held.set()
        time.sleep(60)
threading.Thread(target=hold, daemon=True).start()
held.wait()
def child():
    graph = ProvenanceGraph.from_texts("An answer.", ["A source."])
    assert graph.node(graph.answer.id)
print(forked(child, 15))
""")
    assert isinstance(vars(__import__("trail_callbacks.graph").graph.ProvenanceGraph)["_by_id"], cached_property)
    assert lines == ["ok"]
